"""SQLite's part of the statements that every store with SQL shares."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import orjson

from jackfield.api.sql.conditions import like_of
from jackfield.api.sql.dialect import Part, RowDialect, SqlValue
from jackfield.api.storage.tables import ColumnType
from jackfield_store_sqlite.rows import encodable, execute

_KINDS: Mapping[ColumnType, str] = {"string": "TEXT", "number": "REAL", "boolean": "INTEGER", "date": "INTEGER"}
_SEARCHED: Mapping[ColumnType, str] = {
    "string": "{field}",
    "number": "printf('%.15g', {field})",
    "boolean": "iif({field}, 'true', 'false')",
    "date": "strftime('%Y-%m-%dT%H:%M:%S', {field} / 1000, 'unixepoch') || printf('.%03dZ', {field} % 1000)",
}
"""A cell as the text that is searched; it counts only where there is something."""


class SqliteDialect(RowDialect[sqlite3.Connection]):
    """Its marks are `?`; one connection writes, so that no row needs a lock. Truth values are 0 and 1; a list is a text
    with JSON."""

    def execute(self, connection: sqlite3.Connection, sql: str, values: Sequence[SqlValue] = ()) -> sqlite3.Cursor:
        return execute(connection, sql, values)

    def repeat(self, connection: sqlite3.Connection, sql: str, values: Sequence[SqlValue]) -> sqlite3.Cursor:
        return execute(connection, sql, values)

    def listed(self, values: Sequence[str] | Sequence[int]) -> str:
        try:
            return orjson.dumps(list(values)).decode()
        except TypeError:  # lone surrogates, or integers beyond 64 bits
            return orjson.dumps([encodable(value) for value in values]).decode()

    def among(self, field: str) -> str:
        return f"{field} IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own names

    def each(self) -> str:
        return "json_each(?)"

    def waiting(self, select: str) -> str:
        return select

    def passing(self, select: str) -> str:
        return select

    def contains(self, field: str) -> str:
        return f"instr({field}, ?)"

    def kind(self, column: ColumnType) -> str:
        return _KINDS[column]

    def rows_table(self, name: str, own: Mapping[str, ColumnType]) -> str:
        fields = "".join(f", {field} {_KINDS[kind]}" for field, kind in own.items())
        return f"""{name} (id INTEGER PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
            size INTEGER NOT NULL{fields}) STRICT"""

    def mark(self, column: ColumnType) -> str:
        return "?"

    def kept(self, cell: str | float, column: ColumnType) -> SqlValue:
        return int(cell) if isinstance(cell, bool) else encodable(cell)

    def length(self, text: str) -> int:
        return len(text.encode())

    def length_of(self, field: str) -> str:
        return f"length(CAST({field} AS BLOB))"

    def equal(self, field: str, column: ColumnType) -> str:
        return f"{field} IS {self.mark(column)}"

    def different(self, field: str, column: ColumnType) -> str:
        return f"{field} IS NOT {self.mark(column)}"

    def like(self, field: str, pattern: str) -> Part:
        return f"{field} GLOB ?", glob_of(pattern)

    def ilike(self, field: str, pattern: str) -> Part:
        return f"{field} LIKE ? ESCAPE '\\'", like_of(pattern)

    def searched(self, field: str, column: ColumnType, pattern: str) -> Part:
        sql, value = self.ilike(_SEARCHED[column].format(field=field), pattern)
        return f"({field} IS NOT NULL AND {sql})", value

    def add(
        self,
        connection: sqlite3.Connection,
        table: str,
        fields: Mapping[str, ColumnType],
        rows: Sequence[Sequence[SqlValue]],
    ) -> None:
        sql = f"INSERT INTO {table} ({', '.join(fields)}) VALUES ({', '.join('?' * len(fields))})"  # noqa: S608 - our own names
        connection.executemany(sql, [[encodable(value) for value in row] for row in rows])


def glob_of(pattern: str) -> str:
    """A pattern with `%` for any characters, in the language of GLOB."""
    return "".join("*" if sign == "%" else f"[{sign}]" if sign in "[]*?" else sign for sign in pattern)


SQL = SqliteDialect()
"""It holds nothing, so that one serves everywhere."""
