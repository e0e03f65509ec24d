"""How long a request is: estimated, or counted by a provider that can."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterable

import aiohttp

from jackfield.api.dialects import fields
from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.incoming import addressing
from jackfield_proxy.child.incoming.client_request import ClientRequest, UpstreamRequest
from jackfield_proxy.child.upstream.failures import UpstreamFailure
from jackfield_proxy.child.upstream.sending import UpstreamSender, up_to
from jackfield_proxy.plan import ProxyPlan, Target, Upstream

LIMIT = 1024 * 1024
"""Bytes of a provider's count."""
FORGIVEN = 600.0
"""Seconds after which a provider that did not count is asked again."""
_COUNT = re.compile(rb'"(?:input_tokens|totalTokens)"\s*:\s*(\d{1,15})').search
_COUNTING = ("anthropic", "gemini")
"""Families whose dialect has a count."""
_COUNTED = frozenset({"contents", "generationconfig", "systeminstruction", "tools"})
"""Of a request at Vertex AI."""


class Counter:
    """Remembers which providers do not count."""

    def __init__(self, sender: UpstreamSender) -> None:
        self._sender = sender
        self._silent: dict[str, float] = {}

    async def exact(self, plan: ProxyPlan, call: ClientRequest, targets: Iterable[Target]) -> int | None:
        """Of the first of the targets whose provider counts; None: none of them does, or not within
        `proxy.count_timeout`."""
        for target in dict.fromkeys(targets):
            upstream = plan.upstreams.get(target.provider)
            if upstream is None or not may_count(upstream) or self._silent.get(upstream.id, 0) > time.monotonic():
                continue
            body = await self.answer(plan, call, target)
            if body is not None:
                return tokens_in(body)
            self._silent[upstream.id] = time.monotonic() + FORGIVEN
        return None

    async def answer(self, plan: ProxyPlan, call: ClientRequest, target: Target) -> bytes | None:
        """The provider's own, for a provider that `may_count`. None: it does not count, or not within
        `proxy.count_timeout`."""
        try:
            async with asyncio.timeout(plan.limits.count_timeout):
                body = await self._read(plan, call, target)
        except (UpstreamFailure, DialectError, TimeoutError, aiohttp.ClientError, OSError, RuntimeError):
            return None
        return body if _COUNT(body) else None

    async def _read(self, plan: ProxyPlan, call: ClientRequest, target: Target) -> bytes:
        """Empty: another status than 200. Raises `UpstreamFailure`, `DialectError`, and what the connection raises."""
        upstream = plan.upstreams[target.provider]
        asked = await _asked(upstream, call, target)
        reply = await self._sender.post(asked, upstream, self._sender.keys.next(upstream), plan.limits)
        try:
            return await up_to(reply, LIMIT) if reply.status == 200 else b""
        finally:
            reply.release()


def may_count(upstream: Upstream) -> bool:
    """Whether its dialect has a count; of clouds Gemini's alone."""
    return upstream.family in _COUNTING and (not upstream.platform or upstream.family == "gemini")


def tokens_in(body: bytes) -> int | None:
    """The number in a provider's count."""
    found = _COUNT(body)
    return int(found[1]) if found else None


async def _asked(upstream: Upstream, call: ClientRequest, target: Target) -> UpstreamRequest:
    """Raises `DialectError`: the provider's dialect cannot say the request."""
    dialect = addressing.dialect_of(upstream, call.dialect, target.model)
    body = await call.counted(dialect, target.model)
    own = call.dialect == dialect
    query = call.query if own else ""
    headers = (
        addressing.passed_headers(call.pairs, upstream)
        if own
        else addressing.own_headers(upstream, call.pairs, stream=False)
    )
    login = addressing.login_of(call.pairs) if own and upstream.auth == "agent" else ()
    if dialect == "gemini":
        url = addressing.google_address(upstream, target.model, "countTokens", query, call.named.version)
        body = _flat(body) if upstream.platform else body
    else:
        url = addressing.address(upstream, dialect, target.model, query, "/count_tokens")
        headers = addressing.with_version(headers)
    return UpstreamRequest(url, headers, body, dialect, not own, login)


def _flat(body: bytes) -> bytes:
    """Vertex AI takes what is counted without a request around it, and of a whole request a part alone. Raises
    `DialectError` 400."""
    value = fields.body_object(body)
    inner = value.get("generateContentRequest", value.get("generate_content_request"))
    if not isinstance(inner, dict):
        return body
    return fields.dumps({name: part for name, part in inner.items() if name.replace("_", "").lower() in _COUNTED})
