"""Bodies of the API of credentials."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from jackfield.api.paging import Clamped
from jackfield.api.schemas import Schema

Name = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"\S")]
KindName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$", max_length=100)]
Values = Annotated[
    dict[Annotated[str, StringConstraints(min_length=1, max_length=100)], Annotated[str, Field(max_length=65_536)]],
    Field(min_length=1, max_length=50),
]


class CredentialRequest(Schema):
    """A body with these keys and no others."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


class CredentialAnswer(Schema):
    """An answer."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)


class CredentialsQuery(CredentialAnswer):
    """A number out of range is clamped."""

    offset: Annotated[int, Clamped(0, 2**31 - 1)] = 0
    limit: Annotated[int, Clamped(1, 100)] = 20


class CredentialBody(CredentialRequest):
    name: Name
    kind: KindName
    values: Values


class CredentialChange(CredentialRequest):
    name: Name | None = None
    values: Values | None = None


class CredentialTest(CredentialRequest):
    """url: what to ask, for kinds that do not have their own address."""

    url: Annotated[str, StringConstraints(min_length=1, max_length=2048)] | None = None
    method: Literal["GET", "HEAD", "POST"] = "GET"


class CredentialRow(CredentialAnswer):
    id: str
    name: str
    kind: str
    created_at: str
    updated_at: str


class CredentialShown(CredentialRow):
    values: dict[str, str]
    connected: bool | None = None


class CredentialPage(CredentialAnswer):
    data: list[CredentialRow]
    total: int
    offset: int
    limit: int


class TestShown(CredentialAnswer):
    valid: bool
    message: str
    tested: bool


class AuthorizeShown(CredentialAnswer):
    url: str
    expires_at: str
    redirect_uri: str


class FieldShown(CredentialAnswer):
    name: str
    title: str
    type: Literal["text", "json", "boolean", "url"]
    secret: bool
    required: bool
    default: str
    choices: list[str]
    description: str


class KindShown(CredentialAnswer):
    kind: str
    title: str
    fields: list[FieldShown]
    for_requests: bool
    oauth2: bool


class KindList(CredentialAnswer):
    data: list[KindShown]
    total: int
