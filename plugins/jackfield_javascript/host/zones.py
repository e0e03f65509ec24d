"""Time zones for scripts that need no more of them than their offsets."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

CYCLE = 146_097 * 86_400
"""Seconds in 400 years, after which the calendar repeats."""
LAST = 253_402_000_000
"""Of Python's dates, about, as Unix time."""


def zone_offset(zone: str, seconds: float) -> float | None:
    """Minutes east of UTC at this Unix time; None for an unknown zone."""
    if abs(seconds) < 1e14 and seconds > LAST:
        seconds = LAST - CYCLE + (seconds - LAST) % CYCLE
    try:
        shift = datetime.fromtimestamp(seconds, ZoneInfo(zone)).utcoffset()
    except (ValueError, OverflowError, OSError, LookupError):
        return None
    return None if shift is None else shift.total_seconds() / 60
