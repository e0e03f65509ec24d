"""An event of a calendar."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from jackfield.api.records import record


@record
class CalendarPerson:
    name: str
    email: str
    rsvp: bool = False


@record
class CalendarEvent:
    """start and end: whole days, or moments with a zone."""

    title: str
    start: date | datetime
    end: date | datetime
    uid: str
    stamp: datetime
    texts: Mapping[str, str]
    """DESCRIPTION, LOCATION, URL, STATUS, X-MICROSOFT-CDO-BUSYSTATUS."""
    calendar_name: str = ""
    place: tuple[float, float] | None = None
    recurrence: str = ""
    organizer: CalendarPerson | None = None
    attendees: tuple[CalendarPerson, ...] = ()
