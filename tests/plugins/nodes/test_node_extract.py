"""Extract From File, Spreadsheet File and Move Binary Data, reading: what is in a file, and what a hostile one does."""

from __future__ import annotations

import base64
import json
import time
import zipfile
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench
from pdf_files import pdf

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.csv_text import CsvOptions, read_csv, write_csv
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.tables import TableOptions, cell_of, column_names, flattened, objects, table
from jackfield_nodes.files.settings import FilesSettings

at = datetime.fromisoformat


def file(content: bytes, name: str = "f.bin", kind: str = "application/octet-stream") -> Any:
    return {
        "data": base64.b64encode(content).decode(),
        "mimeType": kind,
        "fileName": name,
        "fileExtension": name.rpartition(".")[2],
    }


def item(content: bytes, **more: Any) -> Any:
    return [{"json": {"kept": 1}, "binary": {"data": file(content), **more}}]


async def rows(bench: Bench, operation: str, content: bytes, **options: Any) -> list[Any]:
    parameters = {"operation": operation, "options": options}
    (found,) = await bench.json("extractFromFile", 1.1, parameters, item(content))
    return found


CSV: list[tuple[bytes, dict[str, Any], list[Any]]] = [
    (b"a,b\n1,x\n2,\n", {}, [{"a": "1", "b": "x"}, {"a": "2"}]),
    (b"a,b\r\n1,\r\n", {"includeEmptyCells": True}, [{"a": "1", "b": ""}]),
    (b"a;b\n1;2", {"delimiter": ";"}, [{"a": "1", "b": "2"}]),
    (b"a\tb\n1\t2", {"delimiter": "\\t"}, [{"a": "1", "b": "2"}]),
    (b'a\n"x ""y"", z\nw"', {}, [{"a": 'x "y", z\nw'}]),
    (b"a,b\n\n1,2\n\n", {}, [{"a": "1", "b": "2"}]),
    (b"1,2\n3,", {"headerRow": False}, [{"row": {"0": "1", "1": "2"}}, {"row": {"0": "3"}}]),
    (b"skip\na\n1\n2", {"fromLine": 2, "maxRowCount": 1}, [{"a": "1"}]),
    (b"\xef\xbb\xbfa\n\xc3\xa4", {}, [{"\ufeffa": "ä"}]),
    (b"\xef\xbb\xbfa\n\xc3\xa4", {"enableBOM": True}, [{"a": "ä"}]),
    ("a\nä".encode("utf-16"), {}, [{"a": "ä"}]),
    (b"a\n\xe4", {"encoding": "latin1"}, [{"a": "ä"}]),
    (b"a,a,,a_1\n1,2,3,4", {}, [{"a": "2", "": "3", "a_1": "4"}]),
    (b'a\nx"y"', {"relaxQuotes": True}, [{"a": 'x"y"'}]),
    (b"", {}, []),
]


@pytest.mark.parametrize(("content", "options", "expected"), CSV)
async def test_csv(bench: Bench, content: bytes, options: dict[str, Any], expected: list[Any]) -> None:
    assert await rows(bench, "csv", content, **options) == expected


async def test_csv_rows_that_are_wrong(bench: Bench) -> None:
    content = b'a,b\n1,2,3\n4,5\n"x"y,6\n7,8'
    with pytest.raises(NodeError, match="not valid at line 2: 3 values in place of 2"):
        await rows(bench, "csv", content)
    skip = {"value": {"enabled": True}}
    left = [{"a": "4", "b": "5"}, {"a": "7", "b": "8"}]
    assert await rows(bench, "csv", content, skipRecordsWithErrors=skip) == left
    one = {"value": {"enabled": True, "maxSkippedRecords": 1}}
    with pytest.raises(NodeError, match="More than 1 rows of the CSV are not valid, the last at line 4"):
        await rows(bench, "csv", content, skipRecordsWithErrors=one)
    with pytest.raises(NodeError, match="delimiter must be one character"):
        await rows(bench, "csv", content, delimiter="ab")
    with pytest.raises(NodeError, match="encoding 'nix' is unknown"):
        await rows(bench, "csv", content, encoding="nix")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b'a,b\n1,2\n3,x"y"z\n', {}, "line 3: a quotation mark inside of a value .* relaxQuotes"),
        (b'a,b\n1,"x" \n', {}, "line 2: a quotation mark inside of a value"),
        (b'a,b\n1, "x"\n', {}, "line 2: a quotation mark inside of a value"),
        (b'a\n"x\ny', {}, "line 3: a quotation mark is never closed"),
        (b'a\n"x\ny', {"relaxQuotes": True}, "line 3: a quotation mark is never closed"),
        (b"a\n1", {"maxRowCount": 0}, "maxRowCount must be 1 or more"),
        (b"a\n1", {"fromLine": 0}, "fromLine must be 1 or more"),
    ],
)
async def test_csv_that_is_not_valid(bench: Bench, content: bytes, options: dict[str, Any], message: str) -> None:
    with pytest.raises(NodeError, match=message):
        await rows(bench, "csv", content, **options)


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=8)


@given(
    width=st.integers(1, 4),
    data=st.data(),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
)
def test_csv_that_is_written_is_read_again(width: int, data: st.DataObject, delimiter: str) -> None:
    """But for rows without any text, which are no rows."""
    given_ = data.draw(st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=5))
    text = write_csv(given_, delimiter)
    found = list(read_csv(text, CsvOptions(delimiter=delimiter, header=False), FileBudget(FilesSettings())))
    # Python's reader ends lines at \r, \n and \r\n, and gives back what stands inside of quotes.
    assert [row for row in found if any(row)] == [row for row in given_ if any(row)]


def test_tables_of_objects() -> None:
    nested = {"a": {"b": 1, "c": [2, {"d": 3}]}, "e": {}, "f": None}
    assert flattened(nested) == {"a.b": 1, "a.c.0": 2, "a.c.1.d": 3, "f": None}
    assert table([{"a": 1}, {"b": 2, "a": 3}]) == [["a", "b"], [1, None], [3, 2]]
    assert table([{"a": 1}], header=False) == [[1]]
    assert column_names(["x", "x", None, 5, ""]) == ["x", "x_1", "column_3", "5", "column_5"]


# Sheets


def workbook(fill: Callable[[Any], None]) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    fill(book)
    made = BytesIO()
    book.save(made)
    return made.getvalue()


def sheets(book: Any) -> None:
    page = book.active
    page.title = "First"
    for row in (["name", "n", "when", "ok"], ["Ada", 1.5, at("2024-01-31"), True], [None, 2, None, None]):
        page.append(row)
    page["A5"] = "last"
    other = book.create_sheet("Other")
    other.append(["x", "y", "z"])
    other.append([1, "=1+1", at("2024-01-31T12:30")])


async def test_xlsx(bench: Bench) -> None:
    """Dates as ISO 8601, empty cells left out, the first sheet unless another is named, areas."""
    content = workbook(sheets)
    first = [{"name": "Ada", "n": 1.5, "when": "2024-01-31", "ok": True}, {"n": 2}, {"name": "last"}]
    assert await rows(bench, "xlsx", content) == first
    assert await rows(bench, "xls", content) == first  # told by its first bytes
    assert await rows(bench, "xlsx", content, sheetName="Other") == [{"x": 1, "z": "2024-01-31T12:30:00"}]
    assert await rows(bench, "xlsx", content, range="B1:C2") == [{"n": 1.5, "when": "2024-01-31"}]
    assert await rows(bench, "xlsx", content, range=1, headerRow=False) == [
        {"row": ["Ada", 1.5, "2024-01-31", True]},
        {"row": [None, 2]},
        {"row": ["last"]},
    ]
    empty = await rows(bench, "xlsx", content, includeEmptyCells=True)
    assert empty[1] == {"name": "", "n": 2, "when": "", "ok": ""}
    with pytest.raises(NodeError, match="no sheet 'Third'; it has: First, Other"):
        await rows(bench, "xlsx", content, sheetName="Third")
    with pytest.raises(NodeError, match="option range is 'what'"):
        await rows(bench, "xlsx", content, range="what")


ODS = """<?xml version="1.0"?><d:document-content xmlns:d="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><d:body><d:spreadsheet>
<table:table table:name="One"><table:table-row><table:table-cell d:value-type="string"><text:p>a</text:p>
</table:table-cell><table:table-cell d:value-type="string"><text:p>b</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="2"><table:table-cell d:value-type="float" d:value="1.0"><text:p>1</text:p>
</table:table-cell><table:table-cell d:value-type="date" d:date-value="2024-01-31"/></table:table-row>
<table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/>
</table:table-row></table:table><table:table table:name="Two"><table:table-row>
<table:table-cell d:value-type="boolean" d:boolean-value="true" table:number-columns-repeated="2"/></table:table-row>
</table:table></d:spreadsheet></d:body></d:document-content>"""


def packed(name: str, content: str, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.writestr(name, content)
    return made.getvalue()


async def test_ods(bench: Bench) -> None:
    content = packed("content.xml", ODS)
    assert await rows(bench, "ods", content) == [{"a": 1, "b": "2024-01-31"}] * 2
    assert await rows(bench, "ods", content, sheetName="Two", headerRow=False) == [{"row": [True, True]}]
    with pytest.raises(NodeError, match="no sheet 'Three'; it has: One, Two"):
        await rows(bench, "ods", content, sheetName="Three")


async def test_html_and_rtf_tables(bench: Bench) -> None:
    page = b"<p>x</p><table><tr><th>a</th><th>b c</th></tr><tr><td>007</td><td> 1.5 </td></tr></table>"
    assert await rows(bench, "html", page) == [{"a": "007", "b c": 1.5}]
    rtf = rb"{\rtf1\ansi \trowd\cellx1\cellx2 \intbl a\cell b\cell\row \trowd\cellx1 \intbl 1\cell \u228?\cell\row}"
    assert await rows(bench, "rtf", rtf) == [{"a": 1, "b": "ä"}]
    assert await rows(bench, "rtf", rb"{\rtf1\ansi Some \b bold\b0  text}") == [{"text": "Some bold text"}]
    inner = b"<table><tr><td>a<table><tr><td>b</td></tr></table></td></tr><tfoot><tr><td>1</td></tr></tfoot></table>"
    assert await rows(bench, "html", inner) == [{"ab": 1}]
    began = time.monotonic()
    await rows(bench, "html", b"<table><tr><td>x" * 1000)
    assert time.monotonic() - began < 2
    with pytest.raises(NodeError, match="no HTML table"):
        await rows(bench, "html", b"<p>x</p>")


def xls(value: str = "x") -> bytes:
    """What `convertToFile` writes."""
    from jackfield_nodes.files.formats.xls_writing import write_xls

    return write_xls([["a", "b"], [value, 1.5]], "Sheet")


async def test_the_format_is_told_by_the_file(bench: Bench) -> None:
    known: list[tuple[bytes, str, str]] = [
        (workbook(sheets), "x.bin", "application/octet-stream"),
        (packed("content.xml", ODS), "x.ods", "application/octet-stream"),
        (b"a\n1", "x.csv", "text/plain"),
        (b"a\n1", "x", "text/csv"),
        (b" <!DOCTYPE html><table><tr><td>a</td></tr><tr><td>1</td></tr></table>", "x", ""),
        (rb"{\rtf1 a}", "x", ""),
        (xls(), "x", ""),
    ]
    for content, name, kind in known:
        given_: Any = [{"json": {}, "binary": {"data": file(content, name, kind)}}]
        (found,) = await bench.json("spreadsheetFile", 2, {}, given_)
        assert found
        assert "error" not in found[0]
    unknown: Any = [{"json": {}, "binary": {"data": file(b"\x00\x01", "x.png", "image/png")}}]
    with pytest.raises(NodeError, match="format is not known"):
        await bench.json("spreadsheetFile", 2, {}, unknown)


DAMAGED = ["xlsx", "xls", "ods", "rtf", "pdf", "fromJson"]


@pytest.mark.parametrize("operation", DAMAGED)
@pytest.mark.parametrize(
    "content", [b"", b"junk", b"PK\x03\x04junk", b"\xd0\xcf\x11\xe0junk", b"%PDF-1.7 junk", b"{\\"]
)
async def test_damaged_files_are_errors_for_the_user(bench: Bench, operation: str, content: bytes) -> None:
    if (operation, content) == ("fromJson", b""):
        assert await rows(bench, operation, content) == [{"data": {}}]
        return
    with pytest.raises(NodeError):
        await rows(bench, operation, content)


async def test_what_unpacks_to_too_much_is_not_unpacked(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(FilesSettings(unpacked_limit=10_000))
    for operation, name in (("xlsx", "xl/workbook.xml"), ("ods", "content.xml")):
        with pytest.raises(NodeError, match="larger than 10000 bytes"):
            await rows(bench, operation, packed(name, " " * 20_000))


async def test_only_deflated_files_are_unpacked(bench: Bench) -> None:
    """Of some hundred bytes that bzip2 packed the library makes as many hundred megabytes at a time."""
    for operation, name in (("xlsx", "xl/workbook.xml"), ("ods", "content.xml")):
        with pytest.raises(NodeError, match=f"'{name}' of the archive is not packed with deflate"):
            await rows(bench, operation, packed(name, " ", zipfile.ZIP_BZIP2))


WIDE_ROWS = '<table:table-row table:number-rows-repeated="9"><table:table-cell d:value-type="float" d:value="1" '
WIDE_ROWS += 'table:number-columns-repeated="9"/></table:table-row>'


async def test_cells_are_limited(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(FilesSettings(max_cells=80))
    start = ODS.index("<table:table-row")
    small = packed("content.xml", ODS[:start] + WIDE_ROWS + ODS[start:])
    for operation, content, options in (
        ("ods", small, {}),
        ("csv", b",".join([b"a"] * 41) + b"\n" + b",".join([b"1"] * 41), {"includeEmptyCells": True}),
        ("xlsx", workbook(lambda book: [book.active.append([1] * 9) for _ in range(9)]), {}),
    ):
        with pytest.raises(NodeError, match=r"more than 80 cells \(nodes\.files\.max_cells\)"):
            await rows(bench, operation, content, **options)


async def test_what_is_around_the_rows_of_a_sheet_takes_no_memory(bench: Bench) -> None:
    from tracemalloc import get_traced_memory, start, stop

    place = ODS.index("<table:table ")
    content = packed("content.xml", ODS[:place] + "<a><b/></a>" * 50_000 + ODS[place:])
    start()
    try:
        assert await rows(bench, "ods", content) == [{"a": 1, "b": "2024-01-31"}] * 2
        assert get_traced_memory()[1] < 2_000_000
    finally:
        stop()


async def test_a_row_of_too_many_parts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jackfield_nodes.files.formats.ods._MOST_PARTS", 100)
    place = ODS.index("<table:table-cell")
    with pytest.raises(NodeError, match="A row of the file has more than 100 parts"):
        await rows(bench, "ods", packed("content.xml", ODS[:place] + "<a/>" * 100 + ODS[place:]))


async def test_time_counts_before_the_first_row_too(make_bench: Callable[..., Bench]) -> None:
    bench = make_bench(FilesSettings(parse_timeout=1e-9))
    for operation, content in (("xlsx", workbook(sheets)), ("ods", packed("content.xml", "<a/>"))):
        with pytest.raises(NodeError, match="took longer than 1e-09 seconds"):
            await rows(bench, operation, content)


def test_many_columns_of_one_name_are_named_at_once() -> None:
    began = time.monotonic()
    names = column_names(["a"] * 100_000)
    assert time.monotonic() - began < 2
    assert names[:2] == ["a", "a_1"]
    assert names[-1] == "a_99999"


async def test_entities_in_sheets_are_refused(bench: Bench) -> None:
    with pytest.raises(NodeError, match="EntitiesForbidden"):
        await rows(bench, "ods", packed("content.xml", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'))


async def test_rows_size_and_time_are_limited(make_bench: Callable[..., Bench]) -> None:
    with pytest.raises(NodeError, match="more than 2 rows"):
        await rows(make_bench(FilesSettings(max_rows=2)), "csv", b"a\n1\n2\n3")
    with pytest.raises(NodeError, match="larger than 1024 bytes"):
        await rows(make_bench(FilesSettings(parse_limit=1024)), "csv", b"a" * 1025)
    with pytest.raises(NodeError, match="took longer than 1e-09 seconds"):
        await rows(make_bench(FilesSettings(parse_timeout=1e-9)), "csv", b"a\n1")


# Documents


async def test_pdf(bench: Bench) -> None:
    (found,) = await rows(bench, "pdf", pdf("one", "two"))
    assert (found["numpages"], found["text"], found["info"]["Title"]) == (2, "one\n\ntwo", "A title")
    (found,) = await rows(bench, "pdf", pdf("one", "two"), joinPages=False, maxPages=1)
    assert found["text"] == ["one"]
    (found,) = await rows(bench, "pdf", pdf("one"), keepSource="json")
    assert (found["kept"], found["text"]) == (1, "one")


async def test_an_encrypted_pdf(bench: Bench) -> None:
    with pytest.raises(NodeError, match="encrypted"):
        await rows(bench, "pdf", pdf("one", password="secret"))
    with pytest.raises(NodeError, match="encrypted") as caught:
        await rows(bench, "pdf", pdf("one", password="secret"), password="wrong")
    assert "wrong" not in caught.value.message
    (found,) = await rows(bench, "pdf", pdf("one", password="secret"), password="secret")
    assert found["text"] == "one"


ICS = b"""BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-//x//y//EN\r
BEGIN:VEVENT\r
UID:1\r
SUMMARY:Lunch\\, long\r
DTSTART;TZID=Europe/Berlin:20240131T120000\r
DTEND:20240131T130000Z\r
RRULE:FREQ=DAILY;COUNT=2\r
ORGANIZER;CN=Ada:mailto:ada@example.com\r
ATTENDEE;CN=Bob;RSVP=TRUE:mailto:bob@example.com\r
CATEGORIES:a,b\r
END:VEVENT\r
END:VCALENDAR\r
"""


async def test_calendars(bench: Bench) -> None:
    (found,) = await rows(bench, "ics", ICS)
    (event,) = found["data"]["events"]
    assert event == {
        "uid": "1",
        "summary": "Lunch, long",
        "start": {"date": "2024-01-31T12:00:00+01:00", "type": "DATE-TIME", "timezone": "Europe/Berlin"},
        "end": {"date": "2024-01-31T13:00:00+00:00", "type": "DATE-TIME"},
        "recurrenceRule": "FREQ=DAILY;COUNT=2",
        "organizer": {"email": "ada@example.com", "name": "Ada"},
        "attendees": [{"email": "bob@example.com", "name": "Bob", "rsvp": "TRUE"}],
        "categories": ["a", "b"],
    }
    with pytest.raises(NodeError, match="as a calendar"):
        await rows(bench, "ics", b"junk")


# One value


VALUES: list[tuple[str, bytes, Any]] = [
    ("text", "ä".encode(), "ä"),
    ("xml", b"<a>1</a>", "<a>1</a>"),
    ("fromJson", b'\xef\xbb\xbf{"a": [1]}', {"a": [1]}),
    ("binaryToPropery", b"\x00\xff", "AP8="),
]


@pytest.mark.parametrize(("operation", "content", "expected"), VALUES)
async def test_one_value(bench: Bench, operation: str, content: bytes, expected: Any) -> None:
    """The file goes and the fields go, unless they are to be kept; other files stay."""
    other = file(b"other")
    parameters: dict[str, Any] = {"operation": operation, "destinationKey": "a.b"}
    ((made,),) = await bench.outputs(bench.run("extractFromFile", 1, parameters, item(content, other=other)))
    assert made["json"] == {"a": {"b": expected}}
    assert made["binary"] == {"other": other}
    parameters["options"] = {"keepSource": "both"}
    ((made,),) = await bench.outputs(bench.run("extractFromFile", 1.1, parameters, item(content, other=other)))
    assert made["json"] == {"kept": 1, "a": {"b": expected}}
    assert set(made["binary"]) == {"data", "other"}


async def test_items_without_the_file(bench: Bench) -> None:
    empty: Any = [{"json": {}}]
    for operation in ("csv", "pdf", "text", "fromJson", "binaryToPropery"):
        with pytest.raises(NodeError, match="no binary field 'data'; it has: none"):
            await bench.json("extractFromFile", 1, {"operation": operation}, empty)


async def test_a_kept_file_is_read_like_one_inside_its_item(bench: Bench) -> None:
    run = bench.run("extractFromFile", 1, {"operation": "fromJson"})
    text = json.dumps({"long": "x" * 200_000})
    kept = await run.binary.write(text.encode(), mime_type="application/json")
    run.first = [{"json": {}, "binary": {"data": kept}}]
    ((made,),) = await bench.outputs(run)
    assert made["json"]["data"] == json.loads(text)
    run.binary.kept.clear()
    with pytest.raises(NodeError, match="'data' of item 0 cannot be read: The file does not exist any more"):
        await bench.outputs(run)


MOVED: list[tuple[dict[str, Any], Any]] = [
    ({}, {"a": 1}),
    ({"setAllData": False}, {"kept": 1, "data": '{"a": 1}'}),
    ({"setAllData": False, "destinationKey": "x.y", "options": {"jsonParse": True}}, {"kept": 1, "x": {"y": {"a": 1}}}),
    ({"setAllData": False, "options": {"keepAsBase64": True}}, {"kept": 1, "data": "eyJhIjogMX0="}),
]


@pytest.mark.parametrize(("parameters", "expected"), MOVED)
async def test_moving_a_file_into_fields(bench: Bench, parameters: dict[str, Any], expected: Any) -> None:
    ((made,),) = await bench.outputs(bench.run("moveBinaryData", 1, parameters, item(b'{"a": 1}')))
    assert (made["json"], made.get("binary")) == (expected, None)
    assert await bench.json("moveBinaryData", 1, {**parameters, "sourceKey": "none"}, item(b"{}")) == [[]]


def test_cells_of_libraries() -> None:
    assert cell_of(2.0) == 2
    assert cell_of(at("2024-01-01T00:00:01")) == "2024-01-01T00:00:01"
    assert objects([["a"], [None], [""]], TableOptions()) == []
