"""The one thread that writes: every batch is one transaction of SQLite's writing connection."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Sequence
from typing import TypeAlias

from jackfield.api.errors import JackfieldError
from jackfield.api.sql.writes import Outcome, WriteOperation, WriterThread
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.contents.counting import OpenExecutions
from jackfield_store_sqlite.contents.packing import Packing
from jackfield_store_sqlite.damage.reach import ReachFile, advance
from jackfield_store_sqlite.writing.batch import SqliteBatch
from jackfield_store_sqlite.writing.caps import SqliteCaps

StoreWrite: TypeAlias = "WriteOperation[SqliteBatch]"
StoreOutcome: TypeAlias = "Outcome[StoreWrite]"


class SqliteWriter(WriterThread[StoreWrite]):
    """While a lock keeps a transaction from beginning, operations can be dropped by whoever waits for them."""

    def __init__(
        self,
        connect: Callable[[], sqlite3.Connection],
        deliver: Callable[[Sequence[StoreOutcome]], None],
        on_damage: Callable[[], None],
        note: ReachFile,
        caps: SqliteCaps,
        packing: Packing,
        *,
        batch_size: int,
        log: logging.Logger,
    ) -> None:
        super().__init__(deliver, batch_size=batch_size, log=log)
        self._connect = connect
        self._on_damage = on_damage
        self._note = note
        self._caps = caps
        self._packing = packing
        self._open = OpenExecutions()
        self._connection: sqlite3.Connection | None = None

    def start(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._thread.start()

    def reason(self, error: BaseException) -> str:
        return failures.reason(error)

    def _begin(self) -> bool:
        try:
            self._connected().execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            self._troubled(error)
            if not failures.is_busy(error):
                self._disconnect()
                self._fail(self._take(), error)
            return False
        return True

    def _commit(self, operations: Sequence[StoreWrite]) -> list[StoreOutcome]:
        connection = self._connected()
        try:
            return self._written(connection, operations)
        except Exception:
            self._caps.recount()
            self._rollback(connection)
            raise

    def _written(self, connection: sqlite3.Connection, operations: Sequence[StoreWrite]) -> list[StoreOutcome]:
        """Everything in one go; should one operation spoil that, again, each on its own. It is noted before anybody
        hears of it."""
        batch = SqliteBatch(connection, self._packing, self._open)
        try:
            outcomes = [self._run(operation, batch) for operation in operations]
            batch.flush()
            self._caps.keep(connection, batch.ended, batch.called)
        except Exception as error:
            if failures.is_outage(error):
                raise
            self._caps.recount()
            connection.execute("ROLLBACK")
            connection.execute("BEGIN IMMEDIATE")
            outcomes = [self._run_alone(operation, connection) for operation in operations]
        sequence = advance(connection)
        connection.execute("COMMIT")
        self._note.note(sequence)
        return outcomes

    @staticmethod
    def _run(operation: StoreWrite, batch: SqliteBatch) -> StoreOutcome:
        try:
            return operation, operation.run(batch), None
        except JackfieldError as error:
            return operation, None, error

    def _run_alone(self, operation: StoreWrite, connection: sqlite3.Connection) -> StoreOutcome:
        connection.execute("SAVEPOINT alone")
        try:
            batch = SqliteBatch(connection, self._packing, self._open, careful=True)
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

    def _is_outage(self, error: Exception) -> bool:
        return failures.is_outage(error)

    def _told(self, error: Exception) -> Exception:
        known = isinstance(error, JackfieldError) or not isinstance(error, sqlite3.Error)
        return error if known else failures.unavailable(error)

    def _end(self) -> None:
        self._disconnect(optimize=True)

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

    def _troubled(self, error: BaseException) -> None:
        if failures.is_damage(error):
            self._on_damage()
        super()._troubled(error)
        if not failures.is_busy(error):
            self._disconnect()
