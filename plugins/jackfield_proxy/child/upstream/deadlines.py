"""One timer for the time limits of many waits: a timer for each of them costs as much as the wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from jackfield.api.records import state


@state
class Wait:
    """until: of the loop's clock, seconds. expired: is called unless the wait has ended by then."""

    until: float
    expired: Callable[[], None]


class Deadlines:
    """Waits of one length, so that the first one to begin is the first to expire. seconds: as many as each may take."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._waits: dict[int, Wait] = {}
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, expired: Callable[[], None]) -> Wait:
        """The caller that begins a wait ends it."""
        wait = Wait(self._loop.time() + self._seconds, expired)
        self._waits[id(wait)] = wait
        if self._timer is None:
            self._timer = self._loop.call_at(wait.until, self._look)
        return wait

    def end(self, wait: Wait) -> None:
        """A second time, and after it has expired, nothing happens."""
        self._waits.pop(id(wait), None)

    def _look(self) -> None:
        now = self._loop.time()
        for wait in [*self._waits.values()]:
            if wait.until > now:
                self._timer = self._loop.call_at(wait.until, self._look)
                return
            self.end(wait)
            wait.expired()
        self._timer = None
