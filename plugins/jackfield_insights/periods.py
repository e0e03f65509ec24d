"""Spans of time that insights are about."""

from __future__ import annotations

from typing import Literal, TypeAlias

from jackfield.api.records import record
from jackfield.api.storage.insights import DAY_MS, HOUR_MS, WEEK_MS

PeriodName: TypeAlias = Literal["day", "week", "month", "quarter", "year"]
UnitName: TypeAlias = Literal["hour", "day", "week"]
DAYS: dict[PeriodName, int] = {"day": 1, "week": 7, "month": 30, "quarter": 90, "year": 365}
UNITS: dict[UnitName, int] = {"hour": HOUR_MS, "day": DAY_MS, "week": WEEK_MS}
_HOURLY, _DAILY = 2 * DAY_MS, 120 * DAY_MS
"""Spans up to so long are shown by the hour and by the day, others by the week."""


@record
class Period:
    """since, until: Unix ms of full hours, the second one excluded. unit: of its steps."""

    since: int
    until: int
    unit: UnitName

    @property
    def before(self) -> Period:
        """The one before, as long."""
        return Period(2 * self.since - self.until, self.since, self.unit)

    @property
    def steps(self) -> list[int]:
        """When its steps begin, Unix ms; the first one may begin before it."""
        unit = UNITS[self.unit]
        shift = 3 * DAY_MS if self.unit == "week" else 0
        first = (self.since + shift) // unit * unit - shift
        return list(range(first, self.until, unit))


def period_of(name: PeriodName, now: int) -> Period:
    """The last days up to now, the current hour included."""
    until = _hour_after(now)
    return _between(until - DAYS[name] * DAY_MS, until)


def period_between(since: int, until: int) -> Period:
    """Widened to full hours."""
    first = since // HOUR_MS * HOUR_MS
    return _between(first, max(_hour_after(until - 1), first + HOUR_MS))


def _hour_after(moment: int) -> int:
    return (moment // HOUR_MS + 1) * HOUR_MS


def _between(since: int, until: int) -> Period:
    length = until - since
    unit: UnitName = "hour" if length <= _HOURLY else "day" if length <= _DAILY else "week"
    return Period(since, until, unit)
