"""Files to read, and reading them into batches; in the process that does it, be it the daemon or a worker."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, cast

import msgspec

from jackfield.api.records import record
from jackfield.api.telemetry import Bookmark, LogFile, UsageReader
from jackfield_telemetry.ledger.batches import EntryBatch
from jackfield_telemetry.ledger.packing import Packer
from jackfield_telemetry.readers.answers import AnswerReader, Answers, add_entry
from jackfield_telemetry.readers.claude import ClaudeReader
from jackfield_telemetry.readers.codex import CodexReader
from jackfield_telemetry.readers.lines import tail_of

ROWS = 8192
"""Entries that are sent and written at once, about."""
AHEAD = 4
"""Files that the system is asked to fetch before they are read."""


@record
class LogSource:
    """A directory of an agent's data, and whose it is. profile, provider: empty for the user's own."""

    reader: UsageReader
    directory: Path
    profile: str = ""
    provider: str = ""


class Job(msgspec.Struct, array_like=True):
    """A file to read, from where, and how many bytes that is. source: the number of its source."""

    path: str
    identity: str
    offset: int
    memory: bytes
    size: int
    source: int = 0


class Mark(msgspec.Struct, array_like=True):
    """How far a job has come.

    `number`: of the job. `tail`: digest of the bytes before `offset`. `error`: why the rest of it could not be read.
    """

    number: int
    offset: int
    memory: bytes
    done: bool = False
    error: str | None = None
    tail: bytes = b""


class ImportPart(msgspec.Struct, array_like=True):
    """Entries of one source, and the places that are reached once they are stored."""

    source: int
    batch: EntryBatch
    marks: list[Mark]


def parts(sources: Sequence[LogSource], jobs: Sequence[Job], numbers: Iterable[int]) -> Iterator[ImportPart]:
    """Read these of the jobs, one after the other."""
    gathered = _Gathered(sources, jobs)
    for number in _fetched(jobs, numbers):
        job = jobs[number]
        if job.source != gathered.source:
            yield from gathered.part()
            gathered.begin(job.source)
        mark = Mark(number, job.offset, job.memory)
        try:
            file = LogFile(Path(job.path), job.identity)
            reader = _into(sources[job.source].reader)
            for bookmark in reader.read_into(file, Bookmark(job.offset, job.memory), gathered.packer):
                mark = gathered.marks[number] = Mark(number, bookmark.offset, bookmark.memory)
                if gathered.packer.added >= ROWS:
                    yield from gathered.part()
        except Exception as exc:  # a reader of a stranger may raise anything
            mark.error = f"{type(exc).__name__}: {exc}"
        gathered.marks[number] = Mark(number, mark.offset, mark.memory, done=True, error=mark.error)
    yield from gathered.part()


class _Gathered:
    """The rows of the next part."""

    def __init__(self, sources: Sequence[LogSource], jobs: Sequence[Job]) -> None:
        self._sources = sources
        self._jobs = jobs
        self.source = -1
        self.packer = Packer()
        self.marks: dict[int, Mark] = {}

    def begin(self, source: int) -> None:
        """The answers that come now are of this one."""
        self.source = source
        whose = self._sources[source]
        self.packer = Packer(profile=whose.profile, provider=whose.provider)

    def part(self) -> Iterator[ImportPart]:
        """It, unless there is nothing."""
        if self.marks:
            for mark in self.marks.values():
                mark.tail = tail_of(Path(self._jobs[mark.number].path), mark.offset)
            yield ImportPart(self.source, self.packer.taken(), list(self.marks.values()))
        self.marks = {}


class _ByEntries:
    """A stranger's reader as an `AnswerReader`."""

    def __init__(self, reader: UsageReader) -> None:
        self._reader = reader

    def read_into(self, file: LogFile, start: Bookmark, answers: Answers) -> Iterator[Bookmark]:
        for reading in self._reader.read(file, start):
            for entry in reading.entries:
                add_entry(answers, entry)
            yield reading.bookmark


def _into(reader: UsageReader) -> AnswerReader:
    """One that is derived from ours may read otherwise."""
    return cast("AnswerReader", reader) if type(reader) in (ClaudeReader, CodexReader) else _ByEntries(reader)


def _fetched(jobs: Sequence[Job], numbers: Iterable[int]) -> Iterator[int]:
    """The same numbers; the system fetches the files of the next ones meanwhile."""
    waiting = deque[int]()
    for number in numbers:
        fetch(jobs[number])
        waiting.append(number)
        if len(waiting) > AHEAD:
            yield waiting.popleft()
    yield from waiting


def fetch(job: Job) -> None:
    """Ask the system to read it into its cache; does not wait for it."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):
            descriptor = os.open(job.path, os.O_RDONLY)
            os.posix_fadvise(descriptor, max(0, job.offset), 0, os.POSIX_FADV_WILLNEED)
            os.close(descriptor)


def frames(stream: IO[bytes]) -> Iterator[bytes]:
    """The frames that `send` has written."""
    while len(head := stream.read(4)) == 4:
        yield stream.read(int.from_bytes(head, "big"))


def send(stream: IO[bytes], part: ImportPart) -> None:
    frame = msgspec.msgpack.encode(part)
    stream.write(len(frame).to_bytes(4, "big") + frame)
    stream.flush()
