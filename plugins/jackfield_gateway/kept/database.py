"""The database of keys: `gateway/keys.db` in the configuration directory.

A reservation is written before its request is sent, and is gone when the request has been counted. The tokens that a
killed daemon has left reserved are counted as used at the next start: its provider may have served the request.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from jackfield.api.errors import ConfigurationError, StoreUnavailable
from jackfield.api.files import append_private, private_directory
from jackfield.api.sqlite_files import make_tables

T = TypeVar("T")
APPLICATION = 0x4A464757
"""SQLite's `application_id` of this file: JFGW."""
VERSION = 3
BUSY_MS = 5000
"""How long a write waits for another process's, milliseconds."""
TABLES = """
CREATE TABLE keys (id TEXT PRIMARY KEY, digest TEXT NOT NULL UNIQUE, document BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE usage (
  key TEXT NOT NULL, day INTEGER NOT NULL, profile TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
  requests INTEGER NOT NULL, failures INTEGER NOT NULL, cached INTEGER NOT NULL, estimated INTEGER NOT NULL,
  unpriced INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL, reserved INTEGER NOT NULL, usd REAL NOT NULL, last INTEGER NOT NULL,
  PRIMARY KEY (key, day, profile, provider, model)) WITHOUT ROWID;
CREATE TABLE reserved (
  request TEXT PRIMARY KEY, key TEXT NOT NULL, profile TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL,
  day INTEGER NOT NULL, time INTEGER NOT NULL, tokens INTEGER NOT NULL, usd REAL NOT NULL) WITHOUT ROWID;
"""
OBJECTS = """
CREATE TABLE objects (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL, account TEXT NOT NULL, holder TEXT NOT NULL, profile TEXT NOT NULL,
  provider TEXT NOT NULL, kind TEXT NOT NULL, UNIQUE (id, account));
CREATE INDEX objects_by_holder ON objects (holder, kind, number);
CREATE INDEX objects_by_kind ON objects (kind, number)
"""
"""Since version 3; version 2 had another one, which no release has made."""


class GatewayDatabase:
    """Blocks; for threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def write(self, works: Sequence[Callable[[sqlite3.Connection], None]]) -> None:
        """All in one transaction. It outlives the process when this returns; a power cut may take the last moments
        back. Raises `StoreUnavailable`."""

        def run(connection: sqlite3.Connection) -> None:
            connection.execute("BEGIN IMMEDIATE")
            try:
                for work in works:
                    work(connection)
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

        self.read(run)

    def read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Raises `StoreUnavailable`."""
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = _opened(self.path)
                return work(self._connection)
            except sqlite3.Error as exc:
                raise StoreUnavailable(f"The database of virtual keys {self.path} does not answer: {exc}.") from None

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


def _opened(path: Path) -> sqlite3.Connection:
    """Raises sqlite3.Error, `ConfigurationError`, `StoreUnavailable`."""
    private_directory(path.parent)
    os.close(append_private(path))
    connection = sqlite3.connect(path, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        make_tables(connection, TABLES + OBJECTS, APPLICATION, VERSION)
        _bring_up_to_date(connection)
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        if found != [APPLICATION, VERSION]:
            raise ConfigurationError(f"The file {path} is no database of virtual keys that this version knows.")
    except BaseException:
        connection.close()
        raise
    return connection


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone() in ((1,), (2,)):
        for statement in ("DROP TABLE IF EXISTS objects", *OBJECTS.split(";")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
