"""Calendars (RFC 5545): events as JSON, and a file for one event."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from icalendar import Calendar, Parameters, vCalAddress, vText
from icalendar import Event as Component
from icalendar.prop import vRecur

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.calendar_event import CalendarEvent
from jackfield_nodes.files.formats.limits import FileBudget

_TEXTS = {
    "UID": "uid",
    "SUMMARY": "summary",
    "DESCRIPTION": "description",
    "LOCATION": "location",
    "URL": "url",
    "STATUS": "status",
    "CLASS": "class",
    "TRANSP": "timeTransparent",
    "SEQUENCE": "sequence",
    "PRIORITY": "priority",
}
_DATES = {
    "DTSTART": "start",
    "DTEND": "end",
    "DTSTAMP": "stamp",
    "CREATED": "created",
    "LAST-MODIFIED": "lastModified",
    "RECURRENCE-ID": "recurrenceId",
}
_NAMELESS = {"organizer": "Organizer", "attendee": "Unnamed attendee"}
"""Names of persons that have none, as n8n writes them."""
_INTEGERS = frozenset({"SEQUENCE", "PRIORITY"})


def read_calendar(text: str, budget: FileBudget) -> dict[str, Json]:
    """The calendar's own properties and its events. Raises `NodeError`."""
    try:
        calendar = Calendar.from_ical(text)
        events: list[Json] = [_event(found) for found in budget.counted(calendar.walk("VEVENT"))]
    except NodeError:
        raise
    except Exception as exc:  # whatever a damaged file makes of the library
        raise NodeError(f"The file cannot be read as a calendar ({type(exc).__name__}).") from exc
    made: dict[str, Json] = {"version": str(calendar.get("VERSION", "2.0")), "prodId": str(calendar.get("PRODID", ""))}
    for name, field in (("METHOD", "method"), ("X-WR-CALNAME", "name")):
        if name in calendar:
            made[field] = str(calendar[name])
    return {**made, "events": events}


def _event(found: Any) -> Json:
    """Any: components of the library map names to values of many types."""
    made: dict[str, Json] = {
        field: int(found[name]) if name in _INTEGERS else str(found[name])
        for name, field in _TEXTS.items()
        if name in found
    }
    made |= {field: _date(found[name]) for name, field in _DATES.items() if name in found}
    if "DURATION" in found:
        made["duration"] = found["DURATION"].to_ical().decode()
    if "RRULE" in found:
        made["recurrenceRule"] = found["RRULE"].to_ical().decode()
    if "CATEGORIES" in found:
        groups = found["CATEGORIES"]
        made["categories"] = [str(each) for group in _listed(groups) for each in getattr(group, "cats", [group])]
    if "ORGANIZER" in found:
        made["organizer"] = _person(found["ORGANIZER"])
    if "ATTENDEE" in found:
        made["attendees"] = [_person(each) for each in _listed(found["ATTENDEE"])]
    return made


def _date(value: Any) -> Json:
    moment = value.dt
    if not isinstance(moment, datetime):
        return {"date": moment.isoformat(), "type": "DATE"}
    made: dict[str, Json] = {"date": moment.isoformat(), "type": "DATE-TIME"}
    zone = value.params.get("TZID")
    if zone:
        made["timezone"] = str(zone)
    return made


def _person(value: Any) -> Json:
    made: dict[str, Json] = {"email": str(value).removeprefix("mailto:").removeprefix("MAILTO:")}
    for name, field in (("CN", "name"), ("ROLE", "role"), ("PARTSTAT", "partstat"), ("RSVP", "rsvp")):
        if name in value.params:
            made[field] = str(value.params[name])
    return made


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def write_event(event: CalendarEvent) -> bytes:
    """A calendar with this event. Raises `NodeError`."""
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//Jackfield//EN")
    calendar.add("calscale", "GREGORIAN")
    calendar.add("method", "PUBLISH")
    if event.calendar_name:
        calendar.add("x-wr-calname", event.calendar_name)
    calendar.add("x-published-ttl", "PT1H")
    made = Component()
    for name, value in (("uid", event.uid), ("summary", event.title), ("dtstamp", event.stamp)):
        made.add(name, value)
    made.add("dtstart", event.start)
    made.add("dtend", event.end)
    for name, text in event.texts.items():
        if text:
            made.add(name.lower(), text)
    if event.place is not None:
        made.add("geo", event.place)
    if event.recurrence:
        try:
            rule = vRecur.from_ical(event.recurrence.removeprefix("RRULE:"))
            if "FREQ" not in rule:
                raise ValueError("without a frequency")
            made.add("rrule", rule)
        except ValueError:
            raise NodeError(
                "The parameter recurrenceRule is not valid; use a rule such as FREQ=WEEKLY;COUNT=4 (RFC 5545)."
            ) from None
    _add_people(made, event)
    calendar.add_component(made)
    return _bytes(calendar)


def _add_people(made: Any, event: CalendarEvent) -> None:
    people = [("organizer", event.organizer)] if event.organizer is not None else []
    for role, person in [*people, *(("attendee", each) for each in event.attendees)]:
        address = vCalAddress(f"mailto:{_line(person.email)}")
        address.params = Parameters()
        address.params.quote_also = {}  # names with spaces stand without quotation marks, as n8n writes them
        if role == "attendee":
            address.params["RSVP"] = vText("TRUE" if person.rsvp else "FALSE")
        address.params["CN"] = vText(_line(person.name).replace('"', "'") or _NAMELESS[role])
        made.add(role, address, encode=0)


def _line(text: str) -> str:
    """Without what would begin a new line of the file."""
    return "".join(char for char in text if char >= " ")


def _bytes(calendar: Calendar) -> bytes:
    try:
        return bytes(calendar.to_ical(sorted=False))
    except (ValueError, TypeError) as exc:
        raise NodeError(f"The event cannot be written: {exc}.") from None
