"""Days and months of local time."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from jackfield_gateway.keys.virtual_key import Period


def day_of(now_ms: int) -> int:
    """The local day as a number, such as 20261128."""
    now = datetime.fromtimestamp(now_ms / 1000).astimezone()
    return now.year * 10_000 + now.month * 100 + now.day


def date_of(day: int) -> date:
    return date(day // 10_000, day // 100 % 100, day % 100)


def days_before(day: int, days: int) -> int:
    found = date_of(day) - timedelta(days)
    return found.year * 10_000 + found.month * 100 + found.day


def mark_of(period: Period, day: int) -> int:
    """The same for all days of a period."""
    return {"day": day, "month": day // 100, "total": 0}[period]


def end_of(period: Period, day: int) -> datetime | None:
    """When the period of this day ends, in local time; None: never."""
    if period == "total":
        return None
    start = date_of(day)
    following = (
        start + timedelta(1) if period == "day" else date(start.year + start.month // 12, start.month % 12 + 1, 1)
    )
    return datetime(following.year, following.month, following.day).astimezone()
