"""One open database: writes through the writer thread, reads through the pool, nothing on the event loop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, cast

import psycopg

from jackfield.api.diagnosis import Metric
from jackfield.api.errors import StoreUnavailable
from jackfield.api.sql.writes import WriteQueue
from jackfield_store_postgres import failures
from jackfield_store_postgres.migrating import migrate
from jackfield_store_postgres.server.connections import Connection, Connector
from jackfield_store_postgres.server.readers import PostgresReaders
from jackfield_store_postgres.server.transactions import writing
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.writing.batch import PostgresBatch
from jackfield_store_postgres.writing.sessions import WriterSession
from jackfield_store_postgres.writing.writer import LoneWrite, PostgresWriter, StoreWrite

ResultT = TypeVar("ResultT")
_PAUSE = 0.5
"""Seconds between attempts to connect when the store opens."""


class PostgresDatabase:
    """All methods belong to the event loop that called `open`."""

    def __init__(self, settings: PostgresSettings, log: logging.Logger) -> None:
        self.settings = settings
        self.connector = Connector(settings)
        self._log = log
        self._readers = PostgresReaders(self.connector, settings)
        session = WriterSession(self.connector, writing(settings))
        self._writes: WriteQueue[StoreWrite] = WriteQueue(settings)
        self._writer = PostgresWriter(session, self._writes.deliver, batch_size=settings.batch_size, log=log)

    async def open(self) -> None:
        """Raises `ConfigurationError`, or `StoreUnavailable` while no server answers."""
        await asyncio.to_thread(self._prepare)
        self._writer.start()
        self._writes.open(self._writer)

    async def close(self) -> None:
        """Write what is queued; what cannot be written fails when its time is up."""
        if not self._writes.is_open:
            return
        self._writes.refuse()
        patience = self.settings.timeout * 3  # a transaction gets so long, and its operations before it
        await asyncio.to_thread(self._readers.close)
        await asyncio.to_thread(self._writer.close_within, patience)
        await self._writes.close()

    def metrics(self) -> Iterator[Metric]:
        """For `/metrics`: how long it takes."""
        return self._writes.metrics()

    def post(
        self, run: Callable[[PostgresBatch], None], size: int = 0, owners: Sequence[str | None] = ()
    ) -> asyncio.Future[None]:
        """Queue a gathered change; the future resolves when it is durable. size: bytes that it holds; owners: as
        `StoreWrite` has them."""
        return cast("asyncio.Future[None]", self._writes.add(StoreWrite(run, size, owners)))

    def post_alone(self, work: Callable[[Connection], ResultT]) -> asyncio.Future[ResultT]:
        """As `write`, in its own transaction: for work that locks rows that other daemons lock too."""
        return cast("asyncio.Future[ResultT]", self._writes.add(LoneWrite(lambda batch: batch.apart(work), 0)))

    async def write(
        self, work: Callable[[Connection], ResultT], size: int = 0, owners: Sequence[str | None] = ()
    ) -> ResultT:
        """Run `work` in a transaction, after everything queued before; nothing stays of it when it raises. It may be
        called again."""
        return cast("ResultT", await self._writes.add(StoreWrite(lambda batch: batch.apart(work), size, owners)))

    async def write_in_a_moment(self, work: Callable[[Connection], ResultT], share: float) -> ResultT:
        """As `write_apart`, when nobody writes or in this share of the time; see `SpareMoments.run`."""
        return await self._writes.moments.run(self.write_apart, work, share)

    async def write_alone(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """`post_alone`"""
        return await self.post_alone(work)

    async def read(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """Run `work` on a connection that cannot write; it sees every write that has resolved."""
        if not self._writes.is_open:
            raise StoreUnavailable("The store is closed.")
        return await self._readers.run(work)

    async def ask(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """The same, and quicker, for work that sends a single statement, or looks after transactions itself."""
        if not self._writes.is_open:
            raise StoreUnavailable("The store is closed.")
        return await self._readers.ask(work)

    async def write_apart(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """Run `work` in a small transaction beside everything queued, on a connection that reads else. It may be called
        again, even when it was committed."""
        if not self._writes.is_open:
            raise StoreUnavailable("The store is closed.")
        return await self._readers.run_writing(work)

    async def check(self) -> None:
        """Commit something small. Raises `StoreUnavailable`."""
        await self._writes.add(StoreWrite(lambda _: None, 0))

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
