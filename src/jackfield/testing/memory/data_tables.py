"""Data tables in memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from ...api.clock import iso
from ...api.errors import Conflict, InvalidInput, NotFound
from ...api.javascript import number_text
from ...api.records import replace
from ...api.storage import Page
from ...api.storage.tables import (
    SYSTEM_COLUMNS,
    Cell,
    Cells,
    Condition,
    DataColumn,
    DataRow,
    DataTable,
    DataTableFilter,
    NewDataRow,
    RowFilter,
    RowMark,
    RowOrder,
    TableOrder,
)
from .tables import MemoryTables, StoredTable, page_of

_COMPARED: dict[str, Callable[[Cell, Cell], bool]] = {
    "gt": lambda one, other: one > other,  # type: ignore[operator]  # of one type
    "gte": lambda one, other: one >= other,  # type: ignore[operator]
    "lt": lambda one, other: one < other,  # type: ignore[operator]
    "lte": lambda one, other: one <= other,  # type: ignore[operator]
}
_ORDERS: dict[TableOrder, Callable[[DataTable], str | int]] = {
    "name": lambda table: table.name.casefold(),
    "createdAt": lambda table: table.created_at,
    "updatedAt": lambda table: table.updated_at,
    "size": lambda table: table.size,
}


class MemoryDataTables(MemoryTables):
    """Part of `MemoryStore`."""

    async def data_tables(
        self, where: DataTableFilter, *, order: TableOrder, descending: bool, offset: int, limit: int
    ) -> Page[DataTable]:
        self._answer()
        found = [stored.shown() for stored in self._data_tables.values() if self._has(stored.table, where)]
        found.sort(key=lambda table: table.id)
        found.sort(key=_ORDERS[order], reverse=descending)
        return page_of(found, offset, limit)

    def _has(self, table: DataTable, where: DataTableFilter) -> bool:
        return _wanted(table, where) and self._is_within("data-table", table.id, where.within)

    async def data_table(self, table_id: str) -> DataTable | None:
        self._answer()
        found = self._data_tables.get(table_id)
        return None if found is None else found.shown()

    async def data_tables_size(self) -> int:
        self._answer()
        return sum(stored.shown().size for stored in self._data_tables.values())

    async def add_data_table(self, table: DataTable) -> None:
        self._answer()
        if table.id in self._data_tables:
            raise Conflict("There is a data table with this id already.", details={"id": "is taken"})
        self._free_name(table.name)
        self._data_tables[table.id] = StoredTable(replace(table, rows=0, size=0, last_row=0))

    async def rename_data_table(self, table_id: str, name: str, *, now: int) -> None:
        stored = self._stored(table_id)
        self._free_name(name, but=table_id)
        stored.table = replace(stored.table, name=name, updated_at=now)

    async def delete_data_table(self, table_id: str) -> bool:
        self._answer()
        return self._data_tables.pop(table_id, None) is not None

    async def add_data_column(self, table_id: str, column: DataColumn, *, index: int, now: int) -> None:
        stored = self._stored(table_id)
        if stored.table.column(column.name) is not None:
            raise _taken(stored.table, column.name)
        columns = list(stored.table.columns)
        columns.insert(index, column)
        stored.table = replace(stored.table, columns=columns, updated_at=now)

    async def change_data_column(self, table_id: str, column_id: str, *, name: str, index: int, now: int) -> None:
        stored = self._stored(table_id)
        columns = list(stored.table.columns)
        column = next((each for each in columns if each.id == column_id), None)
        if column is None:
            raise NotFound("There is no column with this id in the data table.")
        if any(each.name == name for each in columns if each is not column):
            raise _taken(stored.table, name)
        columns.remove(column)
        columns.insert(index, replace(column, name=name, updated_at=now))
        stored.table = replace(stored.table, columns=columns, updated_at=now)

    async def delete_data_column(self, table_id: str, column_id: str, *, now: int) -> bool:
        stored = self._stored(table_id)
        columns = [each for each in stored.table.columns if each.id != column_id]
        if len(columns) == len(stored.table.columns):
            return False
        stored.table = replace(stored.table, columns=columns, updated_at=now)
        for cells in stored.cells.values():
            cells.pop(column_id, None)
        return True

    async def data_rows(
        self, table_id: str, where: RowFilter, *, order: RowOrder, offset: int, limit: int
    ) -> Page[DataRow]:
        return page_of(_sorted(self._stored(table_id), where, order), offset, limit)

    async def data_rows_after(
        self, table_id: str, where: RowFilter, *, order: RowOrder, mark: RowMark | None, limit: int
    ) -> list[DataRow]:
        rows = _sorted(self._stored(table_id), where, order)
        return [row for row in rows if mark is None or _behind(row, mark, order)][:limit]

    async def add_data_rows(self, table_id: str, rows: Sequence[NewDataRow], *, now: int) -> list[int]:
        stored = self._stored(table_id)
        for row in rows:
            _check(stored.table, row.cells, own=True)
        made = []
        for row in rows:
            if row.id in stored.rows:
                continue
            id_ = stored.last + 1 if row.id is None else row.id
            stored.last = max(stored.last, id_)
            created, updated = (now if time is None else time for time in (row.created_at, row.updated_at))
            stored.rows[id_] = (created, updated)
            stored.put(id_, row.cells)
            made.append(id_)
        stored.table = replace(stored.table, updated_at=now)
        return made

    async def change_data_rows(
        self, table_id: str, where: RowFilter, cells: Cells, *, now: int, otherwise_add: bool = False
    ) -> list[DataRow]:
        stored = self._stored(table_id)
        _check(stored.table, cells, own=True)
        ids = [row.id for row in _found(stored, where)]
        for id_ in ids:
            stored.rows[id_] = (stored.rows[id_][0], now)
            stored.put(id_, cells)
        if not ids and otherwise_add:
            ids = await self.add_data_rows(table_id, [NewDataRow(cells)], now=now)
        stored.table = replace(stored.table, updated_at=now)
        return [stored.row(id_) for id_ in ids]

    async def delete_data_rows(self, table_id: str, where: RowFilter, *, now: int) -> list[DataRow]:
        stored = self._stored(table_id)
        gone = _found(stored, where)
        for row in gone:
            del stored.rows[row.id], stored.cells[row.id]
        stored.table = replace(stored.table, updated_at=now)
        return gone

    async def clear_data_rows(self, table_id: str, *, now: int) -> int:
        return len(await self.delete_data_rows(table_id, RowFilter(), now=now))

    def _stored(self, table_id: str) -> StoredTable:
        self._answer()
        found = self._data_tables.get(table_id)
        if found is None:
            raise NotFound("There is no data table with this id.")
        return found

    def _free_name(self, name: str, but: str = "") -> None:
        if any(stored.table.name == name and key != but for key, stored in self._data_tables.items()):
            raise Conflict(f"There is a data table {name} already.", details={"name": "is taken"})


def _wanted(table: DataTable, where: DataTableFilter) -> bool:
    if where.search is not None and where.search.casefold() not in table.name.casefold():
        return False
    return (where.name is None or where.name == table.name) and (where.ids is None or table.id in where.ids)


def _taken(table: DataTable, name: str) -> Conflict:
    return Conflict(f"The data table {table.name} has a column {name} already.", details={"name": "is taken"})


def _check(table: DataTable, columns: Iterable[str], *, own: bool = False) -> None:
    for name in columns:
        if table.column(name) is None and (own or name not in SYSTEM_COLUMNS):
            raise InvalidInput(
                f"The data table {table.name} has no column {name}.", details={"column": f"{name} is not there"}
            )


def _found(stored: StoredTable, where: RowFilter) -> list[DataRow]:
    """By id."""
    _check(stored.table, [each.column for each in where.conditions])
    every = [stored.row(id_) for id_ in sorted(stored.rows)]
    return [row for row in every if _meets(row, where) and _has(row, stored.table, where.search)]


def _sorted(stored: StoredTable, where: RowFilter, order: RowOrder) -> list[DataRow]:
    _check(stored.table, [order.column])
    rows = _found(stored, where)
    rows.sort(key=lambda row: _order_key(_cell(row, order.column)), reverse=order.descending)
    return rows


def _behind(row: DataRow, mark: RowMark, order: RowOrder) -> bool:
    if order.column == "id":
        return row.id < mark.id if order.descending else row.id > mark.id
    own, marked = _order_key(_cell(row, order.column)), _order_key(mark.cell)
    if own == marked:
        return row.id > mark.id
    return (own < marked) == order.descending


def _meets(row: DataRow, where: RowFilter) -> bool:
    met = [_is(_cell(row, each.column), each) for each in where.conditions]
    return not met or (any(met) if where.any_of else all(met))


def _cell(row: DataRow, column: str) -> Cell:
    system = {"id": row.id, "createdAt": row.created_at, "updatedAt": row.updated_at}
    return system[column] if column in system else row.cells[column]


def _is(cell: Cell, condition: Condition) -> bool:
    operator, value = condition.operator, condition.value
    if operator in ("isEmpty", "isNotEmpty"):
        return (cell is None or cell == "") == (operator == "isEmpty")
    if operator in ("eq", "neq"):
        return (cell == value) == (operator == "eq")
    if cell is None or value is None:
        return False
    if operator in ("like", "ilike"):
        return _matches(str(cell), str(value), fold=operator == "ilike")
    return _COMPARED[operator](cell, value)


def _matches(text: str, pattern: str, *, fold: bool) -> bool:
    wanted = ".*".join(map(re.escape, pattern.split("%")))
    flags = re.DOTALL | (re.IGNORECASE | re.ASCII if fold else re.RegexFlag(0))
    return re.fullmatch(wanted, text, flags) is not None


def _has(row: DataRow, table: DataTable, search: str) -> bool:
    if not search:
        return True
    shown = (_shown(row.cells[each.name], each.type) for each in table.columns)
    return any(text is not None and _matches(text, search, fold=True) for text in shown)


def _shown(cell: Cell, kind: str) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if kind == "boolean":
        return "true" if cell else "false"
    return iso(int(cell)) if kind == "date" else number_text(cell)


def _order_key(cell: Cell) -> tuple[bool, Cell]:
    return cell is not None, 0 if cell is None else cell
