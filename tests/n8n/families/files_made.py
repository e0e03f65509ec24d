"""Nodes that make files of items: Convert to File, Spreadsheet File, Move Binary Data, iCalendar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..cases import Document, Family, NodeCase, both_ways
from ..contents import file

ITEMS: tuple[Document, ...] = (
    {
        "json": {"id": 1, "text": 'Grüße, "you"', "b64": "aGVsbG8=", "o": {"a": 1, "b": [1, {"c": None}]}, "yes": True},
        "binary": {"other": file("kept", "kept.txt")},
    },
    {"json": {"id": 2.5, "text": "a;b\nc", "b64": "iVBORw0KGgoAAAANSUhEUg==", "n": None, "list": [1, "z"]}},
    {"json": {"id": -3, "text": "", "b64": "", "bad": "not base64!", "list": []}},
    {"json": {}},
    {"json": {"text": None, "b64": 7, "yes": False, "o": "日本"}},
)
ROWS: tuple[Document, ...] = (
    {"json": {"id": 1, "text": 'a, "you"', "o": {"a": 1, "b": [1, {"c": "d"}]}, "yes": True, "e": {}, "l": []}},
    {"json": {"id": 2.5, "text": "a;b\nc", "list": [1, "z"], "big": 12345678901, "yes": False}},
    {"json": {"id": -3, "text": "", "date": "2026-05-10T10:11:12.000Z", "=f": "=1+1", "<b>": "<i>'&'</i>"}},
    {"json": {}},
    {"json": {"id": 0, "text": "TRUE", "n": 1e21, "m": 0.1234567890123, "k": 1e-7, "q": 123456.789012345}},
)
ODD: Mapping[str, object] = {
    "null": None,
    "blanks": " a  b ",
    "letters": "Grüße",
    "others": "日本 😀",
    "control": "a\tb\rc",
    "tags": "{\\b}",
    "text of a number": "007",
    "text of a date": "2026-01-31",
    "long": "x" * 300,
    "whole": 2**53,
    "large": 123456789012345,
    "third": 1 / 3,
    "tiny": 1.5e-10,
    "minus": -1234567.891,
    "no": False,
}
FORMATS = ("csv", "html", "ods", "rtf", "xls", "xlsx")
TABLE_OPTIONS: Mapping[str, Document] = {
    "plain": {},
    "name": {"fileName": "report.txt"},
    "name without ending": {"fileName": "report"},
    "empty name": {"fileName": ""},
    "name with directory": {"fileName": "a/b.c.csv"},
    "no header": {"headerRow": False},
    "sheet": {"sheetName": "My Sheet"},
    "delimiter": {"delimiter": ";"},
    "long delimiter": {"delimiter": "||"},
    "tabulator": {"delimiter": "\t"},
    "compression": {"compression": True},
    "BOM": {"addBOM": True},
}
NAMES: Mapping[str, Document] = {
    "plain": {},
    "name": {"fileName": "my.data"},
    "name of text": {"fileName": "my.csv"},
    "name of picture": {"fileName": "my.png"},
    "no ending": {"fileName": "my"},
    "UTF-16": {"encoding": "utf16le"},
    "UTF-16 with mark": {"encoding": "utf16le", "addBOM": True},
    "mark": {"addBOM": True},
    "latin1": {"encoding": "latin1"},
    "ascii": {"encoding": "ascii"},
    "windows-1252": {"encoding": "win1252"},
    "unknown encoding": {"encoding": "no-such"},
}
SOURCES = ("text", "b64", "bad", "o", "o.a", "o.b[1].c", "id", "yes", "list", "n", "gone")


PLAIN_OPTIONS = ("plain", "name", "name without ending", "empty name", "no header")
"""Those that mean something in HTML and RTF."""


def _options(kind: str) -> Iterator[tuple[str, Document]]:
    for name, options in TABLE_OPTIONS.items():
        if kind not in ("html", "rtf") or name in PLAIN_OPTIONS:
            yield name, options


def _convert() -> Iterator[NodeCase]:
    given: dict[str, Document] = {}
    for mode in ("once", "each"):
        for name, options in NAMES.items():
            given[f"toJson {mode} {name}"] = {"operation": "toJson", "mode": mode, "options": options}
        given[f"toJson {mode} format"] = {"operation": "toJson", "mode": mode, "options": {"format": True}}
        given[f"toJson {mode} field"] = {"operation": "toJson", "mode": mode, "binaryPropertyName": "made"}
    given["toJson"] = {"operation": "toJson"}
    for operation in ("toText", "toBinary"):
        for source in SOURCES:
            given[f"{operation} of {source}"] = {"operation": operation, "sourceProperty": source, "options": {}}
        source = "text" if operation == "toText" else "b64"
        for name, options in NAMES.items():
            given[f"{operation} {name}"] = {"operation": operation, "sourceProperty": source, "options": options}
        given[f"{operation} field"] = {
            "operation": operation,
            "sourceProperty": source,
            "binaryPropertyName": "={{ 'at' + $itemIndex }}",
            "options": {"fileName": "=n{{ $itemIndex }}.txt"},
        }
    given["toBinary type"] = {"operation": "toBinary", "sourceProperty": "b64", "options": {"mimeType": "image/png"}}
    given["toBinary unknown type"] = {"operation": "toBinary", "sourceProperty": "b64", "options": {"mimeType": "a/b"}}
    given["toBinary type and name"] = {
        "operation": "toBinary",
        "sourceProperty": "b64",
        "options": {"mimeType": "image/png", "fileName": "a.gif"},
    }
    given["toBinary plain text"] = {
        "operation": "toBinary",
        "sourceProperty": "text",
        "options": {"dataIsBase64": False},
    }
    yield from both_ways("convertToFile", (1, 1.1), given, ITEMS)


def _tables() -> Iterator[NodeCase]:
    given: dict[str, Document] = {"nothing": {}}
    for kind in FORMATS:
        for name, options in _options(kind):
            given[f"{kind} {name}"] = {"operation": kind, "options": options}
        given[f"{kind} field"] = {"operation": kind, "binaryPropertyName": "made"}
        given[f"{kind} no options"] = {"operation": kind}
    yield from both_ways("convertToFile", (1, 1.1), given, ROWS)
    for name, value in ODD.items():
        items = ({"json": {"ID": 1, "value": value}}, {"json": {"ID": 2, "more": "text"}})
        for kind in FORMATS:
            node = {"type": "n8n-nodes-base.convertToFile", "typeVersion": 1.1, "parameters": {"operation": kind}}
            yield NodeCase(f"{kind} of {name}", node, items)


SIGNATURES: Mapping[str, str] = {
    "png": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "gif": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    "jpeg": "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////",
    "webp": "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
    "pdf": "JVBERi0xLjQKJcOkw7zDtsOfCg==",
    "zip": "UEsDBAoAAAAAAAAAIQAAAAAAAAAAAAAAAAABAAAAYQ==",
    "gzip": "H4sIAAAAAAAAAwMAAAAAAAAAAAA=",
    "mp3": "SUQzBAAAAAAAI1RTU0UAAAAPAAADTGF2ZjU4LjI5LjEwMAAA",
    "wav": "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=",
    "mp4": "AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAAIZnJlZQ==",
    "xml": "PD94bWwgdmVyc2lvbj0iMS4wIj8+PGE+PC9hPg==",
    "html": "PGh0bWw+PC9odG1sPg==",
    "svg": "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=",
    "json": "eyJhIjogMX0=",
    "text": "aGVsbG8gd29ybGQ=",
    "bmp": "Qk1GAAAAAAAAADYAAAAoAAAAAgAAAAIAAAABABgAAAAAABAAAAA=",
    "tiff": "SUkqAAgAAAAAAAAAAAAAAAAAAAAAAAAA",
    "ico": "AAABAAEAEBAAAAEAIABoBAAAFgAAAA==",
    "7z": "N3q8ryccAAQAAAAAAAAAAAAAAAAAAAAAAAAA",
    "rar": "UmFyIRoHAQAzkrXlCgEFBgAFAQGAgAA=",
    "ogg": "T2dnUwACAAAAAAAAAAAAAAAAAAAAAAAAAAABHgF2b3JiaXMAAAAAAg==",
    "flac": "ZkxhQwAAACIQABAAAAAAAAAAAAAAAA==",
    "webm": "GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQRChYECGFOAZw==",
    "rtf": "e1xydGYxXGFuc2kgYX0=",
    "wasm": "AGFzbQEAAAA=",
    "sqlite": "U1FMaXRlIGZvcm1hdCAzABAAAQEAQCAg",
    "elf": "f0VMRgIBAQAAAAAAAAAAAAIAPgABAAAA",
    "xls": "0M8R4KGxGuEAAAAAAAAAAAAAAAAAAAAAPgADAP7/CQA=",
    "empty": "",
    "binary": "AAECAwQF",
}
BY_CONTENT: tuple[Document, ...] = ({"json": {"id": "one", **SIGNATURES}},)


def _told() -> Iterator[NodeCase]:
    """The type of a file that has no name, by its first bytes; and by its name."""
    for name in SIGNATURES:
        for version in (1, 1.1):
            parameters: Document = {
                "mode": "jsonToBinary",
                "convertAllData": False,
                "sourceKey": name,
                "options": {"dataIsBase64": True},
            }
            node = {"type": "n8n-nodes-base.moveBinaryData", "typeVersion": version, "parameters": parameters}
            yield NodeCase(f"moved {name} v{version}", node, BY_CONTENT)
        parameters = {"operation": "toBinary", "sourceProperty": name, "options": {}}
        node = {"type": "n8n-nodes-base.convertToFile", "typeVersion": 1.1, "parameters": parameters}
        yield NodeCase(f"converted {name}", node, BY_CONTENT)
    for ending in ENDINGS.split():
        parameters = {"operation": "toBinary", "sourceProperty": "text", "options": {"fileName": f"name.{ending}"}}
        node = {"type": "n8n-nodes-base.convertToFile", "typeVersion": 1.1, "parameters": parameters}
        yield NodeCase(f"named .{ending}", node, BY_CONTENT)
    for kind in TYPES.split():
        parameters = {"operation": "toBinary", "sourceProperty": "text", "options": {"mimeType": kind}}
        node = {"type": "n8n-nodes-base.convertToFile", "typeVersion": 1.1, "parameters": parameters}
        yield NodeCase(f"typed {kind}", node, BY_CONTENT)


ENDINGS = """txt TXT csv tsv json jsonl xml html htm css js mjs cjs ts tsx jsx md markdown yaml yml toml ini log
sql sh py rb php java c h cpp go rs pdf doc docx xls xlsx ppt pptx odt ods odp rtf epub zip gz gzip
tgz tar bz2 7z rar png jpg jpeg gif webp svg bmp tif tiff ico heic avif mp3 wav ogg oga flac m4a aac
opus mp4 m4v mov avi mkv webm mpeg ics vcf eml msg woff woff2 ttf otf wasm exe bin dat iso apk jar
sqlite db parquet geojson kml gpx xhtml rss atom map webmanifest pem crt p12 sig unknown conf lock"""
TYPES = """text/plain text/csv text/html text/xml text/markdown text/calendar text/vcard text/css
text/javascript text/yaml application/json application/xml application/pdf application/zip
application/gzip application/x-gzip application/msword application/octet-stream
application/javascript application/rtf application/vnd.ms-excel application/x-tar
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
application/vnd.oasis.opendocument.spreadsheet
application/vnd.openxmlformats-officedocument.wordprocessingml.document
application/x-www-form-urlencoded image/png image/jpeg image/jpg image/gif image/webp image/svg+xml
image/tiff image/bmp image/x-icon image/heic audio/mpeg audio/mp3 audio/wav audio/x-wav audio/ogg
audio/mp4 audio/flac audio/webm video/mp4 video/webm video/quicktime video/mpeg video/x-msvideo
message/rfc822 font/woff2 TEXT/PLAIN text/plain;charset=utf-8 application/ld+json nothing"""


def _spreadsheet() -> Iterator[NodeCase]:
    given: dict[str, Document] = {"nothing": {"operation": "toFile"}}
    for kind in FORMATS:
        for name, options in _options(kind):
            given[f"{kind} {name}"] = {"operation": "toFile", "fileFormat": kind, "options": options}
        given[f"{kind} field"] = {"operation": "toFile", "fileFormat": kind, "binaryPropertyName": "made"}
    yield from both_ways("spreadsheetFile", (1, 2), given, ROWS)


def _moved() -> Iterator[NodeCase]:
    given: dict[str, Document] = {"nothing": {"mode": "jsonToBinary"}}
    forms: Mapping[str, Document] = {
        **NAMES,
        "base64": {"dataIsBase64": True},
        "raw": {"useRawData": True},
        "kept": {"keepSource": True},
        "type": {"mimeType": "text/csv"},
        "type and name": {"mimeType": "text/csv", "fileName": "a.png"},
        "raw and name": {"useRawData": True, "fileName": "a.csv"},
    }
    for name, options in forms.items():
        marked = "mark" in name
        if not marked:
            given[f"all {name}"] = {"mode": "jsonToBinary", "options": options}
        for source in ("text",) if marked else ("text", "b64", "o"):
            given[f"{source} {name}"] = _one(source, options)
    for source in SOURCES:
        given[f"of {source}"] = _one(source, {})
        given[f"raw of {source}"] = _one(source, {"useRawData": True})
    given["to field"] = {**_one("text", {}), "destinationKey": "made"}
    given["to path"] = {**_one("text", {}), "destinationKey": "made.deep"}
    given["over another"] = {**_one("text", {}), "destinationKey": "other"}
    yield from both_ways("moveBinaryData", (1, 1.1), given, ITEMS)
    for version in (1, 1.1):
        for source in ("text", "o", "id"):
            node = {"type": "n8n-nodes-base.moveBinaryData", "typeVersion": version, "parameters": _one(source, {})}
            yield NodeCase(f"moveBinaryData v{version} stops at {source}", node, ITEMS[:1])


def _one(source: str, options: Document) -> Document:
    return {"mode": "jsonToBinary", "convertAllData": False, "sourceKey": source, "options": options}


MOMENTS: Mapping[str, Document] = {
    "two times": {"start": "2026-05-10T10:11:12.000Z", "end": "2026-05-10T11:00:00.000Z"},
    "an offset": {"start": "2026-05-10T10:11:12+02:00", "end": "2026-05-10T11:00:00+02:00"},
    "no zone": {"start": "2026-05-10T10:11:12", "end": "2026-05-10 11:00:00"},
    "days": {"start": "2026-05-10", "end": "2026-05-12", "allDay": True},
    "one day": {"start": "2026-05-10T00:00:00", "end": "2026-05-10T00:00:00", "allDay": True},
    "a day with time": {"start": "2026-05-10T10:00:00Z", "end": "2026-05-10T23:00:00Z", "allDay": True},
    "end before": {"start": "2026-05-10T10:11:12Z", "end": "2026-05-09T11:00:00Z"},
    "no date": {"start": "never", "end": "2026-05-09T11:00:00Z"},
    "same": {"start": "2026-05-10T10:11:12Z", "end": "2026-05-10T10:11:12Z"},
    "a number": {"start": 1778407872000, "end": 1778411472000},
    "winter": {"start": "2026-01-10T10:00:00", "end": "2026-01-10T12:00:00"},
}
DETAILS: Mapping[str, Document] = {
    "zone": {"useWorkflowTimezone": True},
    "texts": {
        "description": "One, two; three\\ four\nfive",
        "location": "Room 1, here",
        "url": "https://example.com/a?b=1",
    },
    "status": {"status": "TENTATIVE", "busyStatus": "FREE"},
    "calendar": {"calName": "My calendar"},
    "name": {"fileName": "my.ics"},
    "name without ending": {"fileName": "my"},
    "place": {"geolocationUi": {"geolocationValues": {"lat": 52.5, "lon": 13.25}}},
    "place as text": {"geolocationUi": {"geolocationValues": {"lat": "52.5", "lon": "13.25"}}},
    "organizer": {"organizerUi": {"organizerValues": {"name": "Ann", "email": "ann@example.com"}}},
    "organizer without address": {"organizerUi": {"organizerValues": {"name": "Ann"}}},
    "attendees": {
        "attendeesUi": {
            "attendeeValues": [
                {"name": "Bob", "email": "bob@example.com", "rsvp": True},
                {"name": "Cy, D", "email": "cy@example.com"},
            ]
        }
    },
    "guests": {
        "attendeesUi": {"attendeeValues": [{"name": "Bob", "email": "bob@example.com", "rsvp": True}]},
        "organizerUi": {"organizerValues": {"email": "ann@example.com"}},
    },
    "a guest without name": {"attendeesUi": {"attendeeValues": [{"email": "cy@example.com"}]}},
    "rule": {"recurrenceRule": "FREQ=WEEKLY;COUNT=4"},
    "bad rule": {"recurrenceRule": "every day"},
    "uid": {"uid": "my-uid"},
    "bad url": {"url": "no url"},
    "long text": {"description": "ä word " * 30},
}


def _events() -> Iterator[NodeCase]:
    when = MOMENTS["two times"]
    given: dict[str, Document] = {f"at {name}": {"title": "An event", **moments} for name, moments in MOMENTS.items()}
    given |= {f"with {name}": {"title": "T", **when, "additionalFields": one} for name, one in DETAILS.items()}
    given |= {
        f"{name} in the zone": {"title": "T", **moments, "additionalFields": {"useWorkflowTimezone": True}}
        for name, moments in MOMENTS.items()
    }
    given["no title"] = dict(when)
    given["empty title"] = {"title": "", **when}
    given["special title"] = {"title": "a, b; c\\d\ne", **when}
    given["field"] = {"title": "={{ 'n' + $json.id }}", **when, "binaryPropertyName": "event"}
    items = ITEMS[:2]
    converted = {name: {"operation": "iCal", **one} for name, one in given.items()}
    yield from both_ways("convertToFile", (1, 1.1), converted, items)


FAMILIES = (
    Family("files: Convert to File, values", _convert),
    Family("files: Convert to File, tables", _tables),
    Family("files: names and types", _told),
    Family("files: Spreadsheet File makes", _spreadsheet),
    Family("files: Move Binary Data into files", _moved),
    Family("files: calendar events", _events),
)
