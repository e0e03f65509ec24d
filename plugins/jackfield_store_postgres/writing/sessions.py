"""The connection that writes, and the row that tells what became of its last transaction."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from jackfield.api.ids import new_id
from jackfield_store_postgres.server.connections import Connection, Connector, cut
from jackfield_store_postgres.server.transactions import Limits, Statement, mark
from jackfield_store_postgres.writing.batch import Key, PostgresBatch, run

OutcomeT = TypeVar("OutcomeT")
_SHARES = 64
"""Of a webhook's counters."""
_ENTER = "INSERT INTO writers VALUES (%s, %s, now()) ON CONFLICT DO NOTHING"
_SWEEP = "DELETE FROM writers WHERE seen_at < now() - interval '7 days'"
_LEAVE = "DELETE FROM writers WHERE id = %s"
_LAST = "SELECT batch FROM writers WHERE id = %s FOR UPDATE"


class CommitUnknown(Exception, Generic[OutcomeT]):
    """The connection broke while a commit was on its way: nobody knows whether it counts."""

    def __init__(self, number: int, outcomes: list[OutcomeT], error: psycopg.Error) -> None:
        super().__init__()
        self.number = number
        self.outcomes = outcomes
        self.error = error


class WriterSession:
    """Not thread-safe. Every method raises psycopg.Error."""

    def __init__(self, connector: Connector, limits: Limits) -> None:
        self._connector = connector
        self._limits = limits
        self._id = new_id()
        self._share = zlib.crc32(self._id.encode()) % _SHARES
        self._connection: Connection | None = None
        self._number = 0
        self._entered = False

    def ready(self) -> None:
        """There is a connection that answered last time, and the writer's row."""
        if self._connection is None or self._connection.closed:
            self._connection = self._limits.connect(self._connector)
        if not self._entered:
            self._transact([(_SWEEP, ()), (_ENTER, (self._id, self._number))])
            self._entered = True

    def begin(self, owners: Sequence[str], refused: frozenset[Key], *, careful: bool) -> PostgresBatch:
        """A batch whose transaction begins with its first statement. owners: incarnations that write in it."""
        connection = self._known()
        opening = [*self._limits.begin(connection), mark(self._id, self._number + 1, owners)]
        return PostgresBatch(connection, opening, self._share, owners or None, refused, careful)

    def commit(self, batch: PostgresBatch, outcomes: list[OutcomeT]) -> None:
        """Raises `CommitUnknown`."""
        if batch.alive is None:
            self._entered = False  # nobody has written for so long that the row was swept away
            raise psycopg.errors.SerializationFailure("the writer's row is gone")
        self._number += 1
        try:
            self._known().execute("COMMIT", prepare=False)
        except psycopg.Error as error:
            self.drop()
            raise CommitUnknown(self._number, outcomes, error) from error

    def has_committed(self, number: int) -> bool:
        """Whether the batch of this number counts. Waits for its transaction to end."""
        (row,) = self._transact([(_LAST, (self._id,))])
        last = int(row[0]) if row else 0
        if row is None:
            self._entered = False
        self._number = max(last, number - 1)
        return last >= number

    def rollback(self) -> None:
        """Back to a connection that can begin again; if in doubt, a new one."""
        connection = self._connection
        if connection is None:
            return
        try:
            if connection.info.transaction_status != TransactionStatus.IDLE:
                connection.execute("ROLLBACK")
        except psycopg.Error:
            self.drop()

    def drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(psycopg.Error):
                connection.close()

    def cut(self) -> None:
        """Called by another thread; see `connections.cut`."""
        if (connection := self._connection) is not None:
            cut(connection)

    def close(self) -> None:
        with contextlib.suppress(psycopg.Error):
            if self._connection is not None and self._entered:
                self._transact([(_LEAVE, (self._id,))])
        self.drop()

    def _known(self) -> Connection:
        if self._connection is None:
            raise psycopg.OperationalError("there is no connection")
        return self._connection

    def _transact(self, statements: Sequence[Statement]) -> list[tuple[Any, ...] | None]:
        """Run them in their own transaction; the first row of each. Any: the columns have its types."""
        connection = self._known()
        try:
            cursors = run(connection, [*self._limits.begin(connection), *statements])[-len(statements) :]
            rows = [cursor.fetchone() if cursor.description else None for cursor in cursors]
            connection.execute("COMMIT", prepare=False)
        except psycopg.Error:
            self.rollback()
            raise
        return rows
