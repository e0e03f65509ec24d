"""Makes files, away from the event loop."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, cast

from pydantic import Field

from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import Flag, NodeError, NodeRun, Parameters
from jackfield.api.nodes.files import kept_file
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData, Items
from jackfield_nodes.files.formats.charsets import encoded
from jackfield_nodes.files.formats.csv_text import write_csv
from jackfield_nodes.files.formats.sheets import ODS_TYPE
from jackfield_nodes.files.formats.tables import Cell, table
from jackfield_nodes.values.conversions import text_of

TYPES: Mapping[str, str] = {
    "csv": "text/csv",
    "html": "text/html",
    "ods": ODS_TYPE,
    "rtf": "application/rtf",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""Format -> its media type."""
WRITERS: Mapping[str, str] = {
    "html": "jackfield_nodes.files.formats.html_tables:write_html",
    "ods": "jackfield_nodes.files.formats.ods:write_ods",
    "rtf": "jackfield_nodes.files.formats.rtf:write_rtf",
    "xls": "jackfield_nodes.files.formats.xls_writing:write_xls",
    "xlsx": "jackfield_nodes.files.formats.xlsx:write_xlsx",
}
"""Format -> place of its writer, whose library is loaded with the first file of this format."""
Rows: TypeAlias = "Iterable[Sequence[Cell]]"
_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,", re.IGNORECASE)


class TableWriting(Parameters):
    """Options of files that are tables."""

    file_name: str | None = Field(None, description="The file's name.")
    delimiter: str = Field(",", description="CSV: between the values.")
    encoding: str = Field("", description="CSV, HTML: UTF-8 unless given.")
    add_bom: Flag = Field(False, alias="addBOM", description="CSV, HTML: with a byte order mark.")
    header_row: Flag = Field(True, description="Whether the first row has the names of the fields.")
    sheet_name: str = Field("Sheet", description="Sheets: its name.")
    compression: Flag = Field(False, description="Sheets are packed always.")


@record
class TextForm:
    """How a text becomes a file. spaced: JSON on several lines."""

    encoding: str = ""
    mark: bool = False
    spaced: bool = False


async def table_file(run: NodeRun, items: Items, kind: str, options: TableWriting, default_name: str) -> BinaryData:
    """One file of all items' fields. Raises `NodeError`."""
    rows = [item["json"] for item in items]
    content = await asyncio.to_thread(_table, rows, kind, options)
    name = f"{default_name}.{kind}" if options.file_name is None else options.file_name
    return await kept_file(run, content, mime_type=TYPES[kind], file_name=name)


def _table(items: Sequence[Mapping[str, Json]], kind: str, options: TableWriting) -> bytes:
    rows = table(items, header=options.header_row)
    sheet = options.sheet_name or "Sheet"
    if kind == "csv":
        return encoded(write_csv(rows, options.delimiter), options.encoding, mark=options.add_bom)
    found = load(WRITERS[kind])
    if kind == "html":
        text = cast("Callable[[Rows, str], str]", found)(rows, sheet)
        return encoded(text, options.encoding, mark=options.add_bom)
    if kind == "rtf":
        return cast("Callable[[Rows], bytes]", found)(rows)
    return cast("Callable[[Rows, str], bytes]", found)(rows, sheet)


def text_content(value: Json, text: TextForm) -> bytes:
    """The value as the content of a file: text as it is, objects and lists as JSON. Raises `NodeError`."""
    if text.spaced and isinstance(value, dict | list):
        shown = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    else:
        shown = text_of(value)
    return encoded(shown, text.encoding, mark=text.mark)


def json_content(value: Json, text: TextForm) -> bytes:
    """The value as JSON. Raises `NodeError`."""
    if isinstance(value, dict | list):
        return text_content(value, text)
    return encoded(dumps(value).decode(), text.encoding, mark=text.mark)


def as_json_file(file: BinaryData) -> BinaryData:
    """With the extension that its media type says where its name says none."""
    return {"fileExtension": "json", **file}


def base64_content(value: Json) -> tuple[bytes, str]:
    """The bytes, and the media type if the value is a data: URL that names one. Blanks are left out, the URL-safe
    alphabet and missing padding are accepted. Raises `NodeError`."""
    given = value.strip() if isinstance(value, str) else text_of(value)
    match = _DATA_URL.match(given)
    plain = "".join(given[match.end() if match else 0 :].split()).translate({ord("-"): "+", ord("_"): "/"}).rstrip("=")
    try:
        content = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise NodeError(
            "The text is not valid base64; to write it into a file as it is, use the operation toText."
        ) from None
    return content, match[1] if match else ""
