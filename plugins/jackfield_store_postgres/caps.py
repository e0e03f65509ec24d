"""Caps that the store holds by itself: after so much was added here, what is beyond them goes in one small transaction
beside the writer, for which nobody waits.

Daemons that share the store take turns, by the same memo as `retention`; each looks by what it has added itself, and
counts what all have.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections import Counter

import psycopg

from jackfield.api.errors import StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.storage import KEEP_ALL
from jackfield_store_postgres.batch import run
from jackfield_store_postgres.connections import Connection
from jackfield_store_postgres.counting import COUNTS, sum_up
from jackfield_store_postgres.database import Database
from jackfield_store_postgres.memos import ADD
from jackfield_store_postgres.rows import execute
from jackfield_store_postgres.transactions import Statement

TURN = ("pruning", "turn")
"""Kind and key of the memo."""
LEAVE = "DELETE FROM memos WHERE kind = %s AND key = %s AND data = %s"
_LONGEST = 10.0
"""Seconds of a turn: it ends with its transaction, or was never there."""
_SHARE = 128
"""A cap may be passed by a part of it, of so many."""
_MOST = 500
"""Rows by which it may be passed at most, and that one transaction deletes beside as many as were added."""
_WEBHOOKS = 10_000
"""Of which additions are counted at a time."""
_TRIM = f"""WITH doomed AS (
        SELECT id FROM executions WHERE finished_at IS NOT NULL ORDER BY created_at, id
        LIMIT (SELECT least(greatest(coalesce(sum(number), 0) - %s::bigint, 0), %s::bigint)::bigint FROM {COUNTS})
        FOR UPDATE SKIP LOCKED
    ), gone AS (DELETE FROM executions e USING doomed d WHERE e.id = d.id RETURNING e.id
    ), steps AS (DELETE FROM execution_steps s USING gone g WHERE s.execution_id = g.id)
    SELECT id FROM gone"""  # noqa: S608 - our own words
_TRIM_CALLS = """WITH doomed AS (
        SELECT id FROM calls WHERE webhook_id = %s ORDER BY time, id
        LIMIT (SELECT least(greatest(count(*) - %s::bigint, 0), %s::bigint) FROM calls WHERE webhook_id = %s)
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM calls c USING doomed d WHERE c.webhook_id = %s AND c.id = d.id"""
"""The rows are chosen apart (`WITH`): inside of a join they might be chosen anew for each row of the other side."""


class HeldCaps:
    """Belongs to the event loop."""

    def __init__(self, database: Database, log: logging.Logger) -> None:
        self._db = database
        self._log = log
        self._executions = self._calls = KEEP_ALL
        self._added = 0
        self._added_calls: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None

    def hold(self, *, executions: int | None, calls: int | None) -> None:
        """None: as before."""
        self._executions = self._executions if executions is None else executions
        self._calls = self._calls if calls is None else calls

    def add_execution(self) -> None:
        """One more."""
        self._added += 1
        if self._is_due():
            self._look()

    def add_call(self, webhook_id: str) -> None:
        """One more."""
        self._added_calls[webhook_id] += 1
        if self._are_due(webhook_id):
            self._look()
        elif len(self._added_calls) > _WEBHOOKS:
            self._added_calls.clear()

    async def close(self) -> None:
        """What is beyond goes with the next additions."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _is_due(self) -> bool:
        return self._added >= _slack(self._executions) and self._executions < KEEP_ALL

    def _are_due(self, webhook_id: str) -> bool:
        return self._added_calls[webhook_id] >= _slack(self._calls) and self._calls < KEEP_ALL

    def _look(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._trim(), name="store.caps")

    async def _trim(self) -> None:
        while sent := self._taken():
            with contextlib.suppress(StoreUnavailable):  # the next additions try again
                await self._db.write_apart(functools.partial(self._trimmed, sent=sent))

    def _taken(self) -> list[Statement]:
        """What is to be deleted for what was added; it is counted anew from now on."""
        sent: list[Statement] = []
        if self._is_due():
            sent.append((_TRIM, (self._executions, _MOST + self._added)))
            self._added = 0
        for webhook_id in [webhook_id for webhook_id in self._added_calls if self._are_due(webhook_id)]:
            most = _MOST + self._added_calls.pop(webhook_id)
            sent.append((_TRIM_CALLS, (webhook_id, self._calls, most, webhook_id, webhook_id)))
        return sent

    def _trimmed(self, connection: Connection, *, sent: list[Statement]) -> None:
        """Nothing while another daemon has the turn for longer than this transaction."""
        turn = (*TURN, new_id().encode())
        try:
            if execute(connection, ADD, [*turn, _LONGEST]).rowcount:
                sum_up(connection)
                run(connection, [*sent, (LEAVE, turn)])
        except psycopg.errors.LockNotAvailable:  # another one's takes its time
            connection.execute("ROLLBACK")


def _slack(cap: int) -> int:
    """By how much it is passed before anything is deleted."""
    return max(1, min(cap // _SHARE, _MOST))
