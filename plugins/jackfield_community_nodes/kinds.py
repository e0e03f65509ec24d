"""Kinds of credentials that packages bring."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from jackfield.api.credentials import CredentialField, CredentialKind, OAuth2, Placement, Scheme
from jackfield.api.errors import ConfigurationError
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield_community_nodes.library import Library

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield_community_nodes.packages import CredentialText, InstalledPackage

_REFERENCE = re.compile(
    r"\{\{\s*\$credentials(?:\??\.([A-Za-z_]\w*)|(?:\?\.)?\[\s*[\"']([A-Za-z_]\w*)[\"']\s*\])\s*\}\}"
)
KIND = re.compile(r"[A-Za-z0-9_-]{1,100}")
"""Names of kinds, and of node types within a package."""
_NO_VALUE = frozenset({"notice", "button", "callout", "curlImport"})
_TEST = "jackfield_community_nodes.nodes.testing:tested"
"""By object reference: only a test needs processes."""
_OAUTH2 = frozenset({"oAuth2Api"})
_CLIENT = (
    CredentialField("clientId", "Client ID", required=True),
    CredentialField("clientSecret", "Client secret", secret=True, required=True),
)


def credential_kinds(context: PluginContext) -> Sequence[CredentialKind]:
    """Of every package; of two with one name that of the package that came first counts. A later one could show what is
    secret, or test credentials that were typed in for the other."""
    library = context.port(Library)
    found: dict[str, CredentialKind] = {}
    for package in sorted(library.packages().values(), key=lambda one: one.age):
        try:
            described = library.description(package)
        except ConfigurationError as exc:
            context.log.error("Credentials of %s are not there. %s", package.name, exc.message)
            continue
        for text in described.credentials:
            kind = kind_of(text, partial(_tested, context, package, text.file) if text.tests else None)
            if kind is not None:
                found.setdefault(kind.name, kind)
    return list(found.values())


async def _tested(context: PluginContext, package: InstalledPackage, file: str, values: Mapping[str, str]) -> str:
    tested = cast("Callable[..., Awaitable[str]]", load(_TEST))
    return await tested(context, package, file, values)


def kind_of(text: CredentialText, test: object = None) -> CredentialKind | None:
    """None for one without a name that a kind may have."""
    described = text.credential
    name, title = described.get("name"), described.get("displayName")
    if not isinstance(name, str) or KIND.fullmatch(name) is None:
        return None
    scheme = scheme_of(text)
    fields = {field.name: field for field in _fields(described.get("properties"))}
    if isinstance(scheme, OAuth2):
        for client in (
            *_CLIENT,
            CredentialField("scope", "Scope", default=scheme.scope, description="Separated by spaces."),
        ):
            fields.setdefault(client.name, client)
        scheme = _with_scope(scheme)
    tested = test if callable(test) and not isinstance(scheme, OAuth2) else None
    return CredentialKind(
        name,
        title if isinstance(title, str) else name,
        tuple(fields.values()),
        scheme,
        connection_test=tested,
        yields=True,
    )


def _with_scope(scheme: OAuth2) -> OAuth2:
    return OAuth2(
        grant=scheme.grant, authorize_url=scheme.authorize_url, token_url=scheme.token_url, scope="{scope}",
        client=scheme.client, authorize_query=scheme.authorize_query,
    )  # fmt: skip


def is_signed(text: CredentialText) -> bool:
    """Whether the daemon itself puts it on requests."""
    return scheme_of(text) is not None


def scheme_of(text: CredentialText) -> Scheme | None:
    """How the kind gets onto requests, as far as the daemon can do it: fields in headers, query and Basic, and OAuth 2.
    None: the package's own code does it."""
    described = text.credential
    if text.signsByFunction:
        return None
    above = described.get("extends")
    if isinstance(above, list) and _OAUTH2.intersection(str(one) for one in above):
        return _oauth2(described.get("properties"))
    authenticate = described.get("authenticate")
    properties = authenticate.get("properties") if isinstance(authenticate, dict) else None
    if not isinstance(properties, dict) or set(properties) - {"headers", "qs", "auth"}:
        return None
    known = {field.name for field in _fields(described.get("properties"))}
    return _placement(properties, known)


def _placement(properties: Mapping[str, Json], known: set[str]) -> Placement | None:
    headers, query = _templates(properties.get("headers"), known), _templates(properties.get("qs"), known)
    user = _templates(properties.get("auth"), known)
    if headers is None or query is None or user is None or (user and set(user) - {"username", "password"}):
        return None
    basic = (user.get("username", ""), user.get("password", "")) if user else None
    return Placement(headers, query, basic)


def _templates(given: Json, known: set[str]) -> dict[str, str] | None:
    """Ours, of n8n's; None where an expression is more than a field."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        return None
    made = {}
    for name, text in given.items():
        template = _template(text, known) if not name.startswith("=") else None
        if template is None:
            return None
        made[name] = template
    return made


def _template(text: Json, known: set[str]) -> str | None:
    if not isinstance(text, str):
        return None
    if not text.startswith("="):
        return _literal(text)
    made, at = "", 1
    for found in _REFERENCE.finditer(text):
        name = found[1] or found[2]
        between = text[at : found.start()]
        if name not in known or "{{" in between:
            return None
        made += _literal(between) + f"{{{name}}}"
        at = found.end()
    return None if "{{" in text[at:] else made + _literal(text[at:])


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _oauth2(properties: Json) -> OAuth2 | None:
    """Of the hidden fields by which kinds of n8n extend `oAuth2Api`."""
    given = {
        str(one.get("name")): str(one["default"])
        for one in (properties if isinstance(properties, list) else ())
        if isinstance(one, dict) and isinstance(one.get("default"), str)
    }
    if any(text.startswith("=") for text in given.values()) or "accessTokenUrl" not in given:
        return None
    grant = given.get("grantType", "authorizationCode")
    return OAuth2(
        grant=grant if grant in ("authorizationCode", "pkce", "clientCredentials") else "authorizationCode",
        authorize_url=_literal(given.get("authUrl", "")), token_url=_literal(given["accessTokenUrl"]),
        scope=given.get("scope", ""), client="body" if given.get("authentication") == "body" else "header",
        authorize_query=given.get("authQueryParameters", ""),
    )  # fmt: skip


def _fields(properties: Json) -> Sequence[CredentialField]:
    found: dict[str, CredentialField] = {}
    for one in properties if isinstance(properties, list) else ():
        if isinstance(one, dict) and isinstance(one.get("name"), str) and one.get("type") not in _NO_VALUE:
            field = _field(one)
            found.setdefault(field.name, field)
    return list(found.values())


def _field(given: Mapping[str, Json]) -> CredentialField:
    options, more = given.get("options"), given.get("typeOptions")
    secret = isinstance(more, dict) and more.get("password") is True
    choices = tuple(
        str(one["value"])
        for one in (options if isinstance(options, list) else ())
        if isinstance(one, dict) and "value" in one
    )
    default, type_ = given.get("default"), given.get("type")
    return CredentialField(
        str(given["name"]),
        str(given.get("displayName") or given["name"]),
        secret,
        given.get("required") is True,
        _default(default),
        "boolean" if type_ == "boolean" else "json" if type_ == "json" and not default else "text",
        choices,
        str(given.get("description") or ""),
    )


def _default(default: Json) -> str:
    """As the values of credentials are: text."""
    if isinstance(default, bool):
        return "true" if default else "false"
    return "" if default is None or isinstance(default, list | dict) else str(default)
