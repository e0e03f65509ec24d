"""The meaning of SQLite's errors for a caller."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from jackfield.api.errors import ConfigurationError, Conflict, StoreUnavailable
from jackfield.api.sql.writes import UNCHANGED

_REASONS = {
    sqlite3.SQLITE_BUSY: "The database is locked by another process",
    sqlite3.SQLITE_LOCKED: "The database is locked by another process",
    sqlite3.SQLITE_PROTOCOL: "The database is locked by another process",
    sqlite3.SQLITE_FULL: "The disk or the database is full",
    sqlite3.SQLITE_IOERR: "The disk reports an error",
    sqlite3.SQLITE_READONLY: "The database or its directory is read-only",
    sqlite3.SQLITE_PERM: "The database or its directory is not accessible",
    sqlite3.SQLITE_CANTOPEN: "The database cannot be opened",
    sqlite3.SQLITE_NOMEM: "There is not enough memory",
    sqlite3.SQLITE_INTERRUPT: "The database took too long to answer",
    sqlite3.SQLITE_CORRUPT: "The database file is damaged",
    sqlite3.SQLITE_NOTADB: "The database file is damaged",
}
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_TAKEN = (sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE)
OLDEST = (3, 38, 0)
ROOM = 256 * 1024
"""Bytes that a start needs for the write-ahead log and its shared memory."""


class Damage(sqlite3.DatabaseError):
    """Found by a check rather than by a failing statement."""

    sqlite_errorcode = sqlite3.SQLITE_CORRUPT


def refuse_old_library() -> None:
    """Raises `ConfigurationError` for an SQLite that lacks STRICT tables (3.37) or the operator `->>` (3.38)."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise ConfigurationError(
            f"SQLite {sqlite3.sqlite_version} is too old; the store needs the library in version 3.38 or newer. "
            "Use a Python that is built with one."
        )


def primary_code(error: BaseException) -> int:
    """SQLite's result code without its extension; -1 for any other error."""
    return getattr(error, "sqlite_errorcode", -1) & 0xFF if isinstance(error, sqlite3.Error) else -1


def is_busy(error: BaseException) -> bool:
    return primary_code(error) in _BUSY


def is_damage(error: BaseException) -> bool:
    return primary_code(error) in _DAMAGE


def is_outage(error: BaseException) -> bool:
    """Whether the database as a whole does not answer, rather than one operation being wrong."""
    return primary_code(error) in _REASONS


def reason(error: BaseException) -> str:
    """Half a sentence."""
    return _REASONS.get(primary_code(error), "The database failed")


def unavailable(error: BaseException) -> StoreUnavailable:
    """For an operation that was not done because of `error`."""
    remedy = "nothing was changed, restore it from a backup." if is_damage(error) else UNCHANGED
    failure = StoreUnavailable(f"{reason(error)}; {remedy}")
    failure.__cause__ = error
    return failure


def taken() -> Conflict:
    return Conflict("There is something with this id already.")


def too_many_labels(most: int) -> Conflict:
    return Conflict(
        f"As many as {most} versions of the workflow have names; take the name of one away.",
        details={"label": "there are too many"},
    )


def of_operation(error: Exception) -> Exception:
    """For an operation that is itself at fault. Anything but a taken id is our mistake and stays as it is."""
    if getattr(error, "sqlite_errorcode", -1) in _TAKEN:
        return taken()
    return error


def damaged(file: Path) -> ConfigurationError:
    return ConfigurationError(
        f"The database {file} is damaged. Restore it from a backup. To start with an empty one, move it away, with "
        "the files beside it whose names begin with its own."
    )


def _has_no_room(directory: Path) -> bool:
    """Writing shared memory then fails as an error of the disk."""
    try:
        return shutil.disk_usage(directory).free < ROOM
    except OSError:
        return False


def unusable(file: Path, error: BaseException) -> ConfigurationError:
    remedy = "let the daemon's user write the file and its directory, or set store.sqlite.file."
    if primary_code(error) == sqlite3.SQLITE_FULL or _has_no_room(file.parent):
        remedy = "the disk is full: free some room, or set store.sqlite.file."
    return ConfigurationError(f"The database {file} cannot be opened for writing ({reason(error).lower()}); {remedy}")
