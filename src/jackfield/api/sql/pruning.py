"""The rows that retention ends, found over a database with SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic

from ..records import record
from ..storage import Retention
from .dialect import ConnectionT, SqlValue, StoreDialect
from .execution_lists import ExecutionLists
from .moments import Pace, pace_of

Doomed = tuple[Any, ...]  # Any: the columns by which a store deletes a row
_HISTORIES = """WITH RECURSIVE hooks (id) AS (SELECT min(webhook_id) FROM calls UNION ALL
        SELECT (SELECT min(webhook_id) FROM calls WHERE webhook_id > hooks.id) FROM hooks WHERE hooks.id IS NOT NULL)
    SELECT id FROM hooks WHERE id IS NOT NULL"""
"""Which webhooks have any, with one look for each."""
FREE = """NOT (substr(executions.id, 15, 1) = '8' AND EXISTS (SELECT 1 FROM executions p
    WHERE p.id >= substr(executions.id, 1, 13) AND p.id < substr(executions.id, 1, 13) || '~'
    AND p.finished_at IS NULL))"""
"""Of ended ones in `executions`: those that no open execution may ask for. One that has started others looks for them
when it goes on after a crash or a wait. It starts those anew that it does not find. Their ids begin alike, and have an
8 where others have the version of UUIDs, a 7."""
_BEYOND = "SELECT time, id FROM calls WHERE webhook_id = ? ORDER BY time DESC, id DESC LIMIT 1 OFFSET ?"


@record
class FoundOld:
    """The rows that go next, and how fast."""

    rows: Sequence[Doomed]
    pace: Pace


class PruningSearch(Generic[ConnectionT]):
    """On a connection inside of a transaction that reads. Executions come in the order of their ends, calls in
    that in which they came."""

    def __init__(
        self, dialect: StoreDialect[ConnectionT], lists: ExecutionLists[ConnectionT], execution: str, call: str
    ) -> None:
        """execution, call: the columns by which the store deletes these."""
        order = "ORDER BY finished_at, id LIMIT ?"
        ended = f"SELECT {execution}, finished_at FROM executions WHERE {FREE} AND finished_at"  # noqa: S608 - our own words
        self._sql = dialect
        self._lists = lists
        self._old = f"{ended} < ? {order}"
        self._first = f"{ended} IS NOT NULL {order}"
        calls = f"SELECT {call}, time FROM calls WHERE webhook_id = ?"  # noqa: S608 - our own words
        self._old_calls = f"{calls} AND time < ? ORDER BY time, id LIMIT ?"
        self._calls_until = f"{calls} AND (time, id) <= (?, ?) ORDER BY time, id LIMIT ?"

    def executions(self, connection: ConnectionT, retention: Retention) -> FoundOld:
        """By age and by count; those that are open stay, and those that open ones may ask for."""
        before, limit = retention.executions_before, retention.limit
        rows = self._found(connection, self._old, before, limit)
        excess = self._lists.ended(connection) - retention.executions_keep
        if excess > len(rows):
            rows = self._found(connection, self._first, min(excess, limit))
        return _timed(rows, before, retention.now)

    def calls(self, connection: ConnectionT, retention: Retention, limit: int) -> FoundOld:
        """By age and by count, of each webhook. The last one that stays is found in an index: nothing is counted."""
        rows: list[Doomed] = []
        for (webhook,) in self._found(connection, _HISTORIES):
            left = limit - len(rows)
            old = self._found(connection, self._old_calls, webhook, retention.calls_before, left)
            beyond = self._sql.execute(connection, _BEYOND, [webhook, retention.calls_keep]).fetchone()
            excess = self._found(connection, self._calls_until, webhook, *beyond, left) if beyond else []
            rows += old if len(old) > len(excess) else excess
        return _timed(rows, retention.calls_before, retention.now)

    def _found(self, connection: ConnectionT, sql: str, *values: SqlValue) -> list[Doomed]:
        return self._sql.execute(connection, sql, values).fetchall()


def _timed(rows: Sequence[Doomed], before: int, now: int) -> FoundOld:
    """rows: with their times in the end."""
    oldest = min((row[-1] for row in rows), default=None)
    return FoundOld([row[:-1] for row in rows], pace_of(oldest, before, now))
