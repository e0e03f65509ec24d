"""Deleting rows that have had their time.

Readers search the rows, and small transactions delete them beside the writer, in moments in which this daemon does not
write. While there are none, they take a share of the time that grows with the backlog, from a twentieth on. Of the
daemons that share the store one at a time does it. A memo says whose turn it is, because nothing else lasts from one
transaction to the next through a pooler.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from jackfield.api.errors import StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.sql.moments import Pace, pace_of_forgetting
from jackfield.api.sql.pruning import PruningSearch
from jackfield.api.storage import Retention
from jackfield_store_postgres.caps import LEAVE, TURN, PostgresCaps
from jackfield_store_postgres.contents.counting import sum_up
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.dialect import SQL
from jackfield_store_postgres.history.executions import LISTS, remove
from jackfield_store_postgres.rows import execute
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.shared.counts import ENDED_COUNTS
from jackfield_store_postgres.shared.memos import ADD, ENDED
from jackfield_store_postgres.trims import BY_INDEX

RowT = TypeVar("RowT")
FoundT = TypeVar("FoundT")
_Call: TypeAlias = "tuple[str, str]"
_AT_ONCE = 200
"""Rows that one transaction deletes, of a small backlog."""
_LONGEST_TURN = 60.0
"""Seconds, after which another daemon goes on where one has died."""
_UNSAVED = """SELECT u.id, u.forget_at FROM unsaved u WHERE u.forget_at <= %s
    AND NOT EXISTS (SELECT 1 FROM executions p WHERE p.id >= left(u.id, 13) AND p.id < left(u.id, 13) || '~'
        AND p.finished_at IS NULL) ORDER BY u.forget_at LIMIT %s"""
"""Ids of an execution and of its children begin alike, and an open parent may ask for a child's end."""
_DELETE_CALLS = """DELETE FROM calls c USING unnest(%s::text[], %s::text[]) AS t (webhook_id, id)
    WHERE c.webhook_id = t.webhook_id AND c.id = t.id"""
_EXPIRED = (
    """DELETE FROM deliveries WHERE (webhook_id, key) IN (
        SELECT webhook_id, key FROM deliveries WHERE expires_at <= %s LIMIT %s FOR UPDATE SKIP LOCKED)""",
    """DELETE FROM revoked_tokens WHERE id IN (
        SELECT id FROM revoked_tokens WHERE expires_at <= %s LIMIT %s FOR UPDATE SKIP LOCKED)""",
)
_FORGOTTEN = """DELETE FROM webhook_stats WHERE webhook_id IN (
        SELECT webhook_id FROM webhook_stats GROUP BY webhook_id HAVING max(last_call) < %s)
    AND NOT EXISTS (SELECT 1 FROM registrations r WHERE r.id = webhook_id)"""
_SEARCH = PruningSearch(SQL, LISTS, "id", "webhook_id, id")


class PostgresPruning:
    """Part of the store port."""

    _db: PostgresDatabase
    _caps: PostgresCaps
    _pruning: asyncio.Lock
    """The daemon's own callers wait for each other."""

    def hold_caps(self, *, executions: int | None = None, calls: int | None = None) -> None:
        self._caps.hold(executions=executions, calls=calls)

    async def prune(self, retention: Retention) -> int:
        """Nothing, and 0, while another daemon does it."""
        holder = new_id().encode()
        async with self._pruning:
            if not await self._db.write(lambda connection: _take_turn(connection, holder)):
                return 0
            try:
                return await self._prune(retention)
            finally:
                with contextlib.suppress(StoreUnavailable):  # then the turn ends by itself
                    await self._db.write(lambda connection: execute(connection, LEAVE, [*TURN, holder]).rowcount)

    async def _prune(self, retention: Retention) -> int:
        gone = 0
        if not retention.keeps_executions:
            executions = await self._db.read(_by_index(lambda connection: _SEARCH.executions(connection, retention)))
            gone += await self._delete([ident for (ident,) in executions.rows], remove, executions.pace)
        if not retention.keeps_calls:
            left = retention.limit - gone
            calls = await self._db.read(_by_index(lambda connection: _SEARCH.calls(connection, retention, left)))
            gone += await self._delete([(webhook, ident) for webhook, ident in calls.rows], _remove_calls, calls.pace)
        return gone + await self._prune_expired(retention, retention.limit - gone)

    async def _prune_expired(self, retention: Retention, limit: int) -> int:
        now = retention.now
        unsaved = await self._db.read(_by_index(lambda connection: _unsaved(connection, now, limit)))
        pace = pace_of_forgetting(unsaved[0][1] if unsaved else None, now)
        gone = await self._delete([ident for ident, _ in unsaved], _remove_unsaved, pace)
        left = limit - gone
        return gone + await self._db.write(lambda connection: _expired(connection, retention, left))

    async def _delete(
        self, rows: Sequence[RowT], delete: Callable[[Connection, Sequence[RowT]], int], pace: Pace
    ) -> int:
        gone, at_once = 0, pace.rows(_AT_ONCE)
        for start in range(0, len(rows), at_once):
            work = functools.partial(_deleted, delete=delete, part=rows[start : start + at_once])
            gone += await self._db.write_in_a_moment(work, pace.share)
        return gone


def _deleted(
    connection: Connection, *, delete: Callable[[Connection, Sequence[RowT]], int], part: Sequence[RowT]
) -> int:
    execute(connection, BY_INDEX)
    return delete(connection, part)


def _by_index(work: Callable[[Connection], FoundT]) -> Callable[[Connection], FoundT]:
    def run(connection: Connection) -> FoundT:
        execute(connection, BY_INDEX)
        return work(connection)

    return run


def _take_turn(connection: Connection, holder: bytes) -> bool:
    """The daemon that has it sums up the counts."""
    mine = execute(connection, ADD, [*TURN, holder, _LONGEST_TURN]).rowcount > 0
    if mine:
        sum_up(connection)
    return mine


def _unsaved(connection: Connection, now: int, limit: int) -> list[tuple[str, int]]:
    """Ids, and when they were to be forgotten."""
    return [(ident, forget_at) for ident, forget_at in execute(connection, _UNSAVED, [now, limit])]


def _remove_unsaved(connection: Connection, ids: Sequence[str]) -> int:
    gone = remove(connection, ids)
    execute(connection, "DELETE FROM unsaved WHERE id = ANY(%s)", [list(ids)])
    return gone


def _remove_calls(connection: Connection, calls: Sequence[_Call]) -> int:
    return execute(connection, _DELETE_CALLS, [[each[0] for each in calls], [each[1] for each in calls]]).rowcount


def _expired(connection: Connection, retention: Retention, limit: int) -> int:
    gone = 0
    for sql in _EXPIRED:
        gone += execute(connection, sql, (retention.now, max(limit - gone, 0))).rowcount
    for sql in (ENDED, ENDED_COUNTS):
        gone += execute(connection, sql, [max(limit - gone, 0)]).rowcount
    execute(connection, _FORGOTTEN, [retention.calls_before])
    return gone
