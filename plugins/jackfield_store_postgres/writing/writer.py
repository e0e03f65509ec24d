"""The one thread that writes. It takes whatever waits at the moment into one transaction (group commit): alone, a write
is committed at once. Under load, hundreds share one round trip and one fsync.

The row of `writers` that every batch changes decides about a commit whose answer does not come. It stays locked until
the transaction has ended, and then says whether it counts. So nothing is done twice, and nothing that was acknowledged
is lost, wherever the connection breaks.
"""

from __future__ import annotations

import logging
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias

import psycopg

from jackfield.api.errors import Fenced, JackfieldError
from jackfield.api.sql.writes import Outcome, WriteOperation, WriterThread
from jackfield_store_postgres import failures
from jackfield_store_postgres.writing.batch import Key, PostgresBatch, Refused
from jackfield_store_postgres.writing.sessions import CommitUnknown, WriterSession

_MOST_BYTES = 67_108_864
"""That one transaction takes, unless a single operation is larger."""
_PATIENCE = 1.0
"""Seconds beyond its limit that the server gets to break a statement off by itself."""
_PAUSE = 1.0
"""Seconds between two attempts to end the thread."""
_ATTEMPTS = 5
"""Of a transaction that others were in the way of."""


class StoreWrite(WriteOperation[PostgresBatch]):
    """owners: incarnations that must be alive, else it fails with `Fenced`."""

    __slots__ = ("owners",)
    shared = True
    """With others in one transaction."""

    def __init__(self, run: Callable[[PostgresBatch], object], size: int, owners: Sequence[str | None] = ()) -> None:
        super().__init__(run, size)
        self.owners = [owner for owner in owners if owner is not None]


class LoneWrite(StoreWrite):
    """For what locks rows that other daemons lock too."""

    __slots__ = ()
    shared = False


StoreOutcome: TypeAlias = "Outcome[StoreWrite]"


class PostgresWriter(WriterThread[StoreWrite]):
    """Without a connection no operation is taken, so that it can be dropped with nothing done."""

    def __init__(
        self,
        session: WriterSession,
        deliver: Callable[[Sequence[StoreOutcome]], None],
        *,
        batch_size: int,
        log: logging.Logger,
    ) -> None:
        super().__init__(deliver, batch_size=batch_size, log=log)
        self._session = session
        self._pause = 0.0
        self._asked_at = math.inf
        """When the database was last asked for something (monotonic); infinite: nothing is under way."""

    def start(self) -> None:
        self._thread.start()

    def reason(self, error: BaseException) -> str:
        return failures.reason(error)

    def look(self, now: float, limit: float) -> None:
        """Give a connection up that has not answered for long; what it was asked is tried again on another one."""
        if self._asked_at <= now - limit * 2 - _PATIENCE:
            self._session.cut()

    def close_within(self, patience: float) -> None:
        """Write what is queued, then end the thread. Blocks. A server that has not answered within `patience` seconds
        is waited for no longer."""
        self._stop()
        self._thread.join(patience)
        while self._thread.is_alive():
            self._session.cut()
            self._thread.join(_PAUSE)

    def _wait(self) -> bool:
        self._asked_at = math.inf
        return super()._wait()

    def _begin(self) -> bool:
        try:
            self._asking().ready()
        except (psycopg.Error, JackfieldError) as error:
            self._troubled(error)
            return False
        return True

    def _chosen(self, waiting: deque[StoreWrite]) -> list[StoreWrite]:
        operations: list[StoreWrite] = []
        size = 0
        while waiting and len(operations) < self._batch_size:
            size += waiting[0].size
            if operations and (size > _MOST_BYTES or not waiting[0].shared):
                break
            operations.append(waiting.popleft())
            if not operations[0].shared:
                break
        return operations

    def _commit(self, operations: Sequence[StoreWrite]) -> list[StoreOutcome]:
        return self._outcomes(operations) if operations else []

    def _is_outage(self, error: Exception) -> bool:
        return failures.is_outage(error)

    def _told(self, error: Exception) -> Exception:
        known = isinstance(error, JackfieldError) or not isinstance(error, psycopg.Error)
        return error if known else failures.unavailable(error)

    def _end(self) -> None:
        self._session.close()

    def _outcomes(self, operations: Sequence[StoreWrite]) -> list[StoreOutcome]:
        """Everything in one go; should one operation spoil that, again, each on its own."""
        try:
            return self._tried(operations)
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

    def _tried(self, operations: Sequence[StoreWrite]) -> list[StoreOutcome]:
        """Repeats what did not come to its end."""
        refused: frozenset[Key] = frozenset()
        attempts = 0
        while True:
            try:
                return self._attempt(operations, refused)
            except Refused as found:
                self._asking().rollback()
                refused |= found.keys
            except CommitUnknown as lost:
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

    def _attempt(self, operations: Sequence[StoreWrite], refused: frozenset[Key]) -> list[StoreOutcome]:
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

    def _resolved(self, lost: CommitUnknown[StoreOutcome], operations: Sequence[StoreWrite]) -> bool:
        """The fate of a commit whose answer did not come."""
        while self._reconnected(operations):
            try:
                return self._asking().has_committed(lost.number)
            except psycopg.Error as error:
                self._troubled(error)
        raise lost.error

    def _reconnected(self, operations: Sequence[StoreWrite]) -> bool:
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

    def _troubled(self, error: BaseException) -> None:
        """Waits a moment, longer each time."""
        super()._troubled(error)
        if failures.is_lost(error):
            self._session.drop()
        time.sleep(self._pause)
        self._pause = min(1.0, self._pause * 2 + 0.05)

    def _recovered(self) -> None:
        self._pause = 0.0
        super()._recovered()


def _run(operation: StoreWrite, batch: PostgresBatch) -> StoreOutcome:
    """One whose caller knows that its time is up does nothing; one that nobody waits for is done nevertheless."""
    future = operation.future
    if future.done() and not future.cancelled() and (told := future.exception()) is not None:
        return operation, None, told if isinstance(told, Exception) else None
    if any(("dead", owner) in batch.refused for owner in operation.owners):
        return operation, None, Fenced()
    try:
        return operation, operation.run(batch), None
    except JackfieldError as error:
        return operation, None, error
