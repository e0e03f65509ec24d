"""Bodies of `/api/session/factors`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

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


class PasskeyOptionsView(SessionModel):
    options: JsonValue = Field(description="As `PublicKeyCredential.parse...OptionsFromJSON` of browsers takes them.")


class PasskeyOptionsAnswer(SessionModel):
    success: Literal[True]
    data: PasskeyOptionsView


class PasskeyNameBody(SessionModel):
    name: str = Field(max_length=200, description="For people to read; 60 characters are kept.")


class NewPasskeyBody(PasskeyNameBody):
    credential: str = Field(max_length=65536, description="The browser's answer, as JSON text (`toJSON`).")


class PasskeyView(SessionModel):
    id: str
    name: str
    host: str = Field(description="The domain that it is good for.")
    is_synced: bool = Field(description="Whether it was kept on further devices when it was made.")
    created_at: str
    used_at: str


class PasskeyAnswer(SessionModel):
    success: Literal[True]
    data: PasskeyView


class PasskeyList(SessionModel):
    passkeys: list[PasskeyView]


class PasskeysAnswer(SessionModel):
    success: Literal[True]
    data: PasskeyList
