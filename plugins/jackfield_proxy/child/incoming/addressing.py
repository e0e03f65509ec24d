"""How a provider is reached: its address, and the headers of a request to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TypeAlias

from jackfield.api.dialects.model import DialectError, DialectName
from jackfield.api.gateway import PREFIX
from jackfield.api.tracing import PARENT, STATE, trace_context, trace_pairs
from jackfield.api.urls import joined
from jackfield_proxy.child.incoming import google_paths, platforms
from jackfield_proxy.plan import ProxyPlan, Upstream

Pairs: TypeAlias = "list[tuple[str, str]]"
_PATHS: Mapping[DialectName, str] = {
    "anthropic": "/v1/messages",
    "chat": "/chat/completions",
    "responses": "/responses",
}
"""Gemini's name the model; see `google_paths`."""
_HOP = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
})  # fmt: skip
_REPLACED = _HOP | {
    "host", "content-length", "content-encoding", "expect", "authorization", "x-api-key", "api-key", "x-goog-api-key",
    "cookie", "accept-encoding", "forwarded", "x-real-ip", "via", "x-client-ip", "x-cluster-client-ip",
    "true-client-ip", "cf-connecting-ip",
    "cf-connecting-ipv6", "fastly-client-ip", "x-jackfield-profile",
    # By these some servers take a request for another one than was looked at.
    "x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url",
}  # fmt: skip
_LOGINS = ("authorization", "x-api-key")
_SHOWN = frozenset({"api-key", *_LOGINS})
"""Headers that may show a token."""
MODEL = "{model}"
"""In a provider's address, where its paths name the model."""
_DEPLOYMENT = "/deployments/{model}"
VERSION = "2023-06-01"
"""`anthropic-version`, where the client has not given one."""
REQUEST_ID: Mapping[DialectName, str] = {
    "anthropic": "request-id",
    "chat": "x-request-id",
    "responses": "x-request-id",
    "gemini": "x-request-id",
}
"""The header that clients show when something goes wrong."""
_NOT_IN_HEADERS = re.compile(r"[^ -~]")
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""Characters that no header may have (RFC 9110 section 5.5), though some providers' have."""


def upstream_of(plan: ProxyPlan, provider: str) -> Upstream:
    """Raises `DialectError`."""
    found = plan.upstreams.get(provider)
    if found is None:
        raise DialectError(
            502,
            f"The provider {provider} cannot be used by a proxy: it is not known, has no such endpoint, or keeps its "
            "own login.",
        )
    return found


def dialect_of(upstream: Upstream, dialect: DialectName, model: str) -> DialectName:
    """The dialect of the request to it: the client's own wherever the provider knows it, and the model takes it."""
    if upstream.family != "openai":
        return upstream.family
    if dialect == "responses" and upstream.native:
        return "responses"
    return "responses" if any(fnmatchcase(model, one) for one in upstream.responses) else "chat"


def address(
    upstream: Upstream,
    dialect: DialectName,
    model: str,
    query: str = "",
    suffix: str = "",
    *,
    stream: bool = False,
    version: str = "",
) -> str:
    """The address of a request.

    `query`: as the client sent it, for its own dialect only; it is added to the query that the provider's own address
    has. `stream`: clouds and Gemini have another path for it. `version`: of Gemini's API, as the client has asked for
    it. Raises `DialectError` for a model whose name would lead elsewhere.
    """
    if dialect == "gemini":
        return google_address(upstream, model, google_paths.verb_of(stream=stream), query, version)
    if upstream.platform:
        return platforms.address(upstream, model, stream=stream)
    without = "/v1" if dialect == "anthropic" else ""
    base = _with_model(upstream, model)
    return joined(base, _PATHS[dialect] + suffix, query, without=without)


def google_address(upstream: Upstream, model: str, verb: str, query: str, version: str) -> str:
    """Of what is asked of a model in Gemini's dialect. Raises as `address`."""
    base = _with_model(upstream, model)
    if upstream.platform:
        return google_paths.on_vertex(base, model, verb, query)
    return google_paths.address(base, model, verb, query, version)


def endpoint(upstream: Upstream, dialect: DialectName, path: str, model: str, query: str) -> str:
    """The address of an endpoint that passes. path: below `/v1`; of Gemini's the whole. Azure has what is of no model
    beside the deployments. Raises as `address`."""
    base = _with_model(upstream, model) if model else upstream.url.replace(_DEPLOYMENT, "")
    if dialect == "gemini":
        return google_paths.endpoint(base, path, model, query)
    version = "/v1" if dialect == "anthropic" else ""
    return joined(base, version + path, query, without=version)


def _with_model(upstream: Upstream, model: str) -> str:
    return upstream.url.replace(MODEL, platforms.in_path(model)) if MODEL in upstream.url else upstream.url


def passed_headers(headers: Iterable[tuple[str, str]], upstream: Upstream) -> Pairs:
    """The client's without its credential, and what the provider's manifest adds. The answer comes uncompressed, so
    that its usage can be read as it passes."""
    given = list(headers)
    names = [key.lower() for key, _ in given]
    dropped = _REPLACED
    if "connection" in names:
        dropped |= _of_connection(given) - {"anthropic-version", "anthropic-beta"}
    if upstream.headers:
        dropped |= {name.lower() for name in upstream.headers}
    kept = [
        pair
        for name, pair in zip(names, given, strict=True)
        if name not in dropped and not name.startswith("x-forwarded-")
    ]
    return [*kept, ("Accept-Encoding", "identity"), *upstream.headers.items()]


def own_headers(upstream: Upstream, given: Iterable[tuple[str, str]], *, stream: bool) -> Pairs:
    """The headers of a translated request, which are ours. Of the client's, given, the trace alone goes on."""
    made = [
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream" if stream else "application/json"),
        ("Accept-Encoding", "identity"),
        ("User-Agent", "jackfield-proxy"),
    ]
    made += [("anthropic-version", VERSION)] if upstream.family == "anthropic" else []
    made += _trace(given)
    if not upstream.headers:
        return made
    theirs = {name.lower() for name in upstream.headers}
    return [*(pair for pair in made if pair[0].lower() not in theirs), *upstream.headers.items()]


def _trace(given: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """The span that the client names, if it is a valid one. Repeated headers are one list (RFC 9110 section 5.3)."""
    found: dict[str, str] = {}
    for key, value in given:
        if (name := key.lower()) in (PARENT, STATE):
            found[name] = f"{found[name]},{value}" if name in found else value
    span = trace_context(found[PARENT], found.get(STATE, "")) if PARENT in found else None
    return () if span is None else trace_pairs(span)


def with_version(headers: Pairs) -> Pairs:
    """Anthropic's dialect has to say which version of it is spoken."""
    said = any(name.lower() == "anthropic-version" for name, _ in headers)
    return headers if said else [*headers, ("anthropic-version", VERSION)]


def credential(upstream: Upstream, key: str) -> Pairs:
    """Those that are compatible with Anthropic read the one header or the other; Anthropic refuses both at once."""
    if upstream.auth == "api-key":
        return [(upstream.header, key)]
    if upstream.family == "gemini" and not upstream.auth:
        return [("x-goog-api-key", key)]
    bearer = ("Authorization", f"Bearer {key}")
    if upstream.auth == "bearer" or upstream.family == "openai":
        return [bearer]
    own = ("x-api-key", key)
    return [own] if upstream.native else [bearer, own]


def login_of(headers: Iterable[tuple[str, str]]) -> Pairs:
    """The agent's own login."""
    return [(key, value) for key, value in headers if key.lower() in _LOGINS]


def without_token(headers: Iterable[tuple[str, str]], token: str) -> Pairs:
    """The client's headers without those by which it has come into the proxy, and without any other virtual key."""
    return [
        (key, value)
        for key, value in headers
        if key.lower() not in _SHOWN or (token not in value and PREFIX not in value)
    ]


def returned_headers(headers: Iterable[tuple[str, str]]) -> Pairs:
    """Of an answer that passes through."""
    given = list(headers)
    names = [key.lower() for key, _ in given]
    dropped = _HOP
    if "connection" in names:
        dropped |= _of_connection(given) - {"content-length", "content-type", "content-encoding"}
    return [
        (key, value if value.isprintable() else _CONTROLS.sub("?", value))
        for name, (key, value) in zip(names, given, strict=True)
        if name not in dropped
    ]


def returned_reason(reason: str | None) -> str | None:
    """As `returned_headers`."""
    return reason and _CONTROLS.sub("?", reason)


def _of_connection(headers: Iterable[tuple[str, str]]) -> set[str]:
    """Which headers `Connection` says are for this connection only (RFC 9110 section 7.6.1)."""
    return {name.strip().lower() for key, value in headers if key.lower() == "connection" for name in value.split(",")}


def marks(target: str, attempts: int, rule: str | None, missing: Sequence[str] = ()) -> Pairs:
    """Headers of an answer, or of an error.

    They say who was asked in the end, how often, which rule chose it, and which hosted tools the provider does not
    have.
    """
    made = [("x-jackfield-target", target), ("x-jackfield-attempts", str(attempts))]
    made += [("x-jackfield-rule", rule)] if rule else []
    made += [("x-jackfield-missing-tools", ", ".join(missing))] if missing else []
    return [
        (name, value if value.isascii() and value.isprintable() else _NOT_IN_HEADERS.sub("?", value))
        for name, value in made
    ]
