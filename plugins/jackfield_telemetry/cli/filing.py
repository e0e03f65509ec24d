"""`jackfield usage import | export | rebuild`."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path
from typing import IO

import click

from jackfield.api.cli import Cli, echo_json
from jackfield.api.daemon import daemon_elsewhere
from jackfield.api.errors import JackfieldError
from jackfield.api.jsontext import Json
from jackfield_telemetry.cli import rebuilding
from jackfield_telemetry.cli.asking import ask, asked_elsewhere, filter_of, tell
from jackfield_telemetry.importing.imports import ImportResult, import_sentence
from jackfield_telemetry.importing.jobs import LogSource
from jackfield_telemetry.reports.export import BY, csv_parts, json_parts, limited, row_of
from jackfield_telemetry.reports.periods import zone_of
from jackfield_telemetry.reports.queries import UsageFilter, slices
from jackfield_telemetry.service import UsageService, sources_of

_LOOK_SECONDS = 0.1
"""Between two looks at an import's progress."""
LARGEST = 1 << 30
"""Bytes of an export that a daemon elsewhere sends."""


def import_logs(cli: Cli, config_dir: Path | None, agent: str | None, directory: str | None, as_json: bool) -> None:
    """Count what is new in agents' own logs, or in that directory."""
    done = ask(cli, lambda service: _imported(service, agent, directory), config_dir)
    tell([problem for one in done for problem in one.problems])
    if as_json:
        echo_json([import_view(one) for one in done])
    else:
        click.echo(import_sentence(done) if done else "No agent's log was found.")


async def _imported(service: UsageService, agent: str | None, directory: str | None) -> list[ImportResult]:
    environment = dict(os.environ)
    sources = await service.thread(lambda: sources_of(service, agent, directory, environment))
    return await _with_progress(service, sources) if sources else []


async def _with_progress(service: UsageService, sources: list[LogSource]) -> list[ImportResult]:
    task = asyncio.ensure_future(service.import_all(sources))
    with click.progressbar(length=1000, label="Importing", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        shown = 0
        while not task.done():
            await asyncio.wait({task}, timeout=_LOOK_SECONDS)
            if (now := service.progress) is not None and now.size:
                part = min(1000, 1000 * now.size_done // now.size)
                bar.update(part - shown)
                shown = part
        bar.update(1000 - shown)
    return task.result()


def import_view(done: ImportResult) -> dict[str, Json]:
    """One agent's import. files: those of `seen` that held something new; bytes: their size."""
    return {
        "agent": done.agent,
        "seen": done.seen,
        "files": done.files,
        "bytes": done.size,
        "answers": done.added.entries,
        "tokens": done.added.tokens.total,
        "problems": list(done.problems),
    }


def export(
    cli: Cli, config_dir: Path | None, form: str, output: Path | None, period: str, narrowed: dict[str, str]
) -> None:
    """All usage as rows, to standard output or a file."""
    if (daemon := daemon_elsewhere(cli.config_dir(config_dir))) is not None:
        query = {"format": form, "period": period, **asked_elsewhere(cli, config_dir, narrowed)}
        answer = daemon.send("GET", "/api/usage/export", query=query, headers=daemon.headers(), largest=LARGEST)
        if answer.status != 200:
            raise JackfieldError(f"The daemon answered with status {answer.status}.")
        _put(iter([answer.body]), output)
        return

    async def work(service: UsageService) -> None:
        where, zone = await filter_of(service, period, narrowed), zone_of(narrowed["tz"])
        await service.thread(lambda: _put(_parts(service, form, where, zone), output))

    ask(cli, work, config_dir)


def _put(parts: Iterator[bytes], output: Path | None) -> None:
    if output is None:
        _copy(parts, sys.stdout.buffer)
    elif output.exists() and not output.is_file():
        _pour(output, parts)
    else:
        _replace(output.resolve(), parts)


def _parts(service: UsageService, form: str, where: UsageFilter, zone: tzinfo) -> Iterator[bytes]:
    """Blocks."""
    pricing = service.pricing()
    service.settle()

    def work(connection: sqlite3.Connection) -> Iterator[bytes]:
        found = slices(connection, where, pricing, BY, zone)
        rows = limited(map(row_of, found), service.settings.export_limit)
        return csv_parts(rows) if form == "csv" else json_parts(rows)

    yield from service.ledger.stream(work)


def _copy(parts: Iterator[bytes], out: IO[bytes]) -> None:
    for part in parts:
        out.write(part)
    out.flush()


def _pour(path: Path, parts: Iterator[bytes]) -> None:
    """Into a pipe or a device, which must not be replaced by a file: `/dev/null` is everybody's."""
    with _named(path), path.open("wb") as out:
        _copy(parts, out)


def _replace(path: Path, parts: Iterator[bytes]) -> None:
    """The file is there once it is whole."""
    with (
        _named(path),
        tempfile.NamedTemporaryFile(dir=path.absolute().parent, prefix=f".{path.name}.", delete=False) as file,
    ):
        kept = Path(file.name)
        try:
            _copy(parts, file)
            kept.replace(path)
        except BaseException:
            kept.unlink(missing_ok=True)
            raise


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise click.ClickException(f"{path} cannot be written: {exc.strerror or exc}.") from None


def rebuild(cli: Cli, config_dir: Path | None, as_json: bool) -> None:
    """Make the sums again."""
    damaged = ask(cli, lambda service: service.thread(lambda: rebuilding.rebuild(service)), config_dir)
    if as_json:
        echo_json({"rebuilt": True, "damaged": list(damaged)})
        return
    tell(damaged)
    click.echo("The sums are rebuilt.")
