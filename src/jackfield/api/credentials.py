"""Kinds of credentials: which fields they have, and how they get onto a request. Kinds are data; the plugin that gives
the port `Credentials` knows how to apply each scheme.

Texts in a scheme are templates: `{token}` stands for the credential's field of this name, `{{` and `}}` for braces.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol, TypeAlias

from .extensions import ExtensionPoint
from .http_client import Authorization, HttpCall
from .jsontext import Json
from .records import record

ALLOWED_HOSTS = "allowedHosts"
"""The field that every kind has: hosts that the credential may be sent to, comma separated; empty: any."""
TOKENS = "oauthTokenData"
"""Where tokens are sealed beside the fields, as JSON; never shown, never set by a caller."""

_PART = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}")


@record
class CredentialField:
    """One value of a credential; all values are text.

    `type`: `json` is checked to be an object, `boolean` to be `true` or `false`, `url` to be http or https. `required`:
    not empty, unless there is a default.
    """

    name: str
    title: str
    secret: bool = False
    required: bool = False
    default: str = ""
    type: Literal["text", "json", "boolean", "url"] = "text"
    choices: Sequence[str] = ()
    description: str = ""


@record
class Placement:
    """Values in headers and query, and at most one pair of user and password for Basic."""

    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    basic: tuple[str, str] | None = None


@record
class Digest:
    """HTTP Digest (RFC 7616): templates of user and password."""

    user: str = "{user}"
    password: str = "{password}"  # noqa: S105 - a template


@record
class OAuth2:
    """OAuth 2 (RFC 6749), with PKCE (RFC 7636) and refresh.

    `grant`: authorizationCode, pkce or clientCredentials. `client`: where id and secret go, `header` or `body`.
    `authorize_query`: further parameters, as in a query string. `token_body`: a JSON object of further parameters of
    client credentials. `header`: what carries the access token `{accessToken}`. `any_certificate`: `true` to accept any
    certificate of the token server. `resource`: what the tokens are for (RFC 8707). `registers`: `true` to register as
    a client of `server` before its user is sent there, when there is no client ID (RFC 7591). The values of the
    registration become fields of the credential. Tokens of a scheme with `server` or `resource` go nowhere but to the
    origin of the first that is filled, unless `allowedHosts` says otherwise. `issuer`: the authorization server's name,
    which an answer of another one is refused for. `issuer_required`: `true` when its answers without a name are
    refused, too (RFC 9207).
    """

    grant: str
    authorize_url: str
    token_url: str
    scope: str = ""
    client_id: str = "{clientId}"
    client_secret: str = "{clientSecret}"  # noqa: S105 - a template
    client: str = "header"
    authorize_query: str = ""
    token_body: str = ""
    header: str = "Bearer {accessToken}"
    any_certificate: str = "false"
    resource: str = ""
    registers: str = ""
    server: str = ""
    issuer: str = ""
    issuer_required: str = ""


Sign: TypeAlias = Callable[[HttpCall, Mapping[str, str]], HttpCall]


@record
class Signing:
    """Code that puts the values on a request, or its place where loading it is slow. It must list every secret it adds
    in `secrets` and `secret_headers`. Raises `NodeError`."""

    sign: Sign | str


@record
class ServiceAccount:
    """Access tokens for assertions that the credential signs (RFC 7523).

    Templates give the issuer, the key (PEM, PKCS #8, RSA), and the account that it acts for when `acts` is `true`.
    `scope`: template. `scopes`: rows of host, path, scopes. When `scope` is empty, the first row counts whose host and
    beginning of the path the address has. A `.` before a host stands for all below it.
    """

    issuer: str
    key: str
    subject: str = ""
    acts: str = ""
    scope: str = ""
    scopes: Sequence[tuple[str, str, str]] = ()


Scheme: TypeAlias = "Placement | Digest | OAuth2 | Signing | ServiceAccount"


@record
class Probe:
    """A request that tells whether a credential is good.

    `url`: a template. `ok`: path in the JSON answer that must be true, for servers whose failures have status 200.
    `error`: path of their message. `path`: below `url`, where that is a base that users give, which may have a query.
    """

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    ok: str = ""
    error: str = ""
    path: str = ""


@record
class CredentialKind:
    """`name`: such as `httpHeaderAuth`.

    `scheme`: None when the values are not for requests. `probe`: None when the kind has no server. `connection_test`:
    for kinds that are no HTTP: signs in with the values, leaves, and gives what to tell of it; raises `NodeError`,
    without secrets. `yields`: whether it gives way to another plugin's of its name.
    """

    name: str
    title: str
    fields: Sequence[CredentialField]
    scheme: Scheme | None = None
    probe: Probe | None = None
    connection_test: Callable[[Mapping[str, str]], Awaitable[str]] | None = None
    yields: bool = False

    def secret(self, name: str) -> bool:
        """Whether this value must never be shown; unknown ones count as secret."""
        found = next((known for known in self.fields if known.name == name), None)
        return name != ALLOWED_HOSTS if found is None else found.secret

    def complete(self, values: Mapping[str, str]) -> dict[str, str]:
        """The values with the defaults of what is missing or empty."""
        given = {name: value for name, value in values.items() if value != ""}
        return {known.name: known.default for known in self.fields} | given


class Credentials(Protocol):
    """The port: stored credentials, opened at the last moment. Values never belong in outputs, logs or messages."""

    async def values(self, credential_id: str, kind: str) -> Mapping[str, str]:
        """The decrypted fields, completed by defaults, with `allowedHosts`. Raises `NodeError`."""

    async def authorization(self, credential_id: str, kind: str) -> Authorization:
        """The object that puts the credential on requests; reads the store. Raises `NodeError`."""


@record
class CredentialValues:
    """A credential in clear, to be sealed.

    `values`: texts by field. `tokens`: of OAuth 2, as the token server gave them; empty: it is not connected.
    """

    id: str
    name: str
    kind: str
    values: Mapping[str, str]
    tokens: Mapping[str, Json] = field(default_factory=dict)


class CredentialWriter(Protocol):
    """The port: seals credentials that come from elsewhere."""

    async def fitted(self, credential: CredentialValues) -> tuple[CredentialValues, Mapping[str, str]]:
        """The credential without what its kind has no field for, and what is wrong with it: path -> sentence, in which
        no value is quoted."""

    async def put(self, credential: CredentialValues) -> None:
        """Create it, or replace its name and its values. Raises `Conflict` when the id has another kind."""


def filled(template: str, values: Mapping[str, str]) -> str:
    """The template with its fields. Raises KeyError with the name of a field that is missing or empty."""

    def part(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return match[0][0]
        if not values.get(name):
            raise KeyError(name)
        return values[name]

    return _PART.sub(part, template)


def fields_in(template: str) -> list[str]:
    """The names of the fields that the template reads."""
    return [match[1] for match in _PART.finditer(template) if match[1]]


CREDENTIAL_KINDS = ExtensionPoint("jackfield_credential_kinds", CredentialKind)
