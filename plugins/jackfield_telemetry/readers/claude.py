"""Claude Code: `projects/**/*.jsonl`, one line per block of an answer.

An answer is written as several lines that repeat its usage, earlier ones with partial counts; resumed sessions repeat
lines in new files. A side chain may replay an answer under a new request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from jackfield.api.telemetry import Bookmark, LogFile, Reading
from jackfield_telemetry.readers.answers import Answers, Counts, EntryList
from jackfield_telemetry.readers.counts import plausible
from jackfield_telemetry.readers.lines import DAMAGED, OWN_TYPE, LineBlock, blocks
from jackfield_telemetry.readers.moments import milliseconds
from jackfield_telemetry.readers.single_lines import LineResult, Memory

_OTHERS = ("user", "summary", "system", "file-history-snapshot", "queue-operation", "attachment")
"""Types of lines that cannot hold an answer, most of a log's bytes; they are not parsed."""
_OTHER = re.compile(OWN_TYPE + rb'"(?:%s)"' % "|".join(_OTHERS).encode())


class _Written(msgspec.Struct, gc=False):
    ephemeral_5m_input_tokens: int = 0
    ephemeral_1h_input_tokens: int = 0


class _Iteration(msgspec.Struct, gc=False):
    type: str = ""
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation: _Written | None = None


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation: _Written | None = None
    speed: str | None = None
    iterations: list[_Iteration] | None = None


class _Message(msgspec.Struct, gc=False):
    usage: _Usage
    model: str | None = None
    id: str | None = None


class _Inner(msgspec.Struct, rename="camel", gc=False):
    message: _Message
    timestamp: datetime
    request_id: str | None = None
    is_sidechain: bool | None = None
    cost_usd: float | None = msgspec.field(default=None, name="costUSD")


class _Progress(msgspec.Struct, gc=False):
    message: _Inner | None = None


class _Line(msgspec.Struct, rename="camel", gc=False):
    message: _Message | None = None
    timestamp: datetime | None = None
    session_id: str | None = None
    request_id: str | None = None
    uuid: str | None = None
    cwd: str | None = None
    is_sidechain: bool | None = None
    cost_usd: float | None = msgspec.field(default=None, name="costUSD")
    data: _Progress | None = None


_decode = msgspec.json.Decoder(_Line).decode


class ClaudeReader:
    """`UsageReader` of Claude Code."""

    name = "claude"
    version = 1

    def directories(self, environment: Mapping[str, str], home: Path) -> Sequence[Path]:
        named = environment.get("CLAUDE_CONFIG_DIR", "")
        if named.strip():
            places = [Path(part.strip()).expanduser() for part in named.split(",") if part.strip()]
        else:
            config = environment.get("XDG_CONFIG_HOME")
            places = [Path(config) if config else home / ".config", home]
            places = [places[0] / "claude", places[1] / ".claude"]
        return [place for place in places if (place / "projects").is_dir()]

    def files(self, directory: Path) -> Iterable[LogFile]:
        root = directory / "projects"
        for path in sorted((root if root.is_dir() else directory).rglob("*.jsonl")):
            yield LogFile(path, str(path))

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        found = EntryList()
        for bookmark in self.read_into(file, start, found):
            yield Reading(found.taken(), bookmark)

    def read_into(self, file: LogFile, start: Bookmark, answers: Answers) -> Iterator[Bookmark]:
        for block in blocks(file.path, start.offset):
            _add_all(block, file, answers)
            yield Bookmark(block.offset + block.end)

    def recalled(self, bookmark: bytes) -> Memory | None:
        return None

    def kept(self, memory: Memory) -> bytes:
        return b""

    def read_line(self, file: LogFile, offset: int, line: bytes, memory: Memory) -> LineResult:
        found = EntryList()
        if not _OTHER.match(line):
            _add_line(line, file, offset, found)
        return memory, found.entries


def _add_all(block: LineBlock, file: LogFile, answers: Answers) -> None:
    """Some hundred thousand lines in an import: they are found here, not by `LineBlock.lines`."""
    data, view, place, end = block.data, block.view, block.start, block.end
    find, is_other = data.find, _OTHER.match
    while place < end:
        stop = find(b"\n", place, end)
        if is_other(data, place, stop) is None:
            _add_line(view[place:stop], file, block.offset + place, answers)
        place = stop + 1


def _add_line(written: bytes | memoryview, file: LogFile, offset: int, answers: Answers) -> None:
    try:
        line = _decode(written)
    except DAMAGED:
        return
    if line.message is None:
        line = _own(line)
    message, moment = line.message, line.timestamp
    if message is None or moment is None or not message.model or message.model == "<synthetic>":
        return
    usage = message.usage
    counts = counts_of(usage)
    if counts is None:
        return
    session = line.session_id or file.path.stem
    time = milliseconds(moment)
    answer, request = message.id, line.request_id
    if not answer or not request:
        answer, request = _identity(line, message, session, time, f"{file.identity}:{offset}")
    copy = line.is_sidechain is True and message.id is not None
    tier = "fast" if usage.speed == "fast" else None
    answers.add("claude", answer, session, time, message.model, counts, request, copy, line.cost_usd, tier, line.cwd)
    if usage.iterations:
        for number, advice in enumerate(_advice(usage.iterations)):
            counts = counts_of(advice)
            if counts is not None and advice.model:
                name = f"{answer}:advisor:{number}"
                answers.add("claude", name, session, time, advice.model, counts, request, copy, project=line.cwd)


def _own(line: _Line) -> _Line:
    """The progress of a subagent carries its answer one level down."""
    if line.data is None or line.data.message is None:
        return line
    inner = line.data.message
    return _Line(
        inner.message,
        inner.timestamp,
        line.session_id,
        inner.request_id,
        line.uuid,
        line.cwd,
        inner.is_sidechain,
        inner.cost_usd,
    )


def _advice(iterations: Sequence[_Iteration]) -> list[_Iteration]:
    """A second model that was asked during the answer is not in the answer's own counts."""
    return [iteration for iteration in iterations if iteration.type == "advisor_message"]


def _identity(line: _Line, message: _Message, session: str, time: int, place: str) -> tuple[str, str]:
    """Of an answer that does not have both its id and its request's. Some gateways give no request id, and some of them
    one message id to many answers."""
    if message.id:
        return message.id, session if message.id.startswith("msg_") else f"{session}@{time}"
    return (f"uuid:{line.uuid}", "") if line.uuid else (place, "")


def counts_of(usage: _Usage | _Iteration) -> Counts | None:
    """None when nothing was used or a number cannot be one."""
    given, out, read = usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens
    written, hours = usage.cache_creation_input_tokens, 0
    split = usage.cache_creation
    if split is not None:
        hours = split.ephemeral_1h_input_tokens
        written = (split.ephemeral_5m_input_tokens + hours) or written
    return (given, out, written, read, hours) if plausible(given, out, written, read, hours) else None
