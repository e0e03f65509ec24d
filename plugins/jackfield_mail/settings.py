"""`[mail]`."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from jackfield.api.host_names import is_loopback
from jackfield.api.mail import is_address

_PORTS = {"starttls": 587, "implicit": 465, "none": 25}
_SENDER = re.compile(r"(?:[^<>\x00-\x1f]*<(?P<inner>[^<>]+)>|(?P<bare>[^<>]+))")


class MailSettings(BaseModel):
    """`[mail]`. An unknown key is an error, and no error quotes a value."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

    host: str = Field(
        "", max_length=253, description="The mail server (SMTP), such as `smtp.example.com`. Empty: no mail is sent."
    )
    port: int | None = Field(
        None, ge=1, le=65535, description="Its port. Default: 587, with `implicit` 465, with `none` 25."
    )
    tls: Literal["starttls", "implicit", "none"] = Field(
        "starttls",
        description="`starttls`: an upgrade that the server must offer. `implicit`: TLS from the first byte. `none`: "
        "clear text, with a login at loopback alone.",
    )
    ca_file: str = Field(
        "",
        description="File with the authorities that count, relative to the configuration directory. Default: those of "
        "the system and of certifi.",
    )
    username: str = Field("", max_length=256, description="Name of the login at the server. Empty: no login.")
    password_file: str = Field("", description="File with its password, relative to the configuration directory.")
    password_env: str = Field("", description="Variable of the environment with its password.")
    sender: str = Field(
        "",
        max_length=320,
        description="The sender of every mail, such as `Jackfield <jackfield@example.com>`. Needed with `host`.",
    )
    timeout: float = Field(
        10.0,
        gt=0,
        le=120,
        description="How long one mail may take, and how long it may wait for its turn, in seconds.",
    )
    connections: int = Field(4, ge=1, le=64, description="Mails on their way at the same time.")
    waiting: int = Field(100, ge=1, le=10_000, description="Mails that may wait for their turn; more are refused.")

    @field_validator("sender")
    @classmethod
    def _is_one_address(cls, value: str) -> str:
        found = _SENDER.fullmatch(value)
        if value and (found is None or not is_address((found["inner"] or found["bare"]).strip())):
            raise ValueError("must be one address, such as Jackfield <jackfield@example.com>")
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> MailSettings:
        if self.host and not self.sender:
            raise ValueError("host needs sender, the address that mails come from")
        if self.password_file and self.password_env:
            raise ValueError("give one of password_file and password_env")
        if bool(self.username) != bool(self.password_file or self.password_env):
            raise ValueError("username needs password_file or password_env, and they need username")
        if self.username and self.tls == "none" and not is_loopback(self.host):
            raise ValueError("tls = none would send the password in clear text; use starttls or implicit")
        return self

    @property
    def used_port(self) -> int:
        return self.port or _PORTS[self.tls]
