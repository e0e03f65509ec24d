"""A request in the form that another host needs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias
from urllib.parse import quote

from jackfield.api.asgi import Scope
from jackfield.api.auth import API_KEY_HEADERS, OWNER, Principal

from .tokens import ForwardedCaller

CREDENTIALS = frozenset({b"authorization", b"cookie", *(name.encode() for name in API_KEY_HEADERS)})
Headers: TypeAlias = Sequence[tuple[str, str]]


def caller_of(scope: Scope) -> ForwardedCaller:
    """The caller, as the gate has found."""
    principal: Principal | None = scope.get("jackfield.principal")
    known = principal is not None and principal.method != OWNER.method
    host, port = scope.get("client") or ("unknown", 0)
    credentials = [pair for pair in scope["headers"] if pair[0].lower() in CREDENTIALS] if known else []
    return ForwardedCaller(
        principal,
        str(scope.get("jackfield.client", host)),
        (str(host), int(port or 0)),
        bool(scope.get("jackfield.public_host")),
        headers_in(credentials, ()),
    )


def target_of(scope: Scope) -> bytes:
    """Path and query as they were sent."""
    path: bytes = (scope.get("raw_path") or b"").partition(b"?")[0] or quote(scope["path"]).encode()
    query: bytes = scope.get("query_string", b"")
    return path + (b"?" + query if query else b"")


def headers_in(given: Sequence[tuple[bytes, bytes]], dropped: Collection[bytes]) -> Headers:
    """As text, without those that are dropped."""
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in given if name.lower() not in dropped]
