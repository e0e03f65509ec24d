"""Opening the database file."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from jackfield_store_sqlite.settings import SqliteSettings

_STATEMENTS = 256
_PAGE_SIZE = 4096
"""Bytes, of a new file.

A commit writes the last page of every table and index anew, and then once more into the file. Larger pages write more
bytes that have not changed.
"""


def create_file(file: Path) -> None:
    """Make the file, or narrow an existing one, to 0600 whatever the umask; SQLite gives its -wal and -shm files the
    same mode. Raises OSError."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if os.fstat(descriptor).st_mode & 0o777 != 0o600:
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def _connect(file: Path, settings: SqliteSettings, cache: int) -> sqlite3.Connection:
    """An existing file only, so that one that was moved away is not silently replaced by an empty one."""
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=settings.busy_timeout / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_STATEMENTS,
    )
    connection.execute(f"PRAGMA cache_size = -{cache // 1024}")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def connect_writer(file: Path, settings: SqliteSettings) -> sqlite3.Connection:
    """The connection that writes. Raises sqlite3.Error."""
    connection = _connect(file, settings, settings.cache_size)
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = FAST")  # some builds write each page once more to free it
        connection.execute(f"PRAGMA wal_autocheckpoint = {settings.checkpoint_pages}")
        connection.execute(f"PRAGMA journal_size_limit = {settings.wal_size_limit}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect_reader(file: Path, settings: SqliteSettings) -> sqlite3.Connection:
    """A connection that cannot write. Raises sqlite3.Error."""
    connection = _connect(file, settings, settings.cache_size // 8)
    connection.execute("PRAGMA query_only = ON")
    return connection
