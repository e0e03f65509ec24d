"""Bodies of requests and answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, StringConstraints
from pydantic.alias_generators import to_camel

from jackfield.api.auth import SCOPES
from jackfield.api.paging import Clamped
from jackfield.api.schemas import Schema

Role = Literal["viewer", "member", "admin"]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]

DEFAULT_LIMIT = 100
MAX_LIMIT = 250


class AuthBody(Schema):
    """Base of requests: an unknown field is an error, so that no misspelt restriction is lost."""

    model_config = ConfigDict(
        extra="forbid", alias_generator=to_camel, validate_by_name=True, hide_input_in_errors=True
    )


class AuthView(Schema):
    """Base of answers."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)


class AuthPaging(Schema):
    """The query of lists; what is out of range is clamped."""

    model_config = ConfigDict(defer_build=True)

    offset: Annotated[int, Clamped(0, 1 << 31)] = Field(0, description="How many to skip.")
    limit: Annotated[int, Clamped(1, MAX_LIMIT)] = Field(DEFAULT_LIMIT, description="How many at most.")


class LoginBody(AuthBody):
    model_config = ConfigDict(extra="ignore")

    username: str = Field(max_length=256, description="User name.")
    password: str = Field(max_length=1024, description="Password.", json_schema_extra={"format": "password"})
    provider: str | None = Field(
        None, max_length=32, description="Name of the login that knows the user; default: Jackfield's own users."
    )


class UserView(AuthView):
    id: str
    username: str
    role: Role


class LoginQuestionBody(AuthBody):
    login: str = Field(max_length=128, description="`details.login` of the answer to the password.")
    factor: str = Field(max_length=32, description="One of `details.factors`.")


class LoginQuestionView(AuthView):
    shown: dict[str, JsonValue] = Field(description="For whoever answers; mostly nothing.")


class LoginAnswerBody(LoginQuestionBody):
    answer: str = Field(
        max_length=8192,
        description="The code, or whatever the factor asks for.",
        json_schema_extra={"format": "password"},
    )


class SessionView(AuthView):
    token: str = Field(description="JSON Web Token; send it as `Authorization: Bearer <token>`.")
    expires_at: str = Field(description="When the token expires, ISO 8601 UTC.")
    user: UserView


class MeView(UserView):
    method: str = Field(description="How the caller was authenticated: jwt, api_key, basic or owner.")


class PasswordBody(AuthBody):
    current: str = Field(max_length=1024, description="The current password.")
    new: str = Field(max_length=1024, description="The new one: at least 12 characters, at most 1,024 bytes.")


class KeyBody(AuthBody):
    name: Name = Field(description="Label of the key.")
    expires_at: str | None = Field(None, max_length=64, description="When the key ends, ISO 8601; default: never.")
    scopes: list[str] | None = Field(
        None,
        min_length=1,
        max_length=len(SCOPES),
        description=f"The key's permissions: {', '.join(sorted(SCOPES))}. Default: all that its owner may.",
    )
    projects: list[Annotated[str, Field(min_length=1, max_length=64, pattern=r"^\S+$")]] | None = Field(
        None, min_length=1, max_length=50, description="Ids of the projects that the key applies to. Default: all."
    )


class KeyView(AuthView):
    id: str
    name: str
    prefix: str = Field(description="The key's first characters.")
    scopes: list[str] = Field(description="Empty: all that the owner may.")
    projects: list[str] = Field(description="Empty: all that the owner has.")
    created_at: str
    expires_at: str | None = None
    last_used_at: str | None = Field(None, description="Exact to a minute.")


class NewKeyView(KeyView):
    key: str = Field(description="The key itself. It is shown this once.")


class KeyList(AuthView):
    data: list[KeyView]
    total: int
    offset: int
    limit: int


class NewUserBody(AuthBody):
    username: str = Field(max_length=256, description="1 to 64 printable characters without a colon.")
    password: str = Field(max_length=1024, description="At least 12 characters, at most 1,024 bytes.")
    role: Role = Field(description="viewer reads; member also changes and executes; admin also manages users.")
    mail: str | None = Field(None, max_length=254, description="Mail address; none: the user name, if it is one.")


class LoginMethodView(AuthView):
    name: str = Field(description="Goes into `provider` of a login.")
    title: str = Field(description="For people to read.")
    kind: Literal["password", "redirect"] = Field(
        description="password: takes name and password; redirect: a browser is sent to a provider."
    )


class DepartureQuery(Schema):
    provider: str = Field(max_length=32, description="Name of the login whose provider tells of it.")


class DepartureHeard(AuthView):
    ended: bool = Field(description="True: no session of that user goes on.")


class LoginMethodList(AuthView):
    data: list[LoginMethodView]


class UserChange(AuthBody):
    role: Role | None = Field(None, description="The new role.")
    password: str | None = Field(None, max_length=1024, description="The new password.")
    disabled: bool | None = Field(
        None, description="Whether nobody gets in as this user; a change ends all tokens and sessions."
    )
    mail: str | None = Field(None, max_length=254, description="Mail address; empty: the user name, if it is one.")


class UserRow(UserView):
    created_at: str
    disabled: bool = Field(description="Whether nobody gets in as this user.")
    provider: str | None = Field(None, description="The login that the user comes from; none: a password of ours.")
    display_name: str | None = Field(None, description="As that login names the user.")
    mail: str | None = Field(None, description="Where mails to the user go; none: nowhere.")


class UserList(AuthView):
    data: list[UserRow]
    total: int
    offset: int
    limit: int
