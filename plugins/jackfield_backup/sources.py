"""The parts of the configuration directory that belong in a backup."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from jackfield.api.records import state

LEFT_OUT = (
    "daemon.lock", "daemon-endpoint", "daemon-logins", ".disk-reserve", "logs", "cache", "binary/incoming",
    ".restoring",
)  # fmt: skip
"""Files that belong to a running daemon or to a person's command line, tell of the past, or are made anew."""
_UNFINISHED = re.compile(r"\..+\.jackfield-[0-9a-f]{8}", re.DOTALL)
_JOURNALS = ("-wal", "-shm", "-journal")


@state
class DirectoryEntry:
    """One entry of the directory. kind: directory, file, database, link, unnamed (its name is no text), or other."""

    path: Path
    name: str
    kind: str
    status: os.stat_result


def entries(root: Path, leave_out: Collection[Path]) -> Iterator[DirectoryEntry]:
    """Everything below `root`, directories before what they hold, in order. leave_out: absolute paths."""
    yield from _below(root, root, {*leave_out, *(root / name for name in LEFT_OUT)})


def _below(root: Path, directory: Path, leave_out: Collection[Path]) -> Iterator[DirectoryEntry]:
    try:
        paths = sorted(directory.iterdir())
    except FileNotFoundError:
        return
    databases = {path for path in paths if is_database(path)}
    for path in paths:
        if path in leave_out or _UNFINISHED.fullmatch(path.name) or _is_journal(path, databases):
            continue
        try:
            status = path.lstat()
        except FileNotFoundError:
            continue
        name = path.relative_to(root).as_posix()
        yield DirectoryEntry(path, name, _kind(path, status, databases), status)
        if stat.S_ISDIR(status.st_mode) and is_text(path.name):
            yield from _below(root, path, leave_out)


def _kind(path: Path, status: os.stat_result, databases: Collection[Path]) -> str:
    mode = status.st_mode
    if not is_text(path.name):
        return "unnamed"
    if stat.S_ISDIR(mode):
        return "directory"
    if stat.S_ISLNK(mode):
        return "link"
    if not stat.S_ISREG(mode):
        return "other"
    return "database" if path in databases else "file"


def is_text(name: str) -> bool:
    """Whether a name is UTF-8, as those in a manifest are."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_database(path: Path) -> bool:
    """Whether the file is one of SQLite's. Only files are opened whose name says so: closing a descriptor of a database
    drops the locks that this very process holds on it."""
    return path.suffix in (".db", ".sqlite", ".sqlite3") and not path.is_symlink() and path.is_file()


def _is_journal(path: Path, databases: Collection[Path]) -> bool:
    return any(path.name == database.name + ending for database in databases for ending in _JOURNALS)
