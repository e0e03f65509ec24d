"""How many requests a provider gets at the same time, and those that wait for their turn."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping

from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.upstreams import Refused
from jackfield_proxy.plan import Concurrency, Upstream

RETRY_AFTER = 1.0
"""Seconds; what a client is told that found the queue full."""


class _Lane:
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


class Lanes:
    """One for each provider."""

    def __init__(self) -> None:
        self._lanes: dict[str, _Lane] = {}

    def free(self, upstream: Upstream) -> bool:
        """Whether a request would be sent at once."""
        limit = upstream.concurrency
        lane = self._lanes.get(upstream.id)
        return limit is None or lane is None or (lane.busy < limit.limit and not lane.waiting)

    async def enter(self, upstream: Upstream) -> None:
        """When it is this request's turn; whoever comes in calls `leave`. Raises `Refused`: 429 when the queue is full,
        503 when the turn has not come in time."""
        lane = self._lanes.setdefault(upstream.id, _Lane())
        asked = upstream.concurrency
        lane.limit = None if asked is None else asked.limit
        if asked is None or (lane.free and not lane.waiting):
            lane.busy += 1
            return
        if len(lane.waiting) >= asked.queue:
            raise _crowded(upstream.id, asked)
        await self._wait(lane, upstream.id, asked)

    def leave(self, provider: str) -> None:
        lane = self._lanes[provider]
        lane.busy -= 1
        lane.hand_on()

    def follow(self, upstreams: Mapping[str, Upstream]) -> None:
        """New limits count at once, for those that wait as well."""
        for provider, lane in self._lanes.items():
            found = upstreams.get(provider)
            lane.limit = found.concurrency.limit if found is not None and found.concurrency is not None else None
            lane.hand_on()

    async def _wait(self, lane: _Lane, provider: str, asked: Concurrency) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane.waiting.append(turn)
        try:
            async with asyncio.timeout(asked.timeout):
                await turn
        except BaseException as exc:
            if turn.done() and not turn.cancelled():
                self.leave(provider)  # the turn had come, and nobody takes it
            elif turn in lane.waiting:
                lane.waiting.remove(turn)
            if isinstance(exc, TimeoutError):
                raise _late(provider, asked) from None
            raise


def _crowded(provider: str, asked: Concurrency) -> Refused:
    message = (
        f"The provider {provider} may have {asked.limit} requests at the same time, and {asked.queue} wait already "
        f"(proxy_config.providers.{provider})."
    )
    return Refused(DialectError(429, message, "rate_limit_error", retry_after=RETRY_AFTER), elsewhere=True)


def _late(provider: str, asked: Concurrency) -> Refused:
    message = (
        f"The provider {provider} may have {asked.limit} requests at the same time, and none ended within "
        f"{asked.timeout:g} s (proxy_config.providers.{provider})."
    )
    return Refused(DialectError(503, message, "overloaded_error", retry_after=RETRY_AFTER), elsewhere=True)
