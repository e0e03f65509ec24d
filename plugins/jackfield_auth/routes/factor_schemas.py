"""Bodies of `/api/session/factors`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jackfield_auth.routes.browser_schemas import SessionModel


class NewAuthenticatorView(SessionModel):
    secret: str = Field(description="Base32, to type into an app.")
    address: str = Field(description="The `otpauth:` address that the picture says.")
    picture: str = Field(description="A QR code, an SVG document.")


class NewAuthenticatorAnswer(SessionModel):
    success: Literal[True]
    data: NewAuthenticatorView


class FactorCodeBody(SessionModel):
    code: str = Field(max_length=32, description="The code that the app shows now.")


class FactorDoneView(SessionModel):
    recovery_codes: list[str] = Field(description="New ones, shown this once; empty: the earlier ones count.")


class FactorDoneAnswer(SessionModel):
    success: Literal[True]
    data: FactorDoneView


class OwnFactorsView(SessionModel):
    factors: list[str] = Field(description="Those that are set up, by name.")
    recovery_codes: int = Field(description="How many are not used yet.")
    demanded: bool = Field(description="Whether the settings want one of this user.")
    fresh: bool = Field(description="Whether the login is recent enough for a change.")


class OwnFactorsAnswer(SessionModel):
    success: Literal[True]
    data: OwnFactorsView
