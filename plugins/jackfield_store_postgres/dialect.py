"""PostgreSQL's part of the statements that every store with SQL shares."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

from jackfield.api.sql.conditions import like_of
from jackfield.api.sql.dialect import Part, RowDialect, SqlValue
from jackfield.api.storage.tables import ColumnType
from jackfield_store_postgres.rows import Cursor, execute, fitting
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.texts import encoded_text

_TYPES: Mapping[ColumnType, str] = {
    "string": "text", "number": "double precision", "boolean": "boolean", "date": "bigint",
}  # fmt: skip
_KINDS = {**_TYPES, "string": 'text COLLATE "C"'}
_SEARCHED: Mapping[ColumnType, str] = {
    "string": "{field}",
    "number": "digits({field})",
    "boolean": "{field}::text",
    "date": """to_char(timestamp 'epoch' + {field} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')""",
}
"""A cell as the text that is searched; it counts only where there is something."""
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class PostgresDialect(RowDialect[Connection]):
    """Its marks are `%s`; several daemons write, so that rows are locked."""

    def execute(self, connection: Connection, sql: str, values: Sequence[SqlValue] = ()) -> Cursor:
        return execute(connection, self.marked(sql), values)

    def repeat(self, connection: Connection, sql: str, values: Sequence[SqlValue]) -> Cursor:
        return connection.execute(self.marked(sql), values)

    def marked(self, sql: str) -> str:
        return sql.replace("?", "%s")

    def listed(self, values: Sequence[str] | Sequence[int]) -> SqlValue:
        return values

    def among(self, field: str) -> str:
        return f"{field} = ANY(?)"

    def each(self) -> str:
        return "unnest(?::text[]) AS listed (value)"

    def waiting(self, select: str) -> str:
        return f"{select} FOR UPDATE"

    def passing(self, select: str) -> str:
        return f"{select} FOR UPDATE SKIP LOCKED"

    def contains(self, field: str) -> str:
        return f"strpos({field}, ?) > 0"

    def kind(self, column: ColumnType) -> str:
        return _KINDS[column]

    def rows_table(self, name: str, own: Mapping[str, ColumnType]) -> str:
        fields = "".join(f", {field} {_KINDS[kind]}" for field, kind in own.items())
        return f"""{name} (id bigint PRIMARY KEY, created_at bigint NOT NULL, updated_at bigint NOT NULL,
            size bigint NOT NULL{fields})"""

    def mark(self, column: ColumnType) -> str:
        return f"?::{_TYPES[column]}"

    def kept(self, cell: str | float, column: ColumnType) -> SqlValue:
        return bool(cell) if column == "boolean" else fitting(cell)

    def length(self, text: str) -> int:
        return len(encoded_text(text))

    def length_of(self, field: str) -> str:
        return f"octet_length({field})"

    def equal(self, field: str, column: ColumnType) -> str:
        return f"{field} IS NOT DISTINCT FROM {self.mark(column)}"

    def different(self, field: str, column: ColumnType) -> str:
        return f"{field} IS DISTINCT FROM {self.mark(column)}"

    def like(self, field: str, pattern: str) -> Part:
        return f"{field} LIKE ?", like_of(pattern)

    def ilike(self, field: str, pattern: str) -> Part:
        return f"lower({field}) LIKE ?", like_of(pattern.translate(_LOWER))

    def searched(self, field: str, column: ColumnType, pattern: str) -> Part:
        return self.ilike(f'{_SEARCHED[column].format(field=field)} COLLATE "C"', pattern)

    def add(
        self, connection: Connection, table: str, fields: Mapping[str, ColumnType], rows: Sequence[Sequence[SqlValue]]
    ) -> None:
        """One array per column, in binary form: a text that does not depend on the number of rows."""
        arrays = ", ".join(f"%b::{_TYPES[kind]}[]" for kind in fields.values())
        sql = f"INSERT INTO {table} ({', '.join(fields)}) SELECT * FROM unnest({arrays})"  # noqa: S608 - our own names
        execute(connection, sql, [list(column) for column in zip(*rows, strict=True)])


SQL = PostgresDialect()
"""It holds nothing, so that one serves everywhere."""
