"""Bodies of `/api/v1/mail`."""

from __future__ import annotations

from pydantic import Field

from jackfield.api.schemas import Schema


class MailTestBody(Schema):
    to: str = Field(min_length=3, max_length=254, description="The address that the mail goes to.")


class MailTestSent(Schema):
    sent: bool = Field(description="True: the mail server has taken the mail.")
    to: str


class MailShown(Schema):
    ready: bool = Field(description="Whether mail is set up (mail.host).")
    host: str | None = Field(description="The mail server.")
    sender: str | None = Field(description="The sender of every mail.")
