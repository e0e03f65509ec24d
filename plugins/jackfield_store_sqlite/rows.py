"""Small helpers around statements."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import orjson

from jackfield.api import jsontext
from jackfield.api.sql.dialect import SqlValue
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
