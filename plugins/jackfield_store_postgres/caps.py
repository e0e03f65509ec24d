"""Caps that the store holds by itself. After a number of rows was added here, the rows beyond the caps go in one small
transaction beside the writer, for which nobody waits.

Daemons that share the store take turns, by the same memo as `retention`. Each decides when to look by the rows that it
has added itself, and counts those that all have added. How many calls a webhook had then is in a memo too, so that
nobody counts them all again.
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
from jackfield.api.sql.caps import Caps, FirstEnd
from jackfield.api.storage import KEEP_ALL
from jackfield_store_postgres import failures
from jackfield_store_postgres.contents.counting import SUM_UP
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import Cursor
from jackfield_store_postgres.server.connections import Connection
from jackfield_store_postgres.server.transactions import COMMIT, Statement, reading
from jackfield_store_postgres.shared.memos import ADD
from jackfield_store_postgres.trims import BY_INDEX, TRIM, TRIM_CALLS
from jackfield_store_postgres.writing.batch import run

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


class PostgresCaps(Caps):
    """Belongs to the event loop."""

    def __init__(self, database: PostgresDatabase, log: logging.Logger) -> None:
        super().__init__(_MOST)
        self._db = database
        self._limits = reading(database.settings)
        self._log = log
        self._added = 0
        self._ends = 0
        self._meanwhile = 0
        """Ends that came while something was deleted, lately at most."""
        self._added_calls: Counter[str] = Counter()
        self._first = FirstEnd()
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
        self._ends += 1
        if self._is_due():
            self._look()

    def _called(self, webhook_id: str, _: asyncio.Future[None]) -> None:
        self._added_calls[webhook_id] += 1
        if self._are_due(webhook_id):
            self._look()
        elif len(self._added_calls) > _WEBHOOKS:
            self._added_calls.clear()

    async def close(self) -> None:
        """Rows that are beyond go with the next additions."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _is_due(self) -> bool:
        return self._is_passed(self._executions, self._added + self._lead(self._executions))

    def _are_due(self, webhook_id: str) -> bool:
        return self._is_passed(self._calls, self._added_calls[webhook_id] + self._lead(self._calls))

    def _lead(self, cap: int) -> int:
        """How many may come until they are deleted; on a machine that is busy it takes longer."""
        return min(self._meanwhile, self._slack(cap) * 3 // 4)

    def _look(self) -> None:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._trim(), name="store.caps")

    async def _trim(self) -> None:
        while due := self._taken():
            try:
                before = self._ends
                await self._db.ask(functools.partial(self._trimmed, due=due))
                self._meanwhile = max(self._ends - before, self._meanwhile * 9 // 10)
            except StoreUnavailable:
                continue  # the next additions try again
            except psycopg.Error as error:
                self._log.warning("Rows beyond the caps cannot be deleted now: %s.", failures.reason(error))

    def _taken(self) -> _Due:
        """The rows that were added where a trim is due; they are counted anew from now on."""
        due: _Due = {}
        if self._is_due():
            due[None], self._added = self._added, 0
        slack = self._slack(self._calls)
        few = slack // 2 if due else slack - self._lead(self._calls)  # some are taken along
        for webhook_id in [one for one, added in self._added_calls.items() if added >= few and self._calls < KEEP_ALL]:
            due[webhook_id] = self._added_calls.pop(webhook_id)
        return due

    def _trimmed(self, connection: Connection, *, due: _Due) -> None:
        """In one round trip, as the loop's thread keeps this one waiting for the interpreter at each. Nothing while
        another daemon has the turn for longer than this transaction."""
        turn = (*TURN, new_id().encode())
        sent: list[Statement] = [*self._limits.begin_claim(connection), (BY_INDEX, ()), (ADD, (*turn, _LONGEST))]
        for webhook_id, added in due.items():
            if webhook_id is not None:
                sent.append((TRIM_CALLS, (webhook_id, self._calls, *turn, _MOST + added)))
        if None in due:
            given = (*turn, self._executions, _MOST + due[None], self._first.since())
            sent += [(SUM_UP, ()), (TRIM, given)]
        told = run(connection, [*sent, (LEAVE, turn), COMMIT])
        if None in due and self._may_find_more(told[-3]):
            self._trimmed(connection, due={None: due[None]})

    def _may_find_more(self, trimmed: Cursor) -> bool:
        last, is_short = trimmed.fetchone() or (None, False)
        return self._first.found(last, is_short=is_short)
