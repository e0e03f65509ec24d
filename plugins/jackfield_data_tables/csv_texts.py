"""CSV files of data tables: read in pieces, and the columns that a file suggests.

All of it blocks; let a thread do it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import IO

from jackfield.api.jsontext import Json
from jackfield.api.storage.tables import SYSTEM_COLUMNS, ColumnType, DataTable
from jackfield_data_tables.csv_forms import CsvForm, codec
from jackfield_data_tables.values import TableRefusal, typed

SAMPLE = 100
"""Rows that tell the types of columns."""
PIECE = 1000
"""Rows of one piece."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?|\d{4}/\d{2}/\d{2}.*|\d{2}/\d{2}/\d{4}.*", re.ASCII)
_KINDS: Sequence[ColumnType] = ("boolean", "number", "date")
_MARK_SIZE = 4
Line = tuple[int, Sequence[str]]
"""The line of a file on which a row ends, from 1, and the row's cells."""
Places = Mapping[int, str]
"""The columns of a table by their places in a file, from 0."""


class CsvFile:
    """A CSV file whose first line has names. Everything raises `TableRefusal` for what is no CSV."""

    def __init__(self, file: IO[bytes], form: CsvForm) -> None:
        self._file = file
        self.form = form

    def header(self) -> list[str]:
        """The cells of the first line."""
        found = next(self._lines(), None)
        if not found:
            raise TableRefusal("the CSV file is empty; its first line names the columns")
        return [name.strip() for name in found[1]]

    def names(self) -> list[str]:
        """The same, each another one."""
        names = self.header()
        if len(set(names)) < len(names):
            raise TableRefusal("two columns of the CSV file have the same name")
        return names

    def rows(self) -> Iterator[Line]:
        """Those behind the first line."""
        lines = self._lines()
        next(lines, None)
        yield from lines

    def pieces(self) -> Iterator[list[Line]]:
        rows = self.rows()
        while piece := list(islice(rows, PIECE)):
            yield piece

    def columns(self) -> list[tuple[str, ColumnType]]:
        """Of a new table that has every column of the file."""
        names, sample = self.names(), [cells for _, cells in islice(self.rows(), SAMPLE)]
        pairs = zip(names, types_of(len(names), sample), strict=True)
        return [(name, kind) for name, kind in pairs if name not in SYSTEM_COLUMNS]

    def _lines(self) -> Iterator[Line]:
        self._file.seek(0)
        named = codec(self.form.encoding, self._file.read(_MARK_SIZE))
        self._file.seek(0)
        text = io.TextIOWrapper(self._file, encoding=named, newline="")
        reader = csv.reader(text, strict=True, delimiter=self.form.sign)
        try:
            for line in reader:
                if line:
                    yield reader.line_num, line
        except csv.Error as exc:
            raise TableRefusal(f"line {reader.line_num} of the CSV file is no CSV: {exc}") from None
        except UnicodeError:
            details = {"encoding": "name the one in which the file is written"}
            said = f"the CSV file is not in {self.form.encoding.upper()}, in a line after {reader.line_num}"
            raise TableRefusal(said, details=details) from None
        finally:
            text.detach()


def row_of(cells: Sequence[str], places: Places) -> dict[str, Json]:
    """An empty cell is nothing."""
    return {name: cells[place] or None if place < len(cells) else None for place, name in places.items()}


def types_of(count: int, sample: Sequence[Sequence[str]]) -> list[ColumnType]:
    """Of the columns of a file, as many as count: the first value of each in the rows of the sample tells it."""
    return [_kind([cells[place] for cells in sample if place < len(cells)]) for place in range(count)]


def _kind(values: Sequence[str]) -> ColumnType:
    value = next((each for each in values if each.strip()), None)
    if value is None:
        return "string"
    for kind in _KINDS:
        if (kind == "boolean") != (value.strip().lower() in ("true", "false")):
            continue
        if kind == "date" and not _DATE.fullmatch(value.strip()):
            continue
        try:
            typed(value, "", kind)
        except TableRefusal:
            continue
        return kind
    return "string"


def matched(table: DataTable, names: Sequence[str]) -> tuple[Places, list[str]]:
    """The columns of a file that a table has, and those that every table has itself. Raises `TableRefusal`."""
    own = {column.name for column in table.columns}
    unknown = [name for name in names if name not in own and name not in SYSTEM_COLUMNS]
    if unknown:
        raise TableRefusal(
            f"CSV contains columns not found in the data table: {', '.join(unknown)}. Remove them and try again."
        )
    found = {place: name for place, name in enumerate(names) if name in own}
    if not found:
        raise TableRefusal(
            "No matching columns found between CSV and data table. CSV columns must match table column names exactly."
        )
    return found, [name for name in names if name in SYSTEM_COLUMNS]


def written(header: Sequence[str], rows: Sequence[Mapping[str, Json]], *, sign: str, first: bool) -> bytes:
    """Rows as lines of CSV. sign: between cells; first: with the line of names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", delimiter=sign)
    if first:
        writer.writerow(header)
    writer.writerows([_cell(row[name]) for name in header] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Json) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value
