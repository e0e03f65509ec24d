"""Calendar arithmetic as luxon does it, once for all plugins.

Days and longer keep the local time of day; hours and shorter units are exact. A moment is a datetime with a zone.
Everything raises ValueError when there is no sensible result.
"""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond")
EXACT_MS: Mapping[str, int] = {"hour": 3_600_000, "minute": 60_000, "second": 1000, "millisecond": 1}
"""Units of the clock."""
MONTHS: Mapping[str, int] = {"year": 12, "quarter": 3, "month": 1}
DAYS: Mapping[str, int] = {"week": 7, "day": 1}
_LENGTH_DAYS: Mapping[str, int] = {"year": 365, "quarter": 91, "month": 30, **DAYS}
"""The length of what stands behind the point of an amount."""
_UNIVERSAL = frozenset({"UTC", "GMT"})


@lru_cache(maxsize=64)
def iana_zone(name: str) -> tzinfo:
    """Of a name such as Europe/Berlin."""
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (LookupError, ValueError, OSError) as exc:
        raise ValueError(f"the time zone '{name}' is unknown; use an IANA name such as Europe/Berlin") from exc


def unit_of(name: str) -> str:
    """The unit of a name in singular or plural, in any case."""
    unit = name.strip().lower().removesuffix("s")
    if unit not in UNITS:
        raise ValueError(f"'{name}' is no unit of time; the units are {', '.join(UNITS)}")
    return unit


def settled(moment: datetime) -> datetime:
    """A local time that does not exist, because clocks were put forward over it, moves forward likewise."""
    return moment.astimezone(UTC).astimezone(moment.tzinfo)


def placed(local: datetime, near: datetime) -> datetime:
    """The moment at which clocks of the zone of `near` show a local time. Of an hour that comes twice it is the one
    with the offset of `near`, an hour that is left out is moved on."""
    return placed_by_luxon(local, near)[0]


def placed_by_luxon(local: datetime, near: datetime) -> tuple[datetime, timedelta]:
    """The same, and the offset with which luxon shows it.

    Beside a change of the clock, it may differ from the offset of the moment, where the zone has changed its rules
    since.
    """
    if near.tzinfo is UTC:
        return local.replace(tzinfo=UTC), timedelta()
    offset = near.utcoffset() or timedelta()
    guess = (local - offset).replace(tzinfo=UTC).astimezone(near.tzinfo)
    first = guess.utcoffset() or timedelta()
    if first == offset:
        return guess, first
    guess = (local - first).replace(tzinfo=UTC).astimezone(near.tzinfo)
    second = guess.utcoffset() or timedelta()
    if first == second:
        return guess, first
    return (local - min(first, second)).replace(tzinfo=UTC).astimezone(near.tzinfo), max(first, second)


def moved(moment: datetime, amounts: Mapping[str, float]) -> datetime:
    """Later by these amounts, with negative ones earlier: first by the calendar, then by the clock. Of years to days
    the whole part counts as calendar, and what is behind the point as a length."""
    months = days = 0
    milliseconds = 0.0
    for unit, amount in amounts.items():
        if unit in EXACT_MS:
            milliseconds += amount * EXACT_MS[unit]
            continue
        whole = math.trunc(amount)
        if unit in DAYS:
            days += whole * DAYS[unit]
        else:
            months += whole * MONTHS[unit]
        if whole != amount:
            milliseconds += (amount - whole) * _LENGTH_DAYS[unit] * 86_400_000
    try:
        if months or days:
            moment = placed(_months_on(moment.replace(tzinfo=None), months) + timedelta(days=days), moment)
        if not milliseconds:
            return moment
        return (moment.astimezone(UTC) + timedelta(milliseconds=milliseconds)).astimezone(moment.tzinfo)
    except (OverflowError, ValueError) as exc:
        raise ValueError("a date so far away does not exist") from exc


def shifted(moment: datetime, amount: float, unit: str) -> datetime:
    """That many of one unit later."""
    return moved(moment, {unit: amount})


def _months_on(local: datetime, months: int) -> datetime:
    """The same day of the month, or its last one."""
    if not months:
        return local
    year, month = divmod(local.year * 12 + local.month - 1 + months, 12)
    day = min(local.day, calendar.monthrange(year, month + 1)[1]) if 1 <= year <= 9999 else local.day
    return local.replace(year=year, month=month + 1, day=day)


_START: Mapping[str, Callable[[datetime], datetime]] = {
    "year": lambda local: local.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0),
    "quarter": lambda local: _START["month"](local.replace(month=(local.month - 1) // 3 * 3 + 1, day=1)),
    "month": lambda local: local.replace(day=1, hour=0, minute=0, second=0, microsecond=0),
    "week": lambda local: _START["day"](local - timedelta(days=local.weekday())),
    "day": lambda local: local.replace(hour=0, minute=0, second=0, microsecond=0),
    "hour": lambda local: local.replace(minute=0, second=0, microsecond=0),
    "minute": lambda local: local.replace(second=0, microsecond=0),
    "second": lambda local: local.replace(microsecond=0),
    "millisecond": lambda local: local.replace(microsecond=local.microsecond // 1000 * 1000),
}


def floored(moment: datetime, unit: str) -> datetime:
    """The beginning of the unit; weeks begin on Monday."""
    return placed(_START[unit](moment.replace(tzinfo=None)), moment)


def iso_date(moment: datetime) -> str:
    """2026-01-31"""
    return f"{moment.year:04}-{moment.month:02}-{moment.day:02}"


def iso(moment: datetime) -> str:
    """2026-01-31T12:00:00.000+01:00; UTC as Z."""
    text = moment.isoformat(timespec="milliseconds")
    utc = moment.tzinfo is UTC or getattr(moment.tzinfo, "key", "") in _UNIVERSAL
    return f"{text.removesuffix('+00:00')}Z" if utc else text
