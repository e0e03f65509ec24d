"""How late the event loop is: a timer that measures itself."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from jackfield.api.diagnosis import Metric
from jackfield.api.time_spreads import TimeSpread

_INTERVAL = 1.0
"""Seconds."""
_BOUNDS = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
"""Seconds."""


class LoopLag:
    """Of the loop of this process. Once a second it looks by how much a timer comes too late."""

    def __init__(self) -> None:
        self._spread = TimeSpread(_BOUNDS)
        self._timer: asyncio.TimerHandle | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """In the loop's thread."""
        due = loop.time() + _INTERVAL
        self._timer = loop.call_at(due, self._look, loop, due)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self._spread.add(max(loop.time() - due, 0.0))
        self.start(loop)

    def metrics(self) -> Iterator[Metric]:
        """For `/metrics`."""
        about = "By how much a timer of the event loop comes too late, looked at once a second."
        return self._spread.metrics("event_loop_lag_seconds", about, {})
