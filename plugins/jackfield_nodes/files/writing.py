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
from jackfield.api.media_types import type_of_name
from jackfield.api.nodes import Flag, NodeError, NodeRun, Parameters
from jackfield.api.nodes.files import kept_file
from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield.api.workflows import BinaryData, Items
from jackfield_nodes.files.formats.charsets import encoded
from jackfield_nodes.files.formats.csv_text import write_csv
from jackfield_nodes.files.formats.tables import Cell, table
from jackfield_nodes.values.conversions import text_of

_TYPES: Mapping[str, str] = {
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
"""Of packed formats, whose first bytes say no more than that they are packed."""
TABLES: Sequence[str] = ("csv", "html", "ods", "rtf", "xls", "xlsx")
WRITERS: Mapping[str, str] = {
    "html": "jackfield_nodes.files.formats.html_tables:write_html",
    "ods": "jackfield_nodes.files.formats.ods:write_ods",
    "rtf": "jackfield_nodes.files.formats.rtf:write_rtf",
    "xls": "jackfield_nodes.files.formats.xls_writing:write_xls",
    "xlsx": "jackfield_nodes.files.formats.xlsx:write_xlsx",
}
"""Format -> place of its writer, whose library is loaded with the first file of this format."""
Rows: TypeAlias = "Iterable[Sequence[Cell]]"
MARKED = ("utf8", "cesu8", "ucs2")
"""Encodings for which documents may ask for a byte order mark; n8n knows the question for no others."""
_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,", re.IGNORECASE)


class TableWriting(Parameters):
    """Options of files that are tables."""

    file_name: str | None = Field(None, description="The file's name.")
    delimiter: str = Field(",", description="CSV: between the values.")
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
    """One file of all items' fields; its name tells its type, or else its content. Raises `NodeError`."""
    rows = [item["json"] for item in items]
    content = await asyncio.to_thread(_table, rows, kind, options)
    name = f"{default_name}.{kind}" if options.file_name is None else options.file_name
    return await kept_file(run, content, mime_type=type_of_name(name) or _TYPES.get(kind, ""), file_name=name)


def _table(items: Sequence[Mapping[str, Json]], kind: str, options: TableWriting) -> bytes:
    rows = table(items, header=options.header_row)
    sheet = options.sheet_name or "Sheet"
    if kind == "csv":
        return encoded(write_csv(rows, options.delimiter), "", mark=True)
    found = load(WRITERS[kind])
    if kind == "html":
        return encoded(cast("Callable[[Rows], str]", found)(rows), "")
    if kind == "rtf":
        return cast("Callable[[Rows], bytes]", found)(rows)
    return cast("Callable[[Rows, str], bytes]", found)(rows, sheet)


def named(file: BinaryData) -> BinaryData:
    """The entry with a name, after its ending where it had none."""
    ending = file.get("fileExtension")
    return file if file.get("fileName") else {**file, "fileName": f"file.{ending}" if ending else "file"}


def text_content(value: Json, text: TextForm) -> bytes:
    """The value as the content of a file: text as it is, objects, lists and null as JSON, false and zero as nothing.
    Raises `NodeError`."""
    if isinstance(value, dict | list) or value is None:
        return json_content(value, text)
    return encoded(text_of(value) if value else "", text.encoding, mark=text.mark)


def json_content(value: Json, text: TextForm) -> bytes:
    """The value as JSON. Raises `NodeError`."""
    spaced = text.spaced and isinstance(value, dict | list)
    written = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) if spaced else dumps(value).decode()
    return encoded(written, text.encoding, mark=text.mark)


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
