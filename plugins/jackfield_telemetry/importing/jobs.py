"""Files to read, and reading them into batches; in the process that does it, be it the daemon or a worker."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from jackfield.api.records import record
from jackfield.api.telemetry import Bookmark, LogFile, UsageEntry, UsageReader
from jackfield_telemetry.ledger.packing import EntryBatch, pack
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
    """How far a job has come. number: of the job; tail: digest of what stands before `offset`; error: why the rest of
    it could not be read."""

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
            gathered.source = job.source
        mark = Mark(number, job.offset, job.memory)
        try:
            file = LogFile(Path(job.path), job.identity)
            for reading in sources[job.source].reader.read(file, Bookmark(job.offset, job.memory)):
                gathered.entries += reading.entries
                mark = gathered.marks[number] = Mark(number, reading.bookmark.offset, reading.bookmark.memory)
                if len(gathered.entries) >= ROWS:
                    yield from gathered.part()
        except Exception as exc:  # a reader of a stranger may raise anything
            mark.error = f"{type(exc).__name__}: {exc}"
        gathered.marks[number] = Mark(number, mark.offset, mark.memory, done=True, error=mark.error)
    yield from gathered.part()


class _Gathered:
    """What the next part will be."""

    def __init__(self, sources: Sequence[LogSource], jobs: Sequence[Job]) -> None:
        self._sources = sources
        self._jobs = jobs
        self.source = 0
        self.entries: list[UsageEntry] = []
        self.marks: dict[int, Mark] = {}

    def part(self) -> Iterator[ImportPart]:
        """It, unless there is nothing."""
        if self.marks:
            source = self._sources[self.source]
            batch = pack(self.entries, profile=source.profile, provider=source.provider)
            for mark in self.marks.values():
                mark.tail = tail_of(Path(self._jobs[mark.number].path), mark.offset)
            yield ImportPart(self.source, batch, list(self.marks.values()))
        self.entries, self.marks = [], {}


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
    """What `send` has written."""
    while len(head := stream.read(4)) == 4:
        yield stream.read(int.from_bytes(head, "big"))


def send(stream: IO[bytes], part: ImportPart) -> None:
    frame = msgspec.msgpack.encode(part)
    stream.write(len(frame).to_bytes(4, "big") + frame)
    stream.flush()
