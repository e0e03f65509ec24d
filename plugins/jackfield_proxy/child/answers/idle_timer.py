"""One timer for all the waits of an answer: a timer for each of them costs as much as passing its bytes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

LOOKS = 8
"""Within the time limit; that much of it, at most, may be added to it."""


class IdleTimer:
    """Calls `expired` whenever nothing has begun for that many seconds. Its maker calls `close`.

    begun: how many waits; whoever begins one adds to it."""

    def __init__(self, seconds: float, expired: Callable[[], None]) -> None:
        self.begun = 0
        self._expired = expired
        self._interval = seconds / LOOKS
        self._loop = asyncio.get_running_loop()
        self._seen = self._silent = 0
        self._timer = self._loop.call_later(self._interval, self._look)

    def close(self) -> None:
        self._timer.cancel()

    def _look(self) -> None:
        self._silent = self._silent + 1 if self.begun == self._seen else 0
        self._seen = self.begun
        self._timer = self._loop.call_later(self._interval, self._look)
        if self._silent == LOOKS:
            self._silent = 0
            self._expired()
