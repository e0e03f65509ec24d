"""The rows of a CSV file on their way into a table: all of them are looked at before the first is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence

from jackfield.api.records import record
from jackfield.api.storage.tables import Cells, ColumnType, DataTable
from jackfield_data_tables.csv_texts import CsvFile, Line, Places, row_of
from jackfield_data_tables.service import DataTables, size_of
from jackfield_data_tables.values import TableRefusal, typed

MOST_FAULTS = 50
"""Cells that one refusal names."""
Told = Callable[[str, int], None]
"""Hears which phase an import is in, `checking` or `storing`, and how many rows are through it."""


@record
class Fault:
    """A cell that does not fit. line: on which its row ends, from 1; column: of the file."""

    line: int
    column: str
    refusal: TableRefusal


@record
class Import:
    """A file and where its cells go. places: of the file's columns that are taken; types: of the table's columns."""

    file: CsvFile
    header: Sequence[str]
    places: Places
    types: Mapping[str, ColumnType]

    def pieces(self) -> Iterator[tuple[list[Cells], list[Fault]]]:
        """Rows as cells, without those in which something does not fit. It blocks."""
        for piece in self.file.pieces():
            faults: list[Fault] = []
            rows = [row for line in piece if (row := self._row(line, faults)) is not None]
            yield rows, faults

    def _row(self, line: Line, faults: list[Fault]) -> Cells | None:
        number, cells = line
        if len(cells) > len(self.header):
            faults.append(Fault(number, "", TableRefusal("it has more cells than there are columns")))
            return None
        made: dict[str, object] = {}
        before = len(faults)
        for name, value in row_of(cells, self.places).items():
            try:
                made[name] = typed(value, name, self.types[name])
            except TableRefusal as refusal:
                faults.append(Fault(number, self._column(name), refusal))
        return made if len(faults) == before else None  # type: ignore[return-value]  # cells of their types

    def _column(self, name: str) -> str:
        return next(self.header[place] for place, own in self.places.items() if own == name)


async def checked(tables: DataTables, wanted: Import, tell: Told) -> None:
    """Raises `TableRefusal` with the cells that do not fit, or when the rows are too many bytes."""
    faults: list[Fault] = []
    count = size = 0
    async for rows, found in _in_threads(wanted):
        faults += found
        count += len(rows)
        size += size_of(rows)
        tell("checking", count)
        if len(faults) >= MOST_FAULTS:
            break
    if faults:
        raise _refusal(faults[:MOST_FAULTS])
    await tables.check_size(size)


async def stored(tables: DataTables, table: DataTable, wanted: Import, tell: Told, now: int) -> int:
    """How many rows were added. now: Unix ms."""
    count = 0
    async for rows, _ in _in_threads(wanted):
        count += len(await tables.add_cells(table, rows, now))
        tell("storing", count)
    return count


async def _in_threads(wanted: Import) -> AsyncIterator[tuple[list[Cells], list[Fault]]]:
    pieces = wanted.pieces()
    while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
        yield piece


def _refusal(faults: Sequence[Fault]) -> TableRefusal:
    """Names the line and the column of each."""
    first = faults[0]
    details = {_place(fault): fault.refusal.reason for fault in faults}
    count = f"{len(faults)} or more" if len(faults) == MOST_FAULTS else str(len(faults))
    many = f"; {count} cells do not fit" if len(faults) > 1 else ""
    return TableRefusal(f"line {first.line} of the CSV file: {first.refusal.reason}{many}", details=details)


def _place(fault: Fault) -> str:
    return f"line {fault.line}, {fault.column}" if fault.column else f"line {fault.line}"
