"""Takes files apart, away from the event loop and within limits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Literal, TypeAlias, cast

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import Flag, NodeError, NodeRun, Parameters
from jackfield.api.nodes.files import content_of
from jackfield.api.nodes.ui import UiFields
from jackfield.api.object_references import load
from jackfield.api.workflows import BinaryData, Item
from jackfield_nodes.files.form import READING, SKIPPING
from jackfield_nodes.files.formats.charsets import decoded
from jackfield_nodes.files.formats.csv_text import CsvOptions, WrongRow, csv_objects, read_csv
from jackfield_nodes.files.formats.limits import FileBudget
from jackfield_nodes.files.formats.tables import Cell, TableOptions, clipped, objects
from jackfield_nodes.files.settings import FilesSettings

ZIP = b"PK\x03\x04"
COMPOUND = b"\xd0\xcf\x11\xe0"
READERS: Mapping[str, str] = {
    "html": "jackfield_nodes.files.formats.html_tables:read_html",
    "ods": "jackfield_nodes.files.formats.ods:read_ods",
    "rtf": "jackfield_nodes.files.formats.rtf:read_rtf",
    "xls": "jackfield_nodes.files.formats.xls_reading:read_xls",
    "xlsx": "jackfield_nodes.files.formats.xlsx:read_xlsx",
}
"""Format -> place of its reader, whose library is loaded with the first file of this format."""
Rows: TypeAlias = "Iterator[Sequence[Cell]]"


class Skipping(Parameters):
    ui_fields: ClassVar[UiFields] = SKIPPING

    enabled: Flag = Field(False, description="Whether rows that cannot be read are left out.")
    max_skipped_records: int = Field(-1, description="How many at most; -1: any number.")


class SkipRecords(Parameters):
    value: Skipping = Field(default_factory=Skipping)


class TableReading(Parameters):
    """Options of files that are tables."""

    ui_fields: ClassVar[UiFields] = READING

    delimiter: str = Field(",", description="CSV: between the values.")
    encoding: str = Field("", description="Of texts; UTF-8 unless a byte order mark says otherwise.")
    enable_bom: Flag = Field(False, alias="enableBOM", description="CSV: without a byte order mark.")
    from_line: int = Field(1, ge=0, description="CSV: the first line to read, counted from 1.")
    header_row: Flag = Field(True, description="Whether the first row has the names of the fields.")
    include_empty_cells: Flag = Field(False, description="Whether cells without a value become empty texts.")
    max_row_count: int = Field(-1, ge=-1, description="CSV: rows to read at most; -1: all.")
    range: object = Field("", description="Sheets: such as A1:D20, or a number of rows to leave out.")
    relax_quotes: Flag = Field(False, description="CSV: quotes inside of fields without quotes are text.")
    sheet_name: str = Field("", description="Sheets: which one; the first unless given.")
    skip_records_with_errors: SkipRecords = Field(default_factory=SkipRecords)

    def table(self) -> TableOptions:
        area = str(self.range) if self.range not in (None, 0) else ""
        return TableOptions(self.header_row, self.include_empty_cells, self.sheet_name, area)

    def csv(self) -> CsvOptions:
        """Raises `NodeError`."""
        for name, given in (("fromLine", self.from_line), ("maxRowCount", self.max_row_count)):
            if given == 0:
                raise NodeError(f"The option {name} must be 1 or more; leave it out to read all.")
        skip = self.skip_records_with_errors.value
        most = skip.max_skipped_records if skip.max_skipped_records >= 0 else float("inf")
        return CsvOptions(
            delimiter=self.delimiter,
            first_line=self.from_line,
            most=None if self.max_row_count < 0 else self.max_row_count,
            header=self.header_row,
            relaxed=self.relax_quotes,
            skip_wrong=most if skip.enabled else None,
        )


TableFormat = Literal["csv", "html", "ods", "rtf", "xls", "xlsx"]


async def file_content(context: PluginContext, run: NodeRun, item: Item, name: str, index: int) -> bytes:
    """The whole file, if it may be taken apart. Raises `NodeError`."""
    limit = context.settings(FilesSettings).parse_limit
    return await content_of(run, item, name, index, limit=limit)


async def table_of(
    context: PluginContext, content: bytes, kind: TableFormat, options: TableReading, *, tolerant: bool
) -> list[dict[str, Json]]:
    """The rows of the file as objects. tolerant: CSV ends without an error at a row that is wrong. Raises
    `NodeError`."""
    budget = FileBudget(context.settings(FilesSettings))
    if kind == "csv":
        return await asyncio.to_thread(_csv, content, options, budget, tolerant)
    return await asyncio.to_thread(_table, content, kind, options, budget)


def _csv(content: bytes, options: TableReading, budget: FileBudget, tolerant: bool) -> list[dict[str, Json]]:
    made: list[dict[str, Json]] = []
    try:
        rows = read_csv(decoded(content, options.encoding, keep_mark=not options.enable_bom), options.csv(), budget)
        for row in csv_objects(rows, header=options.header_row, empty=options.include_empty_cells):
            made.append(row)  # noqa: PERF402 - what came before an error stays
    except WrongRow:
        if not tolerant:
            raise
    return made


def _table(content: bytes, kind: TableFormat, options: TableReading, budget: FileBudget) -> list[dict[str, Json]]:
    table = options.table()
    return objects(clipped(_sheet(content, kind, options, budget), table.range), table)


def _sheet(content: bytes, kind: TableFormat, options: TableReading, budget: FileBudget) -> Iterator[Sequence[Cell]]:
    if kind == "xls" and content.startswith(ZIP):
        kind = "xlsx"
    elif kind == "xlsx" and content.startswith(COMPOUND):
        kind = "xls"
    found = load(READERS[kind])
    if kind == "html":
        return cast("Callable[[str, FileBudget], Rows]", found)(decoded(content, options.encoding), budget)
    if kind == "rtf":
        return cast("Callable[[bytes, FileBudget], Rows]", found)(content, budget)
    return cast("Callable[[bytes, str, FileBudget], Rows]", found)(content, options.sheet_name, budget)


def format_of(file: BinaryData, content: bytes) -> TableFormat:
    """The kind of table that the file is, by its first bytes, its name and its type. Raises `NodeError`."""
    kind, extension = file.get("mimeType") or "", (file.get("fileExtension") or "").lower()
    if content.startswith(COMPOUND):
        return "xls"
    if content.startswith(ZIP):
        return "ods" if extension == "ods" or "opendocument" in kind else "xlsx"
    start = content[:1024].lstrip().lower()
    if start.startswith(b"{\\rtf"):
        return "rtf"
    if (
        kind == "text/html"
        or extension in {"html", "htm"}
        or start.startswith((b"<!doctype html", b"<html", b"<table"))
    ):
        return "html"
    if (
        kind.startswith("text/")
        or extension in {"csv", "tsv", "txt"}
        or kind in {"application/csv", "application/octet-stream"}
    ):
        return "csv"
    raise NodeError("The file's format is not known; choose one in the parameter fileFormat.")
