"""Threads that read, each with its own connection."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from jackfield.api.errors import StoreUnavailable
from jackfield.api.records import state
from jackfield_store_postgres import failures
from jackfield_store_postgres.server.connections import Connection, Connector, cut
from jackfield_store_postgres.server.transactions import reading
from jackfield_store_postgres.settings import PostgresSettings

ResultT = TypeVar("ResultT")
_Begin: TypeAlias = "Callable[[Connection], None]"
_PATIENCE = 1.0
"""Seconds beyond its limit that the server gets to break a read off by itself."""
_PAUSE = 0.1
"""Seconds between attempts to connect."""


@state
class _Read:
    """One read under way. connection: that it uses now."""

    deadline: float
    connection: Connection | None = None

    def cut(self) -> None:
        """A server that has not broken it off by itself does not answer at all."""
        if (connection := self.connection) is not None:
            cut(connection)


class _Place(threading.local):
    """The connection that one thread owns."""

    connection: Connection | None = None


class PostgresReaders:
    """A bounded pool. A read that takes longer than the limit is broken off by the server and fails."""

    def __init__(self, connector: Connector, settings: PostgresSettings) -> None:
        self._connector = connector
        self._settings = settings
        self._limits = reading(settings)
        self._pool = ThreadPoolExecutor(settings.readers, thread_name_prefix="jackfield-store-reader")
        self._place = _Place()
        self._open: set[Connection] = set()
        self._closing = False
        self._running = 0

    async def run(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """Run `work` in one read transaction; it may be called again. Raises `StoreUnavailable`."""
        return await self._begun(self._limits.begin_reading, work)

    async def ask(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """The same without a transaction around all of it: for work that sends a single statement, or looks after that
        itself."""
        return await self._begun(self._limits.begin_asking, work)

    async def run_writing(self, work: Callable[[Connection], ResultT]) -> ResultT:
        """The same in a small transaction that writes. A commit whose answer is lost is repeated. Raises
        `StoreUnavailable`."""
        return await self._begun(self._limits.begin_apart, work)

    async def _begun(self, begin: _Begin, work: Callable[[Connection], ResultT]) -> ResultT:
        if self._running >= self._settings.read_queue_size:
            raise StoreUnavailable("Too many reads wait for the store; try again.")
        loop = asyncio.get_running_loop()
        read = _Read(time.monotonic() + self._settings.timeout)
        self._running += 1
        future = loop.run_in_executor(self._pool, self._read, begin, work, read)
        future.add_done_callback(self._done)
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await future
        except TimeoutError:
            loop.call_later(_PATIENCE, read.cut)
            raise StoreUnavailable("The store did not answer in time; try again.") from None

    def close(self) -> None:
        """Blocks until the waiting reads are over, or have had their time."""
        self._closing = True
        ended = threading.Thread(target=self._pool.shutdown, daemon=True)
        ended.start()
        ended.join(self._settings.timeout + _PATIENCE)
        while ended.is_alive():
            for connection in list(self._open):
                cut(connection)
            ended.join(_PATIENCE)
        while self._open:
            self._open.pop().close()

    def _done(self, _: object) -> None:
        self._running -= 1

    def _read(self, begin: _Begin, work: Callable[[Connection], ResultT], read: _Read) -> ResultT:
        """A connection may have been cut since its last use, and a table changed since it was looked at."""
        while True:
            try:
                return self._once(begin, work, read)
            except psycopg.Error as error:
                lost = failures.is_lost(error)
                changed = isinstance(error, psycopg.errors.UndefinedColumn | psycopg.errors.UndefinedTable)
                last = self._closing or time.monotonic() + _PAUSE > read.deadline
                if last or not (lost or changed or failures.is_contended(error)):
                    if failures.is_outage(error) or lost or changed:
                        raise failures.unavailable(error) from error
                    raise
            time.sleep(_PAUSE)

    def _once(self, begin: _Begin, work: Callable[[Connection], ResultT], read: _Read) -> ResultT:
        try:
            connection = read.connection = self._connected()
            begin(connection)
            result = work(connection)
            if connection.info.transaction_status != TransactionStatus.IDLE:
                connection.execute("COMMIT", prepare=False)
        except BaseException:
            self._leave()
            raise
        finally:
            read.connection = None
        return result

    def _leave(self) -> None:
        """The connection is as it was before, or there is none."""
        connection = self._place.connection
        if connection is None:
            return
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            self._place.connection = None
            self._open.discard(connection)
            connection.close()

    def _connected(self) -> Connection:
        place = self._place
        if place.connection is None or place.connection.closed:
            place.connection = self._limits.connect(self._connector)
            self._open.add(place.connection)
        return place.connection
