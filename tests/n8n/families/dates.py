"""Date & Time. Nothing depends on the present time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cases import Document, Family, NodeCase
from .fields import FILE, GOES_ON

DATES: Document = {
    "iso": "2026-05-10T10:11:12.345Z",
    "offset": "2026-05-10T10:11:12+02:00",
    "local": "2026-05-10T10:11:12",
    "sql": "2026-05-10 10:11:12",
    "day": "2026-05-10",
    "month": "2026-05",
    "us": "05/10/2026",
    "long": "May 10, 2026",
    "mail": "Sun, 10 May 2026 10:11:12 +0200",
    "seconds": 1778407872,
    "milliseconds": 1778407872345,
    "secondsText": "1778407872",
    "winter": "2026-01-31T23:30:00.000Z",
    "leap": "2024-02-29T12:00:00.000Z",
}
WRONG: Document = {"text": "soon", "empty": "", "none": None, "yes": True, "list": [1]}
ALL: Document = {"json": {**DATES, **WRONG}, "binary": {"file": FILE}}
UNITS = ("years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds")


def date_node(version: float, parameters: Document, **more: object) -> Document:
    return {
        "type": "n8n-nodes-base.dateTime",
        "typeVersion": version,
        "onError": GOES_ON,
        "parameters": parameters,
        **more,
    }


def case(version: float, name: str, parameters: Document, items: Sequence[Document] = (ALL,)) -> NodeCase:
    shown = ("data", "made", "newDate", "formattedDate", "timeDifference", "datePart", "extractedDate", "roundedDate")
    return NodeCase(name, date_node(version, parameters), items, fields=(*shown, "error", "result"))


def value(name: str) -> str:
    return f"={{{{ $json.{name} }}}}"


def first() -> Iterator[NodeCase]:
    for name in (*DATES, *WRONG, "missing"):
        yield case(1, f"format {name}", {"value": value(name)})
        yield case(1, f"add {name}", {"action": "calculate", "value": value(name), "duration": 1})
    for pattern in ("YYYY/MM/DD", "MMMM DD YYYY", "MM-DD-YYYY", "YYYY-MM-DD", "X", "x"):
        yield case(1, f"pattern {pattern}", {"value": value("iso"), "toFormat": pattern})
    for pattern in ("dddd, Do MMM YY h:mm a", "[at] HH:mm:ss.SSS Z", "Q w E", "L LT", ""):
        yield case(1, f"own pattern {pattern}", {"value": value("iso"), "custom": True, "toFormat": pattern})
    for option in ({"toTimezone": "Asia/Tokyo"}, {"fromTimezone": "Asia/Tokyo"}, {"fromFormat": "YYYY-MM-DD HH:mm:ss"}):
        for name in ("iso", "local", "sql", "day"):
            full = {"value": value(name), "custom": True, "toFormat": "YYYY-MM-DD HH:mm:ss Z", "options": option}
            yield case(1, f"option {option} {name}", full)
    for unit in (*UNITS, "quarters"):
        for operation in ("add", "subtract"):
            for name in ("winter", "leap", "day"):
                more = {"operation": operation, "duration": 2, "timeUnit": unit}
                full = {"action": "calculate", "value": value(name), **more}
                yield case(1, f"{operation} {unit} {name}", full)
    yield case(1, "name of the result", {"value": value("iso"), "dataPropertyName": "made.date"})


def second() -> Iterator[NodeCase]:
    for name in (*DATES, *WRONG):
        yield case(2, f"add {name}", {"operation": "addToDate", "magnitude": value(name), "duration": 1})
        yield case(2, f"format {name}", {"operation": "formatDate", "date": value(name)})
        yield case(2, f"part {name}", {"operation": "extractDate", "date": value(name), "part": "day"})
        between = {"operation": "getTimeBetweenDates", "startDate": value(name), "endDate": value("leap")}
        yield case(2, f"between {name}", between)
    for unit in (*UNITS, "quarters"):
        for operation in ("addToDate", "subtractFromDate"):
            for name in ("winter", "leap", "day"):
                full = {"operation": operation, "magnitude": value(name), "duration": 2, "timeUnit": unit}
                yield case(2, f"{operation} {unit} {name}", full)
    for pattern in ("MM/dd/yyyy", "yyyy/MM/dd", "MMMM dd yyyy", "MM-dd-yyyy", "yyyy-MM-dd", "X", "x", "custom"):
        for custom in ({}, {"customFormat": "cccc d LLL yy 'at' h:mm a ZZ"}):
            full = {"operation": "formatDate", "date": value("iso"), "format": pattern, **custom}
            yield case(2, f"pattern {pattern} {custom}", full)
    for zone in (True, False):
        for name in ("iso", "offset", "local"):
            full = {
                "operation": "formatDate",
                "date": value(name),
                "format": "custom",
                "customFormat": "yyyy-LL-dd HH:mm ZZ",
            }
            yield case(2, f"zone {zone} {name}", {**full, "options": {"timezone": zone}})
    for form in ("yyyy-MM-dd HH:mm:ss", "dd/MM/yyyy"):
        full = {"operation": "formatDate", "date": value("sql"), "options": {"fromFormat": form}}
        yield case(2, f"from {form}", full)
    for unit in ("year", "month", "week", "day", "hour", "minute", "second"):
        for name in ("iso", "winter", "day"):
            down = {"operation": "roundDate", "date": value(name), "mode": "roundDown", "toNearest": unit}
            yield case(2, f"round down {unit} {name}", down)
            up = {"operation": "roundDate", "date": value(name), "mode": "roundUp", "to": unit}
            yield case(2, f"round up {unit} {name}", up)
        part = {"operation": "extractDate", "date": value("winter"), "part": unit}
        yield case(2, f"part of winter {unit}", part)
    yield case(2, "part left out", {"operation": "extractDate", "date": value("iso")})
    for units in (["day"], ["month", "day"], ["year", "month", "week", "day", "hour"], ["millisecond"], None):
        for options in ({}, {"isoString": True}):
            between = {"operation": "getTimeBetweenDates", "startDate": value("winter"), "endDate": value("iso")}
            more: Document = {} if units is None else {"units": units}
            yield case(2, f"between {units} {options}", {**between, **more, "options": options})
            backwards = {**between, "startDate": value("iso"), "endDate": value("leap"), **more, "options": options}
            yield case(2, f"backwards {units} {options}", backwards)
    for options in ({"includeInputFields": True}, {"includeInputFields": False}):
        full = {"operation": "formatDate", "date": value("iso"), "outputFieldName": "made", "options": options}
        yield NodeCase(f"fields {options}", date_node(2, full), (ALL, ALL))


FAMILIES = (Family("Date & Time, version 1", first), Family("Date & Time, version 2", second))
