"""`telemetry/sessions.jsonl`: one line for each run, appended and on the disk before anybody hears of it.

Its lines are read into the ledger, from where the last reading ended.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from jackfield.api.files import append_private, private_directory
from jackfield_telemetry.readers.lines import blocks, tail_of
from jackfield_telemetry.readers.moments import milliseconds

READER = "sessions.jsonl"
_MOST = 2**50
_EARLIEST, _LATEST = 0, 4_102_444_800_000
"""Unix ms, 1970 to 2100.

One run of the year 9999 would make every report look through the time zone's rules until then. The report would fail
beyond the last date there is.
"""
_NAMED = 20
"""Damaged lines that are named one by one."""


class LineTokens(msgspec.Struct):
    """None: it is not known."""

    input: int | None = 0
    output: int | None = 0
    cache_creation: int | None = 0
    cache_read: int | None = 0


class LineCost(msgspec.Struct):
    """US dollars; None: not known. Older lines have neither of the two in the middle."""

    input: float | None = None
    output: float | None = None
    cache_creation: float | None = None
    cache_read: float | None = None
    total: float | None = None


class SessionLine(msgspec.Struct):
    """`counted_in`: `log` when the same tokens were read from the agent's log, `proxy` when the profile's proxy has
    served them. So they are not added twice.
    """

    profile: str
    model: str
    started_at: datetime
    ended_at: datetime
    tokens: LineTokens = msgspec.field(default_factory=LineTokens)
    cost: LineCost = msgspec.field(default_factory=LineCost)
    session_id: str | None = None
    agent_id: str | None = None
    provider_id: str | None = None
    source: str | None = None
    exit_code: int | None = None
    duration_secs: float | None = None
    counted_in: str | None = None


_decode = msgspec.json.Decoder(SessionLine).decode
_INSERT = f"INSERT OR REPLACE INTO lines VALUES ({', '.join('?' * 19)})"  # noqa: S608 - of a number of marks


class SessionLog:
    """The file `sessions.jsonl`: appended, and read from a place on. All of it blocks; let a thread do it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, line: SessionLine) -> None:
        """Raises OSError, `ConfigurationError`."""
        private_directory(self.path.parent)
        with self._locked() as descriptor:
            _repair(descriptor, self.path)
            written = msgspec.json.encode(line) + b"\n"
            while written:
                written = written[os.write(descriptor, written) :]
            os.fsync(descriptor)

    @property
    def torn(self) -> Path:
        """Where the ends of cut lines are kept."""
        return self.path.with_suffix(".torn")

    def repair(self) -> None:
        """Take away a last line that was not written to its end; it is kept beside, in `sessions.torn`."""
        if self.path.exists():
            with self._locked() as descriptor:
                _repair(descriptor, self.path)

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """The command line appends beside the daemon."""
        descriptor = append_private(self.path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)

    def take_in(self, connection: sqlite3.Connection) -> None:
        """Bring the ledger's copy up to date. Inside a transaction."""
        row = connection.execute(
            "SELECT inode, modified, position, tail FROM files WHERE reader = ? AND identity = ?",
            (READER, str(self.path)),
        ).fetchone()
        try:
            now = self.path.stat()
        except OSError:
            now = None
        inode, modified, position, tail = row or (0, 0, 0, b"")
        if now is not None and (now.st_size, now.st_ino, now.st_mtime_ns) == (position, inode, modified):
            return
        # Of the same size and another time: lines in the middle may be others.
        if now is None or now.st_size <= position or tail_of(self.path, position) != tail:
            position = 0
            connection.execute("DELETE FROM lines")
            connection.execute("DELETE FROM damaged")
        if now is None:
            connection.execute("DELETE FROM files WHERE reader = ?", (READER,))
            return
        for block in blocks(self.path, position):
            damaged: list[tuple[int]] = []
            connection.executemany(_INSERT, list(_rows(block.data, block.offset, block.end, damaged)))
            connection.executemany("INSERT OR IGNORE INTO damaged VALUES (?)", damaged)
            position = block.offset + block.end
        mark = (READER, str(self.path), str(self.path), now.st_ino, now.st_size, now.st_mtime_ns, position, b"")
        connection.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1)", (*mark, tail_of(self.path, position))
        )


def damaged_lines(connection: sqlite3.Connection) -> tuple[int, list[int]]:
    """How many, and where the first begin, bytes from the start of the file."""
    (count,) = connection.execute("SELECT count(*) FROM damaged").fetchone()
    return count, [row[0] for row in connection.execute("SELECT position FROM damaged ORDER BY 1 LIMIT ?", (_NAMED,))]


def _rows(data: bytearray, offset: int, end: int, damaged: list[tuple[int]]) -> Iterator[tuple[object, ...]]:
    place = 0
    while place < end:
        stop = data.find(b"\n", place, end)
        text = bytes(data[place:stop])
        if text.strip():
            try:
                yield (offset + place, *_row(_decode(text)))
            except (ValueError, OverflowError, RecursionError):
                damaged.append((offset + place,))
        place = stop + 1


def _row(line: SessionLine) -> tuple[object, ...]:
    """Raises ValueError for what no run can have."""
    started, ended = milliseconds(line.started_at), milliseconds(line.ended_at)
    if not all(_EARLIEST <= moment < _LATEST for moment in (started, ended)):
        raise ValueError("a time that cannot be")
    tokens, cost = line.tokens, line.cost
    counts = tuple(n or 0 for n in (tokens.input, tokens.output, tokens.cache_creation, tokens.cache_read))
    sums = (cost.input, cost.output, cost.cache_creation, cost.cache_read, cost.total)
    if not all(0 <= count <= _MOST for count in counts):
        raise ValueError("a number of tokens that cannot be")
    if not all(amount is None or 0 <= amount <= _MOST for amount in sums):
        raise ValueError("a cost that cannot be")
    runtime = max(0, ended - started)
    return (
        started,
        ended,
        runtime,
        line.profile,
        line.agent_id or "",
        line.provider_id or "",
        line.model,
        line.session_id or "",
        int(line.counted_in in ("log", "proxy")),
        *counts,
        *sums,
    )


def _repair(descriptor: int, path: Path) -> None:
    """A whole line whose end is missing gets its end."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return
    with path.open("rb", buffering=0) as file:
        file.seek(size - 1)
        if file.read(1) == b"\n":
            return
        start = _last_line(file.fileno(), size)
        torn = os.pread(file.fileno(), size - start, start)
    try:
        _decode(torn)
    except (ValueError, RecursionError):
        kept = append_private(path.with_suffix(".torn"))
        try:
            os.write(kept, torn + b"\n")
            os.fsync(kept)
        finally:
            os.close(kept)
        os.ftruncate(descriptor, start)
    else:
        os.write(descriptor, b"\n")
    os.fsync(descriptor)


def _last_line(descriptor: int, size: int) -> int:
    step = 65_536
    end = size
    while end > 0:
        begin = max(0, end - step)
        place = os.pread(descriptor, end - begin, begin).rfind(b"\n")
        if place >= 0:
            return begin + place + 1
        end = begin
    return 0
