"""A clock that the test moves."""

from __future__ import annotations

import asyncio
import heapq
import itertools


class FakeClock:
    """Stands still until `advance`. now_ms starts at 2026-01-01T00:00:00Z."""

    def __init__(self, now_ms: int = 1_767_225_600_000) -> None:
        self._start = now_ms
        self._elapsed = 0.0
        self._asleep = 0.0
        self._order = itertools.count()
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []

    def now_ms(self) -> int:
        return self._start + round((self._elapsed + self._asleep) * 1000)

    def monotonic(self) -> float:
        return self._elapsed

    def boottime(self) -> float:
        return self._elapsed + self._asleep

    def suspend(self, seconds: float) -> None:
        """The machine sleeps so long: the wall clock goes on, and nothing wakes up by it."""
        self._asleep += seconds

    async def sleep(self, seconds: float) -> None:
        future = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._elapsed + seconds, next(self._order), future))
        await future

    def set_wall(self, seconds: float) -> None:
        """Set the wall clock forward, or back, by that many seconds, as an administrator may. No time passes."""
        self._start += round(seconds * 1000)

    async def advance(self, seconds: float) -> None:
        """Move on, waking sleepers in order; what they do runs before this returns."""
        end = self._elapsed + seconds
        await self._settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            due, _, future = heapq.heappop(self._sleepers)
            self._elapsed = max(self._elapsed, due)
            if not future.done():
                future.set_result(None)
            await self._settle()
        self._elapsed = end

    @staticmethod
    async def _settle() -> None:
        for _ in range(10):
            await asyncio.sleep(0)
