"""Reading dates of many spellings, and the time between dates. Everything raises ValueError when there is no sensible
result."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import parsedate_tz
from functools import lru_cache

from jackfield.api.date_patterns import read_date
from jackfield.api.dates import DAYS, EXACT_MS, MONTHS, UNITS, floored, iana_zone, settled, shifted
from jackfield.api.javascript import number_text

_SECONDS_UP_TO = 1e11
"""Numbers below are Unix seconds, from there on milliseconds: 1e11 s is the year 5138, 1e11 ms is 1973."""
_LONGEST_TEXT = 200
_MAIL_ZONE = re.compile(r"(?:[+-]\d{4}|GMT|UTC?|[ECMP][SD]T)(?:\s*\([^)]*\))?$")
_OTHER_FORMS = tuple(
    date + time
    for time in ("", " H:mm", " H:mm:ss", " h:mm A", " h:mm:ss A", ", h:mm A", ", h:mm:ss A")
    for date in ("YYYY/M/D", "M/D/YYYY", "MMM D, YYYY", "MMM D YYYY", "MMMM D, YYYY", "MMMM D YYYY", "D MMM YYYY",
                 "D MMMM YYYY", "dddd, MMMM D, YYYY", "ddd MMM DD YYYY", "YYYY-M-D")
)  # fmt: skip


@lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo:
    """An IANA name such as Europe/Berlin, or an offset such as +02:00 or UTC+2."""
    try:
        return iana_zone(name)
    except ValueError:
        pass
    plain = name.removeprefix("UTC").removeprefix("GMT")
    if plain[:1] in {"+", "-"}:
        zone = read_date(f"2000-01-01{plain}", "YYYY-MM-DDZ", "moment", UTC).tzinfo
        if zone is not None:
            return zone
    raise ValueError(f"the time zone '{name}' is unknown; use an IANA name such as Europe/Berlin")


def to_moment(value: object, zone: tzinfo) -> datetime:
    """ISO 8601, RFC 2822, Unix seconds or milliseconds, and common spellings such as 1/31/2026 3:00 PM. A date without
    an offset is in `zone`."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("not a date")  # noqa: TRY004 - a value that a user gave
    if isinstance(value, str):
        text = value.strip()
        if not _is_stamp(text):
            return _text_to_moment(text, zone)
        value = float(text)
    if not math.isfinite(value):
        raise ValueError("not a date")
    try:
        return datetime.fromtimestamp(value if abs(value) < _SECONDS_UP_TO else value / 1000, zone)
    except (ValueError, OverflowError, OSError) as exc:
        raise ValueError("not a date") from exc


def _is_stamp(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and 9 <= len(digits) <= 16


def _text_to_moment(text: str, zone: tzinfo) -> datetime:
    if not text or len(text) > _LONGEST_TEXT:
        raise ValueError("not a date")
    if text.isascii() and text.isdigit() and len(text) == 4:
        text = f"{text}-01-01"
    if len(text) == 7 and text[4:5] == "-":
        text = f"{text}-01"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = _mail_date(text) or _other_date(text, zone)
    return moment if moment.tzinfo else settled(moment.replace(tzinfo=zone))


def _mail_date(text: str) -> datetime | None:
    """RFC 2822, whose dates have an offset."""
    if not _MAIL_ZONE.search(text):
        return None
    found = parsedate_tz(text)
    if found is None or found[9] is None:
        return None
    try:
        moment = datetime(*found[:6], tzinfo=UTC) - timedelta(seconds=found[9])
    except (ValueError, OverflowError):
        return None
    return moment


def _other_date(text: str, zone: tzinfo) -> datetime:
    for form in _OTHER_FORMS:
        try:
            return read_date(text, form, "moment", zone)
        except ValueError:
            continue
    raise ValueError("not a date")


def next_start(moment: datetime, unit: str) -> datetime:
    """The beginning of the next unit."""
    return floored(shifted(moment, 1, unit), unit)


_PARTS: Mapping[str, Callable[[datetime], int]] = {
    "year": lambda moment: moment.year,
    "quarter": lambda moment: (moment.month + 2) // 3,
    "month": lambda moment: moment.month,
    "week": lambda moment: moment.isocalendar().week,
    "day": lambda moment: moment.day,
    "hour": lambda moment: moment.hour,
    "minute": lambda moment: moment.minute,
    "second": lambda moment: moment.second,
    "millisecond": lambda moment: moment.microsecond // 1000,
}


def part_of(moment: datetime, unit: str) -> int:
    """The unit's number; of weeks that of ISO 8601."""
    return _PARTS[unit](moment)


def between(start: datetime, end: datetime, units: Sequence[str]) -> dict[str, int | float]:
    """The time from start to end in these units, named in plural: whole numbers, but for the smallest."""
    if end < start:
        return {name: -value for name, value in between(end, start, units).items()}
    end = end.astimezone(start.tzinfo)
    wanted = [unit for unit in UNITS if unit in units]
    found: dict[str, int | float] = {}
    origin, months, days = start, 0, 0
    for unit in wanted:
        if unit in EXACT_MS:
            exact = (end - start.astimezone(UTC)) / timedelta(milliseconds=EXACT_MS[unit])
            count = exact if unit == wanted[-1] else math.floor(exact)
            start = shifted(start, math.floor(exact), unit)
        else:
            # From the first moment on, so that the end of a short month shifts no later unit.
            at = _later(origin, months, days, unit)
            whole = _whole(start, end, unit, at)
            mark = at(whole)
            count = whole + ((end - mark) / (at(whole + 1) - mark) if unit == wanted[-1] else 0)
            months, days = months + whole * MONTHS.get(unit, 0), days + whole * DAYS.get(unit, 0)
            start = mark
        found[f"{unit}s"] = int(count) if float(count).is_integer() else count
    return found


def _later(origin: datetime, months: int, days: int, unit: str) -> Callable[[int], datetime]:
    """The moment that many units after months and days have passed."""

    def at(count: int) -> datetime:
        moment = shifted(origin, months + count * MONTHS.get(unit, 0), "month")
        return shifted(moment, days + count * DAYS.get(unit, 0), "day")

    return at


def _whole(start: datetime, end: datetime, unit: str, at: Callable[[int], datetime]) -> int:
    """How often the unit fits in between."""
    if unit in DAYS:
        guess = (end.replace(tzinfo=None) - start.replace(tzinfo=None)).days // DAYS[unit]
    else:
        guess = ((end.year - start.year) * 12 + end.month - start.month) // MONTHS[unit]
    while guess > 0 and at(guess) > end:
        guess -= 1
    while at(guess + 1) <= end:
        guess += 1
    return guess


def duration_text(parts: Mapping[str, int | float]) -> str:
    """ISO 8601, such as P1Y2M3DT4H5M6.007S."""
    text = "P"
    for name, letter in (("years", "Y"), ("months", "M"), ("weeks", "W"), ("days", "D")):
        value = parts.get(name, 0) + (parts.get("quarters", 0) * 3 if name == "months" else 0)
        text += f"{number_text(value)}{letter}" if value else ""
    seconds = parts.get("seconds", 0) + parts.get("milliseconds", 0) / 1000
    clock = "".join(f"{number_text(parts[name])}{name[0].upper()}" for name in ("hours", "minutes") if parts.get(name))
    clock += f"{number_text(round(seconds, 9))}S" if seconds else ""
    text += f"T{clock}" if clock else ""
    return text if text != "P" else "PT0S"
