"""When a proxy that has crashed is started again.

Back-off 1, 2, 4 and so on up to 30 s, five crashes in a minute are a failure.
"""

from __future__ import annotations

from collections import deque

LONGEST_PAUSE = 30.0
MOST = 5
WITHIN = 60.0
"""Seconds; also how long a process must live for the back-off to begin anew."""


class Crashes:
    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=MOST)
        self._row = 0

    def pause(self, now: float, lived: float) -> float | None:
        """Seconds until the next start; None: too many. now: a monotonic clock; lived: seconds since the start."""
        self._row = 0 if lived >= WITHIN else self._row
        self._times.append(now)
        if len(self._times) == MOST and now - self._times[0] < WITHIN:
            return None
        self._row += 1
        return min(LONGEST_PAUSE, 2.0 ** (self._row - 1))
