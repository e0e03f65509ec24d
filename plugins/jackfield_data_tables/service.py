"""The acts of the node, the API and the commands on data tables: checked, bounded, then the store's."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, tzinfo

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json
from jackfield.api.storage import Page
from jackfield.api.storage.tables import (
    SYSTEM_COLUMNS,
    Cells,
    ColumnType,
    Condition,
    DataColumn,
    DataRow,
    DataTable,
    DataTableFilter,
    NewDataRow,
    RowFilter,
    RowMark,
    RowOrder,
)
from jackfield_data_tables.settings import DataTablesSettings
from jackfield_data_tables.values import TableRefusal, typed
from jackfield_data_tables.views import DRY_RUN, dry_run, last_mark, shown_cells, shown_row

MOST_NAME, MOST_COLUMN_NAME = 128, 63
"""Characters."""
COLUMN_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_SLICE = 2000
"""Rows that are checked before others get their turn."""
_MB = 1024 * 1024
CHANGED = "data_table.changed"
"""Type of the event, on the topic `workflows`, after a table, its columns or its rows have changed."""
Row = Mapping[str, Json]
Made = Sequence[dict[str, Json]]


class DataTables:
    """Data tables of the store. Rows go in and come out as JSON; what is wrong raises `TableRefusal`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._store = context.store
        self.settings = context.settings(DataTablesSettings)

    async def find(self, table_id: str) -> DataTable:
        """Raises `NotFound`."""
        found = await self._store.data_table(table_id)
        if found is None:
            raise NotFound(f"Could not find the data table: '{table_id[:64]}'")
        return found

    async def named(self, name: str) -> DataTable | None:
        """The table of this name; without one the table that was changed last among those whose names hold it."""
        for where in (DataTableFilter(name=name), DataTableFilter(search=name)):
            page = await self._store.data_tables(where, order="updatedAt", descending=True, offset=0, limit=1)
            if page.rows:
                return page.rows[0]
        return None

    async def create(self, name: str, columns: Sequence[tuple[str, ColumnType]], wanted: str = "") -> DataTable:
        """wanted: the id, of a table from elsewhere. Raises `Conflict` for a name that is taken."""
        now = self._context.clock.now_ms()
        made = [DataColumn(new_id(), self.column_name(each), kind, now, now) for each, kind in columns]
        if len({each.name for each in made}) < len(made):
            raise TableRefusal("two columns have the same name", details={"columns": "give each another name"})
        self._check_columns(len(made))
        table = DataTable(wanted or new_id(), table_name(name), made, now, now)
        page = await self._store.data_tables(DataTableFilter(), order="name", descending=False, offset=0, limit=1)
        if page.total >= self.settings.max_tables:
            raise TableRefusal(f"there are {page.total} data tables already (data_tables.max_tables)")
        try:
            await self._store.add_data_table(table)
        except Conflict:
            raise _taken(table.name) from None
        self.tell(table.id)
        return table

    async def rename(self, table_id: str, name: str) -> None:
        """Raises `NotFound` and `Conflict`."""
        if (await self.find(table_id)).name == table_name(name):
            raise _taken(table_name(name))
        try:
            await self._store.rename_data_table(table_id, table_name(name), now=self._context.clock.now_ms())
        except Conflict:
            raise _taken(table_name(name)) from None
        self.tell(table_id)

    async def delete(self, table_id: str) -> None:
        """Raises `NotFound`."""
        if not await self._store.delete_data_table(table_id):
            await self.find(table_id)
        self.tell(table_id)

    async def add_column(self, table_id: str, name: str, kind: ColumnType, index: int | None) -> DataColumn:
        """Raises `NotFound` and `Conflict`."""
        table, now = await self.find(table_id), self._context.clock.now_ms()
        self._check_columns(len(table.columns) + 1)
        column = DataColumn(new_id(), self.column_name(name), kind, now, now)
        place = len(table.columns) if index is None else index
        await self._store.add_data_column(table_id, column, index=place, now=now)
        self.tell(table_id)
        return column

    async def change_column(self, table_id: str, column_id: str, name: str | None, index: int | None) -> None:
        """Raises `NotFound` and `Conflict`."""
        table = await self.find(table_id)
        place, column = column_of(table, column_id)
        if index is not None and index >= len(table.columns):
            raise TableRefusal("tried to move column to an index larger than column count")
        new_name = column.name if name is None else self.column_name(name)
        new_place = place if index is None else index
        now = self._context.clock.now_ms()
        await self._store.change_data_column(table_id, column_id, name=new_name, index=new_place, now=now)
        self.tell(table_id)

    def check_new_columns(self, table: DataTable, names: Sequence[str]) -> None:
        """Raises `TableRefusal` and `Conflict` where the table cannot get these columns."""
        for name in names:
            if table.column(self.column_name(name)) is not None:
                raise Conflict(f"Data table {table.name} has a column {name} already.", details={name: "is taken"})
        self._check_columns(len(table.columns) + len(names))

    async def delete_column(self, table_id: str, column_id: str) -> None:
        """Raises `NotFound`."""
        table = await self.find(table_id)
        column_of(table, column_id)
        await self._store.delete_data_column(table_id, column_id, now=self._context.clock.now_ms())
        self.tell(table_id)

    async def page(
        self, table: DataTable, where: RowFilter, *, order: RowOrder, offset: int, limit: int
    ) -> tuple[Page[dict[str, Json]], RowMark | None]:
        """Rows as JSON, and the mark of the last one; None: there are none."""
        found = await self._store.data_rows(table.id, where, order=order, offset=offset, limit=limit)
        types = table.types()
        return Page([shown_row(row, types) for row in found.rows], found.total), last_mark(found.rows, order)

    async def rows_after(
        self, table: DataTable, where: RowFilter, *, order: RowOrder, mark: RowMark | None, limit: int
    ) -> tuple[list[dict[str, Json]], RowMark | None]:
        """The same of the rows that follow a mark; None: the first ones."""
        found = await self._store.data_rows_after(table.id, where, order=order, mark=mark, limit=limit)
        types = table.types()
        return [shown_row(row, types) for row in found], last_mark(found, order)

    async def insert(self, table: DataTable, rows: Sequence[Row], zone: tzinfo = UTC) -> Made:
        """The added rows."""
        cells = await self.checked_rows(table, rows, zone)
        now = self._context.clock.now_ms()
        ids = await self.add_cells(table, cells, now)
        types, empty = table.types(), dict.fromkeys((each.name for each in table.columns), None)
        return [
            shown_row(DataRow(row_id, now, now, {**empty, **each}), types)
            for row_id, each in zip(ids, cells, strict=True)
        ]

    async def add_cells(self, table: DataTable, rows: Sequence[Cells], now: int) -> list[int]:
        """The ids of the added rows, whose cells are checked. now: Unix ms."""
        await self.check_size(size_of(rows))
        ids = await self._store.add_data_rows(table.id, [NewDataRow(each) for each in rows], now=now)
        self.tell(table.id)
        return ids

    async def update(
        self, table: DataTable, where: RowFilter, data: Row, *, dry: bool = False, zone: tzinfo = UTC
    ) -> Made:
        """The changed rows; dry: each as it is and as it would be."""
        cells = await self._change(table, where, data, zone)
        if dry:
            return await self._dry_update(table, where, cells)
        now = self._context.clock.now_ms()
        found = await self._store.change_data_rows(table.id, where, cells, now=now)
        self.tell(table.id)
        return [shown_row(row, table.types()) for row in found]

    async def upsert(
        self, table: DataTable, where: RowFilter, data: Row, *, dry: bool = False, zone: tzinfo = UTC
    ) -> Made:
        """The changed rows, or the one that was added because there was none."""
        cells = await self._change(table, where, data, zone)
        now = self._context.clock.now_ms()
        if dry:
            fresh: dict[str, Json] = {"id": 0, "createdAt": iso(now), "updatedAt": iso(now)}
            fresh |= shown_cells(cells, table.types())
            return await self._dry_update(table, where, cells) or dry_run(None, fresh)
        found = await self._store.change_data_rows(table.id, where, cells, now=now, otherwise_add=True)
        self.tell(table.id)
        return [shown_row(row, table.types()) for row in found]

    async def remove(self, table: DataTable, where: RowFilter, *, dry: bool = False) -> Made:
        """The deleted rows; dry: each as it is, and nothing."""
        if not where.conditions and not where.search:
            raise TableRefusal("Filter is required for delete operations to prevent accidental deletion of all data")
        if dry:
            return [each for row in await self._all(table, where) for each in dry_run(row, None)]
        found = await self._store.delete_data_rows(table.id, where, now=self._context.clock.now_ms())
        self.tell(table.id)
        return [shown_row(row, table.types()) for row in found]

    async def clear(self, table: DataTable) -> int:
        found = await self._store.clear_data_rows(table.id, now=self._context.clock.now_ms())
        self.tell(table.id)
        return found

    async def checked_rows(self, table: DataTable, rows: Sequence[Row], zone: tzinfo = UTC) -> list[Cells]:
        types = {each.name: each.type for each in table.columns}
        made: list[Cells] = []
        for start in range(0, len(rows), _SLICE):
            made += [_checked(row, types, zone) for row in rows[start : start + _SLICE]]
            await asyncio.sleep(0)
        return made

    async def check_size(self, more: int = 0) -> None:
        """Raises `TableRefusal` when that many bytes more are too many."""
        used, most = await self._store.data_tables_size(), self.settings.max_size
        if used >= most or used + more > most:
            raise TableRefusal(
                f"Data table size limit exceeded: {round(used / _MB)}MB used, limit is {round(most / _MB)}MB",
                details={"data_tables.max_size": f"is {most}"},
            )

    def column_name(self, name: str) -> str:
        """Raises `InvalidInput`."""
        plain = name.strip()
        if not COLUMN_NAME.fullmatch(plain) or len(plain) > MOST_COLUMN_NAME:
            raise TableRefusal(
                "Only alphabetical characters and non-leading numbers and underscores are allowed for column names, "
                f"and the maximum length is {MOST_COLUMN_NAME} characters.",
                details={"columns": f"{plain[:MOST_COLUMN_NAME]!r} cannot be a column"},
            )
        if plain.lower() in {each.lower() for each in (*SYSTEM_COLUMNS, DRY_RUN)}:
            kind = "testing" if plain.lower() == DRY_RUN.lower() else "system"
            details = {"columns": f"{plain} is reserved"}
            raise Conflict(f'Column name "{plain}" is reserved as a {kind} column name.', details=details)
        return plain

    def tell(self, table_id: str) -> None:
        """Says that a table, its columns or its rows have changed."""
        self._context.events.publish("workflows", CHANGED, {"dataTableId": table_id})

    def _check_columns(self, count: int) -> None:
        if count > self.settings.max_columns:
            raise TableRefusal(f"a table has at most {self.settings.max_columns} columns (data_tables.max_columns)")

    async def _change(self, table: DataTable, where: RowFilter, data: Row, zone: tzinfo) -> Cells:
        if not table.columns:
            raise TableRefusal("No columns found for this data table or data table not found")
        if not where.conditions:
            raise TableRefusal("Filter must not be empty")
        if not data:
            raise TableRefusal("Data columns must not be empty")
        (cells,) = await self.checked_rows(table, [data], zone)
        await self.check_size()
        return cells

    async def _dry_update(self, table: DataTable, where: RowFilter, cells: Cells) -> Made:
        now = iso(self._context.clock.now_ms())
        changes = {**shown_cells(cells, table.types()), "updatedAt": now}
        return [each for row in await self._all(table, where) for each in dry_run(row, {**row, **changes})]

    async def _all(self, table: DataTable, where: RowFilter) -> Sequence[dict[str, Json]]:
        rows, _ = await self.rows_after(table, where, order=RowOrder(), mark=None, limit=table.rows + _SLICE)
        return rows


def table_name(name: str) -> str:
    """Raises `TableRefusal`."""
    plain = name.strip()
    if not plain or len(plain) > MOST_NAME:
        raise TableRefusal(f"a name has 1 to {MOST_NAME} characters", details={"name": "is empty or too long"})
    return plain


def column_of(table: DataTable, column_id: str) -> tuple[int, DataColumn]:
    """The column and its place. Raises `NotFound`."""
    for place, column in enumerate(table.columns):
        if column.id == column_id:
            return place, column
    raise NotFound(f"Could not find the column '{column_id[:64]}' in the data table: {table.id}")


def by_id(row_id: int) -> RowFilter:
    return RowFilter([Condition("id", "eq", row_id)])


def _checked(row: Row, types: Mapping[str, ColumnType], zone: tzinfo) -> Cells:
    made = {}
    for name, value in row.items():
        if name not in types:
            raise TableRefusal(f"unknown column name '{name}'", details={name: "is no column of the data table"})
        made[name] = typed(value, name, types[name], zone)
    return made


def size_of(rows: Sequence[Cells]) -> int:
    """Bytes that rows take of the limits, about."""
    return sum(32 + sum(len(cell) if isinstance(cell, str) else 8 for cell in cells.values()) for cells in rows)


def _taken(name: str) -> Conflict:
    details = {"name": "is taken"}
    return Conflict(f"Data table with name '{name}' already exists in this project", details=details)
