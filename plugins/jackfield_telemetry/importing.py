"""One import: what is new below a directory goes into the ledger. Blocks; for a thread."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from jackfield.api.records import record
from jackfield_telemetry import filestates
from jackfield_telemetry.compiled import ReadPart, is_read, read_parts
from jackfield_telemetry.jobs import Job, Part, parts
from jackfield_telemetry.jobs import Source as Source  # callers have it from here
from jackfield_telemetry.ledger import Ledger
from jackfield_telemetry.merging import Added, merge
from jackfield_telemetry.processes import ordered, shared_parts

MOST_WORKERS = 4
"""More of them would wait for the ledger, and need more memory than 200 MB with it."""
GATHERED = 24_000
"""Entries that one transaction stores, about."""


@record
class Imported:
    """files: how many of those seen held something new; size: its bytes. problems: one sentence for each file that
    could not be read."""

    agent: str
    seen: int
    files: int
    size: int
    added: Added = Added()
    problems: Sequence[str] = ()


@record
class Progress:
    """Of a running import; sizes in bytes."""

    files: int
    files_done: int
    size: int
    size_done: int


@record
class Effort:
    """workers: threads, or processes where `logscan` does not read; 0 for one per processor. threshold: bytes from
    which more than one is worth its start."""

    workers: int = 0
    threshold: int = 32 * 2**20


def run_import(
    ledger: Ledger, sources: Sequence[Source], effort: Effort, report: Callable[[Progress], None] = lambda _: None
) -> list[Imported]:
    """One result for each source. Raises `StoreUnavailable`; what was stored until then stays, and the next import goes
    on from there."""
    plan = _plan(ledger, sources)
    total = sum(job.size for job in plan.jobs)
    added, problems = [Added() for _ in sources], [list[str]() for _ in sources]
    done, done_size = 0, 0
    for group in _groups(_read(sources, plan.jobs, effort)):
        for number, more in _store(ledger, sources, plan, group):
            added[number] = added[number].plus(more)
        for mark in (mark for part in group for mark in part.marks if mark.done):
            job = plan.jobs[mark.number]
            done, done_size = done + 1, done_size + job.size
            if mark.error is not None:
                path = os.fsencode(job.path).decode("utf-8", "backslashreplace")
                problems[job.source].append(f"{path}: {mark.error}")
        report(Progress(len(plan.jobs), done, total, done_size))
    return [
        Imported(
            source.reader.name,
            plan.files[number],
            sum(job.source == number for job in plan.jobs),
            sum(job.size for job in plan.jobs if job.source == number),
            added[number],
            problems[number],
        )
        for number, source in enumerate(sources)
    ]


@record
class _Plan:
    """files: how many each source has; seen and jobs: what is new, in the same order, source by source."""

    files: Sequence[int]
    seen: Sequence[filestates.Seen]
    jobs: Sequence[Job]


def _plan(ledger: Ledger, sources: Sequence[Source]) -> _Plan:
    counts, seen, jobs = [], list[filestates.Seen](), list[Job]()
    for number, source in enumerate(sources):
        files = list(source.reader.files(source.directory))
        new = ledger.read(partial(filestates.changed, reader=source.reader, files=files))
        counts.append(len(files))
        seen += new
        jobs += [filestates.job_of(one, number) for one in new]
    return _Plan(counts, seen, jobs)


def _read(sources: Sequence[Source], jobs: Sequence[Job], effort: Effort) -> Iterator[Part | ReadPart]:
    """What `logscan` reads comes first."""
    alone = sum(job.size for job in jobs) < effort.threshold
    workers = 1 if alone else min(effort.workers or min(MOST_WORKERS, os.cpu_count() or 1), max(1, len(jobs)))
    order = range(len(jobs)) if alone else ordered(jobs)
    numbers = [number for number in order if is_read(jobs[number], sources)]
    yield from read_parts(sources, jobs, numbers, workers)
    done = set(numbers)
    rest = [number for number in range(len(jobs)) if number not in done]
    if alone:
        yield from parts(sources, jobs, rest)
    elif rest:
        yield from shared_parts(sources, jobs, rest, min(workers, len(rest)))


def _groups(given: Iterator[Part | ReadPart]) -> Iterator[list[Part | ReadPart]]:
    group: list[Part | ReadPart] = []
    rows = 0
    for part in given:
        group.append(part)
        rows += len(part.batch)
        if rows >= GATHERED:
            yield group
            group, rows = [], 0
    if group:
        yield group


def _store(
    ledger: Ledger, sources: Sequence[Source], plan: _Plan, group: Sequence[Part | ReadPart]
) -> list[tuple[int, Added]]:
    def work(connection: sqlite3.Connection) -> list[tuple[int, Added]]:
        added = []
        for part in group:
            added.append((part.source, merge(connection, part.batch)))
            filestates.remember(connection, sources[part.source].reader, plan.seen, part.marks)
        return added

    return ledger.write(work)
