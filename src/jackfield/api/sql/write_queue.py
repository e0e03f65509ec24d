"""What waits for the writer's thread: bounded, and never longer than the limit."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Generic, Protocol

from ..errors import StoreUnavailable
from .writes import OperationT, Outcome, WriterThread

UNCHANGED = "nothing was changed, try again."
"""The second half of a sentence."""
_LOOKS = 20
"""How often within the limit the queue is searched for what has waited too long."""
_UNKNOWN = "The store did not finish a commit in time; the change may or may not be kept, look before you try again."


class WriteLimits(Protocol):
    """queue_size: operations that may wait; queue_bytes: bytes of them together, unless there is only one; timeout:
    seconds that one may wait or take."""

    @property
    def queue_size(self) -> int: ...

    @property
    def queue_bytes(self) -> int: ...

    @property
    def timeout(self) -> float: ...


class WriteQueue(Generic[OperationT]):
    """All methods but `deliver` belong to the event loop that called `open`."""

    def __init__(self, limits: WriteLimits) -> None:
        self._limits = limits
        self._pending = 0
        self._pending_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._writer: WriterThread[OperationT] | None = None
        self.is_open = False

    def open(self, writer: WriterThread[OperationT]) -> None:
        """writer: it delivers here, and runs."""
        self._loop = asyncio.get_running_loop()
        self._writer = writer
        self.is_open = True

    def refuse(self) -> None:
        """Take nothing more; what is queued is delivered."""
        self.is_open = False

    async def close(self) -> None:
        """After the writer has ended."""
        await asyncio.sleep(0)
        if self._timer is not None:
            self._timer.cancel()

    def add(self, operation: OperationT) -> asyncio.Future[object]:
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
        operation.queued_at = time.monotonic()
        writer.put(operation)
        return future

    def deliver(self, outcomes: Sequence[Outcome[OperationT]]) -> None:
        """Called by the writer's thread: one wake-up of the loop for a whole batch."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed without `close`
                self._loop.call_soon_threadsafe(self._resolve, outcomes)

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
