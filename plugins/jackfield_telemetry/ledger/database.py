"""The ledger: a database of what was counted, so that logs may be read again, moved or deleted.

A ledger that is damaged is left as it is and named; a temporary one takes its place for as long as the daemon runs.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.files import append_private, private_directory
from jackfield.api.sqlite_files import make_tables
from jackfield_telemetry.ledger.contradictions import contradiction
from jackfield_telemetry.ledger.schema import APPLICATION, INCOMING, RESPONSES, TABLES, VERSION

T = TypeVar("T")
BUSY_MS = 30_000
"""How long a write waits for another process's, milliseconds."""
CACHE_KIB = 16_384
CHECKPOINT_PAGES = 4000
"""Pages of 4 KiB in the log of writes, from which they are put into the database."""


class Ledger:
    """Blocks; for threads. One writes at a time, any number read beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble: str | None = None
        """Why the file is not used."""
        self._writing = threading.Lock()
        self._opening = threading.Lock()
        self._used: Path | None = None
        self._stand_in: tempfile.TemporaryDirectory[str] | None = None
        self._writer: sqlite3.Connection | None = None
        self._readers: list[sqlite3.Connection] = []

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """In one transaction, which a power cut may take back: for what is read again from where it came. Raises
        `StoreUnavailable`."""
        return self._tried(lambda given: self._written("NORMAL", given), work)

    def write_durably(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """In one transaction that is on the disk when this returns. Raises `StoreUnavailable`."""
        return self._tried(lambda given: self._written("FULL", given), work)

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """On one snapshot. Raises `StoreUnavailable`."""
        return self._tried(self._seen, work)

    def stream(self, work: Callable[[sqlite3.Connection], Iterator[T]]) -> Iterator[T]:
        """The same for what is taken piece by piece. Raises `StoreUnavailable`."""
        try:
            with self._reader() as connection:
                connection.execute("BEGIN")
                try:
                    yield from work(connection)
                finally:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
        except sqlite3.Error as exc:
            raise StoreUnavailable(f"The ledger of usage {self.path} cannot be read: {exc}.") from None

    def close(self) -> None:
        with self._writing, self._opening:
            self._forget()
            if self._stand_in is not None:
                self._stand_in.cleanup()
                self._stand_in = None
            self._used = None

    def check(self) -> str | None:
        """The problem of the file; None: nothing, or there is none yet. Reads all of it."""
        if self.trouble is None and self.path.exists():
            try:
                with closing(_connect(self.path)) as connection:
                    _expect(connection)
                    return contradiction(connection)
            except (sqlite3.Error, ValueError) as exc:
                return str(exc)
        return self.trouble

    def _tried(
        self, how: Callable[[Callable[[sqlite3.Connection], T]], T], work: Callable[[sqlite3.Connection], T]
    ) -> T:
        """Damage may come to light in the middle of a query: then once more, with a stand-in."""
        for last in (False, True):
            try:
                return how(work)
            except sqlite3.DatabaseError as exc:
                if _is_passing(exc):
                    raise StoreUnavailable(f"The ledger of usage {self.path} does not answer: {exc}.") from None
                if last or self._stand_in is not None or isinstance(exc, sqlite3.IntegrityError):
                    raise StoreUnavailable(f"The ledger of usage {self.path} cannot be used: {exc}.") from None
                self._replace(str(exc))
            except (LookupError, TypeError, ValueError, ArithmeticError):
                # SQLite has no checksums: a flipped bit comes to light as a number that belongs to nothing.
                reason = None if last or self._stand_in is not None else self.check()
                if reason is None:
                    raise
                self._replace(reason)
        raise AssertionError("unreachable")

    def _written(self, synchronous: str, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._writing:
            connection = self._writer
            if connection is None:
                connection = _connect(self._place())
                connection.executescript(INCOMING)
                self._writer = connection
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise
            return result

    def _seen(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._reader() as connection:
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        place = self._place()
        with self._opening:
            connection = self._readers.pop() if self._readers else None
        connection = connection or _connect(place)
        try:
            yield connection
        finally:
            with self._opening:
                if place == self._used and len(self._readers) < 4:
                    self._readers.append(connection)
                else:
                    connection.close()

    def _place(self) -> Path:
        with self._opening:
            if self._used is None:
                try:
                    _prepare(self.path)
                    self._used = self.path
                except (sqlite3.DatabaseError, ValueError) as exc:
                    if isinstance(exc, sqlite3.DatabaseError) and _is_passing(exc):
                        raise
                    self._use_stand_in(str(exc))
            if self._used is None:
                raise StoreUnavailable
            return self._used

    def _replace(self, reason: str) -> None:
        with self._writing, self._opening:
            if self._stand_in is None:
                self._forget()
                self._use_stand_in(reason)

    def _use_stand_in(self, reason: str) -> None:
        self.trouble = reason
        self._stand_in = tempfile.TemporaryDirectory(prefix="jackfield-ledger-")
        self._used = Path(self._stand_in.name, "ledger.db")
        _prepare(self._used)

    def _forget(self) -> None:
        for connection in [*self._readers, *([self._writer] if self._writer else [])]:
            with suppress(sqlite3.Error):
                connection.close()
        self._readers, self._writer = [], None


def _prepare(path: Path) -> None:
    """Make the file if there is none. Raises sqlite3.Error, and ValueError when it is another program's."""
    private_directory(path.parent)
    try:
        descriptor = append_private(path)
    except ConfigurationError as exc:
        raise ValueError(exc.message) from None
    os.close(descriptor)
    with closing(_connect(path)) as connection:
        make_tables(connection, TABLES + RESPONSES, APPLICATION, VERSION)
        _bring_up_to_date(connection)
        _expect(connection)


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    marks = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
    if marks == [APPLICATION, 1]:
        for statement in RESPONSES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _expect(connection: sqlite3.Connection) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise ValueError("it is not a ledger of Jackfield")
    if not 1 <= version <= VERSION:
        raise ValueError(f"it has version {version}, this program knows {VERSION}")


def _is_passing(error: sqlite3.DatabaseError) -> bool:
    """Whether it is the machine's trouble (locked, full, no descriptors) and not the file's.

    A table or a column that is not there, or text that is none, is damage.
    """
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.OperationalError) and code not in (None, sqlite3.SQLITE_ERROR)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")
    except BaseException:
        connection.close()
        raise
    return connection
