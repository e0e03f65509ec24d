"""OpenCode: messages in SQLite (`opencode.db`), in older versions one JSON file each.

The database is opened read-only. Rows are read on from the newest time of change that was seen, because a message is
rewritten while its answer grows.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from jackfield.api.telemetry import Bookmark, LogFile, Reading, Tokens, UsageEntry
from jackfield_telemetry.readers.lines import DAMAGED

_MOST = 2**50
_LARGEST = 2**26
"""Bytes of one message."""
_ROWS = 5000
_DATABASE = re.compile(r"opencode(?:-[A-Za-z0-9_-]+)?\.db")


class _Cache(msgspec.Struct):
    read: float = 0
    write: float = 0


class _Counts(msgspec.Struct):
    input: float = 0
    output: float = 0
    reasoning: float = 0
    cache: _Cache | None = None


class _Time(msgspec.Struct):
    created: float | None = None


class _Place(msgspec.Struct):
    cwd: str | None = None


class _Message(msgspec.Struct):
    tokens: _Counts | None = None
    model: str | None = msgspec.field(default=None, name="modelID")
    provider: str | None = msgspec.field(default=None, name="providerID")
    time: _Time | None = None
    id: str | None = None
    session: str | None = msgspec.field(default=None, name="sessionID")
    cost: float | None = None
    path: _Place | None = None


_decode = msgspec.json.Decoder(_Message).decode


class OpenCodeReader:
    """`UsageReader` of OpenCode."""

    name = "opencode"
    version = 1

    def directories(self, environment: Mapping[str, str], home: Path) -> Sequence[Path]:
        named = environment.get("OPENCODE_DATA_DIR")
        data = environment.get("XDG_DATA_HOME")
        place = Path(named) if named else (Path(data) if data else home / ".local/share") / "opencode"
        return [place] if place.is_dir() else []

    def files(self, directory: Path) -> Iterable[LogFile]:
        for path in sorted(directory.glob("opencode*.db")):
            if _DATABASE.fullmatch(path.name):
                yield LogFile(path, str(path))
        for path in sorted((directory / "storage" / "message").rglob("*.json")):
            yield LogFile(path, str(path))

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        if file.path.suffix == ".db":
            yield from _rows(file, start)
            return
        entry = None
        if file.path.stat().st_size <= _LARGEST:
            entry = _entry(file.path.read_bytes(), None, None)
        yield Reading([entry] if entry else [], Bookmark(-1))


def _rows(file: LogFile, start: Bookmark) -> Iterator[Reading]:
    """Raises OSError when it is no database, or not one of OpenCode's."""
    try:
        with closing(sqlite3.connect(f"{file.path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)) as database:
            columns = {str(row[1]) for row in database.execute("PRAGMA table_info(message)")}
            changed = "time_updated" if "time_updated" in columns else "rowid"
            after = int(start.memory or b"-1")
            found = database.execute(
                # The name of the column is one of two; a row of the last time seen may have grown since.
                f"SELECT id, session_id, data, {changed} FROM message WHERE {changed} >= ? ORDER BY {changed}",  # noqa: S608
                (after,),
            )
            while rows := found.fetchmany(_ROWS):
                entries = [_entry(data, str(answer), str(session)) for answer, session, data, _ in rows]
                after = max([after, *(row[3] for row in rows if isinstance(row[3], int))])
                yield Reading([entry for entry in entries if entry], Bookmark(-1, str(after).encode()))
    except sqlite3.Error as exc:
        raise OSError(f"{file.path}: {exc}") from None


def _entry(data: object, id: str | None, session: str | None) -> UsageEntry | None:
    if not isinstance(data, (str, bytes)):
        return None
    try:
        message = _decode(data)
    except DAMAGED:
        return None
    tokens = _tokens(message.tokens) if message.tokens else None
    answer = id or message.id
    created = message.time.created if message.time else None
    if tokens is None or not message.model or not answer or created is None or not 0 <= created <= _MOST:
        return None
    return UsageEntry(
        "opencode",
        answer,
        session or message.session or "unknown",
        int(created),
        message.model,
        tokens,
        cost_usd=message.cost or None,  # 0 means that it does not know
        project=message.path.cwd if message.path else None,
        provider=message.provider,
    )


def _tokens(used: _Counts) -> Tokens | None:
    cache = used.cache or _Cache()
    numbers = (used.input, used.output + used.reasoning, cache.write, cache.read)
    if not all(0 <= number <= _MOST for number in numbers) or not any(numbers):
        return None
    given, out, written, read = map(int, numbers)
    return Tokens(given, out, written, read)
