"""The callers that may come in: those with the profile's token, and those with a virtual key."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import TYPE_CHECKING

from aiohttp import web

from jackfield.api.dialects.model import DialectError
from jackfield.api.gateway import PREFIX, CallerPass, digest_of
from jackfield.api.records import record

if TYPE_CHECKING:
    from jackfield_proxy.child.process.pipe import Pipe
    from jackfield_proxy.plan import ProxyPlan

OWN = CallerPass("")
"""The caller with the profile's own token."""
_HEADERS = ("x-api-key", "api-key", "x-goog-api-key")


@record
class KnownCaller:
    """credential: the token or key with which the caller has come, which no provider may see."""

    caller: CallerPass
    credential: str


async def caller_of(request: web.BaseRequest, in_path: str, plan: ProxyPlan, pipe: Pipe) -> KnownCaller:
    """in_path: what the path has in place of a header. Raises `DialectError` 401, 503. The daemon is asked for each
    request, so that a key that was revoked counts no more from that moment on."""
    key = None
    for one in _shown(request, in_path):
        if _is_own(one, plan):
            return KnownCaller(OWN, one)
        if one.startswith(PREFIX):
            key = one
    if plan.keys and key is not None:
        return KnownCaller(await pipe.permission(plan.limits.key_timeout, digest=digest_of(key)), key)
    token = "the token of its profile, or " if plan.token else ""
    wanted = f"{token}a virtual key" if plan.keys else "the token of its profile"
    message = f"This proxy takes {wanted}, as Bearer, in x-api-key, api-key or x-goog-api-key."
    raise DialectError(401, message, "authentication_error", code="invalid_api_key")


def _is_own(given: str, plan: ProxyPlan) -> bool:
    if not given or not plan.token:
        return False
    shown = _bytes(given)
    return hmac.compare_digest(shown, _bytes(plan.token)) or any(
        hmac.compare_digest(shown, _bytes(token)) for token in plan.earlier_tokens
    )


def _shown(request: web.BaseRequest, in_path: str) -> Iterator[str]:
    """The texts that may be a token or a key; no more are looked at than are asked for."""
    headers = request.headers
    kind, _, given = headers.get("Authorization", "").partition(" ")
    yield given.strip() if kind.lower() == "bearer" else ""
    for name in _HEADERS:
        yield headers.get(name, "")
    yield in_path


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
