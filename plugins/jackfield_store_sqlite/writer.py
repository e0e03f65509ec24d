"""The one thread that writes. It takes whatever waits at the moment into one transaction (group commit): alone, a write
is committed at once; under load, hundreds share one fsync."""

from __future__ import annotations

import asyncio
import logging
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

from jackfield.api.errors import JackfieldError
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.batch import WriteBatch
from jackfield_store_sqlite.damage.reach import ReachFile, advance

Outcome: TypeAlias = "tuple[WriteOperation, object, Exception | None]"
"""The operation, what it returned, why it failed."""


class WriteOperation:
    """One queued write. run: may raise before it gathered anything in the batch; it is called a second time when
    another operation spoilt the transaction, so it must change nothing else."""

    __slots__ = ("future", "queued_at", "run", "size")

    def __init__(
        self, run: Callable[[WriteBatch], object], future: asyncio.Future[object], queued_at: float, size: int
    ) -> None:
        self.run = run
        self.future = future
        self.queued_at = queued_at
        self.size = size


class StoreWriter:
    """Waits for operations, commits them, hands the outcomes of a whole batch to `deliver` (called on this thread)."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        deliver: Callable[[Sequence[Outcome]], None],
        on_damage: Callable[[], None],
        note: ReachFile,
        *,
        batch_size: int,
        log: logging.Logger,
    ) -> None:
        self._connect = connect
        self._deliver = deliver
        self._on_damage = on_damage
        self._note = note
        self._batch_size = batch_size
        self._log = log
        self._waiting: deque[WriteOperation] = deque()
        self._taking = threading.Lock()
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._idle = False
        self._closing = False
        self._connection: sqlite3.Connection | None = None
        self._thread = threading.Thread(target=self._work, name="jackfield-store-writer", daemon=True)
        self._begun: tuple[float, Sequence[WriteOperation]] = (0.0, ())
        self.trouble: BaseException | None = None
        """Why the database does not answer now."""

    def start(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._thread.start()

    def put(self, operation: WriteOperation) -> None:
        """Queue. Called on the event loop's thread."""
        self._waiting.append(operation)
        if self._idle:
            self._idle = False
            self._wake.put(None)

    def drop(self, queued_before: float) -> list[WriteOperation]:
        """Take back what has waited since before then and was not begun."""
        dropped = []
        with self._taking:
            while self._waiting and self._waiting[0].queued_at <= queued_before:
                dropped.append(self._waiting.popleft())
        return dropped

    def begun_before(self, moment: float) -> Sequence[WriteOperation]:
        """The operations of the running transaction, if it took them before then."""
        begun_at, operations = self._begun
        return operations if begun_at <= moment else ()

    def close(self) -> None:
        """Write what is queued, then end the thread. Blocks."""
        self._closing = True
        self._wake.put(None)
        self._thread.join()

    def _work(self) -> None:
        while self._wait():
            try:
                self._turn()
            except Exception as error:  # the thread must outlive everything
                self._log.exception("The store's writer failed.")
                self._fail(self._take(), error)
        self._disconnect(optimize=True)

    def _wait(self) -> bool:
        """Until there is something to write; False when there is nothing and never will be."""
        while not self._waiting:
            if self._closing:
                return False
            self._idle = True
            if not self._waiting and not self._closing:
                self._wake.get()
            self._idle = False
        return True

    def _turn(self) -> None:
        """One transaction. It begins before it takes its operations: while a lock keeps it from beginning, they can be
        dropped by whoever waits for them, with nothing done."""
        try:
            connection = self._connected()
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            self._troubled(error)
            if not failures.is_busy(error):
                self._disconnect()
                self._fail(self._take(), error)
            return
        operations = self._take()
        try:
            outcomes = self._commit(connection, operations)
        except Exception as error:
            self._rollback(connection)
            if failures.is_outage(error):
                self._troubled(error)
            self._fail(operations, error)
        else:
            self._recovered()
            self._hand_over(outcomes)

    def _take(self) -> list[WriteOperation]:
        with self._taking:
            count = min(len(self._waiting), self._batch_size)
            operations = [self._waiting.popleft() for _ in range(count)]
            self._begun = (time.monotonic(), operations)
            return operations

    def _hand_over(self, outcomes: Sequence[Outcome]) -> None:
        self._begun = (0.0, ())
        self._deliver(outcomes)

    def _commit(self, connection: sqlite3.Connection, operations: Sequence[WriteOperation]) -> list[Outcome]:
        """Everything in one go; should one operation spoil that, again, each on its own. It is noted before anybody
        hears of it."""
        batch = WriteBatch(connection)
        try:
            outcomes = [self._run(operation, batch) for operation in operations]
            batch.flush()
        except Exception as error:
            if failures.is_outage(error):
                raise
            connection.execute("ROLLBACK")
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [self._run_alone(operation, connection) for operation in operations]
        sequence = advance(connection)
        connection.execute("COMMIT")
        self._note.note(sequence)
        return outcomes

    @staticmethod
    def _run(operation: WriteOperation, batch: WriteBatch) -> Outcome:
        try:
            return operation, operation.run(batch), None
        except JackfieldError as error:
            return operation, None, error

    @staticmethod
    def _run_alone(operation: WriteOperation, connection: sqlite3.Connection) -> Outcome:
        connection.execute("SAVEPOINT alone")
        try:
            batch = WriteBatch(connection, careful=True)
            result = operation.run(batch)
            batch.flush()
        except Exception as error:
            if failures.is_outage(error):
                raise
            connection.execute("ROLLBACK TO alone")
            return operation, None, failures.of_operation(error)
        finally:
            if connection.in_transaction:
                connection.execute("RELEASE alone")
        return operation, result, None

    def _fail(self, operations: Sequence[WriteOperation], error: Exception) -> None:
        known = error if isinstance(error, JackfieldError) or not isinstance(error, sqlite3.Error) else None
        self._hand_over([(operation, None, known or failures.unavailable(error)) for operation in operations])

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _rollback(self, connection: sqlite3.Connection) -> None:
        """Back to a connection that can begin again; if in doubt, a new one."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._disconnect()

    def _disconnect(self, *, optimize: bool = False) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            if optimize:
                connection.execute("PRAGMA analysis_limit = 400")
                connection.execute("PRAGMA optimize")
            connection.close()
        except sqlite3.Error as error:
            self._log.warning("The database could not be closed cleanly: %s.", failures.reason(error))

    def _troubled(self, error: Exception) -> None:
        if failures.is_damage(error):
            self._on_damage()
        if self.trouble is None:
            self._log.error("The store does not answer: %s.", failures.reason(error))
        self.trouble = error
        if not failures.is_busy(error):
            self._disconnect()

    def _recovered(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            self._log.info("The store answers again.")
