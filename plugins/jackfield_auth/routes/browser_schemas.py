"""Bodies of `/api/session`."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from jackfield.api.schemas import Schema


class SessionModel(Schema):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class EntryBody(SessionModel):
    username: str | None = Field(None, max_length=256, description="User name; with the password.")
    password: str | None = Field(
        None, max_length=1024, description="Password; with the user name.", json_schema_extra={"format": "password"}
    )
    code: str | None = Field(None, max_length=128, description="One-time code of `jackfield open`.")
    provider: str | None = Field(
        None, max_length=32, description="Name of the login: of a password's, or of the one that has sent the answer."
    )
    answer: str | None = Field(
        None,
        max_length=8192,
        description="Query string with which the provider has sent the browser back; with `factor`, the answer to it.",
    )
    passkey: str | None = Field(
        None, max_length=65536, description="The browser's answer to the question of a login by passkey, as JSON text."
    )
    factor: str | None = Field(
        None,
        max_length=32,
        description="Second factor that `answer` is of, for the login that has begun in this browser.",
    )


class RedirectBody(SessionModel):
    provider: str = Field(max_length=32, description="Name of a login of the kind redirect.")


class RedirectView(SessionModel):
    url: str = Field(description="Where to send the browser.")


class RedirectBegun(SessionModel):
    success: Literal[True]
    data: RedirectView


class QuestionBody(SessionModel):
    factor: str = Field(max_length=32, description="Name of one of the choices.")


class QuestionView(SessionModel):
    shown: dict[str, JsonValue] = Field(description="For the page: of a passkey its options, else mostly nothing.")


class QuestionAnswer(SessionModel):
    success: Literal[True]
    data: QuestionView


class FactorChoiceView(SessionModel):
    name: str
    title: str


class StepView(SessionModel):
    """The second step of a login that has begun in this browser."""

    choices: list[FactorChoiceView] = Field(description="Factors that the user may answer with.")
    has_to_set_up: bool = Field(description="Whether the user has none yet, and needs one to come in.")


class LoginChoice(SessionModel):
    name: str
    title: str
    kind: Literal["password", "redirect"]


class CodeBody(SessionModel):
    same_user: bool = Field(
        False, description="Whether only a browser of the daemon's own user may use the code; needs Linux."
    )


class BrowserUser(SessionModel):
    id: str
    username: str
    role: Literal["viewer", "member", "admin"]


class BrowserSessionView(SessionModel):
    authenticated: bool = Field(description="Whether the caller is known, by a session or otherwise.")
    method: Literal["session", "owner", "jwt", "api_key", "basic"] | None = Field(
        description="How; `owner`: by its process, which is not enough for /api/v1."
    )
    user: BrowserUser | None
    kind: Literal["owner", "user"] | None = Field(description="The session's owner: the daemon's own user, or a user.")
    created_at: str | None = Field(description="ISO 8601 UTC, as the other times.")
    expires_at: str | None = Field(description="When the session ends at the latest.")
    idle_expires_at: str | None = Field(description="When it ends if it is not used any more.")
    owner_available: bool = Field(description="Whether a POST without credentials begins a session.")
    login_needed: bool = Field(description="Whether there is neither a session nor that way to one.")
    version: str = Field(description="The daemon's.")
    hosts: int = Field(
        description="Daemons that share the store, also those that are gone and remembered; 1 for an unknown caller."
    )
    agents: bool = Field(description="Whether agents, profiles and terminals are reached by the address of this call.")
    projects: bool = Field(description="Whether projects keep anything from anybody; false for an unknown caller.")
    logins: list[LoginChoice] = Field(description="The ways to log in, Jackfield's own users first.")
    forgotten: bool = Field(description="Whether a user who has forgotten the password gets another one by mail.")
    step: StepView | None = Field(description="The login goes on with this; null: none is under way.")


class BrowserSessionAnswer(SessionModel):
    success: Literal[True]
    data: BrowserSessionView


class CodeView(SessionModel):
    code: str
    expires_in: int = Field(description="Seconds.")


class CodeAnswer(SessionModel):
    success: Literal[True]
    data: CodeView


class SessionEndedView(SessionModel):
    url: str | None = Field(
        description="Where to send the browser, so that its session at the provider ends, too; null: nowhere."
    )


class SessionEnded(SessionModel):
    success: Literal[True]
    data: SessionEndedView


class DoneAnswer(SessionModel):
    success: Literal[True]
