"""OpenDocument spreadsheets (ISO/IEC 26300), reading and writing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from typing import IO
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from jackfield.api.nodes import NodeError
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.packed import unpacked
from jackfield_nodes.files.formats.sheets import ODS_TYPE
from jackfield_nodes.files.formats.tables import Cell, cell_of, shown

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_WIDEST = 16_384
"""Cells of a row; a longer row is mere formatting."""
_REPEATS = 1000
"""Rows that one row may stand for; more are mere formatting."""
_MOST_PARTS = 1_000_000
"""Beginnings and ends of elements in one row: cells, their texts and what is in these."""
_LOOK_EVERY = 4096
"""Beginnings and ends of elements after which there must be time left."""


def read_ods(content: bytes, sheet: str, budget: FileBudget) -> Iterator[Sequence[Cell]]:
    """The rows of one sheet. Raises `NodeError`."""
    with unpacked(content, "ods", budget) as archive:
        try:
            document = archive.open("content.xml")
        except KeyError:
            raise NodeError("The file is not in ods format.") from None
        with document:
            yield from budget.counted_rows(_rows(document, sheet, budget))


def _events(document: IO[bytes], budget: FileBudget) -> Iterator[tuple[str, Element]]:
    """Beginnings and ends of elements.

    Text between the rows is forgotten at its end, for a small packed file may unpack to millions of elements.
    """
    around: list[Element] = []
    row = began = 0  # how deep the row is that is read, and the number of its first part
    for number, (event, element) in enumerate(iterparse(document, events=("start", "end"))):
        if not number % _LOOK_EVERY:
            budget.check_time()
        yield event, element
        if event == "start":
            around.append(element)
            if not row and element.tag == f"{_TABLE}table-row":
                row, began = len(around), number
            continue
        if row and number - began > _MOST_PARTS:
            raise NodeError(f"A row of the file has more than {_MOST_PARTS} parts.")
        row = 0 if row == len(around) else row
        around.pop()
        if not row and around:
            del around[-1][:]


def _rows(document: IO[bytes], sheet: str, budget: FileBudget) -> Iterator[Sequence[Cell]]:
    names: list[str] = []
    inside = False
    try:
        for event, element in _events(document, budget):
            if event == "start" and element.tag == f"{_TABLE}table":
                name = element.get(f"{_TABLE}name", "")
                inside = not names if not sheet else name == sheet
                names.append(name)
            elif event == "end" and element.tag == f"{_TABLE}table-row":
                if inside:
                    row = _cells(element)
                    repeated = _count(element.get(f"{_TABLE}number-rows-repeated"))
                    yield from [row] * (
                        repeated if repeated <= _REPEATS and any(cell is not None for cell in row) else 1
                    )
            elif event == "end" and inside and element.tag == f"{_TABLE}table":
                return
    except (ParseError, DefusedXmlException, ValueError, EOFError) as exc:
        raise NodeError(f"The file cannot be read as ods ({type(exc).__name__}).") from None
    if not names:
        raise NodeError("The file has no sheets.")
    raise NodeError(f"The file has no sheet '{sheet}'; it has: {', '.join(names)}.")


def _cells(row: Element) -> list[Cell]:
    cells: list[Cell] = []
    for element in row:
        if element.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
            continue
        value = _value(element.get, ["".join(part.itertext()) for part in element.findall(f"{_TEXT}p")])
        repeated = _count(element.get(f"{_TABLE}number-columns-repeated"))
        if value is None and len(cells) + repeated > _WIDEST:
            break
        cells += [value] * min(repeated, _WIDEST - len(cells))
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _value(get: Callable[[str], str | None], texts: list[str]) -> Cell:
    match get(f"{_OFFICE}value-type"):
        case "float" | "percentage" | "currency":
            return cell_of(float(get(f"{_OFFICE}value") or 0))
        case "boolean":
            return get(f"{_OFFICE}boolean-value") == "true"
        case "date":
            return get(f"{_OFFICE}date-value")
        case None:
            return "\n".join(texts) or None
    return "\n".join(texts)


def _count(text: str | None) -> int:
    return max(int(text), 1) if text and text.isascii() and text.isdigit() and len(text) < 10 else 1


_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.3"><office:body><office:spreadsheet>'
)
_MANIFEST = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<manifest:manifest '
    'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.3">'
    f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{ODS_TYPE}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    '<manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/></manifest:manifest>'
)
_STYLES = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<office:document-styles '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.3"></office:document-styles>'
)
"""The sheet has no styles, but SheetJS, and with it n8n, reads no file without this part."""


def write_ods(rows: Iterable[Sequence[Cell]], sheet: str) -> bytes:
    """A document with one sheet."""
    body = "".join(f"<table:table-row>{''.join(map(_written, row))}</table:table-row>" for row in rows)
    content = f"{_HEAD}<table:table table:name={quoteattr(_legal(sheet))}>{body}</table:table>"
    content += "</office:spreadsheet></office:body></office:document-content>"
    made = BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", ODS_TYPE, ZIP_STORED)  # first and as it is, so that programs recognise the file
        archive.writestr("META-INF/manifest.xml", _MANIFEST)
        archive.writestr("styles.xml", _STYLES)
        archive.writestr("content.xml", content.encode("utf-8", "replace"))
    return made.getvalue()


def _written(value: Cell) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        text = str(value).lower()
        attribute = f'office:value-type="boolean" office:boolean-value="{text}"'
        return f"<table:table-cell {attribute}>{_shown(value)}</table:table-cell>"
    if isinstance(value, int | float):
        return f'<table:table-cell office:value-type="float" office:value="{value}">{_shown(value)}</table:table-cell>'
    lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in _legal(value).split("\n"))
    return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'


def _shown(value: Cell) -> str:
    """SheetJS takes a cell without a text for an empty one."""
    return f"<text:p>{shown(value)}</text:p>"


def _legal(text: str) -> str:
    """Without characters that XML cannot have."""
    return "".join(char for char in text if char in "\t\n" or (char >= " " and char not in "\ufffe\uffff"))
