"""Copies of the database, and looking at all of it. Each has its own connection, off the event loop."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from jackfield.api.errors import StoreUnavailable
from jackfield_store_sqlite import failures
from jackfield_store_sqlite.connections import connect_reader
from jackfield_store_sqlite.damage.checking import LookProgress, in_thread, look, problems
from jackfield_store_sqlite.damage.reach import rename
from jackfield_store_sqlite.damage.rows_check import damaged_rows
from jackfield_store_sqlite.database import SqliteDatabase

_PAGES = 512
"""Copied at a time, so that a stop is noticed."""
_TOLD = 100
"""Damaged records of a copy that are named."""
_BESIDE = ("-wal", "-shm", "-journal", "-reach", "-damage")
"""Endings of the files that belong to a database and to no copy of it."""


class SqliteCopies:
    """`StoreCopies` and `DamageRecords` of `jackfield.api.store_copies`."""

    _db: SqliteDatabase

    def files(self) -> Sequence[Path]:
        file = self._db.file
        return [file, *(file.with_name(file.name + ending) for ending in _BESIDE)]

    async def copy_to(self, file: Path) -> Sequence[str]:
        return await in_thread(lambda stopped: _copy(self._db, file, stopped))

    async def damage(self) -> Sequence[str]:
        found = await in_thread(lambda stopped: look(self._db.file, self._db.settings, LookProgress(stopped)))
        known = self.known_damage()
        return [*known, *(text for text in found or () if text not in known)]

    def known_damage(self) -> Sequence[str]:
        return [each.text for each in self._db.watch.known.findings]

    async def acknowledge_damage(self) -> Sequence[str]:
        gone = await asyncio.to_thread(self._db.watch.known.acknowledge)
        return [each.text for each in gone]


def _copy(database: SqliteDatabase, target: Path, stopped: threading.Event) -> Sequence[str]:
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
                rename(copy)
        uri = f"{target.absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as copy:
            pace = LookProgress(stopped)
            found = problems(copy, database.file, pace)
            damaged = [] if found else [*islice(damaged_rows(copy, pace), _TOLD)]
    except sqlite3.Error as error:
        raise StoreUnavailable(f"{failures.reason(error)}; the store cannot be copied.") from error
    if found:
        raise StoreUnavailable(f"{found[0]} It cannot be copied; restore it from an earlier backup.")
    return damaged
