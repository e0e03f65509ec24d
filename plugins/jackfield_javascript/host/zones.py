"""Time zones for scripts that need no more of them than their offsets."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo


def zone_offset(zone: str, seconds: float) -> float | None:
    """Minutes east of UTC at this Unix time; None for an unknown zone."""
    try:
        shift = datetime.fromtimestamp(seconds, ZoneInfo(zone)).utcoffset()
    except (ValueError, OverflowError, OSError, LookupError):
        return None
    return None if shift is None else shift.total_seconds() / 60
