"""The parameters of an event, and its calendar file."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import ClassVar, Literal, cast

from pydantic import Field

from jackfield.api.nodes import Flag, NodeError, Parameters, needed
from jackfield.api.nodes.ui import UiFields
from jackfield.api.object_references import load
from jackfield_nodes.files.form import EVENT, PLACE
from jackfield_nodes.files.formats.calendar_event import CalendarEvent, CalendarPerson
from jackfield_nodes.values.dates import to_moment

WRITE_EVENT = "jackfield_nodes.files.formats.calendars:write_event"
"""Its library is loaded with the first event."""


class Attendee(Parameters):
    name: str = ""
    email: str = ""
    rsvp: bool = False


class Attendees(Parameters):
    attendee_values: list[Attendee] = Field(default_factory=list)


class Organizer(Parameters):
    name: str = ""
    email: str = ""


class OrganizerUi(Parameters):
    organizer_values: Organizer | None = None


class EventPlace(Parameters, title="Place"):
    ui_fields: ClassVar[UiFields] = PLACE

    lat: float = 0
    lon: float = 0


class PlaceUi(Parameters):
    geolocation_values: EventPlace | None = None


class EventDetails(Parameters):
    ui_fields: ClassVar[UiFields] = EVENT

    attendees_ui: Attendees = Field(default_factory=Attendees)
    busy_status: str = Field("", description="BUSY, TENTATIVE, FREE or OOF.")
    calendar_name: str = Field("", alias="calName")
    description: str = ""
    file_name: str = ""
    geolocation_ui: PlaceUi = Field(default_factory=PlaceUi)
    location: str = ""
    organizer_ui: OrganizerUi = Field(default_factory=OrganizerUi)
    recurrence_rule: str = Field("", description="Such as FREQ=WEEKLY;COUNT=4.")
    status: Literal["", "CONFIRMED", "TENTATIVE", "CANCELLED"] = ""
    uid: str = ""
    url: str = ""
    use_workflow_timezone: Flag = Field(
        False, description="Without an effect: times are in UTC, which every calendar shows in its own zone."
    )


class EventParameters(Parameters):
    title: str = Field("", description="iCal: the event's title.")
    start: object = Field(None, description="iCal: when it begins.", json_schema_extra=needed({"operation": ["iCal"]}))
    end: object = Field(None, description="iCal: when it ends.", json_schema_extra=needed({"operation": ["iCal"]}))
    all_day: Flag = Field(False, description="iCal: whole days.")
    additional_fields: EventDetails = Field(default_factory=EventDetails)


def event_file(parameters: EventParameters, zone: tzinfo, now_ms: int) -> bytes:
    """The content of the calendar file. Raises `NodeError`."""
    more = parameters.additional_fields
    begin, end = _moment(parameters.start, "start", zone), _moment(parameters.end, "end", zone)
    if end < begin:
        raise NodeError("The parameter end is before the parameter start.")
    organizer, place = more.organizer_ui.organizer_values, more.geolocation_ui.geolocation_values
    write_event = cast("Callable[[CalendarEvent], bytes]", load(WRITE_EVENT))
    return write_event(
        CalendarEvent(
            title=parameters.title,
            start=_day(begin) if parameters.all_day else begin.astimezone(UTC),
            end=_day(end) + timedelta(days=1) if parameters.all_day else end.astimezone(UTC),
            uid=more.uid or f"{uuid.uuid4()}@jackfield",
            stamp=datetime.fromtimestamp(now_ms // 1000, UTC),
            texts={
                "DESCRIPTION": more.description,
                "URL": more.url,
                "LOCATION": more.location,
                "STATUS": more.status,
                "X-MICROSOFT-CDO-BUSYSTATUS": more.busy_status,
            },
            calendar_name=more.calendar_name,
            place=(place.lat, place.lon) if place is not None else None,
            recurrence=more.recurrence_rule,
            organizer=CalendarPerson(organizer.name, organizer.email) if organizer is not None else None,
            attendees=tuple(
                CalendarPerson(each.name, each.email, each.rsvp) for each in more.attendees_ui.attendee_values
            ),
        )
    )


def _moment(value: object, name: str, zone: tzinfo) -> datetime:
    try:
        return to_moment(value, zone).astimezone(zone)
    except ValueError:
        raise NodeError(f"The parameter {name} is not a date; use ISO 8601, such as 2026-01-31T12:00.") from None


def _day(moment: datetime) -> date:
    return moment.date()
