"""Small helpers around statements."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

import orjson

from jackfield.api import jsontext
from jackfield.api.records import record
from jackfield.api.sql.dialect import SqlValue
from jackfield.api.storage import Page
from jackfield.api.workflows import Document

Value: TypeAlias = SqlValue
Row: TypeAlias = "tuple[Value, ...]"
RowT = TypeVar("RowT")
_LARGEST = 2**63 - 1


def encodable(value: Value) -> Value:
    """Lone surrogates have no UTF-8: each becomes a question mark. Integers are cut to 64 bits."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return max(-_LARGEST, min(_LARGEST, value))
    return value


def encoded(text: str) -> bytes:
    """UTF-8, likewise."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def execute(connection: sqlite3.Connection, sql: str, values: Sequence[Value] = ()) -> sqlite3.Cursor:
    """Run a statement; values that SQLite cannot hold are replaced."""
    try:
        return connection.execute(sql, values)
    except (UnicodeEncodeError, OverflowError):
        return connection.execute(sql, [encodable(value) for value in values])


def number(connection: sqlite3.Connection, sql: str, values: Sequence[Value] = ()) -> int:
    """The only value of the only row."""
    return int(execute(connection, sql, values).fetchone()[0] or 0)


@record
class SqliteQuery(Generic[RowT]):
    """A list of rows as objects. counted: the tables that suffice to count them, by default `tables`."""

    columns: str
    tables: str
    order: str
    make: Callable[..., RowT]
    counted: str = ""

    def one(self, connection: sqlite3.Connection, condition: str, *values: Value) -> RowT | None:
        """The row that meets the condition."""
        row = execute(connection, self._select(f" WHERE {condition}"), values).fetchone()
        return None if row is None else self.make(*row)

    def every(self, connection: sqlite3.Connection, clause: str = "", *values: Value) -> list[RowT]:
        """All rows; clause: empty or ` WHERE ...`."""
        return [self.make(*row) for row in execute(connection, self._select(f"{clause} ORDER BY {self.order}"), values)]

    def page(
        self, connection: sqlite3.Connection, clause: str, values: Sequence[Value], offset: int, limit: int
    ) -> Page[RowT]:
        """One page, and the count of all."""
        total = number(connection, f"SELECT count(*) FROM {self.counted or self.tables}{clause}", values)  # noqa: S608 - our own names
        if total <= offset:  # a search that finds nothing looks at all rows only once
            return Page([], total)
        sql = self._select(f"{clause} ORDER BY {self.order} LIMIT ? OFFSET ?")
        return Page([self.make(*row) for row in execute(connection, sql, [*values, limit, offset])], total)

    def _select(self, rest: str) -> str:
        return f"SELECT {self.columns} FROM {self.tables}{rest}"  # noqa: S608 - our own names


def pack(document: Document) -> bytes:
    """A document as JSON; lone surrogates become question marks."""
    try:
        return jsontext.dumps(document)
    except UnicodeEncodeError:
        return jsontext.dumps(_encodable_json(document))


def unpack(data: bytes) -> Document:
    document: Document = orjson.loads(data)
    return document


def _encodable_json(value: object) -> object:
    if isinstance(value, dict):
        return {encodable(key): _encodable_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encodable_json(item) for item in value]
    return encodable(value) if isinstance(value, str) else value
