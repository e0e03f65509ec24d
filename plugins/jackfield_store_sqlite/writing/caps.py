"""Caps that the writer holds by itself: the transaction that adds what is too many deletes as much of the oldest.

It takes no transaction, no search beside the writer and no walk over what is kept. How many calls a webhook has is
counted once, and known in memory from then on; how many executions have ended stands in `execution_counts`.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections import Counter
from collections.abc import Mapping, Sequence

from jackfield.api.sql.caps import Caps, FirstEnd
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.contents.counting import ended_executions
from jackfield_store_sqlite.contents.packing import Packing
from jackfield_store_sqlite.writing.removing import remove_oldest, remove_oldest_calls

_MOST = 200
"""Rows by which it may be passed at most, so that deleting them takes a few milliseconds."""
_WEBHOOKS = 10_000
"""Of which numbers are known at a time."""
_PAUSE = 60.0
"""Seconds without caps after deleting has failed, so that others can write."""
_CALLS = "SELECT count(*) FROM calls WHERE webhook_id = ?"


class SqliteCaps(Caps):
    """Belongs to the writer's thread, but for `hold`."""

    def __init__(self, log: logging.Logger, packing: Packing) -> None:
        super().__init__(_MOST)
        self._log = log
        self._packing = packing
        self._ended = 0
        """Executions that have ended since they were last counted."""
        self._room = 0
        """How many more there might be then."""
        self._added: Counter[str] = Counter()
        """Calls of a webhook since they were last counted, or since the start."""
        self._kept: dict[str, int] = {}
        """Calls of a webhook then."""
        self._version = -1
        """By which SQLite tells that another connection has committed."""
        self._paused_until = 0.0
        self._first = FirstEnd()

    def recount(self) -> None:
        """The known counts hold no more."""
        self._kept.clear()
        self._room = 0

    def keep(self, connection: sqlite3.Connection, ended: int, calls: Mapping[str, int]) -> None:
        """Delete what is too many by what this transaction adds, unless it is too little to be worth it. Raises
        sqlite3.Error when the transaction is lost with it."""
        self._ended += ended
        self._added.update(calls)
        due = [webhook for webhook in calls if self._are_due(webhook)]
        if (due or self._is_due()) and time.monotonic() >= self._paused_until:
            self._try(connection, due)
        if len(self._added) > _WEBHOOKS:
            self._added.clear()
            self._kept.clear()

    def _is_due(self) -> bool:
        return self._is_passed(self._executions, self._ended - self._room)

    def _are_due(self, webhook: str) -> bool:
        room = max(self._calls - self._kept.get(webhook, self._calls), 0)
        return self._is_passed(self._calls, self._added[webhook] - room)

    def _try(self, connection: sqlite3.Connection, webhooks: Sequence[str]) -> None:
        connection.execute("SAVEPOINT caps")
        try:
            if self._is_due():
                self._trim(connection)
            self._know(connection)
            for webhook in webhooks:
                self._trim_calls(connection, webhook)
        except sqlite3.Error as error:
            self.recount()
            if not connection.in_transaction:
                raise
            connection.execute("ROLLBACK TO caps")
            self._paused_until = time.monotonic() + _PAUSE
            self._log.warning("Rows beyond the caps cannot be deleted now: %s.", failures.reason(error))
        connection.execute("RELEASE caps")

    def _know(self, connection: sqlite3.Connection) -> None:
        """Whether what is known of calls still holds."""
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._version:
            self._kept.clear()
            self._version = version

    def _trim(self, connection: sqlite3.Connection) -> None:
        excess = ended_executions(connection) - self._executions
        gone = self._remove(connection, min(excess, _MOST + self._ended)) if excess > 0 else 0
        self._ended = 0
        self._room = max(gone - excess, 0)

    def _remove(self, connection: sqlite3.Connection, count: int) -> int:
        gone, last = remove_oldest(connection, count, self._packing, self._first.since())
        if self._first.found(last, is_short=gone < count):
            return gone + self._remove(connection, count - gone)
        return gone

    def _trim_calls(self, connection: sqlite3.Connection, webhook: str) -> None:
        added, kept = self._added[webhook], self._kept.get(webhook)
        kept = connection.execute(_CALLS, (webhook,)).fetchone()[0] if kept is None else kept + added
        excess = kept - self._calls
        gone = remove_oldest_calls(connection, webhook, min(excess, _MOST + added)) if excess > 0 else 0
        self._kept[webhook] = kept - gone
        self._added[webhook] = 0
