"""Who may come in: whoever has the profile's token, and whoever has a virtual key."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from aiohttp import web

from jackfield.api.dialects.model import DialectError
from jackfield.api.gateway import PREFIX, CallerPass, digest_of
from jackfield.api.records import record

if TYPE_CHECKING:
    from jackfield_proxy.child.process.pipe import Pipe
    from jackfield_proxy.plan import ProxyPlan

OWN = CallerPass("")
"""Whoever has the profile's own token."""
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
    for one in (*_in_headers(request), in_path):
        if one and plan.token and hmac.compare_digest(_bytes(one), _bytes(plan.token)):
            return KnownCaller(OWN, plan.token)
        if one.startswith(PREFIX):
            key = one
    if plan.keys and key is not None:
        return KnownCaller(await pipe.permission(plan.limits.key_timeout, digest=digest_of(key)), key)
    own = "the token of its profile, or " if plan.token else ""
    wanted = f"{own}a virtual key" if plan.keys else "the token of its profile"
    message = f"This proxy takes {wanted}, as Bearer, in x-api-key, api-key or x-goog-api-key."
    raise DialectError(401, message, "authentication_error", code="invalid_api_key")


def _in_headers(request: web.BaseRequest) -> list[str]:
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    bearer = given.strip() if kind.lower() == "bearer" else ""
    return [bearer, *[request.headers.get(name, "") for name in _HEADERS]]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
