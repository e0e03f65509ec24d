"""One import: what is new below a directory goes into the ledger. Blocks; for a thread."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from jackfield.api.records import record
from jackfield_telemetry.importing import filestates
from jackfield_telemetry.importing.compiled import ReadPart, is_read, read_parts
from jackfield_telemetry.importing.jobs import ImportPart, Job, LogSource, parts
from jackfield_telemetry.importing.processes import ordered, shared_parts
from jackfield_telemetry.ledger.database import Ledger
from jackfield_telemetry.ledger.merging import AddedUsage, merge

MOST_WORKERS = 4
"""More of them would wait for the ledger, and need more memory than 200 MB with it."""
GATHERED = 24_000
"""Entries that one transaction stores, about."""


@record
class ImportResult:
    """files: how many of those seen held something new; size: its bytes. problems: one sentence for each file that
    could not be read."""

    agent: str
    seen: int
    files: int
    size: int
    added: AddedUsage = AddedUsage()
    problems: Sequence[str] = ()


@record
class ImportProgress:
    """Of a running import; sizes in bytes."""

    files: int
    files_done: int
    size: int
    size_done: int


@record
class ImportEffort:
    """workers: threads, or processes where `jackfield_native` does not read; 0 for one per processor. threshold: bytes
    from which more than one is worth its start."""

    workers: int = 0
    threshold: int = 32 * 2**20


def run_import(
    ledger: Ledger,
    sources: Sequence[LogSource],
    effort: ImportEffort,
    report: Callable[[ImportProgress], None] = lambda _: None,
) -> list[ImportResult]:
    """One result for each source. Raises `StoreUnavailable`; what was stored until then stays, and the next import goes
    on from there."""
    plan = _plan(ledger, sources)
    total = sum(job.size for job in plan.jobs)
    added, problems = [AddedUsage() for _ in sources], [list[str]() for _ in sources]
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
        report(ImportProgress(len(plan.jobs), done, total, done_size))
    return [
        ImportResult(
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
    seen: Sequence[filestates.SeenFile]
    jobs: Sequence[Job]


def _plan(ledger: Ledger, sources: Sequence[LogSource]) -> _Plan:
    counts, seen, jobs = [], list[filestates.SeenFile](), list[Job]()
    for number, source in enumerate(sources):
        files = list(source.reader.files(source.directory))
        new = ledger.read(partial(filestates.changed, reader=source.reader, files=files))
        counts.append(len(files))
        seen += new
        jobs += [filestates.job_of(one, number) for one in new]
    return _Plan(counts, seen, jobs)


def _read(sources: Sequence[LogSource], jobs: Sequence[Job], effort: ImportEffort) -> Iterator[ImportPart | ReadPart]:
    """The files that `jackfield_native` reads come first."""
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


def _groups(given: Iterator[ImportPart | ReadPart]) -> Iterator[list[ImportPart | ReadPart]]:
    group: list[ImportPart | ReadPart] = []
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
    ledger: Ledger, sources: Sequence[LogSource], plan: _Plan, group: Sequence[ImportPart | ReadPart]
) -> list[tuple[int, AddedUsage]]:
    def work(connection: sqlite3.Connection) -> list[tuple[int, AddedUsage]]:
        added = []
        for part in group:
            added.append((part.source, merge(connection, part.batch)))
            filestates.remember(connection, sources[part.source].reader, plan.seen, part.marks)
        return added

    return ledger.write(work)


def import_sentence(done: Sequence[ImportResult]) -> str:
    """The new usage: `Imported 1,234 tokens in 5 answers from 2 of 3 files (claude).`"""
    tokens = sum(one.added.tokens.total for one in done)
    entries = sum(one.added.entries for one in done)
    files, seen = sum(one.files for one in done), sum(one.seen for one in done)
    agents = ", ".join(sorted({one.agent for one in done})) or "no log found"
    return f"Imported {tokens:,} tokens in {entries:,} answers from {files:,} of {seen:,} files ({agents})."
