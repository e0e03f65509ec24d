"""How a provider is reached: address, headers, and what its refusals mean.

Source: facts/agent-daemon.md 7.4; decisions.md section 4 'Proxy'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from jackfield.api.dialects.model import DialectError, DialectName
from jackfield.api.urls import joined
from jackfield_proxy.plan import Plan, Upstream
from jackfield_proxy.routing.choosing import Candidate

Pairs: TypeAlias = "list[tuple[str, str]]"
_PATHS: Mapping[DialectName, str] = {
    "anthropic": "/v1/messages",
    "chat": "/chat/completions",
    "responses": "/responses",
}
_HOP = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
})  # fmt: skip
_REPLACED = _HOP | {
    "host", "content-length", "content-encoding", "expect", "authorization", "x-api-key", "cookie", "accept-encoding",
    "forwarded", "x-real-ip", "via",
}  # fmt: skip
VERSION = "2023-06-01"
"""`anthropic-version`, where the client has not given one."""
REQUEST_ID: Mapping[DialectName, str] = {"anthropic": "request-id", "chat": "x-request-id", "responses": "x-request-id"}
"""The header that clients show when something goes wrong."""
RETRIED = frozenset({408, 409, 429})
"""Statuses under 500 after which the same request may succeed."""
_OF_THE_REQUEST = frozenset({400, 413, 422})
"""Statuses that say something of the request. Every other one says something of the provider: another may serve it."""
_KINDS_OF_PROVIDER = frozenset({
    "authentication_error", "billing_error", "not_found_error", "overloaded_error", "permission_error",
    "rate_limit_error",
})  # fmt: skip
_CODES_OF_PROVIDER = frozenset({
    "insufficient_quota", "invalid_api_key", "model_not_found", "rate_limit_exceeded", "server_is_overloaded",
})  # fmt: skip
_SAID_OF_PROVIDER = re.compile(
    r"credit balance is too low|insufficient (?:balance|credits|quota)"
    r"|api[ _]key (?:is )?(?:not valid|invalid|expired)",
    re.IGNORECASE,
).search
"""Anthropic and Google say with 400 that an account has no credit, or that its key does not count."""


def upstream_of(plan: Plan, provider: str) -> Upstream:
    """Raises `DialectError`."""
    found = plan.upstreams.get(provider)
    if found is None:
        raise DialectError(
            502,
            f"The provider {provider} cannot be used by a proxy: it is not known, has no such endpoint, or keeps its "
            "own login.",
        )
    return found


def dialect_of(upstream: Upstream, face: DialectName) -> DialectName:
    """What is spoken with it: the client's own dialect wherever the provider knows it."""
    if upstream.family == "anthropic":
        return "anthropic"
    return "responses" if face == "responses" and upstream.native else "chat"


def address(upstream: Upstream, dialect: DialectName, query: str = "", suffix: str = "") -> str:
    """query: as the client sent it, for its own dialect only; it is added to what the provider's own address has."""
    without = "/v1" if dialect == "anthropic" else ""
    return joined(upstream.url, _PATHS[dialect] + suffix, query, without=without)


def passed_headers(headers: Iterable[tuple[str, str]], upstream: Upstream) -> Pairs:
    """The client's, with the provider's credential in place of its own. The answer comes uncompressed, so that its
    usage can be read as it passes."""
    given = list(headers)
    dropped = _REPLACED | _of_connection(given) - {"anthropic-version", "anthropic-beta"}
    kept = [
        (key, value)
        for key, value in given
        if key.lower() not in dropped and not key.lower().startswith("x-forwarded-")
    ]
    return [*kept, ("Accept-Encoding", "identity"), *credential(upstream)]


def own_headers(upstream: Upstream, *, stream: bool) -> Pairs:
    """Of a translated request."""
    made = [
        ("Content-Type", "application/json"),
        ("Accept", "text/event-stream" if stream else "application/json"),
        ("Accept-Encoding", "identity"),
        ("User-Agent", "jackfield-proxy"),
        *credential(upstream),
    ]
    return [*made, ("anthropic-version", VERSION)] if upstream.family == "anthropic" else made


def credential(upstream: Upstream) -> Pairs:
    """Those that are compatible with Anthropic read the one header or the other; Anthropic refuses both at once."""
    if not upstream.key:
        return []
    bearer = ("Authorization", f"Bearer {upstream.key}")
    if upstream.family == "openai":
        return [bearer]
    key = ("x-api-key", upstream.key)
    return [key] if upstream.native else [bearer, key]


def returned_headers(headers: Iterable[tuple[str, str]]) -> Pairs:
    """Of an answer that passes through."""
    given = list(headers)
    dropped = _HOP | _of_connection(given) - {"content-length", "content-type", "content-encoding"}
    return [(key, value) for key, value in given if key.lower() not in dropped]


def _of_connection(headers: Iterable[tuple[str, str]]) -> set[str]:
    """Which headers `Connection` says are for this connection only (RFC 9110 section 7.6.1)."""
    return {name.strip().lower() for key, value in headers if key.lower() == "connection" for name in value.split(",")}


class Refused(Exception):
    """A provider did not serve a request, and nothing of its answer has reached the client.

    again: the same may work later; elsewhere: another target may serve it. answer: status, headers and body for a
    client of the provider's dialect, None when there was none. cooling: counts against the target. attempts: how often
    the request was sent, the last time to `candidate`.
    """

    def __init__(
        self,
        error: DialectError,
        *,
        again: bool = False,
        elsewhere: bool = False,
        cooling: bool = False,
        answer: tuple[int, Pairs, bytes] | None = None,
    ) -> None:
        super().__init__(error.message)
        self.attempts = 1
        self.candidate: Candidate | None = None
        self.error, self.again, self.elsewhere, self.cooling, self.answer = error, again, elsewhere, cooling, answer

    @property
    def is_answer(self) -> bool:
        """The provider was asked, and has answered or failed."""
        return self.cooling or self.answer is not None


def refused(
    error: DialectError, status: int, headers: Mapping[str, str], body: bytes, pairs: Sequence[tuple[str, str]]
) -> Refused:
    """status, headers: of the provider's answer."""
    again = (status in RETRIED or status >= 500) and headers.get("x-should-retry", "").lower() != "false"
    of_provider = _is_of_provider(error, status)
    return Refused(
        error,
        again=again,
        elsewhere=of_provider,
        cooling=of_provider and status != 409,
        answer=(status, [*pairs], body),
    )


def broken(error: DialectError) -> Refused:
    """An answer that had begun, of which the client has nothing yet."""
    of_provider = _is_of_provider(error, error.status)
    return Refused(error, elsewhere=of_provider, cooling=of_provider)


def _is_of_provider(error: DialectError, status: int) -> bool:
    if status not in _OF_THE_REQUEST:
        return True
    known = error.kind in _KINDS_OF_PROVIDER or error.code in _CODES_OF_PROVIDER
    return known or _SAID_OF_PROVIDER(error.message) is not None


def unreachable(provider: str, reason: str) -> Refused:
    error = DialectError(502, f"The provider {provider} cannot be reached: {reason}.")
    return Refused(error, again=True, elsewhere=True, cooling=True)


def silent(provider: str, seconds: float) -> Refused:
    error = DialectError(504, f"The provider {provider} did not answer within {seconds:g} s.", "timeout_error")
    return Refused(error, again=False, elsewhere=True, cooling=True)
