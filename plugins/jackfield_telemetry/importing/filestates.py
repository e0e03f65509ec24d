"""How far each log file was read: what did not change is not opened, what grew is read from where it ended."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from jackfield.api.records import record
from jackfield.api.telemetry import Bookmark, LogFile, UsageReader
from jackfield_telemetry.importing.jobs import Job, Mark
from jackfield_telemetry.readers.lines import tail_of


@record
class SeenFile:
    """A file as it was when it was looked at."""

    file: LogFile
    inode: int
    size: int
    modified: int
    start: Bookmark


def changed(connection: sqlite3.Connection, reader: UsageReader, files: Iterable[LogFile]) -> list[SeenFile]:
    """Those of the files that hold something new."""
    known = {
        row[0]: row[1:]
        for row in connection.execute(
            "SELECT identity, path, inode, size, modified, position, memory, tail, version FROM files WHERE reader = ?",
            (reader.name,),
        )
    }
    found = []
    for file in files:
        try:
            now = _state(file.path)
        except OSError:
            continue
        start = Bookmark()
        before = known.get(_stored(file.identity))
        if before is not None and before[7] == reader.version:
            path, inode, size, modified, position, memory, tail, _ = before
            if (_stored(str(file.path)), *now) == (path, inode, size, modified):
                continue
            if position < 0 or (now[1] >= position and tail_of(file.path, position) == tail):
                start = Bookmark(position, memory)
        found.append(SeenFile(file, *now, start))
    return found


def _stored(name: str) -> str | bytes:
    """As SQLite takes it: what is not UTF-8 in the file system's bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return os.fsencode(name)
    return name


def _state(path: Path) -> tuple[int, int, int]:
    """Inode, size, and time of the last change in ns.

    Rows that SQLite has not yet moved into a database are in a file beside it; until then the database itself does not
    change. A reader may take a directory for a log. Raises OSError, also for pipes and devices: opening the one would
    wait for a writer, and the other has no end.
    """
    own = path.stat()
    if not (stat.S_ISREG(own.st_mode) or stat.S_ISDIR(own.st_mode)):
        raise OSError(f"{path} is neither a file nor a directory")
    size, modified = own.st_size, own.st_mtime_ns
    if path.suffix == ".db":
        with suppress(OSError):
            beside = path.with_name(f"{path.name}-wal").stat()
            size, modified = size + beside.st_size, max(modified, beside.st_mtime_ns)
    return own.st_ino, size, modified


def job_of(seen: SeenFile, source: int) -> Job:
    size = seen.size - max(0, seen.start.offset)
    return Job(str(seen.file.path), seen.file.identity, seen.start.offset, seen.start.memory, max(0, size), source)


def remember(
    connection: sqlite3.Connection, reader: UsageReader, seen: Sequence[SeenFile], marks: Iterable[Mark]
) -> None:
    """Store where reading has come to. A job that is not done keeps sizes that no file has, so that it is read on."""
    rows = []
    for mark in marks:
        if mark.error is not None:
            continue
        one = seen[mark.number]
        size, modified = (one.size, one.modified) if mark.done else (-1, -1)
        rows.append(
            (
                reader.name,
                _stored(one.file.identity),
                _stored(str(one.file.path)),
                one.inode,
                size,
                modified,
                mark.offset,
                mark.memory,
                mark.tail,
                reader.version,
            )
        )
    connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
