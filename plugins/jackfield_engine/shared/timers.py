"""Callbacks at a time of the clock: one task for all of them."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable

from jackfield.api.clock import Clock


class Timer:
    """One callback that is due at a monotonic time."""

    __slots__ = ("callback", "due")

    def __init__(self, due: float, callback: Callable[[], None]) -> None:
        self.due = due
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class Timers:
    """Calls back in order of time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._order = itertools.count()
        self._heap: list[tuple[float, int, Timer]] = []
        self._watch: asyncio.Task[None] | None = None

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back once that many seconds have passed."""
        timer = Timer(self._clock.monotonic() + max(seconds, 0.0), callback)
        heapq.heappush(self._heap, (timer.due, next(self._order), timer))
        if self._heap[0][2] is timer or self._watch is None:
            self._restart()
        return timer

    def close(self) -> None:
        """Nothing is called any more."""
        self._heap.clear()
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _restart(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._watch = asyncio.get_running_loop().create_task(self._run(), name="executions.timers")

    async def _run(self) -> None:
        while self._heap:
            due, _, timer = self._heap[0]
            left = due - self._clock.monotonic()
            if timer.callback is not None and left > 0:
                await self._clock.sleep(left)
                continue
            heapq.heappop(self._heap)
            callback, timer.callback = timer.callback, None
            if callback is not None:
                callback()
        self._watch = None
