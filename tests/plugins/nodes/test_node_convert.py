"""Convert to File, Spreadsheet File and Move Binary Data, writing: what is written can be read again."""

from __future__ import annotations

import base64
import json
import time
import zipfile
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.ods import read_ods, write_ods
from jackfield_nodes.files.formats.tables import Cell
from jackfield_nodes.files.formats.xls_reading import read_xls
from jackfield_nodes.files.formats.xls_writing import write_xls
from jackfield_nodes.files.formats.xlsx import read_xlsx, write_xlsx
from jackfield_nodes.files.settings import FilesSettings
from jackfield_nodes.files.writing import base64_content

ROWS: Any = items({"a": 1, "b": {"c": "x,y", "d": True}}, {"a": 2.5, "e": "=1+1\nä"})


async def made(bench: Bench, parameters: dict[str, Any], given: Any = ROWS, kind: str = "convertToFile") -> Any:
    (found,) = await bench.outputs(bench.run(kind, 1.1, parameters, given, timezone="Europe/Berlin"))
    return found


def content(item: Any, name: str = "data") -> bytes:
    return base64.b64decode(item["binary"][name]["data"])


@pytest.mark.parametrize("operation", ["csv", "html", "ods", "rtf", "xls", "xlsx"])
async def test_a_table_of_all_items(bench: Bench, operation: str) -> None:
    """One file; nested fields have dots in their names; a text that looks like a formula stays a text."""
    (item,) = await made(bench, {"operation": operation, "binaryPropertyName": "f"})
    assert (item["json"], item["pairedItem"]) == ({}, [{"item": 0}, {"item": 1}])
    file = item["binary"]["f"]
    assert (file["fileName"], file["fileExtension"]) == (f"File.{operation}", operation)
    back = {"operation": operation, "binaryPropertyName": "f"}
    (found,) = await bench.json("extractFromFile", 1, back, [item])
    if operation == "rtf":
        assert found[0] == {"a": 1, "b.c": "x,y", "b.d": "TRUE"}
        return
    exact = operation in ("ods", "xls", "xlsx")
    first = {"a": 1, "b.c": "x,y", "b.d": True if exact else "TRUE"}
    second = {"a": 2.5, "e": "=1+1ä" if operation == "html" else "=1+1\nä"}
    if operation == "csv":
        first = {"\ufeffa": "1", "b.c": "x,y", "b.d": "TRUE"}
        second = {"\ufeffa": "2.5", "e": "=1+1\nä"}
    assert found == [first, second]


async def test_options_of_tables(bench: Bench) -> None:
    given = items({"a": "ä", "b": 1})
    options: dict[str, Any] = {"headerRow": False, "delimiter": ";", "fileName": "x.txt"}
    (item,) = await made(bench, {"operation": "csv", "options": options}, given)
    assert content(item) == b"\xef\xbb\xbf\xc3\xa4;1"
    assert item["binary"]["data"]["fileName"] == "x.txt"
    (item,) = await made(bench, {"operation": "csv", "options": {"delimiter": "||"}}, given)
    assert content(item) == b"\xef\xbb\xbfa||b\n\xc3\xa4||1"
    for operation in ("xls", "xlsx"):
        with pytest.raises(NodeError, match="sheetName has more than 31 characters"):
            await made(bench, {"operation": operation, "options": {"sheetName": "a/b"}}, given)
    assert await made(bench, {"operation": "csv"}, []) == []


async def test_spreadsheet_file(bench: Bench) -> None:
    """The older node makes xls unless told otherwise."""
    (item,) = await made(bench, {"operation": "toFile"}, kind="spreadsheetFile")
    assert item["binary"]["data"]["fileName"] == "spreadsheet.xls"
    (found,) = await bench.json("spreadsheetFile", 1, {}, [item])
    assert found[0] == {"a": 1, "b.c": "x,y", "b.d": True}


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    # xlsx files have 15 or 16 digits
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: float(f"{value:.12g}")),
    st.text(
        st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="\ufffe\uffff"), max_size=30
    ),
)
TABLES = st.lists(st.lists(CELLS, min_size=1, max_size=5), max_size=6)


def plain(rows: list[list[Cell]]) -> list[list[Cell]]:
    """As every format gives it back: empty cells are none, whole numbers have no fraction, no empty ends."""
    found: list[list[Cell]] = []
    for row in rows:
        cells: list[Cell] = [None if cell == "" else cell for cell in row]
        cells = [int(c) if isinstance(c, float) and c.is_integer() and abs(c) < 2**53 else c for c in cells]
        while cells and cells[-1] is None:
            cells.pop()
        found.append(cells)
    while found and not found[-1]:
        found.pop()
    return found


@given(TABLES)
def test_sheets_that_are_written_are_read_again(rows: list[list[Cell]]) -> None:
    budget = FileBudget(FilesSettings())
    expected = plain(rows)
    assert plain([list(row) for row in read_xls(write_xls(rows, "S"), "", budget)]) == expected
    assert plain([list(row) for row in read_ods(write_ods(rows, "S"), "", budget)]) == expected
    assert plain([list(row) for row in read_xlsx(write_xlsx(rows, "S"), "", budget)]) == expected


def test_large_xls_sheets() -> None:
    """Texts over several records, and an allocation table that the header has no room for."""
    rows: list[list[Cell]] = [["ä" * 20_000, "b" * 32_767]]
    rows += [[f"{row}-{column}" + "k" * 40 for column in range(50)] for row in range(2500)]
    assert [list(row) for row in read_xls(write_xls(rows, "S"), "", FileBudget(FilesSettings()))][-1] == rows[-1]
    for wrong in ([[1]] * 65_537, [[1] * 257], [["x" * 32_768]]):
        with pytest.raises(NodeError, match="at most"):
            write_xls(wrong, "S")  # type: ignore[arg-type]


def test_limits_of_xlsx() -> None:
    with pytest.raises(NodeError, match="at most 32767 characters"):
        write_xlsx([["x" * 32_768]], "S")
    with pytest.raises(NodeError, match="at most 16384 columns"):
        write_xlsx([[1] * 16_385], "S")
    (row,) = read_xlsx(write_xlsx([[2**60, "a\x00b"]], "S"), "", FileBudget(FilesSettings()))
    assert row == [str(2**60), "ab"]


def test_an_ods_file_begins_with_its_type() -> None:
    with zipfile.ZipFile(BytesIO(write_ods([["a"]], "S"))) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)


# One value


async def test_json(bench: Bench) -> None:
    (item,) = await made(bench, {"operation": "toJson"})
    assert json.loads(content(item)) == [row["json"] for row in ROWS]
    assert item["binary"]["data"]["mimeType"] == "application/json"
    both = await made(bench, {"operation": "toJson", "mode": "each", "options": {"format": True, "fileName": "x.json"}})
    assert content(both[0]) == json.dumps(ROWS[0]["json"], indent=2).encode()
    assert [each["pairedItem"] for each in both] == [{"item": 0}, {"item": 1}]
    assert both[1]["binary"]["data"]["fileName"] == "x.json"


TEXTS: list[tuple[Any, str, bytes]] = [
    ("ä", "text/plain", "ä".encode()),
    ({"x": [1]}, "application/json", b'{"x":[1]}'),
    (5, "text/plain", b"5"),
    ("", "text/plain", b""),
]


@pytest.mark.parametrize(("value", "kind", "expected"), TEXTS)
async def test_text(bench: Bench, value: Any, kind: str, expected: bytes) -> None:
    given = items({"a": {"b": value}, "c": 1})
    (item,) = await made(bench, {"operation": "toText", "sourceProperty": "a.b"}, given)
    assert (item["json"], content(item), item["binary"]["data"]["mimeType"]) == ({}, expected, kind)


async def test_a_field_that_is_missing(bench: Bench) -> None:
    with pytest.raises(NodeError, match="Item 0 has no field 'x'") as caught:
        await made(bench, {"operation": "toText", "sourceProperty": "x"}, items({}))
    assert caught.value.item == 0
    with pytest.raises(NodeError, match="sourceProperty is empty"):
        await made(bench, {"operation": "toBinary"}, items({}))


BASE64: list[tuple[Any, dict[str, Any], bytes, str, str]] = [
    ("aGVsbG8=", {}, b"hello", "text/plain", "file"),
    (" aGVs\nbG8 ", {"fileName": "a.png"}, b"hello", "image/png", "a.png"),
    ("data:image/png;base64,aGVsbG8=", {}, b"hello", "image/png", "file.png"),
    ("data:image/png;a=b;c=d;base64,aGVsbG8=", {}, b"hello", "image/png", "file.png"),
    ("_-8", {}, b"\xff\xef", "text/plain", "file"),
    ("iVBORw0KGgo=", {}, b"\x89PNG\r\n\x1a\n", "image/png", "file.png"),
]


@pytest.mark.parametrize(("value", "options", "expected", "kind", "name"), BASE64)
async def test_base64(bench: Bench, value: Any, options: dict[str, Any], expected: bytes, kind: str, name: str) -> None:
    parameters = {"operation": "toBinary", "sourceProperty": "v", "options": options}
    (item,) = await made(bench, parameters, items({"v": value}))
    file = item["binary"]["data"]
    assert (content(item), file["mimeType"], file["fileName"]) == (expected, kind, name)


def test_a_hostile_data_url_is_refused_at_once() -> None:
    began = time.process_time()
    for text in ("data:" + "A" * 2_000_000, "data:" + ";" * 2_000_000, "data:;" + ";base64" * 300_000):
        with pytest.raises(NodeError, match="not valid base64"):
            base64_content(text)
    assert time.process_time() - began < 2


async def test_what_is_not_base64(bench: Bench) -> None:
    parameters = {"operation": "toBinary", "sourceProperty": "v"}
    for value in ("not base64!", "a", "ä"):
        with pytest.raises(NodeError, match="not valid base64"):
            await made(bench, parameters, items({"v": value}))
    run = bench.run("convertToFile", 1, parameters, items({"v": "?"}, {"v": "aGk="}), on_error="continueRegularOutput")
    ((failed, well),) = await bench.outputs(run)
    assert "not valid base64" in str(failed["json"]["error"])
    assert content(well) == b"hi"


async def test_a_large_file_is_kept_outside_of_its_item(bench: Bench) -> None:
    run = bench.run("convertToFile", 1, {"operation": "toText", "sourceProperty": "v"}, items({"v": "x" * 100_000}))
    ((item,),) = await bench.outputs(run)
    file = item["binary"]["data"]
    assert (file["data"], file["bytes"]) == ("", 100_000)
    assert run.binary.kept[file["id"]] == b"x" * 100_000


# Events

EVENT: dict[str, Any] = {
    "operation": "iCal",
    "title": "Lunch, long",
    "start": "2026-01-05T12:00",
    "end": "2026-01-05T13:00",
    "additionalFields": {
        "uid": "u1",
        "location": "Here\nor there",
        "status": "CONFIRMED",
        "recurrenceRule": "FREQ=WEEKLY;COUNT=4",
        "organizerUi": {"organizerValues": {"name": "Ada", "email": "ada@example.com"}},
        "attendeesUi": {"attendeeValues": [{"name": "Bob", "email": "bob@example.com\r\nX-EVIL:1", "rsvp": True}]},
        "geolocationUi": {"geolocationValues": {"lat": 1.5, "lon": 2}},
        "busyStatus": "FREE",
        "calName": "Mine",
    },
}


async def test_an_event(bench: Bench) -> None:
    (item,) = await made(bench, EVENT, items({}))
    lines = content(item).decode().split("\r\n")
    for line in (
        "UID:u1", "SUMMARY:Lunch\\, long", "DTSTART:20260105T110000Z", "DTEND:20260105T120000Z", "GEO:1.5;2.0",
        "DTSTAMP:20260101T000000Z", "LOCATION:Here\\nor there", "RRULE:FREQ=WEEKLY;COUNT=4", "X-WR-CALNAME:Mine",
        "X-MICROSOFT-CDO-BUSYSTATUS:FREE", "STATUS:CONFIRMED",
    ):  # fmt: skip
        assert line in lines
    assert not [line for line in lines if line.startswith("X-EVIL")]
    assert item["binary"]["data"]["mimeType"] == "text/calendar"
    assert item["binary"]["data"]["fileName"] == "event.ics"
    (found,) = await bench.json("extractFromFile", 1, {"operation": "ics"}, [item])
    assert found[0]["data"]["events"][0]["organizer"] == {"email": "ada@example.com", "name": "Ada"}  # type: ignore[index,call-overload]


async def test_whole_days_and_the_workflows_zone(bench: Bench) -> None:
    days = {"operation": "iCal", "title": "x", "allDay": True, "start": "2026-01-05", "end": "2026-01-05"}
    (item,) = await made(bench, days, items({}))
    assert b"DTSTART;VALUE=DATE:20260105\r\n" in content(item)
    assert b"DTEND;VALUE=DATE:20260106\r\n" in content(item)
    zoned = {**EVENT, "additionalFields": {"useWorkflowTimezone": True}}
    (item,) = await made(bench, zoned, items({}))
    assert b"DTSTART:20260105T110000Z\r\n" in content(item)


async def test_events_that_cannot_be(bench: Bench) -> None:
    for change, told in (
        ({"end": "2026-01-04"}, "end is before the parameter start"),
        ({"start": "soon"}, "parameter start is not a date"),
        ({"additionalFields": {"recurrenceRule": "whenever"}}, "recurrenceRule is not valid"),
    ):
        with pytest.raises(NodeError, match=told):
            await made(bench, {**EVENT, **change}, items({}))


# Move Binary Data


MOVED: list[tuple[float, dict[str, Any], bytes, dict[str, Any], Any]] = [
    (1, {}, b'{"a":1,"b":"x"}', {"mimeType": "application/json"}, {}),
    (1.1, {}, b'{"a":1,"b":"x"}', {"mimeType": "application/json", "fileName": "file.json"}, {}),
    (1, {"convertAllData": False, "sourceKey": "b"}, b'"x"', {"mimeType": "application/json"}, {"a": 1}),
    (1.1, {"convertAllData": False, "sourceKey": "b", "options": {"useRawData": True}}, b"x",
     {"mimeType": "text/plain", "fileName": "file"}, {"a": 1}),
    (1, {"options": {"keepSource": True, "fileName": "x.y", "mimeType": "a/b"}}, b'{"a":1,"b":"x"}',
     {"mimeType": "a/b", "fileName": "x.y", "fileExtension": "y"}, {"a": 1, "b": "x"}),
]  # fmt: skip


@pytest.mark.parametrize(("version", "parameters", "expected", "entry", "left"), MOVED)
async def test_moving_fields_into_a_file(
    bench: Bench, version: float, parameters: dict[str, Any], expected: bytes, entry: dict[str, Any], left: Any
) -> None:
    given = items({"a": 1, "b": "x"})
    run = bench.run("moveBinaryData", version, {"mode": "jsonToBinary", **parameters}, given)
    ((item,),) = await bench.outputs(run)
    assert (content(item), item["json"]) == (expected, left)
    file: dict[str, Any] = {**item["binary"]["data"]}
    assert {name: file[name] for name in entry} == entry
    assert given == items({"a": 1, "b": "x"})


async def test_items_without_the_field_are_left_out(bench: Bench) -> None:
    parameters = {"mode": "jsonToBinary", "convertAllData": False, "sourceKey": "none"}
    assert await made(bench, parameters, items({"a": 1}), kind="moveBinaryData") == []
