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
from jackfield_data_tables.values import TableRefusal, typed

SAMPLE = 100
"""Rows that tell the types of columns."""
PIECE = 1000
"""Rows of one piece."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?|\d{4}/\d{2}/\d{2}.*|\d{2}/\d{2}/\d{4}.*", re.ASCII)
_KINDS: Sequence[ColumnType] = ("boolean", "number", "date")
Line = tuple[int, dict[str, Json]]
"""The line of a file on which a row ends, from 1, and the row."""


class CsvFile:
    """A CSV file in UTF-8 with a first line of names."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def names(self) -> list[str]:
        """Raises `TableRefusal`."""
        found = next(self._lines(), None)
        if not found:
            raise TableRefusal("the CSV file is empty; its first line names the columns")
        names = [name.strip() for name in found[1]]
        if len(set(names)) < len(names):
            raise TableRefusal("two columns of the CSV file have the same name")
        return names

    def rows(self, names: Mapping[str, str]) -> Iterator[Line]:
        """names: of the file's columns to the table's. An empty cell is nothing. Raises `TableRefusal`."""
        header, lines = self.names(), self._lines()
        next(lines)
        wanted = [(place, names[name]) for place, name in enumerate(header) if name in names]
        for number, line in lines:
            if len(line) > len(header):
                raise TableRefusal(f"line {number} of the CSV file has more cells than there are columns")
            yield number, {name: line[place] or None if place < len(line) else None for place, name in wanted}

    def pieces(self, names: Mapping[str, str]) -> Iterator[list[Line]]:
        rows = self.rows(names)
        while piece := list(islice(rows, PIECE)):
            yield piece

    def columns(self) -> list[tuple[str, ColumnType]]:
        """Of a new table: the first value of a column in the sample tells its type."""
        names = self.names()
        sample = list(islice(self.rows({name: name for name in names}), SAMPLE))
        return [(name, _kind([row[name] for _, row in sample])) for name in names if name not in SYSTEM_COLUMNS]

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Cells with the line on which they end."""
        self._file.seek(0)
        text = io.TextIOWrapper(self._file, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, strict=True)
        try:
            for line in reader:
                if line:
                    yield reader.line_num, line
        except csv.Error as exc:
            raise TableRefusal(f"line {reader.line_num} of the CSV file is no CSV: {exc}") from None
        except UnicodeDecodeError:
            raise TableRefusal("the CSV file is not in UTF-8") from None
        finally:
            text.detach()


def _kind(values: Sequence[Json]) -> ColumnType:
    value = next((each for each in values if isinstance(each, str) and each.strip()), None)
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


def matched(table: DataTable, names: Sequence[str]) -> tuple[Mapping[str, str], list[str]]:
    """The columns of a file that a table has, and those that every table has itself. Raises `TableRefusal`."""
    own = {column.name for column in table.columns}
    unknown = [name for name in names if name not in own and name not in SYSTEM_COLUMNS]
    if unknown:
        raise TableRefusal(
            f"CSV contains columns not found in the data table: {', '.join(unknown)}. Remove them and try again."
        )
    found = {name: name for name in names if name in own}
    if not found:
        raise TableRefusal(
            "No matching columns found between CSV and data table. CSV columns must match table column names exactly."
        )
    return found, [name for name in names if name in SYSTEM_COLUMNS]


def written(header: Sequence[str], rows: Sequence[Mapping[str, Json]], *, first: bool) -> bytes:
    """Rows as lines of CSV. first: with the line of names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if first:
        writer.writerow(header)
    writer.writerows([_cell(row[name]) for name in header] for row in rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value: Json) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value
