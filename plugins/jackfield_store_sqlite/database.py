"""One open database: writes through the writer thread, reads through the pool, nothing on the event loop."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from jackfield.api.diagnosis import Metric
from jackfield.api.errors import DataDamaged, StoreUnavailable
from jackfield.api.sql.writes import WriteOperation, WriteQueue
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.connections import connect_writer, create_file
from jackfield_store_sqlite.contents.packing import Packing
from jackfield_store_sqlite.damage.known import DamageFinding
from jackfield_store_sqlite.damage.opening import DamageWatch
from jackfield_store_sqlite.readers import SqliteReaders
from jackfield_store_sqlite.schema import migrate
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.writing.batch import SqliteBatch
from jackfield_store_sqlite.writing.caps import SqliteCaps
from jackfield_store_sqlite.writing.removing import remove_calls
from jackfield_store_sqlite.writing.writer import SqliteWriter, StoreWrite

ResultT = TypeVar("ResultT")
_CHECKED_AT_OPEN = 4 * 1024 * 1024
"""Bytes of a database that is checked page by page when opened (a few milliseconds)."""


class SqliteDatabase:
    """All methods belong to the event loop that called `open`."""

    def __init__(self, file: Path, settings: SqliteSettings, log: logging.Logger) -> None:
        self.file = file
        self.settings = settings
        self._log = log
        self._damaged = False
        self._identity: tuple[int, int] | None = None
        self.watch = DamageWatch(file, log)
        self._readers = SqliteReaders(file, settings, self._found_damage, self._found_damaged_row)
        self._writes: WriteQueue[StoreWrite] = WriteQueue(settings)
        deliver, note = self._writes.deliver, self.watch.note_file
        self.packing = Packing(settings.compress_from)
        self.caps = SqliteCaps(log, self.packing)
        self._writer = SqliteWriter(
            self._connect,
            deliver,
            self._found_damage,
            note,
            self.caps,
            self.packing,
            batch_size=settings.batch_size,
            log=log,
        )

    async def open(self, *, claimed: bool = False) -> None:
        """claimed: by a daemon. Raises `ConfigurationError`, or `StoreUnavailable` while another process holds a
        lock."""
        connection = await asyncio.to_thread(self._first_connection, claimed)
        self._writer.start(connection)
        self._writes.open(self._writer)

    async def close(self) -> None:
        """Write what is queued; what cannot be written fails when its time is up."""
        if not self._writes.is_open:
            return
        self._writes.refuse()
        await asyncio.to_thread(self._readers.close)
        await asyncio.to_thread(self._writer.close)
        await asyncio.to_thread(self.watch.close)
        await self._writes.close()

    def metrics(self) -> Iterator[Metric]:
        """For `/metrics`: how long it takes."""
        return self._writes.metrics()

    def post(self, run: Callable[[SqliteBatch], None], size: int = 0) -> asyncio.Future[None]:
        """Queue a gathered change; the future resolves when it is durable. size: bytes that it holds."""
        return self._writes.add(WriteOperation(run, size))

    async def write(self, work: Callable[[sqlite3.Connection], ResultT], size: int = 0) -> ResultT:
        """Run `work` in a transaction, after everything queued before; nothing stays of it when it raises."""
        written: asyncio.Future[ResultT] = self._writes.add(WriteOperation(lambda batch: batch.apart(work), size))
        return await written

    async def write_in_a_moment(self, work: Callable[[sqlite3.Connection], ResultT], share: float) -> ResultT:
        """As `write`, when nobody writes or in this share of the time; see `SpareMoments.run`."""
        return await self._writes.moments.run(self.write, work, share)

    async def write_alone(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """As `write`: no other daemon locks rows, and a batch keeps apart what each work has done."""
        return await self.write(work)

    async def read(self, work: Callable[[sqlite3.Connection], ResultT]) -> ResultT:
        """Run `work` on a connection that cannot write; it sees every write that has resolved."""
        if not self._writes.is_open:
            raise StoreUnavailable("The store is closed.")
        return await self._readers.run(work)

    async def check(self) -> None:
        """Write something small; once damage was met, look at every page first. Raises `StoreUnavailable`."""
        if self._damaged:
            await self.read(_check_pages)
            self._damaged = False
        await self.write(self._probe)

    def remove_calls(self, connection: sqlite3.Connection, calls: Sequence[tuple[str, str, int]]) -> int:
        """As `removing` does it. Called on the writer's thread."""
        self.caps.recount()
        return remove_calls(connection, calls)

    def _found_damage(self) -> None:
        self._damaged = True

    def _found_damaged_row(self, damage: DataDamaged) -> None:
        self.watch.known.add([DamageFinding(damage.message)])

    def _connect(self) -> sqlite3.Connection:
        return connect_writer(self.file, self.settings)

    def _first_connection(self, claimed: bool) -> sqlite3.Connection:
        failures.refuse_old_library()
        self.watch.read_note()
        try:
            create_file(self.file)
            connection = self._connect()
        except (OSError, sqlite3.Error) as error:
            raise self._refusal(error) from error
        try:
            self.watch.look(connection)
            migrate(connection, self.file)
            _check_small(connection)
            _check_writable(connection)
            self.watch.begin(connection, claimed=claimed)
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.Error):
                raise self._refusal(error) from error
            raise
        self._identity = _identity(self.file)
        return connection

    def _refusal(self, error: Exception) -> Exception:
        if failures.is_busy(error):
            return failures.unavailable(error)
        return failures.damaged(self.file) if failures.is_damage(error) else failures.unusable(self.file, error)

    def _probe(self, _: sqlite3.Connection) -> None:
        """Its commit writes by itself."""
        self.watch.known.refresh()
        if _identity(self.file) != self._identity:
            raise StoreUnavailable(f"The database {self.file} was moved or replaced; put it back or restart.")


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _check_pages(connection: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError."""
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise failures.Damage


def _check_small(connection: sqlite3.Connection) -> None:
    """A look at every table, and at every page of a small database. Raises sqlite3.DatabaseError."""
    size = connection.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()[0]
    if size <= _CHECKED_AT_OPEN:
        _check_pages(connection)
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()  # noqa: S608 - a table of the schema


def _check_writable(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        if not failures.is_busy(error):  # whoever holds the lock can write, so can we
            raise
