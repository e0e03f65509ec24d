"""Reading by `jackfield_native`, where it is installed: on threads, without the interpreter's lock, to the same rows as
the readers' own parsers. The parsers read the lines that it does not understand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from jackfield.api.object_references import load
from jackfield.api.records import record
from jackfield.api.telemetry import LogFile
from jackfield_telemetry.importing.jobs import ROWS, Job, LogSource, Mark
from jackfield_telemetry.ledger.batches import Dim, Response, Row, Session
from jackfield_telemetry.ledger.packing import pack
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader
from jackfield_telemetry.readers.single_lines import Memory, SingleLineReader

if TYPE_CHECKING:
    import jackfield_native

_FORMS: dict[type, str] = {ClaudeReader: "claude", CodexReader: "codex"}
"""By `jackfield_native`'s names. A reader that is derived from one of these may read otherwise."""
LOGS, PART = "jackfield_native:Logs", "jackfield_native:Part"
"""Of the distribution `jackfield-native`. Nothing but an import of logs loads it."""
LATEST_MS = 253_402_300_799_999
"""The last moment that a log can write: the end of the year 9999, Unix ms."""
NICE = 5
"""By how much the threads give way to the daemon's own, as worker processes do."""


@record
class ReadPart:
    """A part of an import, as `jobs.ImportPart`, from the compiled reader."""

    source: int
    batch: jackfield_native.Part
    marks: Sequence[Mark]


@cache
def available() -> bool:
    """The daemon's start does not wait for it: ask when the first file is read."""
    try:
        return hasattr(load(PART), "responses")
    except ImportError:
        return False


def reader_sentence() -> str:
    """Which of the two reads here, for people."""
    if available():
        return "logs of Claude Code and Codex are read by jackfield-native"
    return (
        "logs of Claude Code and Codex are read by Python; jackfield-native takes half the time: "
        "`pip install ./native` in a clone"
    )


def is_read(job: Job, sources: Sequence[LogSource]) -> bool:
    """Whether `read_parts` is for it.

    A name that is not UTF-8 is not, nor is a damaged bookmark. The bookmark would fail all jobs, where the reader's own
    parser fails over its file alone.
    """
    reader = sources[job.source].reader
    if type(reader) not in _FORMS or not available():
        return False
    try:
        job.identity.encode()
        memory = cast("SingleLineReader", reader).recalled(job.memory)
    except (ValueError, TypeError, RecursionError):  # ValueError: of text and of JSON
        return False
    replaying = None if memory is None else memory[5]
    return replaying is None or 0 <= replaying <= LATEST_MS


def read_parts(
    sources: Sequence[LogSource], jobs: Sequence[Job], numbers: Sequence[int], threads: int
) -> Iterator[ReadPart]:
    """These of the jobs, in this order, each by the thread that is free first."""
    if not numbers:
        return
    wanted = _Wanted(sources, jobs, numbers)
    logs = cast("type[jackfield_native.Logs]", load(LOGS))(
        wanted.sources(), wanted.jobs(), wanted.read_line, threads=threads, rows=ROWS, nice=NICE
    )
    try:
        for part in logs:
            yield ReadPart(wanted.used[part.source], part, wanted.marks(part))
    finally:
        logs.close()


class _Wanted:
    """Ours as numbered and named by `jackfield_native`."""

    def __init__(self, sources: Sequence[LogSource], jobs: Sequence[Job], numbers: Sequence[int]) -> None:
        self._numbers = numbers
        self._jobs = [jobs[number] for number in numbers]
        self._sources = sources
        self.used = sorted({job.source for job in self._jobs})

    def sources(self) -> list[tuple[str, str, str, str]]:
        named = [self._sources[number] for number in self.used]
        return [(_FORMS[type(source.reader)], source.reader.name, source.provider, source.profile) for source in named]

    def jobs(self) -> list[tuple[int, str, str, int, Memory | None]]:
        places = {number: place for place, number in enumerate(self.used)}
        return [
            (places[job.source], job.path, job.identity, max(0, job.offset), self._reader(job).recalled(job.memory))
            for job in self._jobs
        ]

    def read_line(
        self, number: int, offset: int, line: bytes, memory: Memory
    ) -> tuple[Memory, list[Dim], list[Session], list[Row], list[Response]]:
        """On one of its threads."""
        job = self._jobs[number]
        source = self._sources[job.source]
        file = LogFile(Path(job.path), job.identity)
        memory, entries = self._reader(job).read_line(file, offset, line, memory)
        batch = pack(entries, profile=source.profile, provider=source.provider)
        return memory, batch.dims, batch.sessions, batch.rows(), batch.responses

    def marks(self, part: jackfield_native.Part) -> list[Mark]:
        return [
            Mark(
                self._numbers[number],
                offset,
                self._jobs[number].memory if memory is None else self._reader(self._jobs[number]).kept(memory),
                done,
                None if trouble is None else _said(self._jobs[number].path, *trouble),
                tail,
            )
            for number, offset, memory, done, trouble, tail in part.marks
        ]

    def _reader(self, job: Job) -> SingleLineReader:
        return cast("SingleLineReader", self._sources[job.source].reader)


def _said(path: str, number: int | None, text: str) -> str:
    if number is None:
        return text
    error = OSError(number, os.strerror(number), path)
    return f"{type(error).__name__}: {error}"
