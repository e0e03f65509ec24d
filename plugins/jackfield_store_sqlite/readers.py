"""Threads that read, each with its own connection."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from jackfield.api.errors import DataDamaged, StoreUnavailable
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.connections import connect_reader
from jackfield_store_sqlite.damage.digests import readable
from jackfield_store_sqlite.settings import SqliteSettings

ResultT = TypeVar("ResultT")
_STEPS_BETWEEN_LOOKS = 200_000


class _Place(threading.local):
    """The connection that one thread owns."""

    connection: sqlite3.Connection | None = None
    deadline: float = 0.0


class SqliteReaders:
    """A bounded pool. A read that takes longer than the limit is interrupted and fails."""

    def __init__(
        self,
        file: Path,
        settings: SqliteSettings,
        on_damage: Callable[[], None],
        on_damaged_row: Callable[[DataDamaged], None],
    ) -> None:
        self._file = file
        self._settings = settings
        self._on_damage = on_damage
        self._on_damaged_row = on_damaged_row
        self._pool = ThreadPoolExecutor(settings.readers, thread_name_prefix="jackfield-store-reader")
        self._place = _Place()
        self._open: set[sqlite3.Connection] = set()
        self._running = 0

    async def run(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """Run `work` in one read transaction. Raises `StoreUnavailable`."""
        if self._running >= self._settings.read_queue_size:
            raise StoreUnavailable("Too many reads wait for the store; try again.")
        deadline = time.monotonic() + self._settings.timeout
        self._running += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, self._read, work, deadline)
        future.add_done_callback(self._done)
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await future
        except TimeoutError:
            raise StoreUnavailable("The store did not answer in time; try again.") from None

    def close(self) -> None:
        """Blocks until the waiting reads are over."""
        self._pool.shutdown()
        while self._open:
            self._open.pop().close()

    def _done(self, _: object) -> None:
        self._running -= 1

    def _read(self, work: Callable[[sqlite3.Connection], ResultT], deadline: float) -> ResultT:
        self._place.deadline = deadline
        try:
            connection = self._connected()
            connection.execute("BEGIN")
            try:
                return self._readable(work, connection)
            finally:
                if connection.in_transaction:
                    connection.execute("COMMIT")
        except DataDamaged as damage:
            self._on_damaged_row(damage)
            raise
        except sqlite3.Error as error:
            self._forget()
            if failures.is_damage(error):
                self._on_damage()
            if failures.is_outage(error):
                raise failures.unavailable(error) from error
            raise

    @staticmethod
    def _readable(work: Callable[[sqlite3.Connection], ResultT], connection: sqlite3.Connection) -> ResultT:
        """Text that damage has made undecodable is read once more as far as it can be: a digest finds it."""
        try:
            return work(connection)
        except sqlite3.OperationalError as error:
            if hasattr(error, "sqlite_errorcode") or connection.text_factory is readable:
                raise
            connection.text_factory = readable
            return work(connection)

    def _connected(self) -> sqlite3.Connection:
        place = self._place
        if place.connection is None:
            place.connection = connect_reader(self._file, self._settings)
            place.connection.set_progress_handler(self._overdue, _STEPS_BETWEEN_LOOKS)
            self._open.add(place.connection)
        return place.connection

    def _overdue(self) -> bool:
        return time.monotonic() > self._place.deadline

    def _forget(self) -> None:
        connection, self._place.connection = self._place.connection, None
        if connection is not None:
            self._open.discard(connection)
            connection.close()
