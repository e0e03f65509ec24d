"""Deleting what is old beside other writes: in moments in which nobody writes, and while there are none in a share of
the time. It grows with the backlog, so that what goes does not fall behind what comes forever."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from ..clock import Clock
from ..records import record

ConnectionT = TypeVar("ConnectionT")
ResultT = TypeVar("ResultT")
_POLL = 0.02
"""Seconds between two looks whether anybody writes: nothing tells of silence."""
_LEAST = 0.05
"""The share of a small backlog."""
_MOST = 0.5
"""Of any backlog, as deleting a row takes less than writing it did: more than comes goes, and others still write."""
_CALM = 0.01
"""As late as this part of its age may the oldest row be before the share grows."""
_LATE = 0.05
"""As late as this part of its age is it when the share has grown to the most."""
_LARGER = 5
"""Times as many rows has a slice then: each waits for a whole transaction of what comes, of some hundred writes."""
_DAY_MS = 86_400_000


@record
class Pace:
    """How fast what is old goes while others write.

    `share`: of the time, above 0 and below 1. `slices`: times as many rows as else in one transaction, from 1 on.
    """

    share: float
    slices: float

    def rows(self, at_once: int) -> int:
        """Of one transaction. at_once: of a small backlog."""
        return int(at_once * self.slices)


def pace_of(oldest: int | None, before: int, now: int) -> Pace:
    """A twentieth of the time until the oldest row is late by a hundredth of its age. From there it grows evenly to a
    half, for one that is late by a twentieth.

    Args: oldest: When the oldest row ended or came; None where there is none. `before`: Rows of before this moment go.
    `now` less their age. `now`: All three are Unix times in milliseconds.
    """
    late = 0.0 if oldest is None else max(before - oldest, 0) / max(now - before, 1)
    urgency = min(max((late - _CALM) / (_LATE - _CALM), 0.0), 1.0)
    return Pace(_LEAST + (_MOST - _LEAST) * urgency, 1 + (_LARGER - 1) * urgency)


def pace_of_forgetting(since: int | None, now: int) -> Pace:
    """Of rows that name the moment of their deletion, as if the store kept them for a day.

    Args: since: The earliest such moment; None where there is none. `now`: Both are Unix times in milliseconds.
    """
    return pace_of(None if since is None else since - _DAY_MS, now - _DAY_MS, now)


class SpareMoments:
    """Those of one writer. All methods belong to one event loop."""

    def __init__(self, clock: Clock, is_quiet: Callable[[], bool]) -> None:
        """is_quiet: whether nobody else writes."""
        self._clock = clock
        self._is_quiet = is_quiet
        self._under_way = False
        self._begun = 0.0
        """When the last slice was handed over (monotonic)."""
        self._took = 0.0
        """Seconds that its work itself has taken."""

    async def run(
        self,
        write: Callable[[Callable[[ConnectionT], ResultT]], Awaitable[ResultT]],
        work: Callable[[ConnectionT], ResultT],
        share: float,
    ) -> ResultT:
        """Let `write` do the work in a moment without other writes. It also does the work once the last one took no
        more than this share of the time since it began. Only the work's own time counts, and not its wait for others.

        `write`: calls its argument once on a thread of the store, or again when it repeats a transaction. `work`: on a
        connection; `run` raises its exceptions. `share`: above 0, at most 1.
        """
        while (wait := self._wait(share)) > 0:
            await self._clock.sleep(min(wait, _POLL))
        self._under_way, self._begun, self._took = True, self._clock.monotonic(), 0.0
        try:
            return await write(lambda connection: self._timed(connection, work))
        finally:
            self._under_way = False

    def _wait(self, share: float) -> float:
        """Seconds until this share allows the next slice."""
        if self._under_way:
            return _POLL
        if self._is_quiet():
            return 0.0
        return self._begun + self._took / share - self._clock.monotonic()

    def _timed(self, connection: ConnectionT, work: Callable[[ConnectionT], ResultT]) -> ResultT:
        """Called on a thread of the store, again when a transaction is repeated."""
        start = self._clock.monotonic()
        try:
            return work(connection)
        finally:
            self._took += self._clock.monotonic() - start
