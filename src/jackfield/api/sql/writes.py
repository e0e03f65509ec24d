"""The one thread that writes. It takes whatever waits at the moment into one transaction (group commit): alone, a write
is committed at once; under load, hundreds share one fsync."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

BatchT = TypeVar("BatchT")


class WriteOperation(Generic[BatchT]):
    """One queued write. run: may raise before it gathered anything in the batch; it is called again when the
    transaction is repeated, so it must change nothing else. size: bytes that it holds."""

    __slots__ = ("future", "queued_at", "run", "size")
    future: asyncio.Future[object]
    queued_at: float

    def __init__(self, run: Callable[[BatchT], object], size: int) -> None:
        """future, queued_at: of its queue."""
        self.run = run
        self.size = size


OperationT = TypeVar("OperationT", bound="WriteOperation[Any]")
"""Any: of whatever batches the writer makes."""
Outcome: TypeAlias = "tuple[OperationT, object, Exception | None]"
"""The operation, what it returned, why it failed."""


class WriterThread(ABC, Generic[OperationT]):
    """Waits for operations, commits them, hands the outcomes of a whole batch to `deliver` (called on this thread)."""

    def __init__(
        self, deliver: Callable[[Sequence[Outcome[OperationT]]], None], *, batch_size: int, log: logging.Logger
    ) -> None:
        """batch_size: operations of one transaction, at most."""
        self._deliver = deliver
        self._log = log
        self._batch_size = batch_size
        self._waiting: deque[OperationT] = deque()
        self._taking = threading.Lock()
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._idle = False
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="jackfield-store-writer", daemon=True)
        self._begun: tuple[float, Sequence[OperationT]] = (0.0, ())
        self.trouble: BaseException | None = None
        """Why the database does not answer now."""

    @abstractmethod
    def reason(self, error: BaseException) -> str:
        """Why the database does not answer, as half a sentence. Called on every thread."""

    @abstractmethod
    def _begin(self) -> bool:
        """Before operations are taken: as long as it is False they can be dropped with nothing done."""

    @abstractmethod
    def _commit(self, operations: Sequence[OperationT]) -> list[Outcome[OperationT]]:
        """One transaction, durable at the end. One operation that fails does not keep the others from it. After an
        error there is no transaction, and nothing has changed, or nobody knows."""

    @abstractmethod
    def _is_outage(self, error: Exception) -> bool:
        """The database does not answer; no operation is to blame."""

    @abstractmethod
    def _told(self, error: Exception) -> Exception:
        """The error for those whose operations were in a transaction that failed."""

    @abstractmethod
    def _end(self) -> None:
        """Nothing will be written any more."""

    def put(self, operation: OperationT) -> None:
        """Queue. Called on the event loop's thread."""
        self._waiting.append(operation)
        if self._idle:
            self._idle = False
            self._wake.put(None)

    def drop(self, queued_before: float) -> list[OperationT]:
        """Take back what has waited since before then and was not begun."""
        dropped = []
        with self._taking:
            while self._waiting and self._waiting[0].queued_at <= queued_before:
                dropped.append(self._waiting.popleft())
        return dropped

    def begun_before(self, moment: float) -> Sequence[OperationT]:
        """The operations of the running transaction, if it took them before then."""
        begun_at, operations = self._begun
        return operations if begun_at <= moment else ()

    def look(self, now: float, limit: float) -> None:
        """Called on the event loop's thread now and then while operations wait. now: monotonic; limit: seconds that one
        may take."""

    def close(self) -> None:
        """Write what is queued, then end the thread. Blocks."""
        self._stop()
        self._thread.join()

    def _stop(self) -> None:
        self._closing = True
        self._wake.put(None)

    def _work(self) -> None:
        while self._wait():
            try:
                self._turn()
            except Exception as error:  # the thread must outlive everything
                self._log.exception("The store's writer failed.")
                self._fail(self._take(), error)
        self._end()

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
        if not self._begin():
            return
        operations = self._take()
        try:
            outcomes = self._commit(operations)
        except Exception as error:
            if self._is_outage(error):
                self._troubled(error)
            self._fail(operations, error)
        else:
            self._recovered()
            self._hand_over(outcomes)

    def _take(self) -> list[OperationT]:
        with self._taking:
            operations = self._chosen(self._waiting)
            self._begun = (time.monotonic(), operations)
            return operations

    def _chosen(self, waiting: deque[OperationT]) -> list[OperationT]:
        """Those of the next transaction, taken from the front."""
        count = min(len(waiting), self._batch_size)
        return [waiting.popleft() for _ in range(count)]

    def _hand_over(self, outcomes: Sequence[Outcome[OperationT]]) -> None:
        self._begun = (0.0, ())
        self._deliver(outcomes)

    def _fail(self, operations: Sequence[OperationT], error: Exception) -> None:
        told = self._told(error)
        self._hand_over([(operation, None, told) for operation in operations])

    def _troubled(self, error: BaseException) -> None:
        if self.trouble is None:
            self._log.error("The store does not answer: %s.", self.reason(error))
        self.trouble = error

    def _recovered(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            self._log.info("The store answers again.")
