"""Bodies of `/api/session/forgotten` and `/api/session/mail`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jackfield_auth.routes.browser_schemas import SessionModel


class ForgottenBody(SessionModel):
    username: str = Field(min_length=1, max_length=256, description="A user name, or a mail address.")
    language: Literal["en", "de"] = Field("en", description="Of the mail.")


class OwnMailBody(SessionModel):
    mail: str = Field(max_length=254, description="One address; empty: none, or the user name where it is an address.")


class OwnMail(SessionModel):
    mail: str | None = Field(description="Where mails go; null: nowhere.")


class OwnMailAnswer(SessionModel):
    success: Literal[True]
    data: OwnMail
