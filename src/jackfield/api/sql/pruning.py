"""What retention ends, found over a database with SQL."""

from __future__ import annotations

from typing import Any, Generic

from ..storage import Retention
from .dialect import ConnectionT, SqlValue, StoreDialect
from .execution_lists import ExecutionLists

Doomed = tuple[Any, ...]  # Any: the columns by which a store deletes a row
_HISTORIES = """WITH RECURSIVE hooks (id) AS (SELECT min(webhook_id) FROM calls UNION ALL
        SELECT (SELECT min(webhook_id) FROM calls WHERE webhook_id > hooks.id) FROM hooks WHERE hooks.id IS NOT NULL)
    SELECT id FROM hooks WHERE id IS NOT NULL"""
"""Which webhooks have any, with one look for each."""
_BEYOND = "SELECT time, id FROM calls WHERE webhook_id = ? ORDER BY time DESC, id DESC LIMIT 1 OFFSET ?"


class PruningSearch(Generic[ConnectionT]):
    """On a connection inside of a transaction that reads. Rows come the oldest first."""

    def __init__(
        self, dialect: StoreDialect[ConnectionT], lists: ExecutionLists[ConnectionT], execution: str, call: str
    ) -> None:
        """execution, call: the columns by which the store deletes these."""
        order = "ORDER BY created_at, id LIMIT ?"
        self._sql = dialect
        self._lists = lists
        self._old = f"SELECT {execution} FROM executions WHERE created_at < ? AND finished_at < ? {order}"  # noqa: S608 - our own words
        self._first = f"SELECT {execution} FROM executions WHERE finished_at IS NOT NULL {order}"  # noqa: S608 - our own words
        calls = f"SELECT {call} FROM calls WHERE webhook_id = ?"  # noqa: S608 - our own words
        self._old_calls = f"{calls} AND time < ? ORDER BY time, id LIMIT ?"
        self._calls_until = f"{calls} AND (time, id) <= (?, ?) ORDER BY time, id LIMIT ?"

    def executions(self, connection: ConnectionT, retention: Retention) -> list[Doomed]:
        """By age and by count; those that are open stay."""
        before, limit = retention.executions_before, retention.limit
        rows = self._found(connection, self._old, before, before, limit)
        excess = self._lists.ended(connection) - retention.executions_keep
        return rows if excess <= len(rows) else self._found(connection, self._first, min(excess, limit))

    def calls(self, connection: ConnectionT, retention: Retention, limit: int) -> list[Doomed]:
        """By age and by count, of each webhook. The last one that stays is found in an index: nothing is counted."""
        rows: list[Doomed] = []
        if retention.keeps_calls:
            return rows
        for (webhook,) in self._found(connection, _HISTORIES):
            left = limit - len(rows)
            old = self._found(connection, self._old_calls, webhook, retention.calls_before, left)
            beyond = self._sql.execute(connection, _BEYOND, [webhook, retention.calls_keep]).fetchone()
            excess = self._found(connection, self._calls_until, webhook, *beyond, left) if beyond else []
            rows += old if len(old) > len(excess) else excess
        return rows

    def _found(self, connection: ConnectionT, sql: str, *values: SqlValue) -> list[Doomed]:
        return self._sql.execute(connection, sql, values).fetchall()
