"""When a terminal's output is read, and when it waits for clients.

The agent is held back for clients that keep up, as its own terminal would do, and for no other. A client counts as slow
that costs more than a tenth of the time of those that could go on, or that makes no progress. It falls behind, and gets
the state of the screen once it takes output again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from jackfield.api.clock import Clock

HIGH = 256 * 1024
"""Bytes that a client may be behind before the output waits for it."""
LOW = 64 * 1024
"""Bytes that it must have come near before the output goes on."""
PATIENCE = 0.1
"""Seconds for which a client may hold back others that could go on."""
REFILL = 0.1
"""Seconds of patience that come back per second."""


class Follower(Protocol):
    """A client's place in the output."""

    cursor: int
    slow: bool
    patience: float
    progressed: float
    """When the cursor moved last, on the monotonic clock."""


class OutputFlow:
    """The decision for one session; `hold` and `release` stop and resume reading."""

    def __init__(self, clock: Clock, stall: float, hold: Callable[[], None], release: Callable[[], None]) -> None:
        self.paused = False
        self._clock = clock
        self._stall = stall
        self._hold = hold
        self._release = release
        self._measured_at = 0.0

    def consider(self, followers: Iterable[Follower], end: int) -> None:
        """After output has come in, after a client has taken some, and every now and then while reading is paused."""
        limit = LOW if self.paused else HIGH
        behind = [follower for follower in followers if not follower.slow and end - follower.cursor > limit]
        if not behind:
            if self.paused:
                self.paused = False
                self._release()
        elif not self.paused:
            self.paused = True
            self._measured_at = self._clock.monotonic()
            self._hold()

    def drop_slow(self, followers: Iterable[Follower], end: int) -> None:
        """While reading is paused: which clients no longer count."""
        now = self._clock.monotonic()
        elapsed, self._measured_at = now - self._measured_at, now
        followers = list(followers)
        others_wait = any(not follower.slow and end - follower.cursor <= LOW for follower in followers)
        for follower in followers:
            if follower.slow or end - follower.cursor <= LOW:
                continue
            if others_wait:
                follower.patience -= elapsed
            follower.slow = follower.patience <= 0 or now - follower.progressed > self._stall
        self.consider(followers, end)

    def advanced(self, follower: Follower, end: int, seconds: float) -> None:
        """The client's cursor has moved, `seconds` after it did so last."""
        follower.progressed = self._clock.monotonic()
        follower.patience = min(PATIENCE, follower.patience + seconds * REFILL)
        if follower.slow and end - follower.cursor <= LOW:
            follower.slow = False
