"""Deleting what has had its time. Readers search the rows, small transactions delete them, so that the writer is held
for a few milliseconds at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from jackfield.api.storage import Retention
from jackfield_store_sqlite.calls import remove_calls
from jackfield_store_sqlite.database import Database
from jackfield_store_sqlite.executions import remove
from jackfield_store_sqlite.rows import number

RowT = TypeVar("RowT")
_Execution: TypeAlias = "tuple[str, int]"
_Call: TypeAlias = "tuple[str, str, int]"

_AT_ONCE = 100
"""Rows with blobs that one transaction deletes."""
_FINISHED = "SELECT count(*) - (SELECT count(*) FROM executions WHERE finished_at IS NULL) FROM executions"
_OLD_EXECUTIONS = """SELECT id, data FROM executions
    WHERE created_at < ? AND finished_at < ? ORDER BY created_at, id LIMIT ?"""
_FIRST_EXECUTIONS = "SELECT id, data FROM executions WHERE finished_at IS NOT NULL ORDER BY created_at, id LIMIT ?"
_UNSAVED = """SELECT u.id, e.data FROM unsaved u LEFT JOIN executions e ON e.id = u.id WHERE u.forget_at <= ?
    AND NOT EXISTS (SELECT 1 FROM executions p WHERE p.id >= substr(u.id, 1, 13) AND p.id < substr(u.id, 1, 13) || '~'
        AND p.finished_at IS NULL) ORDER BY u.forget_at LIMIT ?"""
"""Ids of an execution and of its children begin alike, and an open parent may ask for a child's end."""
_HISTORIES = "SELECT webhook_id, count(*) FROM calls GROUP BY webhook_id"
_OLD_CALLS = "SELECT count(*) FROM calls WHERE webhook_id = ? AND time < ?"
_FIRST_CALLS = "SELECT webhook_id, id, data FROM calls WHERE webhook_id = ? ORDER BY time, id LIMIT ?"
_EXPIRED = (
    "DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries WHERE expires_at <= ? LIMIT ?)",
    "DELETE FROM revoked_tokens WHERE id IN (SELECT id FROM revoked_tokens WHERE expires_at <= ? LIMIT ?)",
)
_FORGOTTEN = "DELETE FROM webhook_stats WHERE last_call < ? AND webhook_id NOT IN (SELECT id FROM registrations)"


class Pruning:
    """Part of the store port."""

    _db: Database

    async def prune(self, retention: Retention) -> int:
        executions = await self._db.read(lambda connection: _executions(connection, retention))
        gone = await self._delete(executions, remove)
        gone += await self._forget(retention.now, retention.limit - gone)
        left = retention.limit - gone
        calls = await self._db.read(lambda connection: _calls(connection, retention, left))
        gone += await self._delete(calls, remove_calls)
        left = retention.limit - gone
        return gone + await self._db.write(lambda connection: _expired(connection, retention, left))

    async def _forget(self, now: int, limit: int) -> int:
        rows = await self._db.read(lambda connection: connection.execute(_UNSAVED, (now, limit)).fetchall())
        return await self._delete(rows, _remove_unsaved)

    async def _delete(self, rows: Sequence[RowT], delete: Callable[[sqlite3.Connection, Sequence[RowT]], int]) -> int:
        gone = 0
        for start in range(0, len(rows), _AT_ONCE):
            part = rows[start : start + _AT_ONCE]
            gone += await self._db.write(lambda connection, part=part: delete(connection, part))  # type: ignore[misc]
        return gone


def _executions(connection: sqlite3.Connection, retention: Retention) -> list[_Execution]:
    before, limit = retention.executions_before, retention.limit
    rows: list[_Execution] = connection.execute(_OLD_EXECUTIONS, (before, before, limit)).fetchall()
    excess = number(connection, _FINISHED) - retention.executions_keep
    if excess > len(rows):
        rows = connection.execute(_FIRST_EXECUTIONS, (min(excess, limit),)).fetchall()
    return rows


def _remove_unsaved(connection: sqlite3.Connection, rows: Sequence[tuple[str, int | None]]) -> int:
    gone = remove(connection, [(ident, data) for ident, data in rows if data is not None])
    connection.executemany("DELETE FROM unsaved WHERE id = ?", [(ident,) for ident, _ in rows])
    return gone


def _calls(connection: sqlite3.Connection, retention: Retention, limit: int) -> list[_Call]:
    rows: list[_Call] = []
    for webhook_id, count in connection.execute(_HISTORIES).fetchall():
        old = number(connection, _OLD_CALLS, (webhook_id, retention.calls_before))
        doomed = min(max(old, count - retention.calls_keep), limit - len(rows))
        if doomed > 0:
            rows += connection.execute(_FIRST_CALLS, (webhook_id, doomed)).fetchall()
    return rows


def _expired(connection: sqlite3.Connection, retention: Retention, limit: int) -> int:
    gone = 0
    for sql in _EXPIRED:
        gone += connection.execute(sql, (retention.now, max(limit - gone, 0))).rowcount
    connection.execute(_FORGOTTEN, (retention.calls_before,))
    return gone
