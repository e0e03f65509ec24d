"""Gemini CLI: `tmp/*/chats/session-*`, a message for each answer; JSON lines, in older versions one JSON document.

A message is written again when its counts are known: with them it has more tokens, and counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from jackfield.api.telemetry import Bookmark, LogFile, Reading, UsageEntry
from jackfield_telemetry.readers.counts import included
from jackfield_telemetry.readers.lines import DAMAGED, blocks
from jackfield_telemetry.readers.moments import milliseconds

_LARGEST = 2**28
"""Bytes of a document that is read whole."""
_COUNTS, _SESSION = b'"tokens"', b'"sessionId"'


class _Counts(msgspec.Struct, gc=False):
    """input: with what was cached; thoughts: beside output; tool: what tools of the provider read, beside input."""

    input: int = 0
    output: int = 0
    cached: int = 0
    thoughts: int = 0
    tool: int = 0


class _Message(msgspec.Struct, rename="camel", gc=False):
    id: str | None = None
    timestamp: datetime | None = None
    type: str | None = None
    model: str | None = None
    tokens: _Counts | None = None
    session_id: str | None = None


class _Document(msgspec.Struct, rename="camel", gc=False):
    session_id: str | None = None
    messages: list[_Message] = []


_message = msgspec.json.Decoder(_Message).decode
_document = msgspec.json.Decoder(_Document).decode


class GeminiCliReader:
    """`UsageReader` of Gemini CLI."""

    name = "gemini"
    version = 1

    def directories(self, environment: Mapping[str, str], home: Path) -> Sequence[Path]:
        named = environment.get("GEMINI_CLI_HOME", "").strip()
        place = (Path(named).expanduser() if named else home) / ".gemini"
        return [place] if (place / "tmp").is_dir() else []

    def files(self, directory: Path) -> Iterable[LogFile]:
        for path in sorted((directory / "tmp").glob("*/chats/**/*.json*")):
            if path.suffix in (".json", ".jsonl"):
                yield LogFile(path, str(path))

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        if file.path.suffix == ".json":
            yield Reading(list(_of_document(file)), Bookmark(-1))
            return
        session = start.memory.decode() or file.path.stem
        for block in blocks(file.path, start.offset):
            entries: list[UsageEntry] = []
            for place, stop in block.lines():
                line = bytes(block.view[place:stop])
                if _COUNTS not in line and _SESSION not in line:
                    continue
                message = _parsed(line)
                if message is None:
                    continue
                session = message.session_id or session
                entries += _entries(message, session)
            yield Reading(entries, Bookmark(block.offset + block.end, session.encode("utf-8", "replace")))


def _parsed(line: bytes) -> _Message | None:
    try:
        return _message(line)
    except DAMAGED:
        return None


def _of_document(file: LogFile) -> Iterator[UsageEntry]:
    if file.path.stat().st_size > _LARGEST:
        return
    try:
        document = _document(file.path.read_bytes())
    except DAMAGED:  # half of it may be written
        return
    for message in document.messages:
        yield from _entries(message, document.session_id or file.path.stem)


def _entries(message: _Message, session: str) -> Iterator[UsageEntry]:
    used = message.tokens
    if message.type != "gemini" or used is None or not message.id or not message.model or message.timestamp is None:
        return
    tokens = included(used.input + used.tool, used.output + used.thoughts, used.cached)
    if tokens is not None:
        yield UsageEntry("gemini", message.id, session, milliseconds(message.timestamp), message.model, tokens)
