"""A look at the digest of every row, some rows at a time: no snapshot is kept while it rests."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jackfield.api.records import record
from jackfield_store_sqlite.damage.digests import (
    damaged,
    of_bytes,
    of_columns,
    of_credential,
    of_execution,
    of_packed,
    of_static_data,
    of_version,
    readable,
)

_AT_ONCE = 100
"""Rows."""
_OWNER = "SELECT id FROM executions WHERE data = ?"
Row = Sequence[Any]  # Any: whatever damage has made of the columns


@record
class _Table:
    """columns: the key first, the digest last. digest: of a row without its last column. what: names a row."""

    name: str
    key: str
    columns: str
    digest: Callable[[Row], int]
    what: Callable[[sqlite3.Connection, Row], str]


def _of_data(connection: sqlite3.Connection, key: object) -> str:
    owner = connection.execute(_OWNER, (key,)).fetchone()
    return f"execution {owner[0]}" if owner else f"data {key} of an execution"


_TABLES = (
    _Table(
        "executions",
        "id",
        "id, data, workflow_id, workflow_version, mode, status, created_at, started_at, finished_at, resume_at, error, "
        "retry_of, call_id, webhook_id, digest",
        lambda row: of_execution(row[:14]),
        lambda _, row: f"execution {row[0]}",
    ),
    _Table(
        "execution_data",
        "id",
        "id, execution, data, size, digest",
        lambda row: of_packed(row[2], row[3]),
        lambda connection, row: _of_data(connection, row[1]),
    ),
    _Table(
        "execution_documents",
        "data",
        "data, document, digest",
        lambda row: of_bytes(row[1]),
        lambda connection, row: _of_data(connection, row[0]),
    ),
    _Table(
        "workflow_versions",
        "rowid",
        "rowid, workflow_id, version, document, digest",
        lambda row: of_version(row[1], row[2], row[3]),
        lambda _, row: f"workflow {row[1]} in version {row[2]}",
    ),
    _Table(
        "credentials",
        "id",
        "id, name, kind, sealed, created_at, updated_at, digest",
        of_credential,
        lambda _, row: f"credential {row[0]}",
    ),
    _Table(
        "users",
        "id",
        "id, username, role, password_hash, version, created_at, provider, subject, display_name, disabled, row_digest",
        lambda row: of_columns(row[:-1]),
        lambda _, row: f"user {row[0]}",
    ),
    _Table(
        "api_keys",
        "id",
        "id, user_id, name, prefix, digest, scopes, created_at, expires_at, row_digest",
        lambda row: of_columns(row[:-1]),
        lambda _, row: f"API key {row[0]}",
    ),
    _Table(
        "variables",
        "id",
        "id, key, value, created_at, updated_at, row_digest",
        lambda row: of_columns(row[:-1]),
        lambda _, row: f"variable {row[0]}",
    ),
    _Table(
        "static_data",
        "workflow_id",
        "workflow_id, data, row_digest",
        lambda row: of_static_data(row[0], row[1]),
        lambda _, row: f"static data of the workflow {row[0]}",
    ),
)


def damaged_rows(connection: sqlite3.Connection, rest: Callable[[], bool]) -> Iterator[str]:
    """A sentence for each, of a database whose pages fit together. rest: called between rows; true ends the look.
    Raises sqlite3.Error."""
    connection.text_factory = readable
    for table in _TABLES:
        last: object = None
        while keys := _keys(connection, table, last):
            for key in keys:
                row = _row(connection, table, key)
                if row is not None and not _is_whole(table, row):
                    yield damaged(table.what(connection, row)).message
                if rest():
                    return
            last = keys[-1]


def _is_whole(table: _Table, row: Row) -> bool:
    try:
        return row[-1] is None or bool(row[-1] == table.digest(row))
    except (TypeError, ValueError):
        return False


def _keys(connection: sqlite3.Connection, table: _Table, last: object) -> list[object]:
    """Some rows at a time, and each of them alone: it may have megabytes."""
    after = "" if last is None else f"WHERE {table.key} > ?"
    sql = f"SELECT {table.key} FROM {table.name} {after} ORDER BY {table.key} LIMIT {_AT_ONCE}"  # noqa: S608 - our own names
    return [key for (key,) in connection.execute(sql, () if last is None else (last,))]


def _row(connection: sqlite3.Connection, table: _Table, key: object) -> Row | None:
    sql = f"SELECT {table.columns} FROM {table.name} WHERE {table.key} = ?"  # noqa: S608 - our own names
    found: Row | None = connection.execute(sql, (key,)).fetchone()
    return found
