"""What a store has been given since somebody last looked, so that whoever holds a cap looks in time."""

from __future__ import annotations

import asyncio
import math

from .clock import Clock


class Growth:
    """Counts additions by a key: a webhook's id, or the same for all. All methods belong to one event loop. It holds a
    number for each key that was met since the last look."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._wanted = math.inf
        self._reached: asyncio.Event | None = None

    def add(self, key: str = "") -> None:
        """One more."""
        count = self._counts.get(key, 0) + 1
        self._counts[key] = count
        if count >= self._wanted and self._reached is not None:
            self._reached.set()

    def take(self, least: int) -> list[str]:
        """The keys of which so many were added; they begin anew."""
        found = [key for key, count in self._counts.items() if count >= least]
        for key in found:
            del self._counts[key]
        return found

    def take_all(self) -> None:
        """Everything begins anew."""
        self._counts.clear()

    async def wait(self, least: int, clock: Clock, seconds: float) -> bool:
        """Until so many were added of one key, or so many seconds are over; whether it was the first. With none left it
        is the second, so that steady growth keeps nobody from what is due. For one waiter at a time."""
        if seconds <= 0:
            return False
        reached = self._reached = asyncio.Event()
        self._wanted = least
        if any(count >= least for count in self._counts.values()):
            reached.set()
        sleeping = asyncio.ensure_future(clock.sleep(seconds))
        growing = asyncio.ensure_future(reached.wait())
        try:
            await asyncio.wait((sleeping, growing), return_when=asyncio.FIRST_COMPLETED)
            return reached.is_set()
        finally:
            self._wanted, self._reached = math.inf, None
            sleeping.cancel()
            growing.cancel()


def step_of(cap: int, share: int) -> int:
    """How many additions a look at a cap is due after: a part of it, of so many."""
    return max(1, cap // share)
