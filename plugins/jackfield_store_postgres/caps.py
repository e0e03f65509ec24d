"""Caps that the store holds by itself: after so much was added here, what is beyond them goes in one small transaction
beside the writer, for which nobody waits.

Daemons that share the store take turns, by the same memo as `retention`; each looks by what it has added itself, and
counts what all have.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections import Counter
from typing import TypeAlias

import psycopg

from jackfield.api.errors import StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.sql.caps import Caps
from jackfield.api.sql.pruning import FREE
from jackfield.api.storage import KEEP_ALL
from jackfield_store_postgres import failures
from jackfield_store_postgres.contents.counting import COUNTS, SUM_UP
from jackfield_store_postgres.database import Database
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.server.transactions import Statement
from jackfield_store_postgres.shared.memos import ADD

_Due: TypeAlias = "dict[str | None, int]"
"""Added calls by their webhook; None: executions."""
TURN = ("pruning", "turn")
"""Kind and key of the memo."""
LEAVE = "DELETE FROM memos WHERE kind = %s AND key = %s AND data = %s"
_LONGEST = 10.0
"""Seconds of a turn: it ends with its transaction, or was never there."""
_MOST = 500
"""Rows by which it may be passed at most, and that one transaction deletes beside as many as were added."""
_WEBHOOKS = 10_000
"""Of which additions are counted at a time."""
_BY_INDEX = """SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
    set_config('jit', 'off', true)"""
"""The oldest rows are at the beginning of an index. A table of which the server has no figures yet is read whole else.
What is off is taken to be dear, and compiled."""
_MINE = "EXISTS (SELECT 1 FROM memos WHERE kind = %s AND key = %s AND data = %s)"
_TRIM = f"""WITH doomed AS (
        SELECT id FROM executions WHERE finished_at IS NOT NULL AND {FREE} ORDER BY created_at, id
        LIMIT (SELECT CASE WHEN {_MINE} THEN least(greatest(coalesce(sum(number), 0) - %s::bigint, 0), %s::bigint)
            ELSE 0 END::bigint FROM {COUNTS})
        FOR UPDATE SKIP LOCKED
    ), gone AS (DELETE FROM executions WHERE id = ANY(ARRAY(SELECT id FROM doomed)))
    DELETE FROM execution_steps WHERE execution_id = ANY(ARRAY(SELECT id FROM doomed))"""  # noqa: S608 - our own words
_TRIM_CALLS = f"""WITH doomed AS (
        SELECT id FROM calls WHERE webhook_id = %s ORDER BY time, id
        LIMIT (SELECT CASE WHEN {_MINE} THEN least(greatest(count(*) - %s::bigint, 0), %s::bigint) ELSE 0 END
            FROM calls WHERE webhook_id = %s)
        FOR UPDATE SKIP LOCKED
    )
    DELETE FROM calls WHERE webhook_id = %s AND id = ANY(ARRAY(SELECT id FROM doomed))"""  # noqa: S608 - our own words
"""Rows are chosen apart (`WITH`), and given as arrays: inside of a join they might be chosen anew for each row of the
other side, or found by reading the whole table."""


class HeldCaps(Caps):
    """Belongs to the event loop."""

    def __init__(self, database: Database, log: logging.Logger) -> None:
        super().__init__(_MOST)
        self._db = database
        self._log = log
        self._added = 0
        self._added_calls: Counter[str] = Counter()
        self._task: asyncio.Task[None] | None = None

    def end(self, stored: asyncio.Future[None]) -> asyncio.Future[None]:
        """One more that has ended, once that is stored."""
        stored.add_done_callback(self._ended)
        return stored

    def call(self, webhook_id: str, stored: asyncio.Future[None]) -> asyncio.Future[None]:
        """One more, once it is stored."""
        stored.add_done_callback(functools.partial(self._called, webhook_id))
        return stored

    def _ended(self, _: asyncio.Future[None]) -> None:
        self._added += 1
        if self._is_due():
            self._look()

    def _called(self, webhook_id: str, _: asyncio.Future[None]) -> None:
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
        return self._is_passed(self._executions, self._added)

    def _are_due(self, webhook_id: str) -> bool:
        return self._is_passed(self._calls, self._added_calls[webhook_id])

    def _look(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._trim(), name="store.caps")

    async def _trim(self) -> None:
        while due := self._taken():
            try:
                await self._db.write_apart(functools.partial(self._trimmed, due=due))
            except StoreUnavailable:
                continue  # the next additions try again
            except psycopg.Error as error:
                self._log.warning("What is beyond the caps cannot be deleted now: %s.", failures.reason(error))

    def _taken(self) -> _Due:
        """What was added where it is due; it is counted anew from now on."""
        due: _Due = {}
        if self._is_due():
            due[None], self._added = self._added, 0
        few = self._slack(self._calls) // 2 if due else self._slack(self._calls)  # some are taken along
        for webhook_id in [one for one, added in self._added_calls.items() if added >= few and self._calls < KEEP_ALL]:
            due[webhook_id] = self._added_calls.pop(webhook_id)
        return due

    def _trimmed(self, connection: Connection, *, due: _Due) -> None:
        """In one round trip, as the loop's thread keeps this one waiting for the interpreter at each. Nothing while
        another daemon has the turn for longer than this transaction."""
        turn = (*TURN, new_id().encode())
        sent: list[Statement] = [(_BY_INDEX, ()), (ADD, (*turn, _LONGEST))]
        for webhook_id, added in due.items():
            if webhook_id is None:
                sent += [(SUM_UP, ()), (_TRIM, (*turn, self._executions, _MOST + added))]
            else:
                given = (webhook_id, *turn, self._calls, _MOST + added, webhook_id, webhook_id)
                sent.append((_TRIM_CALLS, given))
        with connection.pipeline():
            for sql, values in [*sent, (LEAVE, turn)]:
                connection.execute(sql, values, prepare=False)
