"""Everything that one transaction does with data tables: their names, their columns, and their rows.

The tables `data_tables` and `data_table_columns` are the same in every store, but for the types of their columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic

from ..errors import Conflict, NotFound
from ..paging import Page
from ..storage.tables import (
    Cells,
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
from .dialect import ConnectionT, RowDialect, SqlValue
from .projects import within_condition
from .row_table import FIELD_SIZE, Field, RowTable, rows_name

_TABLES = "SELECT number, id, name, created_at, updated_at, row_count, size, last_row FROM data_tables"
_COLUMNS = """SELECT id, name, type, created_at, updated_at, field FROM data_table_columns
    WHERE table_number = ? ORDER BY place"""
_ADD_TABLE = """INSERT INTO data_tables (id, name, folded_name, row_count, size, last_row, last_field, created_at,
    updated_at) VALUES (?, ?, ?, 0, 0, 0, 0, ?, ?) RETURNING number"""
_ADD_COLUMN = "INSERT INTO data_table_columns VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_COUNTED = "UPDATE data_tables SET row_count = row_count + ?, size = size + ?, updated_at = ? WHERE number = ?"
_ORDERS: Mapping[TableOrder, str] = {
    "name": "folded_name", "createdAt": "created_at", "updatedAt": "updated_at", "size": "size",
}  # fmt: skip


class TableWork(Generic[ConnectionT]):
    """Each verb as `DataTableStore` has it, on a connection inside of a transaction."""

    def __init__(self, dialect: RowDialect[ConnectionT]) -> None:
        self._sql = dialect
        self._locked_table = dialect.waiting(f"{_TABLES} WHERE id = ?")

    def tables(
        self, connection: ConnectionT, where: DataTableFilter, order: TableOrder, way: str, offset: int, limit: int
    ) -> Page[DataTable]:
        """way: behind the column that orders."""
        clause, values = self._matching(where)
        total = self._sql.number(connection, f"SELECT count(*) FROM data_tables{clause}", values)  # noqa: S608 - our own names
        sql = f"{_TABLES}{clause} ORDER BY {_ORDERS[order]}{way}, id LIMIT ? OFFSET ?"
        found = self._sql.execute(connection, sql, [*values, limit, offset]).fetchall()
        return Page([self._made(connection, row).table for row in found], total)

    def table(self, connection: ConnectionT, table_id: str) -> DataTable | None:
        found = self._sql.execute(connection, f"{_TABLES} WHERE id = ?", [table_id]).fetchone()
        return None if found is None else self._made(connection, found).table

    def size(self, connection: ConnectionT) -> int:
        return self._sql.number(connection, "SELECT CAST(sum(size) AS bigint) FROM data_tables")

    def add_table(self, connection: ConnectionT, table: DataTable) -> None:
        if self._sql.number(connection, "SELECT count(*) FROM data_tables WHERE id = ?", [table.id]):
            raise Conflict("There is a data table with this id already.", details={"id": "is taken"})
        self._free_name(connection, table.name)
        values = (table.id, table.name, table.name.casefold(), table.created_at, table.updated_at)
        key = self._sql.number(connection, _ADD_TABLE, values)
        self._sql.execute(connection, f"CREATE TABLE {self._sql.rows_table(rows_name(key), {})}")
        for index, column in enumerate(table.columns):
            self._add_column(connection, self._found(connection, table.id), column, index)

    def rename_table(self, connection: ConnectionT, table_id: str, name: str, now: int) -> None:
        key = self._locked(connection, table_id).number
        self._free_name(connection, name, but=key)
        sql = "UPDATE data_tables SET name = ?, folded_name = ?, updated_at = ? WHERE number = ?"
        self._sql.execute(connection, sql, [name, name.casefold(), now, key])

    def delete_table(self, connection: ConnectionT, table_id: str) -> bool:
        sql = "DELETE FROM data_tables WHERE id = ? RETURNING number"
        found = self._sql.execute(connection, sql, [table_id]).fetchall()
        for (key,) in found:
            self._sql.execute(connection, f"DROP TABLE {rows_name(key)}")
        return bool(found)

    def add_column(self, connection: ConnectionT, table_id: str, column: DataColumn, index: int, now: int) -> None:
        present = self._locked(connection, table_id)
        self._add_column(connection, present, column, index)
        self._count(connection, present, 0, FIELD_SIZE * present.table.rows, now)

    def change_column(
        self, connection: ConnectionT, table_id: str, column_id: str, name: str, index: int, now: int
    ) -> None:
        present = self._locked(connection, table_id)
        columns = list(present.table.columns)
        column = next((each for each in columns if each.id == column_id), None)
        if column is None:
            raise NotFound("There is no column with this id in the data table.")
        if any(each.name == name for each in columns if each is not column):
            raise _taken_column(present.table, name)
        columns.remove(column)
        columns.insert(index, column)
        sql = "UPDATE data_table_columns SET name = ?, updated_at = ? WHERE id = ? AND table_number = ?"
        self._sql.execute(connection, sql, [name, now, column_id, present.number])
        self._order(connection, present.number, columns)
        self._count(connection, present, 0, 0, now)

    def delete_column(self, connection: ConnectionT, table_id: str, column_id: str, now: int) -> bool:
        present = self._locked(connection, table_id)
        pairs = zip(present.table.columns, present.fields, strict=True)
        field = next((each for column, each in pairs if column.id == column_id), None)
        if field is None:
            return False
        freed = present.field_size(field)
        size = self._sql.number(connection, f"SELECT CAST(sum({freed}) AS bigint) FROM {present.name}")  # noqa: S608 - our own names
        self._sql.execute(connection, f"UPDATE {present.name} SET size = size - ({freed})")  # noqa: S608 - our own names
        self._sql.execute(connection, f"ALTER TABLE {present.name} DROP COLUMN {field.field}")
        sql = "DELETE FROM data_table_columns WHERE id = ? AND table_number = ?"
        self._sql.execute(connection, sql, [column_id, present.number])
        self._count(connection, present, 0, -size, now)
        return True

    def rows(
        self, connection: ConnectionT, table_id: str, where: RowFilter, order: RowOrder, offset: int, limit: int
    ) -> Page[DataRow]:
        present = self._found(connection, table_id)
        clause, values = present.clause(where)
        total = present.table.rows
        if clause:
            counted = f"SELECT count(*) FROM {present.name}{clause}"  # noqa: S608 - our own names
            total = self._sql.number(connection, counted, values)
        wanted = max(0, min(limit, total - offset))
        # What is passed over is read, so a page in the second half is read from the end.
        backwards = offset > total // 2
        passed = total - offset - wanted if backwards else offset
        ordered = present.order_backwards(order) if backwards else present.order(order)
        sql = f"SELECT {present.columns} FROM {present.name}{clause}{ordered} LIMIT ? OFFSET ?"  # noqa: S608 - our own names
        found = self._sql.execute(connection, sql, [*values, wanted, max(0, passed)]) if wanted else ()
        rows = [present.row(row) for row in found]
        return Page(rows[::-1] if backwards else rows, total)

    def rows_after(
        self,
        connection: ConnectionT,
        table_id: str,
        where: RowFilter,
        order: RowOrder,
        mark: RowMark | None,
        limit: int,
    ) -> list[DataRow]:
        present = self._found(connection, table_id)
        clause, values = present.clause(where)
        if mark is not None:
            behind, more = present.behind(order, mark)
            clause, values = f"{clause} AND {behind}" if clause else f" WHERE {behind}", [*values, *more]
        sql = f"SELECT {present.columns} FROM {present.name}{clause}{present.order(order)} LIMIT ?"  # noqa: S608 - our own names
        return [present.row(row) for row in self._sql.execute(connection, sql, [*values, limit])]

    def add_rows(self, connection: ConnectionT, table_id: str, rows: Sequence[NewDataRow], now: int) -> list[int]:
        present = self._locked(connection, table_id)
        return self._add_rows(connection, present, self._missing(connection, present, rows), now)

    def change_rows(
        self, connection: ConnectionT, table_id: str, where: RowFilter, cells: Cells, now: int
    ) -> list[DataRow]:
        return self._change_rows(connection, self._locked(connection, table_id), where, cells, now)

    def change_or_add_row(
        self, connection: ConnectionT, table_id: str, where: RowFilter, cells: Cells, now: int
    ) -> list[DataRow]:
        present = self._locked(connection, table_id)
        found = self._change_rows(connection, present, where, cells, now)
        if found:
            return found
        made = self._add_rows(connection, present, [NewDataRow(cells)], now)
        sql = f"SELECT {present.columns} FROM {present.name} WHERE id = ?"  # noqa: S608 - our own names
        return [present.row(row) for row in self._sql.execute(connection, sql, [made[0]])]

    def delete_rows(self, connection: ConnectionT, table_id: str, where: RowFilter, now: int) -> list[DataRow]:
        present = self._locked(connection, table_id)
        clause, values = present.clause(where)
        sql = f"DELETE FROM {present.name}{clause} RETURNING size, {present.columns}"  # noqa: S608 - our own names
        gone = self._sql.execute(connection, sql, values).fetchall()
        self._count(connection, present, -len(gone), -sum(row[0] for row in gone), now)
        return sorted((present.row(row[1:]) for row in gone), key=lambda row: row.id)

    def clear_rows(self, connection: ConnectionT, table_id: str, now: int) -> int:
        present = self._locked(connection, table_id)
        count = self._sql.execute(connection, f"DELETE FROM {present.name}").rowcount  # noqa: S608 - our own names
        sql = "UPDATE data_tables SET row_count = 0, size = 0, updated_at = ? WHERE number = ?"
        self._sql.execute(connection, sql, [now, present.number])
        return count

    def _matching(self, where: DataTableFilter) -> tuple[str, list[SqlValue]]:
        parts: list[str] = []
        values: list[SqlValue] = []
        if where.search is not None:
            parts.append(self._sql.contains("folded_name"))
            values.append(where.search.casefold())
        if where.name is not None:
            parts.append("name = ?")
            values.append(where.name)
        if where.ids is not None:
            parts.append(self._sql.among("id"))
            values.append(self._sql.listed(where.ids))
        if where.within is not None:
            condition, more = within_condition(self._sql, "data-table", "data_tables.id", where.within)
            parts.append(condition)
            values += more
        return (f" WHERE {' AND '.join(parts)}" if parts else ""), values

    def _found(self, connection: ConnectionT, table_id: str) -> RowTable[ConnectionT]:
        """Raises `NotFound`."""
        return self._one(connection, f"{_TABLES} WHERE id = ?", table_id)

    def _locked(self, connection: ConnectionT, table_id: str) -> RowTable[ConnectionT]:
        """Two daemons change a table one after the other. Raises `NotFound`."""
        return self._one(connection, self._locked_table, table_id)

    def _one(self, connection: ConnectionT, sql: str, table_id: str) -> RowTable[ConnectionT]:
        found = self._sql.execute(connection, sql, [table_id]).fetchone()
        if found is None:
            raise NotFound("There is no data table with this id.")
        return self._made(connection, found)

    def _made(self, connection: ConnectionT, row: Sequence[object]) -> RowTable[ConnectionT]:
        """A row of `_TABLES`, with its columns."""
        key, id_, name, created_at, updated_at, rows, size, last_row = row
        found = self._sql.repeat(connection, _COLUMNS, [key]).fetchall()  # type: ignore[list-item]  # of the schema
        columns = [DataColumn(*each[:5]) for each in found]
        table = DataTable(id_, name, columns, created_at, updated_at, rows, size, last_row)  # type: ignore[arg-type]  # likewise
        return RowTable(key, table, [Field(each[1], each[5], each[2]) for each in found], self._sql)  # type: ignore[arg-type]

    def _free_name(self, connection: ConnectionT, name: str, but: int = 0) -> None:
        sql = "SELECT count(*) FROM data_tables WHERE name = ? AND number <> ?"
        if self._sql.number(connection, sql, [name, but]):
            raise Conflict(f"There is a data table {name} already.", details={"name": "is taken"})

    def _add_column(
        self, connection: ConnectionT, present: RowTable[ConnectionT], column: DataColumn, index: int
    ) -> None:
        if present.table.column(column.name) is not None:
            raise _taken_column(present.table, column.name)
        sql = "UPDATE data_tables SET last_field = last_field + 1 WHERE number = ? RETURNING last_field"
        field = f"c{self._sql.number(connection, sql, [present.number])}"
        kind = self._sql.kind(column.type)
        self._sql.execute(connection, f"ALTER TABLE {present.name} ADD COLUMN {field} {kind}")
        self._sql.execute(connection, f"UPDATE {present.name} SET size = size + {FIELD_SIZE}")  # noqa: S608 - our own names
        row = (
            present.number, column.id, column.name, column.type, len(present.fields), field, column.created_at,
            column.updated_at,
        )  # fmt: skip
        self._sql.execute(connection, _ADD_COLUMN, row)
        columns = list(present.table.columns)
        columns.insert(index, column)
        self._order(connection, present.number, columns)

    def _order(self, connection: ConnectionT, key: int, columns: Sequence[DataColumn]) -> None:
        sql = "UPDATE data_table_columns SET place = ? WHERE id = ? AND table_number = ?"
        for place, column in enumerate(columns):
            self._sql.execute(connection, sql, [place, column.id, key])

    def _missing(
        self, connection: ConnectionT, present: RowTable[ConnectionT], rows: Sequence[NewDataRow]
    ) -> Sequence[NewDataRow]:
        """Those whose id the table does not have."""
        ids = [row.id for row in rows if row.id is not None]
        if not ids:
            return rows
        sql = f"SELECT id FROM {present.name} WHERE {self._sql.among('id')}"  # noqa: S608 - our own names
        known = {found for (found,) in self._sql.execute(connection, sql, [self._sql.listed(ids)])}
        return [row for row in rows if row.id not in known]

    def _add_rows(
        self, connection: ConnectionT, present: RowTable[ConnectionT], rows: Sequence[NewDataRow], now: int
    ) -> list[int]:
        sql = "SELECT last_row FROM data_tables WHERE number = ?"
        last = self._sql.number(connection, sql, [present.number])
        made: list[Sequence[SqlValue]] = []
        ids: list[int] = []
        size = 0
        for row in rows:
            given = present.own_values(row.cells)
            values = [given.get(field.field) for field in present.fields]
            id_ = last + 1 if row.id is None else row.id
            last = max(last, id_)
            own_size = present.size_of(values)
            size += own_size
            created, updated = (now if time is None else time for time in (row.created_at, row.updated_at))
            ids.append(id_)
            made.append((id_, created, updated, own_size, *values))
        if made:
            self._sql.add(connection, present.name, present.added, made)
        sql = "UPDATE data_tables SET last_row = ? WHERE number = ?"
        self._sql.execute(connection, sql, [last, present.number])
        self._count(connection, present, len(made), size, now)
        return ids

    def _change_rows(
        self, connection: ConnectionT, present: RowTable[ConnectionT], where: RowFilter, cells: Cells, now: int
    ) -> list[DataRow]:
        clause, values = present.clause(where)
        given = present.own_values(cells)
        before = f"SELECT CAST(sum(size) AS bigint) FROM {present.name}{clause}"  # noqa: S608 - our own names
        old = self._sql.number(connection, before, values)
        size = present.size_sql(given)
        own = (f"{field} = {present.marker(field)}" for field in given)
        sets = ", ".join(("updated_at = ?", f"size = {size}", *own))
        sql = f"UPDATE {present.name} SET {sets}{clause} RETURNING size, {present.columns}"  # noqa: S608 - our own names
        found = self._sql.execute(connection, sql, [now, *given.values(), *values]).fetchall()
        self._count(connection, present, 0, sum(row[0] for row in found) - old, now)
        return sorted((present.row(row[1:]) for row in found), key=lambda row: row.id)

    def _count(self, connection: ConnectionT, present: RowTable[ConnectionT], rows: int, size: int, now: int) -> None:
        self._sql.execute(connection, _COUNTED, [rows, size, now, present.number])


def _taken_column(table: DataTable, name: str) -> Conflict:
    return Conflict(f"The data table {table.name} has a column {name} already.", details={"name": "is taken"})
