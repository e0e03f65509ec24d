"""Codex: `sessions/**/rollout-*.jsonl` and `archived_sessions/`, a count of tokens after each answer.

The meaning of a line depends on those before it (model, totals), which the bookmark remembers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from jackfield.api.telemetry import Bookmark, LogFile, Reading
from jackfield_telemetry.readers.answers import Answers, Counts, EntryList
from jackfield_telemetry.readers.counts import MOST, plausible
from jackfield_telemetry.readers.lines import DAMAGED, OWN_TYPE, LineBlock, blocks
from jackfield_telemetry.readers.moments import milliseconds
from jackfield_telemetry.readers.single_lines import LineResult, Memory

FALLBACK_MODEL = "gpt-5"
"""Of early logs, which name no model."""
REPLAY_PAUSE_MS = 1000
"""A thread that was forked begins with its parent's events, written in one go; its own first answer takes longer."""
_OTHERS = ("response_item", "compacted", "world_state")
_KNOWN = re.compile(
    OWN_TYPE
    + rb'"(?:(?:%s)"|event_msg","payload":\{"type":"(?:' % "|".join(_OTHERS).encode()
    + rb'token_count","info":\{"total_token_usage":(\{)|(?!token_count|thread_settings_applied)))'
)
"""Lines without their own counts, most of a log's bytes, which are not parsed; and those with a total, with a group
where it begins."""
_TIERS = {"fast": "priority", "priority": "priority", "flex": "flex"}


class _Counts(msgspec.Struct, gc=False):
    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    output_tokens: int = 0


class _Info(msgspec.Struct, gc=False):
    last_token_usage: _Counts | None = None
    total_token_usage: _Counts | None = None
    model: str | None = None


class _Settings(msgspec.Struct, gc=False):
    service_tier: str | None = None


class _Payload(msgspec.Struct):
    type: str | None = None
    info: _Info | None = None
    model: str | None = None
    id: str | None = None
    cwd: str | None = None
    forked_from_id: str | None = None
    source: object = None
    thread_settings: _Settings | None = None
    response_id: str | None = None


class _Line(msgspec.Struct, gc=False):
    type: str | None = None
    timestamp: datetime | None = None
    payload: _Payload | None = None


class _Memory(msgspec.Struct, gc=False):
    """The facts that earlier lines have told.

    `replaying`: time of the last line that repeats the parent's; None: not any more. `response`: id of the answer whose
    count comes next.
    """

    session: str | None = None
    model: str | None = None
    cwd: str | None = None
    tier: str | None = None
    total: _Counts | None = None
    replaying: int | None = None
    response: str | None = None


_decode = msgspec.json.Decoder(_Line).decode
_recall = msgspec.json.Decoder(_Memory).decode
_recall_counts = msgspec.json.Decoder(_Counts).decode


class CodexReader:
    """`UsageReader` of Codex."""

    name = "codex"
    version = 2

    def directories(self, environment: Mapping[str, str], home: Path) -> Sequence[Path]:
        named = environment.get("CODEX_HOME", "")
        places = [Path(part.strip()).expanduser() for part in named.split(",") if part.strip()] or [home / ".codex"]
        return [place for place in places if any((place / name).is_dir() for name in ("sessions", "archived_sessions"))]

    def files(self, directory: Path) -> Iterable[LogFile]:
        """A rollout keeps its name when it is archived; while both copies are there, the active one is read."""
        found: dict[str, LogFile] = {}
        for folder in ("sessions", "archived_sessions"):
            for path in sorted((directory / folder).rglob("*.jsonl")):
                found.setdefault(path.stem, LogFile(path, path.stem))
        return found.values()

    def read(self, file: LogFile, start: Bookmark) -> Iterator[Reading]:
        found = EntryList()
        for bookmark in self.read_into(file, start, found):
            yield Reading(found.taken(), bookmark)

    def read_into(self, file: LogFile, start: Bookmark, answers: Answers) -> Iterator[Bookmark]:
        memory = _recall(start.memory) if start.memory else _Memory()
        for block in blocks(file.path, start.offset):
            _add_all(block, file, memory, answers)
            yield Bookmark(block.offset + block.end, msgspec.json.encode(memory))

    def recalled(self, bookmark: bytes) -> Memory | None:
        return _told(_recall(bookmark)) if bookmark else None

    def kept(self, memory: Memory) -> bytes:
        return msgspec.json.encode(_remembered(memory))

    def read_line(self, file: LogFile, offset: int, line: bytes, memory: Memory) -> LineResult:
        match = _KNOWN.match(line)
        if match is not None and not match.lastindex:
            return memory, []
        parsed = _decoded(line)
        if parsed is None or parsed.payload is None:
            return memory, []
        known, found = _remembered(memory), EntryList()
        _add(parsed, parsed.payload, file, known, found)
        return _told(known), found.entries


def _told(memory: _Memory) -> Memory:
    total = memory.total
    counts = None
    if total is not None:
        numbers = (
            total.input_tokens,
            total.cached_input_tokens,
            total.cache_write_input_tokens,
            total.output_tokens,
        )
        small = all(abs(number) <= MOST for number in numbers)
        counts = (numbers, "") if small else (None, msgspec.json.encode(total).decode())
    return memory.session, memory.model, memory.cwd, memory.tier, counts, memory.replaying, memory.response


def _remembered(memory: Memory) -> _Memory:
    session, model, cwd, tier, counts, replaying, response = memory
    total = None
    if counts is not None:
        numbers, other = counts
        total = _Counts(*numbers) if numbers is not None else _recall_counts(other)
    return _Memory(session, model, cwd, tier, total, replaying, response)


def _add_all(block: LineBlock, file: LogFile, memory: _Memory, answers: Answers) -> None:
    """A count that is written twice is the same from its total to the line's end, and then not parsed again."""
    last: bytearray | None = None
    data, view, place, end = block.data, block.view, block.start, block.end
    find, known = data.find, _KNOWN.match
    while place < end:  # `LineBlock.lines` would be a generator to go back to for each
        start, stop = place, find(b"\n", place, end)
        place = stop + 1
        match = known(data, start, stop)
        if match is None:
            last = None
        elif not match.lastindex:
            continue
        else:
            counts = data[match.end() : stop]
            if counts == last:
                continue
            last = counts
        try:
            line = _decode(view[start:stop])
        except DAMAGED:
            last = None
            continue
        if line.payload is not None:
            _add(line, line.payload, file, memory, answers)


def _decoded(line: bytes | memoryview) -> _Line | None:
    """None for a line that is damaged."""
    try:
        return _decode(line)
    except DAMAGED:
        return None


def _add(line: _Line, payload: _Payload, file: LogFile, memory: _Memory, answers: Answers) -> None:
    if line.type == "event_msg":
        if payload.type == "token_count" and payload.info is not None:
            _add_counts(line.timestamp, payload.info, file, memory, answers)
        elif payload.type == "thread_settings_applied" and payload.thread_settings is not None:
            tier = payload.thread_settings.service_tier
            memory.tier = memory.tier if tier is None else _TIERS.get(tier)
    elif line.type == "turn_context":
        memory.model = payload.model or memory.model
        memory.cwd = payload.cwd or memory.cwd
    elif line.type == "token_usage_record":
        memory.response = payload.response_id or None
    elif line.type == "session_meta":
        _begin(line, payload, memory)


def _begin(line: _Line, payload: _Payload, memory: _Memory) -> None:
    """The first one is the file's own; a fork's copy of its parent's may follow."""
    if memory.session is not None:
        return
    memory.session = payload.id or ""
    memory.cwd = payload.cwd
    if (payload.forked_from_id or _parent(payload.source)) and line.timestamp is not None:
        memory.replaying = milliseconds(line.timestamp)


def _parent(source: object) -> object:
    """The thread that a subagent's was spawned from."""
    for name in ("subagent", "thread_spawn", "parent_thread_id"):
        source = source.get(name) if isinstance(source, dict) else None
    return source


def _add_counts(moment: datetime | None, info: _Info, file: LogFile, memory: _Memory, answers: Answers) -> None:
    total, before = info.total_token_usage, memory.total
    if total is not None:
        memory.total = total
        if total == before:
            return
    used = info.last_token_usage
    if used is None and total is not None:
        used = _difference(total, before)
    if used is not None and moment is not None:
        _add_answer(milliseconds(moment), total, used, info.model, file, memory, answers)
    memory.response = None


def _add_answer(
    time: int,
    total: _Counts | None,
    used: _Counts,
    model: str | None,
    file: LogFile,
    memory: _Memory,
    answers: Answers,
) -> None:
    if memory.replaying is not None:
        if time - memory.replaying <= REPLAY_PAUSE_MS:
            memory.replaying = max(time, memory.replaying)
            return
        memory.replaying = None
    counts = _counts_of(used)
    if counts is None:
        return
    marked = f"{total.input_tokens}+{total.output_tokens}" if total is not None else f"{used.input_tokens}"
    if model:
        memory.model = model
    answers.add(
        "codex",
        f"{file.identity}@{time}",
        memory.session or file.identity,
        time,
        memory.model or FALLBACK_MODEL,
        counts,
        marked,
        False,
        None,
        memory.tier,
        memory.cwd,
        None,
        None,
        memory.response,
    )


def _difference(total: _Counts, before: _Counts | None) -> _Counts:
    if before is None:
        return total
    return _Counts(
        max(0, total.input_tokens - before.input_tokens),
        max(0, total.cached_input_tokens - before.cached_input_tokens),
        max(0, total.cache_write_input_tokens - before.cache_write_input_tokens),
        max(0, total.output_tokens - before.output_tokens),
    )


def _counts_of(used: _Counts) -> Counts | None:
    """Cached tokens and those written to the cache are part of the input, and reasoning is part of the output."""
    given, out = used.input_tokens, used.output_tokens
    cached, written = used.cached_input_tokens, used.cache_write_input_tokens
    if not plausible(given, out, cached, written):
        return None
    cached = min(cached, given)
    written = min(written, given - cached)
    return given - cached - written, out, written, cached, 0
