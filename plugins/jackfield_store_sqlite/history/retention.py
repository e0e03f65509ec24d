"""Deleting what has had its time. Readers search the rows, small transactions delete them in moments in which nobody
writes. While there are none, they take a share of its time that grows with the backlog, from a twentieth on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from jackfield.api.execution_counts import span_of
from jackfield.api.sql.moments import Pace, pace_of_forgetting
from jackfield.api.sql.pruning import PruningSearch
from jackfield.api.storage import Retention
from jackfield_store_sqlite.contents.counting import add_up
from jackfield_store_sqlite.contents.packing import Packing
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.dialect import SQL
from jackfield_store_sqlite.history.executions import LISTS
from jackfield_store_sqlite.writing.removing import remove

RowT = TypeVar("RowT")
_AT_ONCE = 100
"""Rows with blobs that one transaction deletes, of a small backlog: one at a time, beside whatever else is written
then."""
_UNSAVED = """SELECT u.id, e.data, u.forget_at FROM unsaved u LEFT JOIN executions e ON e.id = u.id
    WHERE u.forget_at <= ? AND NOT EXISTS (
        SELECT 1 FROM executions p WHERE p.id >= substr(u.id, 1, 13) AND p.id < substr(u.id, 1, 13) || '~'
        AND p.finished_at IS NULL) ORDER BY u.forget_at LIMIT ?"""
"""Ids of an execution and of its children begin alike, and an open parent may ask for a child's end."""
_EXPIRED = (
    "DELETE FROM deliveries WHERE rowid IN (SELECT rowid FROM deliveries WHERE expires_at <= ? LIMIT ?)",
    "DELETE FROM revoked_tokens WHERE id IN (SELECT id FROM revoked_tokens WHERE expires_at <= ? LIMIT ?)",
)
_FORGOTTEN = "DELETE FROM webhook_stats WHERE last_call < ? AND webhook_id NOT IN (SELECT id FROM registrations)"
_UNCOUNTED = "DELETE FROM execution_counts WHERE number <= 0"
_NO_SUMS = ("DELETE FROM workflow_counts WHERE number = 0", "DELETE FROM span_counts WHERE number = 0")
"""Of workflows that are gone, and of spans of which nothing is kept."""
_SEARCH = PruningSearch(SQL, LISTS, "id, data", "webhook_id, id, data")


class SqlitePruning:
    """Part of the store port."""

    _db: SqliteDatabase

    def hold_caps(self, *, executions: int | None = None, calls: int | None = None) -> None:
        self._db.caps.hold(executions=executions, calls=calls)

    async def prune(self, retention: Retention) -> int:
        gone = 0
        if not retention.keeps_executions:
            executions = await self._db.read(lambda connection: _SEARCH.executions(connection, retention))
            gone += await self._delete(executions.rows, partial(remove, packing=self._db.packing), executions.pace)
        if not retention.keeps_calls:
            left = retention.limit - gone
            calls = await self._db.read(lambda connection: _SEARCH.calls(connection, retention, left))
            gone += await self._delete(calls.rows, self._db.remove_calls, calls.pace)
        return gone + await self._prune_expired(retention, retention.limit - gone)

    async def _prune_expired(self, retention: Retention, limit: int) -> int:
        gone = await self._forget(retention.now, limit)
        left = limit - gone
        return gone + await self._db.write(lambda connection: _expired(connection, retention, left))

    async def _forget(self, now: int, limit: int) -> int:
        rows = await self._db.read(lambda connection: connection.execute(_UNSAVED, (now, limit)).fetchall())
        pace = pace_of_forgetting(rows[0][2] if rows else None, now)
        delete = partial(_remove_unsaved, packing=self._db.packing)
        return await self._delete([(ident, data) for ident, data, _ in rows], delete, pace)

    async def _delete(
        self, rows: Sequence[RowT], delete: Callable[[sqlite3.Connection, Sequence[RowT]], int], pace: Pace
    ) -> int:
        gone, at_once = 0, pace.rows(_AT_ONCE)
        for start in range(0, len(rows), at_once):
            part = rows[start : start + at_once]
            gone += await self._db.write_in_a_moment(partial(_deleted, delete=delete, part=part), pace.share)
        return gone


def _deleted(
    connection: sqlite3.Connection, *, delete: Callable[[sqlite3.Connection, Sequence[RowT]], int], part: Sequence[RowT]
) -> int:
    return delete(connection, part)


def _remove_unsaved(connection: sqlite3.Connection, rows: Sequence[tuple[str, int | None]], packing: Packing) -> int:
    gone = remove(connection, [(ident, data) for ident, data in rows if data is not None], packing)
    connection.executemany("DELETE FROM unsaved WHERE id = ?", [(ident,) for ident, _ in rows])
    return gone


def _expired(connection: sqlite3.Connection, retention: Retention, limit: int) -> int:
    gone = 0
    for sql in _EXPIRED:
        gone += connection.execute(sql, (retention.now, max(limit - gone, 0))).rowcount
    connection.execute(_FORGOTTEN, (retention.calls_before,))
    connection.execute(_UNCOUNTED)
    add_up(connection, span_of(retention.now))
    for sql in _NO_SUMS:
        connection.execute(sql)
    return gone
