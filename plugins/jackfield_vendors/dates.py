"""Times as services want them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError


def iso_time(milliseconds: int) -> str:
    """A Unix time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
