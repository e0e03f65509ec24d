"""Periods and days of a time zone.

Weeks start on Monday, the default period is today.
"""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

from jackfield.api.errors import InvalidInput
from jackfield.api.records import record
from jackfield_telemetry.ledger.schema import SLOT_MS

LABELS = {
    "today": "Today",
    "yesterday": "Yesterday",
    "week": "This week",
    "month": "This month",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
    "all": "All time",
}
_DAY_SLOTS = 86_400_000 // SLOT_MS
_RULED = (0, 47_482 * _DAY_SLOTS)
"""Slots from 1970 to 2100.

A time beyond, which a damaged log may have, gets the offset of the nearest within. A look through the rules of
millennia takes seconds, and ends beyond the times that dates can be.
"""
_EPOCH = date(1970, 1, 1).toordinal()


@record
class TimeSpan:
    """From start on and before end, Unix ms; None: without a border."""

    start: int | None = None
    end: int | None = None


def zone_of(name: str | None) -> tzinfo:
    """None: the machine's zone. Raises `InvalidInput`."""
    if not name:
        return local_zone()
    try:
        return ZoneInfo(name)
    except (OSError, ValueError):  # ZoneInfoNotFoundError is a KeyError only where the key is fine
        pass
    except KeyError:
        pass
    raise InvalidInput("This time zone is not known.", details={"tz": "give an IANA name, such as Europe/Berlin"})


def local_zone() -> tzinfo:
    """With its rules where the machine names one, else the current offset."""
    names = [os.environ.get("TZ", "").lstrip(":")]
    target = Path("/etc/localtime").resolve().as_posix()
    names.append(target.partition("/zoneinfo/")[2])
    for name in names:
        if name:
            try:
                return ZoneInfo(name)
            except (OSError, ValueError, KeyError):
                continue
    return datetime.now(UTC).astimezone().tzinfo or UTC


def span_of(period: str, now_ms: int, zone: tzinfo) -> TimeSpan:
    """Raises `InvalidInput` for an unknown one."""
    if period not in LABELS:
        known = ", ".join(LABELS)
        raise InvalidInput(f"The period {period[:40]!r} is not known.", details={"period": f"give one of: {known}"})
    days = days_of(period, datetime.fromtimestamp(now_ms / 1000, zone).date())
    return TimeSpan() if days is None else days_span(*days, zone)


def days_of(period: str, today: date) -> tuple[date, date] | None:
    """First and last day of one of `LABELS`; None: all."""
    if period == "all":
        return None
    return {
        "today": (today, today),
        "yesterday": (today - timedelta(1), today - timedelta(1)),
        "week": (today - timedelta(today.weekday()), today),
        "month": (today.replace(day=1), today),
        "7d": (today - timedelta(6), today),
        "30d": (today - timedelta(29), today),
    }[period]


def days_span(first: date, last: date, zone: tzinfo) -> TimeSpan:
    """Both days whole."""
    return TimeSpan(midnight(first, zone), midnight(last + timedelta(1), zone))


def midnight(day: date, zone: tzinfo) -> int:
    """Unix ms of the day's beginning."""
    return round(datetime(day.year, day.month, day.day, tzinfo=zone).timestamp() * 1000)


def day_expression(slot: str, first: int, last: int, zone: tzinfo) -> str:
    """SQL: the number of the day, from 1970-01-01 on, that a slot between these two belongs to in the zone. Its offset
    is looked up once for each stretch between two changes."""
    stretches = _stretches(_ruled(first), _ruled(last), zone)
    *cases, (_, offset) = stretches
    whens = "".join(f"WHEN {slot} < {end} THEN ({slot} + {shift}) / {_DAY_SLOTS} " for end, shift in cases)
    final = f"({slot} + {offset}) / {_DAY_SLOTS}"
    return f"CASE {whens}ELSE {final} END" if whens else final


def _ruled(slot: int) -> int:
    return min(max(slot, _RULED[0]), _RULED[1])


def _stretches(first: int, last: int, zone: tzinfo) -> list[tuple[int, int]]:
    """(slot before which it holds, offset in slots), ascending. Changes are looked for week by week."""
    found: list[tuple[int, int]] = []
    step = 7 * _DAY_SLOTS
    place, offset = first, _offset(first, zone)
    while place < last:
        ahead = min(place + step, last)
        if (new := _offset(ahead, zone)) != offset:
            low, high = place, ahead
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if _offset(middle, zone) == offset else (low, middle)
            found.append((high, offset))
            offset = new
        place = ahead
    return [*found, (last + 1, offset)]


def _offset(slot: int, zone: tzinfo) -> int:
    moment = datetime.fromtimestamp(slot * SLOT_MS / 1000, zone)
    shift = moment.utcoffset() or timedelta()
    return round(shift.total_seconds() * 1000) // SLOT_MS


def day_of(number: int) -> str:
    """YYYY-MM-DD of a day's number; of one that no date can be, the nearest."""
    return date.fromordinal(min(max(_EPOCH + number, 1), date.max.toordinal())).isoformat()
