"""One open database: writes through the writer thread, reads through the pool, nothing on the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import psycopg

from jackfield.api.errors import StoreUnavailable
from jackfield_store_postgres import failures
from jackfield_store_postgres.batch import WriteBatch
from jackfield_store_postgres.connections import Connection, Connector
from jackfield_store_postgres.migrating import migrate
from jackfield_store_postgres.readers import Readers
from jackfield_store_postgres.sessions import WriterSession
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.transactions import writing
from jackfield_store_postgres.writer import Outcome, StoreWriter, WriteOperation

ResultT = TypeVar("ResultT")
_LOOKS = 20
"""How often within the limit the queue is searched for what has waited too long."""
_UNKNOWN = "The store did not finish a commit in time; the change may or may not be kept, look before you try again."
_PATIENCE = 1.0
"""Seconds beyond its limit that the server gets to break a statement off by itself."""
_PAUSE = 0.5
"""Seconds between attempts to connect when the store opens."""


class Database:
    """All methods belong to the event loop that called `open`."""

    def __init__(self, settings: PostgresSettings, log: logging.Logger) -> None:
        self.settings = settings
        self.connector = Connector(settings)
        self._log = log
        self._open = False
        self._pending = 0
        self._pending_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._readers = Readers(self.connector, settings)
        session = WriterSession(self.connector, writing(settings))
        self._writer = StoreWriter(session, self._deliver, batch_size=settings.batch_size, log=log)

    async def open(self) -> None:
        """Raises `ConfigurationError`, or `StoreUnavailable` while no server answers."""
        await asyncio.to_thread(self._prepare)
        self._loop = asyncio.get_running_loop()
        self._writer.start()
        self._open = True

    async def close(self) -> None:
        """Write what is queued; what cannot be written fails when its time is up."""
        if not self._open:
            return
        self._open = False
        patience = self.settings.timeout * 3  # a transaction gets so long, and its operations before it
        await asyncio.to_thread(self._readers.close)
        await asyncio.to_thread(self._writer.close, patience)
        await asyncio.sleep(0)
        if self._timer is not None:
            self._timer.cancel()

    def post(
        self,
        run: Callable[[WriteBatch], None],
        size: int = 0,
        owners: Sequence[str | None] = (),
        *,
        alone: bool = False,
    ) -> asyncio.Future[None]:
        """Queue a gathered change; the future resolves when it is durable. size: bytes that it holds; owners, alone: as
        `WriteOperation` has them, without owners that are None."""
        return cast("asyncio.Future[None]", self._queue(run, size, owners, alone=alone))

    async def write(
        self, work: Callable[[Connection], ResultT], size: int = 0, owners: Sequence[str | None] = ()
    ) -> ResultT:
        """Run `work` in a transaction, after everything queued before; nothing stays of it when it raises. It may be
        called again."""
        return cast("ResultT", await self._queue(lambda batch: batch.apart(work), size, owners))

    async def write_alone(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """As `write`, in a transaction of its own: for work that locks rows that other daemons lock too."""
        return cast("ResultT", await self._queue(lambda batch: batch.apart(work), 0, alone=True))

    async def read(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """Run `work` on a connection that cannot write; it sees every write that has resolved."""
        if not self._open:
            raise StoreUnavailable("The store is closed.")
        return await self._readers.run(work)

    async def write_apart(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """Run `work` in a small transaction beside everything queued, on a connection that reads else. It may be called
        again, even when it was committed."""
        if not self._open:
            raise StoreUnavailable("The store is closed.")
        return await self._readers.run_writing(work)

    async def check(self) -> None:
        """Commit something small. Raises `StoreUnavailable`."""
        await self._queue(lambda _: None, 0)

    def _queue(
        self, run: Callable[[WriteBatch], object], size: int, owners: Sequence[str | None] = (), *, alone: bool = False
    ) -> asyncio.Future[object]:
        loop = self._loop
        if loop is None or not self._open:
            raise StoreUnavailable("The store is closed.")
        future: asyncio.Future[object] = loop.create_future()
        settings = self.settings
        if self._pending >= settings.queue_size or (
            self._pending_bytes and self._pending_bytes + size > settings.queue_bytes
        ):
            future.set_exception(
                StoreUnavailable("Too many writes wait for the store; nothing was changed, try again.")
            )
            return future
        self._pending += 1
        self._pending_bytes += size
        if self._timer is None:
            self._timer = loop.call_later(settings.timeout / _LOOKS, self._look)
        named = [owner for owner in owners if owner is not None]
        self._writer.put(WriteOperation(run, future, time.monotonic(), size, named, alone))
        return future

    def _deliver(self, outcomes: Sequence[Outcome]) -> None:
        """Called by the writer's thread: one wake-up of the loop for a whole batch."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop was closed without `close`
                self._loop.call_soon_threadsafe(self._resolve, outcomes)

    def _resolve(self, outcomes: Sequence[Outcome]) -> None:
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

    def _look(self) -> None:
        """Fail what has waited too long."""
        now, limit = time.monotonic(), self.settings.timeout
        dropped = self._writer.drop(now - limit)
        if dropped:
            error = self._writer.trouble
            why = failures.reason(error) if error else "The store did not answer in time"
            message = f"{why}; {failures.UNCHANGED}"
            self._resolve([(operation, None, StoreUnavailable(message)) for operation in dropped])
        for operation in self._writer.begun_before(now - limit):
            if not operation.future.done():
                operation.future.set_exception(StoreUnavailable(_UNKNOWN))
        self._writer.cut_if_asked_before(now - limit * 2 - _PATIENCE)
        waiting = self._loop is not None and self._pending
        self._timer = self._loop.call_later(limit / _LOOKS, self._look) if self._loop and waiting else None

    def _prepare(self) -> None:
        """Waits for the server as long as it may, then brings the schema up to date."""
        deadline = time.monotonic() + self.settings.start_timeout
        while True:
            try:
                with self.connector.connect() as connection:
                    return migrate(connection, self.settings)
            except psycopg.Error as error:
                refusal = failures.unusable(error, self.connector.password)
                if not isinstance(refusal, StoreUnavailable) or time.monotonic() + _PAUSE > deadline:
                    raise refusal from None
            time.sleep(_PAUSE)
