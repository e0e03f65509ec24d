"""Where a webhook's secret comes from: the node's parameters, its `authConfig`, or a stored credential."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import cast

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield.api.storage import Store
from jackfield.api.workflows import Node
from jackfield_webhooks.authentication import signatures
from jackfield_webhooks.authentication.verifiers import BasicVerifier, Closed, HeaderVerifier, Verifier
from jackfield_webhooks.parameters import Findings, HookParameters, is_expression

Config = dict[str, str]

REQUIRE_EXP = "requireExp"
"""Whether a token must say when it ends."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    "headerAuth": ("headerName", "headerValue"),
    "basicAuth": ("username", "password"),
    "hmac": ("secret", "preset", "header", "algorithm", "encoding"),
    "jwtAuth": ("secret", "publicKey", "algorithm", REQUIRE_EXP),
}
"""The fields with which each kind is configured."""
_ALIASES = {
    "hmac": {"secret": "hmacSecret", "header": "hmacHeader", "algorithm": "hmacAlgorithm", "encoding": "hmacEncoding"},
    "jwtAuth": {"secret": "jwtSecret", "algorithm": "jwtAlgorithm"},
}
_STORED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "headerAuth": ("httpHeaderAuth", {"headerName": "name", "headerValue": "value"}),
    "basicAuth": ("httpBasicAuth", {"username": "user", "password": "password"}),
    "hmac": ("hmacAuth", {"secret": "secret"}),
    "jwtAuth": ("jwtAuth", {"secret": "secret", "publicKey": "publicKey", "algorithm": "algorithm"}),
}
_JWT_VERIFIER = "jackfield_webhooks.authentication.json_web_tokens:JwtVerifier"
"""Its library is imported with the first webhook that asks for a JWT."""
_HMAC_JWT = ("HS256", "HS384", "HS512")
_KEY_JWT = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


@record
class CredentialReference:
    """A node's mention of a stored credential."""

    kind: str
    id: str
    name: str


def written_config(parameters: HookParameters, findings: Findings) -> Config:
    """The configuration in the document itself; `authConfig` beats the parameters."""
    nested = parameters.raw.get("authConfig")
    aliases = _ALIASES.get(parameters.authentication, {})
    found: Config = {}
    for field in FIELDS.get(parameters.authentication, ()):
        for source, prefix in ((nested, "authConfig."), (parameters.raw, "")):
            if not isinstance(source, dict | Mapping) or field in found:
                continue
            for name in (field, aliases.get(field, field)):
                value = source.get(name)
                if is_expression(value):
                    findings[prefix + name] = "A secret cannot be an expression; use a stored credential."
                elif written := _switch(value) if field == REQUIRE_EXP else _text(value):
                    found.setdefault(field, written)
    return found


def reference(node: Node, authentication: str) -> CredentialReference | None:
    """The stored credential that fits the authentication, if the node names one."""
    if authentication not in _STORED:
        return None
    kind = _STORED[authentication][0]
    named, ident = node.credentials.get(kind), node.credential_id(kind)
    if ident is None or not isinstance(named, dict):
        return None
    return CredentialReference(kind, ident, str(named.get("name") or ""))


async def stored_config(
    context: PluginContext, authentication: str, named: CredentialReference
) -> tuple[Config, int] | None:
    """The credential's values under our names, and when it was changed. None when it is unknown, of another kind, or
    sealed with another key. Raises `StoreUnavailable`."""
    store: Store = context.store
    credential = await store.credential(named.id)
    kind, fields = _STORED[authentication]
    if credential is None or credential.kind != kind:
        return None
    try:
        values = orjson.loads(context.secrets.open(credential.sealed))
    except ValueError:
        return None
    config = {ours: _text(values.get(theirs)) for ours, theirs in fields.items()}
    return {name: value for name, value in config.items() if value}, credential.updated_at


def preset_config(parameters: HookParameters, names: Collection[str], findings: Findings) -> Config:
    """Fields of a preset's own, from `authConfig`."""
    nested = parameters.raw.get("authConfig")
    found: Config = {}
    if not isinstance(nested, Mapping):
        return found
    for name in names:
        value = nested.get(name)
        if is_expression(value):
            findings[f"authConfig.{name}"] = "This cannot be an expression; write the value itself."
        elif written := _text(value):
            found[name] = written
    return found


def build(kind: str, config: Config, findings: Findings, presets: Sequence[str] = ()) -> Verifier | None:
    """The verifier, unless it is a preset's; None for `none`.

    Mistakes go to `findings`, and then the verifier refuses every call. presets: the names of all, for messages.
    """
    if kind == "none":
        return None
    if kind == "hmac":
        return _hmac(config, findings, presets) or Closed()
    maker = {"headerAuth": _header, "basicAuth": _basic, "jwtAuth": _jwt}.get(kind)
    return (maker(config, findings) if maker else None) or Closed()


def _header(config: Config, findings: Findings) -> Verifier | None:
    name, value = config.get("headerName", "").strip(), config.get("headerValue", "").strip()
    if not _is_token(name):
        findings["authConfig.headerName"] = "headerAuth needs the name of a header."
    if not value:
        findings["authConfig.headerValue"] = "headerAuth needs the header's secret value, or a stored credential."
    return HeaderVerifier(name, value) if _is_token(name) and value else None


def _basic(config: Config, findings: Findings) -> Verifier | None:
    username, password = config.get("username", ""), config.get("password", "")
    if not password:
        findings["authConfig.password"] = "basicAuth needs a username and a password, or a stored credential."
    if ":" in username or not username:
        findings["authConfig.username"] = "basicAuth needs a username, without a colon."
    return BasicVerifier(username, password) if password and username and ":" not in username else None


def _hmac(config: Config, findings: Findings, presets: Sequence[str]) -> Verifier | None:
    secret = config.get("secret", "")
    if not secret:
        findings["authConfig.secret"] = "hmac needs the secret that its sender signs with, or a stored credential."
        return None
    header = config.get("header", "").strip()
    algorithm = config.get("algorithm", "sha256").lower().replace("-", "")
    encoding = config.get("encoding", "hex").lower()
    if not _is_token(header):
        findings["authConfig.header"] = f"hmac needs a header, or a preset: {', '.join(presets)}."
    elif algorithm not in signatures.ALGORITHMS:
        findings["authConfig.algorithm"] = f"algorithm must be one of {', '.join(signatures.ALGORITHMS)}."
    elif encoding not in signatures.ENCODINGS:
        findings["authConfig.encoding"] = f"encoding must be one of {', '.join(signatures.ENCODINGS)}."
    else:
        return signatures.free_form(secret, header, algorithm, encoding)
    return None


def _jwt(config: Config, findings: Findings) -> Verifier | None:
    algorithm = config.get("algorithm", "HS256")
    if algorithm not in (*_HMAC_JWT, *_KEY_JWT):
        findings["authConfig.algorithm"] = f"algorithm must be one of {', '.join((*_HMAC_JWT, *_KEY_JWT))}."
        return None
    required = config.get(REQUIRE_EXP, "true")
    if required not in ("true", "false"):
        findings[f"authConfig.{REQUIRE_EXP}"] = "requireExp must be true or false."
        return None
    field = "secret" if algorithm in _HMAC_JWT else "publicKey"
    key = config.get(field, "")
    if not key:
        findings[f"authConfig.{field}"] = f"jwtAuth with {algorithm} needs {field}, or a stored credential."
        return None
    try:
        make = cast("Callable[[str, str, bool], Verifier]", load(_JWT_VERIFIER))
        return make(key, algorithm, required == "true")
    except ValueError:
        findings[f"authConfig.{field}"] = f"This cannot be read as a key for {algorithm}."
        return None


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _switch(value: Json) -> str:
    """As a text, also of what is neither true nor false, so that it is found to be wrong."""
    return "" if value is None or value == "" else str(value).lower()


_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")


def _is_token(name: str) -> bool:
    """Whether this can be a header's name (RFC 9110 section 5.6.2)."""
    return 0 < len(name) <= 200 and not set(name.lower()) - _TOKEN
