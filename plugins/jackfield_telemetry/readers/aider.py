"""Aider: the events that it writes to a file of `AIDER_ANALYTICS_LOG`, one line for each answer.

It writes `REDACTED` for models that it does not know, so that the file has the model's name, which the profile's script
gives it: `usage/<model, percent-encoded>.jsonl`. The log says nothing of caches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import msgspec

from jackfield.api.telemetry import Bookmark, LogFile, Reading, UsageEntry
from jackfield_telemetry.readers.counts import MOST, included
from jackfield_telemetry.readers.lines import DAMAGED, blocks

_ANSWER = b'"message_send"'


class _Properties(msgspec.Struct, gc=False):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Line(msgspec.Struct, gc=False):
    event: str | None = None
    properties: _Properties | None = None
    time: int | None = None


_decode = msgspec.json.Decoder(_Line).decode


class AiderReader:
    """`UsageReader` of Aider."""

    name = "aider"
    version = 1

    def directories(self, environment: Mapping[str, str], home: Path) -> Sequence[Path]:
        """Without a profile it keeps no such log."""
        place = home / ".aider"
        return [place] if (place / "usage").is_dir() else []

    def files(self, directory: Path) -> Iterable[LogFile]:
        for path in sorted((directory / "usage").glob("*.jsonl")):
            yield LogFile(path, str(path))

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        model = unquote(file.path.stem)
        for block in blocks(file.path, start.offset):
            entries = []
            for place, stop in block.lines():
                line = bytes(block.view[place:stop])
                if _ANSWER in line and (entry := _entry(line, model, file, block.offset + place)) is not None:
                    entries.append(entry)
            yield Reading(entries, Bookmark(block.offset + block.end))


def _entry(text: bytes, model: str, file: LogFile, offset: int) -> UsageEntry | None:
    try:
        line = _decode(text)
    except DAMAGED:
        return None
    used, seconds = line.properties, line.time
    if line.event != "message_send" or used is None or seconds is None or not 0 <= seconds <= MOST // 1000:
        return None
    tokens = included(used.prompt_tokens, used.completion_tokens, 0)
    if tokens is None:
        return None
    # It knows no sessions: a day's answers in one home belong together.
    session = f"{file.path.parent}@{seconds // 86_400}"
    # The time is cut to whole seconds; by its end the answer was there.
    return UsageEntry("aider", f"{file.identity}:{offset}", session, seconds * 1000 + 999, model, tokens)
