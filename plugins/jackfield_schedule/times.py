"""When a trigger is due: schedules that give their next moment. Moments are Unix milliseconds.

Daylight saving time: a rule that names hours of the day goes by the wall clock. A local time that does not exist is due
right after the gap, several such times once together. One that occurs twice is due the first time. A rule that is due
in every hour goes by elapsed time: no gap, no pause.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Protocol

from jackfield_schedule.cron import Cron

FARTHEST_MS = 32_503_680_000_000
"""The year 3000: nothing is due after it."""


class Schedule(Protocol):
    """One rule of a trigger."""

    def after(self, moment: int) -> int | None:
        """The first moment after this one at which it is due; None: never again."""


class EverySoOften:
    """Due in even steps, counted from an anchor."""

    def __init__(self, step_ms: int, anchor_ms: int) -> None:
        self.step = step_ms
        self._anchor = anchor_ms

    def after(self, moment: int) -> int | None:
        return moment - (moment - self._anchor) % self.step + self.step


class LocalTimes:
    """Due at the times of a cron expression in a time zone.

    `keep`: which of their dates count. `steps`: for readers, that this is every n-th of a unit.
    """

    def __init__(
        self,
        cron: Cron,
        zone: tzinfo,
        keep: Callable[[date], bool] | None = None,
        steps: tuple[int, str] = (1, ""),
    ) -> None:
        self.cron = cron
        self.steps = steps
        self._zone = zone
        self._keep = keep

    def after(self, moment: int) -> int | None:
        if moment >= FARTHEST_MS:
            return None
        return self._elapsed(moment) if self.cron.every_hour else self._by_the_wall(moment)

    def _times(self, local: datetime) -> Iterator[datetime]:
        for found in self.cron.after(local):
            if self._keep is None or self._keep(found.date()):
                yield found

    def _by_the_wall(self, moment: int) -> int | None:
        for local in self._times(_naive(moment + _offset(moment, self._zone))):
            due = _moment_of(local, self._zone)
            if due > moment:
                return due if due < FARTHEST_MS else None
        return None

    def _elapsed(self, moment: int) -> int | None:
        """Stretch by stretch of the same offset from UTC, so that every hour that passes counts."""
        offset = _offset(moment, self._zone)
        local = _naive(moment + offset)
        start = moment
        while start < FARTHEST_MS:
            found = next(self._times(local), None)
            if found is None:
                return None
            due = _stamp(found) - offset
            if _offset(due, self._zone) == offset:
                return due
            start = _change(start, due, self._zone)
            offset = _offset(start, self._zone)
            local = _naive(start + offset) - timedelta(seconds=1)
        return None


def first_after(schedules: Sequence[Schedule], moment: int) -> int | None:
    """When one of them is due."""
    return min((due for each in schedules if (due := each.after(moment)) is not None), default=None)


def last_until(schedules: Sequence[Schedule], after: int, until: int) -> int | None:
    """The last moment after `after` and not after `until` at which one of them was due. Looks at no more times than
    twice those of the last stretch that has one."""
    stretch = 1000
    while True:
        start = max(after, until - stretch)
        found: int | None = None
        due = first_after(schedules, start)
        while due is not None and due <= until:
            found = due
            due = first_after(schedules, due)
        if found is not None or start <= after:
            return found
        stretch *= 2


def _naive(stamp: int) -> datetime:
    """The date and time that a stamp of local milliseconds stands for, without a zone."""
    return datetime(1970, 1, 1) + timedelta(milliseconds=stamp)  # noqa: DTZ001 - a local time


def _stamp(local: datetime) -> int:
    """The inverse of `_naive`."""
    return (local - datetime(1970, 1, 1)) // timedelta(milliseconds=1)  # noqa: DTZ001 - a local time


def _offset(moment: int, zone: tzinfo) -> int:
    """Milliseconds that the zone is ahead of UTC at a moment."""
    there = datetime.fromtimestamp(moment // 1000, UTC).astimezone(zone)
    return (there.utcoffset() or timedelta()) // timedelta(milliseconds=1)


def _moment_of(local: datetime, zone: tzinfo) -> int:
    """When it is this local time: the first time of two, or right after the gap in which it would be."""
    before = _stamp(local) - _utc_offset(local, zone, 0)
    after = _stamp(local) - _utc_offset(local, zone, 1)
    if before <= after or _naive(before + _offset(before, zone)) == local:
        return before
    return _change(after, before, zone)


def _utc_offset(local: datetime, zone: tzinfo, fold: int) -> int:
    aware = local.replace(tzinfo=zone, fold=fold)
    return (aware.utcoffset() or timedelta()) // timedelta(milliseconds=1)


def _change(low: int, high: int, zone: tzinfo) -> int:
    """The first moment, to the second, whose offset is not that of `low`. high: a moment with another offset."""
    low, high = low // 1000, -(-high // 1000)
    offset = _offset(low * 1000, zone)
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(middle * 1000, zone) == offset:
            low = middle
        else:
            high = middle
    return high * 1000
