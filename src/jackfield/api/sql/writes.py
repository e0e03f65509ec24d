"""The one thread that writes, and what waits for it: bounded, and never longer than the limit.

The thread takes whatever waits at the moment into one transaction (group commit): alone, a write is committed at once.
Under load, hundreds share one fsync. It begins when a turn of the event loop ends, and for each batch the loop wakes up
once. Behind a batch the loop first gets a few turns, because callers that have waited for it often write again. One
large transaction costs less than two small ones, and all who wait for the smaller one wait for the same loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from ..clock import SystemClock
from ..diagnosis import Metric
from ..errors import StoreUnavailable
from .moments import SpareMoments
from .store_figures import StoreFigures

UNCHANGED = "nothing was changed, try again."
"""The second half of a sentence."""
_LOOKS = 20
"""How often within the limit the queue is searched for what has waited too long."""
_TURNS = 3
"""Of the event loop, behind a batch, in which as many writes may come as it had. A future that is shielded takes one
more than another."""
_UNKNOWN = "The store did not finish a commit in time; the change may or may not be kept, look before you try again."

BatchT = TypeVar("BatchT")


class WriteOperation(Generic[BatchT]):
    """One queued write. run: may raise before it gathered anything in the batch. It is called again when the
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
        self.put: Callable[[OperationT], None] = self._waiting.append
        """Queue. Called on the event loop's thread."""
        self._taking = threading.Lock()
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._told_to_go = False
        self._running = False
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="jackfield-store-writer", daemon=True)
        self._begun: tuple[float, Sequence[OperationT]] = (0.0, ())
        self.figures = StoreFigures()
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
        """The end of all writes."""

    @property
    def waiting(self) -> int:
        """Operations that were not begun."""
        return len(self._waiting)

    @property
    def is_busy(self) -> bool:
        """Whether it got the order to go, and did not hand over yet."""
        return self._told_to_go or self._running

    def go(self) -> None:
        """Write what waits. Called on the event loop's thread, unless it is busy."""
        self._told_to_go = True
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
        """Until there is something to write; False when there is nothing and everything has ended."""
        while not (self._waiting and (self._told_to_go or self._closing)):
            if self._closing:
                return False
            was_told, self._told_to_go = self._told_to_go, False
            if not (was_told and self._waiting):  # else somebody has relied on it since the look above
                self._wake.get()
            self._told_to_go = True  # may be by a word of before, and what was queued may have been dropped
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
            if operations:
                begun = self._begun[0]
                self.figures.committed(begun - operations[0].queued_at, time.monotonic() - begun)
            self._hand_over(outcomes)

    def _take(self) -> list[OperationT]:
        with self._taking:
            self._running, self._told_to_go = True, False
            operations = self._chosen(self._waiting)
            self._begun = (time.monotonic(), operations)
            return operations

    def _chosen(self, waiting: deque[OperationT]) -> list[OperationT]:
        """Those of the next transaction, taken from the front."""
        count = min(len(waiting), self._batch_size)
        return [waiting.popleft() for _ in range(count)]

    def _hand_over(self, outcomes: Sequence[Outcome[OperationT]]) -> None:
        self._begun = (0.0, ())
        self._running = False
        self._deliver(outcomes)

    def _fail(self, operations: Sequence[OperationT], error: Exception) -> None:
        told = self._told(error)
        self.figures.failed()
        self._hand_over([(operation, None, told) for operation in operations])

    def _troubled(self, error: BaseException) -> None:
        if self.trouble is None:
            self._log.error("The store does not answer: %s.", self.reason(error))
        self.trouble = error

    def _recovered(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            self._log.info("The store answers again.")


class WriteLimits(Protocol):
    """queue_size: operations that may wait; queue_bytes: bytes of them together, unless there is only one; timeout:
    seconds that one may wait or take."""

    @property
    def queue_size(self) -> int: ...

    @property
    def queue_bytes(self) -> int: ...

    @property
    def timeout(self) -> float: ...


_MOMENT = 0.02
"""Seconds without a write, after which what can wait has its turn."""


class WriteQueue(Generic[OperationT]):
    """All methods but `deliver` belong to the event loop that called `open`."""

    def __init__(self, limits: WriteLimits) -> None:
        self._limits = limits
        self._pending = 0
        self._pending_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._turning = False
        """Whether this hears of the end of the loop's turn."""
        self._turns = 0
        """How many more the writer leaves to those who have waited for the last batch."""
        self._expected = 0
        """Operations that may come of them."""
        self._last_at = 0.0
        """When the last write came (monotonic)."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer: WriterThread[OperationT] | None = None
        self.is_open = False
        self.moments = SpareMoments(SystemClock(), self._is_quiet)
        """For what can wait."""

    def open(self, writer: WriterThread[OperationT]) -> None:
        """writer: it delivers here, and runs."""
        self._loop = asyncio.get_running_loop()
        self._writer = writer
        self.is_open = True

    def metrics(self) -> Iterator[Metric]:
        """For `/metrics`; none before it is open."""
        return iter(()) if self._writer is None else self._writer.figures.metrics(self._pending)

    def refuse(self) -> None:
        """Take nothing more; what is queued is delivered."""
        self.is_open = False

    async def close(self) -> None:
        """After the writer has ended."""
        await asyncio.sleep(0)
        if self._timer is not None:
            self._timer.cancel()

    def add(self, operation: OperationT) -> asyncio.Future[Any]:  # Any: what it returns
        """The future resolves when the operation is durable. Raises `StoreUnavailable` when it is closed."""
        loop, writer = self._loop, self._writer
        if loop is None or writer is None or not self.is_open:
            raise StoreUnavailable("The store is closed.")
        future: asyncio.Future[object] = loop.create_future()
        limits, size = self._limits, operation.size
        if self._pending >= limits.queue_size or (
            self._pending_bytes and self._pending_bytes + size > limits.queue_bytes
        ):
            future.set_exception(StoreUnavailable(f"Too many writes wait for the store; {UNCHANGED}"))
            return future
        self._pending += 1
        self._pending_bytes += size
        if self._timer is None:
            self._timer = loop.call_later(limits.timeout / _LOOKS, self._look, writer)
        operation.future = future
        operation.queued_at = self._last_at = time.monotonic()
        writer.put(operation)
        if not self._turning:
            self._turning = True
            loop.call_soon(self._end_turn, writer)
        return future

    def _is_quiet(self) -> bool:
        return not self._pending and time.monotonic() - self._last_at >= _MOMENT

    def _end_turn(self, writer: WriterThread[OperationT]) -> None:
        self._turning = False
        if writer.is_busy:
            return  # the end of the batch leads back here
        waiting = writer.waiting
        if self._turns and waiting < self._expected and self._loop is not None:
            self._turns -= 1
            self._turning = True
            self._loop.call_soon(self._end_turn, writer)
        elif waiting:
            self._turns = 0
            writer.go()

    def deliver(self, outcomes: Sequence[Outcome[OperationT]]) -> None:
        """Called by the writer's thread: one wake-up of the loop for a whole batch."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed without `close`
                self._loop.call_soon_threadsafe(self._delivered, outcomes)

    def _delivered(self, outcomes: Sequence[Outcome[OperationT]]) -> None:
        self._resolve(outcomes)
        self._expected = len(outcomes)
        self._turns = _TURNS if self._expected > 1 else 0
        if self._writer is not None and not self._turning:
            self._end_turn(self._writer)

    def _resolve(self, outcomes: Sequence[Outcome[OperationT]]) -> None:
        for operation, result, error in outcomes:
            self._pending -= 1
            self._pending_bytes -= operation.size
            future = operation.future
            if future.done():
                continue
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

    def _look(self, writer: WriterThread[OperationT]) -> None:
        """Fail what has waited too long."""
        now, limit = time.monotonic(), self._limits.timeout
        dropped = writer.drop(now - limit)
        if dropped:
            error = writer.trouble
            why = writer.reason(error) if error else "The store did not answer in time"
            self._resolve([(operation, None, StoreUnavailable(f"{why}; {UNCHANGED}")) for operation in dropped])
        for operation in writer.begun_before(now - limit):
            if not operation.future.done():
                operation.future.set_exception(StoreUnavailable(_UNKNOWN))
        writer.look(now, limit)
        waiting = self._loop is not None and self._pending
        self._timer = self._loop.call_later(limit / _LOOKS, self._look, writer) if self._loop and waiting else None
