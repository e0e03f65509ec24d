"""The one thread that writes. It takes whatever waits at the moment into one transaction (group commit): alone, a write
is committed at once; under load, hundreds share one round trip and one fsync.

A commit whose answer does not come is decided with the row of `writers` that every batch changes: it stays locked
until the transaction has ended, and then says whether it counts. So nothing is done twice, and nothing that was
acknowledged is lost, wherever the connection breaks.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

import psycopg

from jackfield.api.errors import Fenced, JackfieldError
from jackfield_store_postgres import failures
from jackfield_store_postgres.batch import Key, Refused, WriteBatch
from jackfield_store_postgres.sessions import Unresolved, WriterSession

Outcome: TypeAlias = "tuple[WriteOperation, object, Exception | None]"
"""The operation, what it returned, why it failed."""
_MOST_BYTES = 67_108_864
"""That one transaction takes, unless a single operation is larger."""
_PATIENCE = 1.0
"""Seconds between two attempts to end the thread."""
_ATTEMPTS = 5
"""Of a transaction that others were in the way of."""


class WriteOperation:
    """One queued write. run: may raise before it gathered anything in the batch; it is called again when the
    transaction is repeated, so it must change nothing else."""

    __slots__ = ("alone", "future", "owners", "queued_at", "run", "size")

    def __init__(
        self,
        run: Callable[[WriteBatch], object],
        future: asyncio.Future[object],
        queued_at: float,
        size: int,
        owners: Sequence[str],
        alone: bool,
    ) -> None:
        """owners: incarnations that must be alive, else it fails with `Fenced`. alone: it shares no transaction."""
        self.run = run
        self.future = future
        self.queued_at = queued_at
        self.size = size
        self.owners = owners
        self.alone = alone


class StoreWriter:
    """Waits for operations, commits them, hands the outcomes of a whole batch to `deliver` (called on this thread)."""

    def __init__(
        self,
        session: WriterSession,
        deliver: Callable[[Sequence[Outcome]], None],
        *,
        batch_size: int,
        log: logging.Logger,
    ) -> None:
        self._session = session
        self._deliver = deliver
        self._batch_size = batch_size
        self._log = log
        self._waiting: deque[WriteOperation] = deque()
        self._taking = threading.Lock()
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="jackfield-store-writer", daemon=True)
        self._begun: tuple[float, Sequence[WriteOperation]] = (0.0, ())
        self._pause = 0.0
        self._asked_at = math.inf
        """When the database was last asked for something (monotonic); infinite: nothing is under way."""
        self.trouble: BaseException | None = None
        """Why the database does not answer now."""

    def start(self) -> None:
        self._thread.start()

    def put(self, operation: WriteOperation) -> None:
        """Queue. Called on the event loop's thread."""
        self._waiting.append(operation)
        self._wake.set()

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

    def cut_if_asked_before(self, moment: float) -> None:
        """Give a connection up that has not answered since then; what it was asked is tried again on another one."""
        if self._asked_at <= moment:
            self._session.cut()

    def close(self, patience: float) -> None:
        """Write what is queued, then end the thread. Blocks. A server that has not answered within `patience` seconds
        is waited for no longer."""
        self._closing = True
        self._wake.set()
        self._thread.join(patience)
        while self._thread.is_alive():
            self._session.cut()
            self._thread.join(_PATIENCE)

    def _work(self) -> None:
        while self._wait():
            try:
                self._turn()
            except Exception as error:  # the thread must outlive everything
                self._log.exception("The store's writer failed.")
                self._fail(self._take(), error)
        self._session.close()

    def _wait(self) -> bool:
        """Until there is something to write; False when there is nothing and never will be."""
        self._asked_at = math.inf
        while not self._waiting:
            if self._closing:
                return False
            self._wake.wait()
            self._wake.clear()
        return True

    def _turn(self) -> None:
        """One transaction. Without a connection nothing is taken, so that it can be dropped with nothing done."""
        try:
            self._asking().ready()
        except (psycopg.Error, JackfieldError) as error:
            self._troubled(error)
            return
        operations = self._take()
        if not operations:
            return
        try:
            outcomes = self._outcomes(operations)
        except Exception as error:
            if failures.is_outage(error):
                self._troubled(error)
            self._fail(operations, error)
        else:
            self._recovered()
            self._hand_over(outcomes)

    def _take(self) -> list[WriteOperation]:
        with self._taking:
            operations: list[WriteOperation] = []
            size = 0
            while self._waiting and len(operations) < self._batch_size:
                size += self._waiting[0].size
                if operations and (size > _MOST_BYTES or self._waiting[0].alone):
                    break
                operations.append(self._waiting.popleft())
                if operations[0].alone:
                    break
            self._begun = (time.monotonic(), operations)
            return operations

    def _hand_over(self, outcomes: Sequence[Outcome]) -> None:
        self._begun = (0.0, ())
        self._deliver(outcomes)

    def _outcomes(self, operations: Sequence[WriteOperation]) -> list[Outcome]:
        """Everything in one go; should one operation spoil that, again, each on its own."""
        try:
            return self._commit(operations)
        except psycopg.Error as error:
            if failures.is_outage(error):
                raise
            if len(operations) == 1:
                return [(operations[0], None, failures.of_operation(error))]
        except JackfieldError:
            raise
        except Exception as error:
            if len(operations) == 1:
                return [(operations[0], None, error)]
        return [outcome for operation in operations for outcome in self._outcomes([operation])]

    def _commit(self, operations: Sequence[WriteOperation]) -> list[Outcome]:
        """Repeats what did not come to its end."""
        refused: frozenset[Key] = frozenset()
        attempts = 0
        while True:
            try:
                return self._attempt(operations, refused)
            except Refused as found:
                self._asking().rollback()
                refused |= found.keys
            except Unresolved as lost:
                if self._resolved(lost, operations):
                    return lost.outcomes
                attempts += 1
            except psycopg.Error as error:
                self._asking().rollback()
                attempts += 1
                again = failures.is_contended(error) or failures.is_lost(error)
                if not again or attempts >= _ATTEMPTS or not self._reconnected(operations):
                    raise
            except BaseException:
                self._asking().rollback()
                raise

    def _attempt(self, operations: Sequence[WriteOperation], refused: frozenset[Key]) -> list[Outcome]:
        owners = sorted({owner for operation in operations for owner in operation.owners})
        batch = self._session.begin(owners, refused, careful=len(operations) == 1)
        outcomes = []
        for operation in operations:
            self._asking()
            outcomes.append(_run(operation, batch))
        self._asking()
        batch.flush()
        self._asking().commit(batch, outcomes)
        return outcomes

    def _asking(self) -> WriterSession:
        """The session, for something that the database answers in a while."""
        self._asked_at = time.monotonic()
        return self._session

    def _resolved(self, lost: Unresolved[Outcome], operations: Sequence[WriteOperation]) -> bool:
        """What became of a commit whose answer did not come."""
        while self._reconnected(operations):
            try:
                return self._asking().has_committed(lost.number)
            except psycopg.Error as error:
                self._troubled(error)
        raise lost.error

    def _reconnected(self, operations: Sequence[WriteOperation]) -> bool:
        """Try until there is a connection; False when nobody waits for these operations any more and the store is
        closing."""
        while True:
            try:
                self._asking().ready()
            except psycopg.Error as error:
                self._troubled(error)
            else:
                return True
            if self._closing and all(operation.future.done() for operation in operations):
                return False

    def _fail(self, operations: Sequence[WriteOperation], error: Exception) -> None:
        known = error if isinstance(error, JackfieldError) or not isinstance(error, psycopg.Error) else None
        self._hand_over([(operation, None, known or failures.unavailable(error)) for operation in operations])

    def _troubled(self, error: BaseException) -> None:
        """Waits a moment, longer each time."""
        if self.trouble is None:
            self._log.error("The store does not answer: %s.", failures.reason(error))
        self.trouble = error
        if failures.is_lost(error):
            self._session.drop()
        time.sleep(self._pause)
        self._pause = min(1.0, self._pause * 2 + 0.05)

    def _recovered(self) -> None:
        self._pause = 0.0
        if self.trouble is not None:
            self.trouble = None
            self._log.info("The store answers again.")


def _run(operation: WriteOperation, batch: WriteBatch) -> Outcome:
    """One whose caller was told that its time is up does nothing; one that nobody waits for is done all the same."""
    future = operation.future
    if future.done() and not future.cancelled() and (told := future.exception()) is not None:
        return operation, None, told if isinstance(told, Exception) else None
    if any(("dead", owner) in batch.refused for owner in operation.owners):
        return operation, None, Fenced()
    try:
        return operation, operation.run(batch), None
    except JackfieldError as error:
        return operation, None, error
