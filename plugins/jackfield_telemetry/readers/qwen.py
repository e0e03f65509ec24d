"""Qwen Code: `projects/*/chats/*.jsonl`, a line of telemetry after each answer, those behind the conversation too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from jackfield.api.telemetry import Bookmark, LogFile, Reading, Tokens, UsageEntry
from jackfield_telemetry.readers.counts import included
from jackfield_telemetry.readers.lines import DAMAGED, blocks
from jackfield_telemetry.readers.moments import milliseconds

_ANSWER = "qwen-code.api_response"
_MARK = _ANSWER.encode()


class _Event(msgspec.Struct, gc=False):
    name: str | None = msgspec.field(default=None, name="event.name")
    response_id: str | None = None
    model: str | None = None
    input_token_count: int = 0
    output_token_count: int = 0
    cached_content_token_count: int = 0
    total_token_count: int = 0


class _SystemPayload(msgspec.Struct, gc=False):
    event: _Event | None = msgspec.field(default=None, name="uiEvent")


class _Line(msgspec.Struct, rename="camel", gc=False):
    timestamp: datetime | None = None
    uuid: str | None = None
    session_id: str | None = None
    cwd: str | None = None
    system_payload: _SystemPayload | None = None


_decode = msgspec.json.Decoder(_Line).decode


class QwenReader:
    """`UsageReader` of Qwen Code."""

    name = "qwen"
    version = 1

    def directories(self, environment: Mapping[str, str], home: Path) -> Sequence[Path]:
        named = environment.get("QWEN_HOME", "").strip()
        place = Path(named).expanduser() if named else home / ".qwen"
        return [place] if (place / "projects").is_dir() else []

    def files(self, directory: Path) -> Iterable[LogFile]:
        for path in sorted((directory / "projects").glob("*/chats/*.jsonl")):
            yield LogFile(path, str(path))

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        for block in blocks(file.path, start.offset):
            lines = (bytes(block.view[place:stop]) for place, stop in block.lines())
            entries = [entry for line in lines if _MARK in line and (entry := _entry(line, file)) is not None]
            yield Reading(entries, Bookmark(block.offset + block.end))


def _entry(text: bytes, file: LogFile) -> UsageEntry | None:
    try:
        line = _decode(text)
    except DAMAGED:
        return None
    event = line.system_payload.event if line.system_payload else None
    if event is None or event.name != _ANSWER or not event.model or line.timestamp is None:
        return None
    tokens = _tokens(event)
    if tokens is None:
        return None
    session, time = line.session_id or file.path.stem, milliseconds(line.timestamp)
    # Servers of models on this machine give one id to many answers.
    answer = event.response_id or f"uuid:{line.uuid}"
    return UsageEntry("qwen", answer, session, time, event.model, tokens, f"{session}@{time}", project=line.cwd)


def _tokens(event: _Event) -> Tokens | None:
    """Of Gemini's grammar the output has no reasoning in it, which the total has."""
    output = max(event.output_token_count, event.total_token_count - event.input_token_count)
    return included(event.input_token_count, output, event.cached_content_token_count)
