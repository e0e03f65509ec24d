"""Copies of the database, and looking at all of it. Each has a connection of its own, off the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from jackfield.api.errors import StoreUnavailable
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.connections import connect_reader
from jackfield_store_sqlite.database import Database

ResultT = TypeVar("ResultT")
_PAGES = 512
"""Copied at a time, so that a stop is noticed."""
_STEPS = 100_000
_TOLD = 20
"""Problems that are told one by one."""


class SqliteCopies:
    """`jackfield.api.store_copies.StoreCopies`."""

    _db: Database

    def files(self) -> Sequence[Path]:
        file = self._db.file
        return [file, *(file.with_name(file.name + ending) for ending in ("-wal", "-shm", "-journal"))]

    async def copy_to(self, file: Path) -> None:
        await stoppable(lambda stopped: _copy(self._db, file, stopped))

    async def damage(self) -> Sequence[str]:
        return await stoppable(lambda stopped: look(self._db, stopped))


async def stoppable(work: Callable[[threading.Event], ResultT]) -> ResultT:
    """The work's result, on a thread; it is told when nobody waits for it any more."""
    stopped = threading.Event()
    try:
        return await asyncio.to_thread(work, stopped)
    finally:
        stopped.set()


def look(database: Database, stopped: threading.Event) -> list[str]:
    """Everything that is wrong with the database. Blocks."""
    try:
        with closing(connect_reader(database.file, database.settings)) as connection:
            return problems(connection, database.file, stopped)
    except sqlite3.Error as error:
        return [f"{failures.reason(error)}: {database.file}."]


def problems(connection: sqlite3.Connection, file: Path, stopped: threading.Event) -> list[str]:
    """Of an open database. Raises sqlite3.Error."""
    connection.set_progress_handler(stopped.is_set, _STEPS)
    found = [text for (text,) in connection.execute(f"PRAGMA quick_check({_TOLD})") if text != "ok"]
    return [f"The database {file} is damaged: {text}." for text in found]


def _copy(database: Database, target: Path, stopped: threading.Event) -> None:
    def look_up(*_: int) -> None:
        if stopped.is_set():
            raise StoreUnavailable("The copy was broken off.")

    try:
        with closing(connect_reader(database.file, database.settings)) as source:
            source.execute("BEGIN")  # one moment, whatever is written meanwhile
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            with closing(sqlite3.connect(target, isolation_level=None)) as copy:
                copy.execute("PRAGMA journal_mode = OFF")
                copy.execute("PRAGMA synchronous = OFF")
                source.backup(copy, pages=_PAGES, progress=look_up)
        uri = f"{target.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as copy:
            found = problems(copy, database.file, stopped)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"{failures.reason(error)}; the store cannot be copied.") from error
    if found:
        raise StoreUnavailable(f"{found[0]} It cannot be copied; restore it from an earlier backup.")
