"""Small helpers around statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import orjson
import psycopg

from jackfield.api import jsontext
from jackfield.api.sql.dialect import SqlValue
from jackfield.api.workflows import Document
from jackfield_store_postgres.server.connections import Connection

Value: TypeAlias = SqlValue
RowT = TypeVar("RowT")
Cursor: TypeAlias = "psycopg.Cursor[tuple[Any, ...]]"
"""Any: the columns of a row have the types of its statement."""
_LARGEST = 2**63 - 1


def fitting(value: Value) -> Value:
    """Integers are cut to 64 bits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-_LARGEST, min(_LARGEST, value))
    return value


def execute(connection: Connection, sql: str, values: Sequence[Value] = ()) -> Cursor:
    """Run a statement; bytes come as they are, where text would take twice their size. Its plan is not kept:
    there are many statements of this kind, and tables of users change."""
    return connection.execute(sql, [fitting(value) for value in values], prepare=False, binary=True)


def planned(connection: Connection, sql: str, values: Sequence[Value] = ()) -> Cursor:
    """The same for one of the few statements that are sent again and again.

    Where nobody stands between, the server keeps its plan, which takes half of its time there.
    """
    return connection.execute(sql, [fitting(value) for value in values], binary=True)


def number(connection: Connection, sql: str, values: Sequence[Value] = ()) -> int:
    """The only value of the only row."""
    row = execute(connection, sql, values).fetchone()
    return int(row[0] or 0) if row else 0


def pack(document: Document) -> bytes:
    """A document as JSON; lone surrogates become question marks."""
    try:
        return jsontext.dumps(document)
    except UnicodeEncodeError:
        return jsontext.dumps(_encodable(document))


def unpack(data: bytes) -> Document:
    document: Document = orjson.loads(data)
    return document


def _encodable(value: object) -> object:
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
