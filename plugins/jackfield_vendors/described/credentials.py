"""The keys that a description file may have for credentials."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jackfield_vendors.described.description import DescribedPart, Kind


class CredentialFieldText(DescribedPart):
    name: str = Field(min_length=1)
    title: str = ""
    secret: bool = False
    required: bool = False
    default: str = ""
    type: Literal["text", "json", "boolean", "url"] = "text"
    options: list[str] = Field(default=[])
    description: str = ""


class CredentialTestText(DescribedPart):
    url: str
    method: Literal["GET", "POST"] = "GET"
    headers: dict[str, str] = Field(default={})
    ok: str = ""
    error: str = ""


class OAuth2Text(DescribedPart):
    """scope: what the field of this name has by default, or a template over the fields, which it takes the place of."""

    authorize_url: str = ""
    token_url: str
    scope: str = ""
    grant: Literal["authorizationCode", "clientCredentials"] = "authorizationCode"
    client: Literal["header", "body"] = "header"
    authorize_query: str = ""
    header: str = "Bearer {accessToken}"


class DescribedCredential(DescribedPart):
    """A kind of credentials.

    `headers`, `query`, `basic`: templates over its fields. `signing`: instead of them, how each request is signed: the
    name of a function of `signing`.
    """

    kind: Kind
    title: str
    fields: list[CredentialFieldText] = Field(default=[])
    headers: dict[str, str] = Field(default={})
    query: dict[str, str] = Field(default={})
    basic: tuple[str, str] | None = None
    oauth2: OAuth2Text | None = None
    signing: Literal["ghost"] | None = None
    test: CredentialTestText | None = None
