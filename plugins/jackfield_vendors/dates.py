"""Times as services want them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from jackfield.api.dates import iana_zone
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError


def iso_time(milliseconds: int) -> str:
    """A Unix time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def later_time(given: Mapping[str, Json]) -> Json:
    """time: in ISO 8601; seconds: how much later. The later time, in UTC. Raises `NodeError`."""
    try:
        begin = datetime.fromisoformat(str(given.get("time")))
        return iso_time(round((begin.timestamp() + float(str(given.get("seconds")))) * 1000))
    except (ValueError, OverflowError, OSError):
        raise NodeError(f"{given.get('seconds')} is no number of seconds; write it as 3600.") from None


def local_millis(given: Mapping[str, Json]) -> Json:
    """time: in ISO 8601; timezone: of a time that names none. Unix milliseconds; nothing for no time. Raises
    `NodeError`."""
    text = given.get("time")
    if text in (None, ""):
        return None
    try:
        read = datetime.fromisoformat(str(text).strip())
        placed = read if read.tzinfo else read.replace(tzinfo=iana_zone(str(given.get("timezone") or "UTC")))
    except ValueError:
        raise NodeError(f"{text} is no time; write it as 2026-01-31T09:00:00.") from None
    return round(placed.timestamp() * 1000)


def utc_time(given: Mapping[str, Json]) -> Json:
    """time and timezone: as of `local_millis`. The time in UTC, without milliseconds where it has none."""
    found = local_millis(given)
    return iso_time(found).replace(".000Z", "Z") if isinstance(found, int) else None


def named_range(given: Mapping[str, Json]) -> Json:
    """name: of a range of days, such as `last7days`; now: ISO time; start and end: of `custom`. `startDate` and
    `endDate` as ISO dates. Raises `NodeError`."""
    name = str(given.get("name"))
    if name == "custom":
        return {"startDate": _day(given.get("start")), "endDate": _day(given.get("end"))}
    today = datetime.fromisoformat(str(given.get("now"))).date()
    first, last = _range(name, today)
    return {"startDate": first.isoformat(), "endDate": last.isoformat()}


def _range(name: str, today: date) -> tuple[date, date]:
    one = timedelta(days=1)
    if name == "lastCalendarWeek":
        monday = today - timedelta(days=today.weekday() + 7)
        return monday, monday + timedelta(days=6)
    if name == "lastCalendarMonth":
        last = today.replace(day=1) - one
        return last.replace(day=1), last
    days = {"today": (0, 0), "yesterday": (1, 1), "last7days": (7, 0), "last30days": (30, 0)}.get(name)
    if days is None:
        raise NodeError(f"The parameter dateRange is {name}; it can be a known range of days, or custom.")
    return today - one * days[0], today - one * days[1]


def _day(value: Json) -> str:
    try:
        return datetime.fromisoformat(str(value)).date().isoformat()
    except ValueError:
        raise NodeError(f"{value} is no date; write it as 2026-01-31.") from None
