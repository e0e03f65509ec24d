"""Data tables: what they are named, their columns, and the verbs on their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.errors import Conflict, NotFound
from jackfield.api.storage import Page
from jackfield.api.table_storage import (
    Cells,
    DataColumn,
    DataRow,
    DataTable,
    DataTableFilter,
    NewDataRow,
    RowFilter,
    RowOrder,
    TableOrder,
)
from jackfield_store_postgres.connections import Connection
from jackfield_store_postgres.data_tables.rows import FIELD_TYPES, Field, RowTable, size_sql
from jackfield_store_postgres.database import Database
from jackfield_store_postgres.rows import Value, execute, number

_TABLES = "SELECT number, id, name, created_at, updated_at, row_count, size FROM data_tables"
_COLUMNS = """SELECT id, name, type, created_at, updated_at, field FROM data_table_columns
    WHERE table_number = %s ORDER BY place"""
_ADD_TABLE = """INSERT INTO data_tables (id, name, folded_name, row_count, size, last_row, last_field, created_at,
    updated_at) VALUES (%s, %s, %s, 0, 0, 0, 0, %s, %s) RETURNING number"""
_ADD_COLUMN = "INSERT INTO data_table_columns VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
_COUNTED = "UPDATE data_tables SET row_count = row_count + %s, size = size + %s, updated_at = %s WHERE number = %s"
_ORDERS: Mapping[TableOrder, str] = {
    "name": "folded_name", "createdAt": "created_at", "updatedAt": "updated_at", "size": "size",
}  # fmt: skip


class PostgresTables:
    """Part of the store port."""

    _db: Database

    async def data_tables(
        self, where: DataTableFilter, *, order: TableOrder, descending: bool, offset: int, limit: int
    ) -> Page[DataTable]:
        clause, values = _matching(where)
        way = " DESC" if descending else ""

        def work(connection: Connection) -> Page[DataTable]:
            total = number(connection, f"SELECT count(*) FROM data_tables{clause}", values)  # noqa: S608 - our own names
            sql = f"{_TABLES}{clause} ORDER BY {_ORDERS[order]}{way}, id LIMIT %s OFFSET %s"
            found = execute(connection, sql, [*values, limit, offset]).fetchall()
            return Page([_made(connection, row).table for row in found], total)

        return await self._db.read(work)

    async def data_table(self, table_id: str) -> DataTable | None:
        def work(connection: Connection) -> DataTable | None:
            found = execute(connection, f"{_TABLES} WHERE id = %s", [table_id]).fetchone()
            return None if found is None else _made(connection, found).table

        return await self._db.read(work)

    async def data_tables_size(self) -> int:
        return await self._db.read(lambda connection: number(connection, "SELECT sum(size)::bigint FROM data_tables"))

    async def add_data_table(self, table: DataTable) -> None:
        def work(connection: Connection) -> None:
            if number(connection, "SELECT count(*) FROM data_tables WHERE id = %s", [table.id]):
                raise Conflict("There is a data table with this id already.", details={"id": "is taken"})
            _free_name(connection, table.name)
            values = (table.id, table.name, table.name.casefold(), table.created_at, table.updated_at)
            key = number(connection, _ADD_TABLE, values)
            connection.execute(
                f"""CREATE TABLE data_rows_{key} (id bigint PRIMARY KEY, created_at bigint NOT NULL,
                updated_at bigint NOT NULL, size bigint NOT NULL)"""
            )
            for index, column in enumerate(table.columns):
                _add_column(connection, _table(connection, table.id), column, index)

        await self._db.write(work)

    async def rename_data_table(self, table_id: str, name: str, *, now: int) -> None:
        def work(connection: Connection) -> None:
            key = _locked(connection, table_id).number
            _free_name(connection, name, but=key)
            sql = "UPDATE data_tables SET name = %s, folded_name = %s, updated_at = %s WHERE number = %s"
            execute(connection, sql, [name, name.casefold(), now, key])

        await self._db.write(work)

    async def delete_data_table(self, table_id: str) -> bool:
        def work(connection: Connection) -> bool:
            found = execute(connection, "DELETE FROM data_tables WHERE id = %s RETURNING number", [table_id]).fetchone()
            if found is None:
                return False
            connection.execute(f"DROP TABLE data_rows_{found[0]}")
            return True

        return await self._db.write(work)

    async def add_data_column(self, table_id: str, column: DataColumn, *, index: int, now: int) -> None:
        def work(connection: Connection) -> None:
            present = _locked(connection, table_id)
            _add_column(connection, present, column, index)
            execute(connection, _COUNTED, [0, 8 * present.table.rows, now, present.number])

        await self._db.write(work)

    async def change_data_column(self, table_id: str, column_id: str, *, name: str, index: int, now: int) -> None:
        def work(connection: Connection) -> None:
            present = _locked(connection, table_id)
            columns = list(present.table.columns)
            column = next((each for each in columns if each.id == column_id), None)
            if column is None:
                raise NotFound("There is no column with this id in the data table.")
            if any(each.name == name for each in columns if each is not column):
                raise _taken_column(present.table, name)
            columns.remove(column)
            columns.insert(index, column)
            sql = "UPDATE data_table_columns SET name = %s, updated_at = %s WHERE id = %s AND table_number = %s"
            execute(connection, sql, [name, now, column_id, present.number])
            _order(connection, present.number, columns)
            execute(connection, _COUNTED, [0, 0, now, present.number])

        await self._db.write(work)

    async def delete_data_column(self, table_id: str, column_id: str, *, now: int) -> bool:
        def work(connection: Connection) -> bool:
            present = _locked(connection, table_id)
            pairs = zip(present.table.columns, present.fields, strict=True)
            field = next((each for column, each in pairs if column.id == column_id), None)
            if field is None:
                return False
            freed = size_sql(field)
            size = number(connection, f"SELECT sum({freed})::bigint FROM {present.name}")  # noqa: S608 - our own names
            connection.execute(f"UPDATE {present.name} SET size = size - ({freed})")  # noqa: S608 - our own names
            connection.execute(f"ALTER TABLE {present.name} DROP COLUMN {field.field}")
            sql = "DELETE FROM data_table_columns WHERE id = %s AND table_number = %s"
            execute(connection, sql, [column_id, present.number])
            execute(connection, _COUNTED, [0, -size, now, present.number])
            return True

        return await self._db.write(work)

    async def data_rows(
        self, table_id: str, where: RowFilter, *, order: RowOrder, offset: int, limit: int
    ) -> Page[DataRow]:
        def work(connection: Connection) -> Page[DataRow]:
            present = _table(connection, table_id)
            clause, values = present.clause(where)
            sql = f"SELECT {present.columns} FROM {present.name}{clause}{present.order(order)} LIMIT %s OFFSET %s"  # noqa: S608 - our own names
            rows = [present.row(row) for row in execute(connection, sql, [*values, limit, offset])]
            counted = f"SELECT count(*) FROM {present.name}{clause}"  # noqa: S608 - our own names
            return Page(rows, number(connection, counted, values) if clause else present.table.rows)

        return await self._db.read(work)

    async def add_data_rows(self, table_id: str, rows: Sequence[NewDataRow], *, now: int) -> list[int]:
        def work(connection: Connection) -> list[int]:
            present = _locked(connection, table_id)
            return _add_rows(connection, present, _missing(connection, present, rows), now)

        return await self._db.write(work, _weight(rows))

    async def change_data_rows(
        self, table_id: str, where: RowFilter, cells: Cells, *, now: int, otherwise_add: bool = False
    ) -> list[DataRow]:
        def work(connection: Connection) -> list[DataRow]:
            present = _locked(connection, table_id)
            found = _change(connection, present, where, cells, now)
            if found or not otherwise_add:
                return found
            made = _add_rows(connection, present, [NewDataRow(cells)], now)
            return _by_id(connection, present, made[0])

        return await self._db.write(work, _weight([NewDataRow(cells)]))

    async def delete_data_rows(self, table_id: str, where: RowFilter, *, now: int) -> list[DataRow]:
        def work(connection: Connection) -> list[DataRow]:
            present = _locked(connection, table_id)
            clause, values = present.clause(where)
            sql = f"DELETE FROM {present.name}{clause} RETURNING size, {present.columns}"  # noqa: S608 - our own names
            gone = execute(connection, sql, values).fetchall()
            execute(connection, _COUNTED, [-len(gone), -sum(row[0] for row in gone), now, present.number])
            return sorted((present.row(row[1:]) for row in gone), key=lambda row: row.id)

        return await self._db.write(work)

    async def clear_data_rows(self, table_id: str, *, now: int) -> int:
        def work(connection: Connection) -> int:
            present = _locked(connection, table_id)
            count = connection.execute(f"DELETE FROM {present.name}").rowcount  # noqa: S608 - our own names
            sql = "UPDATE data_tables SET row_count = 0, size = 0, updated_at = %s WHERE number = %s"
            execute(connection, sql, [now, present.number])
            return count

        return await self._db.write(work)


def _matching(where: DataTableFilter) -> tuple[str, list[Value]]:
    parts: list[str] = []
    values: list[Value] = []
    if where.search is not None:
        parts.append("strpos(folded_name, %s) > 0")
        values.append(where.search.casefold())
    if where.name is not None:
        parts.append("name = %s")
        values.append(where.name)
    if where.ids is not None:
        parts.append("id = ANY(%s)")
        values.append(list(where.ids))
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values


def _made(connection: Connection, row: Sequence[object]) -> RowTable:
    """A row of `_TABLES`, with its columns."""
    key, id_, name, created_at, updated_at, rows, size = row
    found = connection.execute(_COLUMNS, [key]).fetchall()
    columns = [DataColumn(*each[:5]) for each in found]
    table = DataTable(id_, name, columns, created_at, updated_at, rows, size)  # type: ignore[arg-type]  # of the schema
    return RowTable(key, table, [Field(each[1], each[5], each[2]) for each in found])  # type: ignore[arg-type]


def _table(connection: Connection, table_id: str) -> RowTable:
    """Raises `NotFound`."""
    found = execute(connection, f"{_TABLES} WHERE id = %s", [table_id]).fetchone()
    if found is None:
        raise NotFound("There is no data table with this id.")
    return _made(connection, found)


def _locked(connection: Connection, table_id: str) -> RowTable:
    """Two daemons change a table one after the other. Raises `NotFound`."""
    execute(connection, "SELECT 1 FROM data_tables WHERE id = %s FOR UPDATE", [table_id])
    return _table(connection, table_id)


def _free_name(connection: Connection, name: str, but: int = 0) -> None:
    if number(connection, "SELECT count(*) FROM data_tables WHERE name = %s AND number <> %s", [name, but]):
        raise Conflict(f"There is a data table {name} already.", details={"name": "is taken"})


def _taken_column(table: DataTable, name: str) -> Conflict:
    return Conflict(f"The data table {table.name} has a column {name} already.", details={"name": "is taken"})


def _add_column(connection: Connection, present: RowTable, column: DataColumn, index: int) -> None:
    if present.table.column(column.name) is not None:
        raise _taken_column(present.table, column.name)
    sql = "UPDATE data_tables SET last_field = last_field + 1 WHERE number = %s RETURNING last_field"
    field = f"c{number(connection, sql, [present.number])}"
    connection.execute(f"ALTER TABLE {present.name} ADD COLUMN {field} {FIELD_TYPES[column.type]}")
    connection.execute(f"UPDATE {present.name} SET size = size + 8")  # noqa: S608 - our own names
    row = (
        present.number, column.id, column.name, column.type, len(present.fields), field, column.created_at,
        column.updated_at,
    )  # fmt: skip
    execute(connection, _ADD_COLUMN, row)
    columns = list(present.table.columns)
    columns.insert(index, column)
    _order(connection, present.number, columns)


def _order(connection: Connection, key: int, columns: Sequence[DataColumn]) -> None:
    for place, column in enumerate(columns):
        sql = "UPDATE data_table_columns SET place = %s WHERE id = %s AND table_number = %s"
        execute(connection, sql, [place, column.id, key])


def _missing(connection: Connection, present: RowTable, rows: Sequence[NewDataRow]) -> Sequence[NewDataRow]:
    """Those whose id the table does not have."""
    sql = f"SELECT id FROM {present.name} WHERE id = ANY(%s)"  # noqa: S608 - our own names
    known = {found for (found,) in execute(connection, sql, [[row.id for row in rows if row.id is not None]])}
    return [row for row in rows if row.id not in known]


def _add_rows(connection: Connection, present: RowTable, rows: Sequence[NewDataRow], now: int) -> list[int]:
    sql = "SELECT last_row FROM data_tables WHERE number = %s"
    last = number(connection, sql, [present.number])
    made: list[Sequence[Value]] = []
    ids: list[int] = []
    size = 0
    for row in rows:
        given = {field.field: value for field, value in present.own_fields(row.cells)}
        values = [given.get(field.field) for field in present.fields]
        id_ = last + 1 if row.id is None else row.id
        last = max(last, id_)
        own_size = present.size_of(values)
        size += own_size
        created, updated = (now if time is None else time for time in (row.created_at, row.updated_at))
        ids.append(id_)
        made.append((id_, created, updated, own_size, *values))
    if made:
        execute(connection, present.insert(), [list(column) for column in zip(*made, strict=True)])
    execute(connection, "UPDATE data_tables SET last_row = %s WHERE number = %s", [last, present.number])
    execute(connection, _COUNTED, [len(made), size, now, present.number])
    return ids


def _change(connection: Connection, present: RowTable, where: RowFilter, cells: Cells, now: int) -> list[DataRow]:
    clause, values = present.clause(where)
    given = {field.field: value for field, value in present.own_fields(cells)}
    before = f"SELECT sum(size)::bigint FROM {present.name}{clause}"  # noqa: S608 - our own names
    old = number(connection, before, values)
    size = present.size_sql(given)
    sets = ", ".join(("updated_at = %s", f"size = {size}", *(f"{field} = {present.marker(field)}" for field in given)))
    sql = f"UPDATE {present.name} SET {sets}{clause} RETURNING size, {present.columns}"  # noqa: S608 - our own names
    found = execute(connection, sql, [now, *given.values(), *values]).fetchall()
    execute(connection, _COUNTED, [0, sum(row[0] for row in found) - old, now, present.number])
    return sorted((present.row(row[1:]) for row in found), key=lambda row: row.id)


def _by_id(connection: Connection, present: RowTable, id_: int) -> list[DataRow]:
    sql = f"SELECT {present.columns} FROM {present.name} WHERE id = %s"  # noqa: S608 - our own names
    return [present.row(row) for row in execute(connection, sql, [id_])]


def _weight(rows: Sequence[NewDataRow]) -> int:
    """Bytes that a write holds, about."""
    return sum(len(cell) for row in rows for cell in row.cells.values() if isinstance(cell, str))
