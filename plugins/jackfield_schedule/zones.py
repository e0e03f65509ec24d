"""Time zones by their IANA names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from jackfield.api.records import record


class UnknownZone(ValueError):
    """There is no time zone of this name."""


@record
class Zone:
    name: str
    info: tzinfo

    def local(self, moment: int) -> datetime:
        """Unix milliseconds as local time."""
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=moment)).astimezone(self.info)


@lru_cache(maxsize=256)
def zone_named(name: str) -> Zone:
    """Raises `UnknownZone`."""
    if name == "UTC":
        return Zone(name, UTC)
    try:
        return Zone(name, ZoneInfo(name))
    except (KeyError, ValueError, OSError):
        raise UnknownZone(f"The time zone '{name[:80]}' is unknown; use an IANA name such as Europe/Berlin.") from None
