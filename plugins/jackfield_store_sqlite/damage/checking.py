"""A look at all of a database. It blocks as long as that takes; its caller gives it a thread and says when to stop."""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from jackfield_store_sqlite import failures
from jackfield_store_sqlite.connections import connect_reader
from jackfield_store_sqlite.damage.rows_check import damaged_rows
from jackfield_store_sqlite.settings import SqliteSettings

ResultT = TypeVar("ResultT")
_STEPS = 20_000
"""Of SQLite's machine between two looks at the time."""
_SLICE = 0.02
"""Seconds of work between two pauses."""
_TOLD = 20
"""Problems that are named one by one."""


class LookProgress:
    """SQLite's progress handler of a look: ends it when `stopped` is set, and lets it rest. rest: seconds of pause per
    second of work. 0 for whoever waits for the result."""

    def __init__(self, stopped: threading.Event, rest: float = 0.0) -> None:
        self.stopped = stopped
        self._rest = rest
        self._since = time.monotonic()

    def __call__(self) -> bool:
        worked = time.monotonic() - self._since
        if self._rest and worked > _SLICE:
            self.stopped.wait(worked * self._rest)
            self._since = time.monotonic()
        return self.stopped.is_set()


async def in_thread(work: Callable[[threading.Event], ResultT]) -> ResultT:
    """The work's result, on a thread; the thread learns when nobody waits for it any more."""
    stopped = threading.Event()
    try:
        return await asyncio.to_thread(work, stopped)
    finally:
        stopped.set()


def look(file: Path, settings: SqliteSettings, pace: LookProgress) -> Sequence[str] | None:
    """Everything that is wrong with the database, a sentence each; None when it was stopped."""
    try:
        with closing(connect_reader(file, settings)) as connection:
            return problems(connection, file, pace) or rows(connection, pace)
    except sqlite3.Error as error:
        return None if pace.stopped.is_set() else [f"{failures.reason(error)}: {file}."]


def problems(connection: sqlite3.Connection, file: Path, pace: LookProgress) -> Sequence[str]:
    """Of an open database. Raises sqlite3.Error."""
    connection.set_progress_handler(pace, _STEPS)
    found = [text for (text,) in connection.execute(f"PRAGMA quick_check({_TOLD})") if text != "ok"]
    return [f"The database {file} is damaged: {' '.join(text.split())}." for text in found]


def rows(connection: sqlite3.Connection, pace: LookProgress) -> Sequence[str] | None:
    """The problems that digests show in rows; None when it was stopped. Raises sqlite3.Error."""
    found = list(itertools.islice(dict.fromkeys(damaged_rows(connection, pace)), _TOLD))
    return None if pace.stopped.is_set() and not found else found
