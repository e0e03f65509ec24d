"""How many requests a provider gets at the same time, and those that wait for their turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping

from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.upstream.failures import UpstreamFailure
from jackfield_proxy.plan import Concurrency, Upstream

RETRY_AFTER = 1.0
"""Seconds; the wait that a client gets that found the queue full."""


class _ProviderQueue:
    def __init__(self) -> None:
        self.busy = 0
        self.waiting: deque[asyncio.Future[None]] = deque()
        self.limit: int | None = None

    @property
    def free(self) -> bool:
        return self.limit is None or self.busy < self.limit

    def hand_on(self) -> None:
        """To those that wait, the first first, while there is room."""
        while self.waiting and self.free:
            turn = self.waiting.popleft()
            if not turn.done():
                self.busy += 1
                turn.set_result(None)


class ConcurrencyLimiter:
    """Bounds the requests that one provider gets at the same time, and queues the others."""

    def __init__(self) -> None:
        self._queues: dict[str, _ProviderQueue] = {}

    def free(self, upstream: Upstream) -> bool:
        """Whether a request would be sent at once."""
        limit = upstream.concurrency
        queue = self._queues.get(upstream.id)
        return limit is None or queue is None or (queue.busy < limit.limit and not queue.waiting)

    async def enter(self, upstream: Upstream) -> None:
        """When it is this request's turn; whoever comes in calls `leave`. Raises `UpstreamFailure`: 429 when the
        queue is full, 503 when the turn has not come in time."""
        queue = self._queues.get(upstream.id)
        if queue is None:
            queue = self._queues[upstream.id] = _ProviderQueue()
        asked = upstream.concurrency
        queue.limit = None if asked is None else asked.limit
        if asked is None or (queue.free and not queue.waiting):
            queue.busy += 1
            return
        if len(queue.waiting) >= asked.queue:
            raise _crowded(upstream.id, asked)
        await self._wait(queue, upstream.id, asked)

    def leave(self, provider: str) -> None:
        queue = self._queues[provider]
        queue.busy -= 1
        queue.hand_on()

    def follow(self, upstreams: Mapping[str, Upstream]) -> None:
        """New limits count at once, for those that wait as well."""
        for provider, queue in self._queues.items():
            found = upstreams.get(provider)
            queue.limit = found.concurrency.limit if found is not None and found.concurrency is not None else None
            queue.hand_on()

    async def _wait(self, queue: _ProviderQueue, provider: str, asked: Concurrency) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.waiting.append(turn)
        try:
            async with asyncio.timeout(asked.timeout):
                await turn
        except BaseException as exc:
            if turn.done() and not turn.cancelled():
                self.leave(provider)  # the turn had come, and nobody takes it
            elif turn in queue.waiting:
                queue.waiting.remove(turn)
            if isinstance(exc, TimeoutError):
                raise _late(provider, asked) from None
            raise


def _crowded(provider: str, asked: Concurrency) -> UpstreamFailure:
    message = (
        f"The provider {provider} may have {asked.limit} requests at the same time, and {asked.queue} wait already "
        f"(proxy_config.providers.{provider})."
    )
    return UpstreamFailure(DialectError(429, message, "rate_limit_error", retry_after=RETRY_AFTER), elsewhere=True)


def _late(provider: str, asked: Concurrency) -> UpstreamFailure:
    message = (
        f"The provider {provider} may have {asked.limit} requests at the same time, and none ended within "
        f"{asked.timeout:g} s (proxy_config.providers.{provider})."
    )
    return UpstreamFailure(DialectError(503, message, "overloaded_error", retry_after=RETRY_AFTER), elsewhere=True)
