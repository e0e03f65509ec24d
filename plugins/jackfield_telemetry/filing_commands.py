"""`jackfield usage import | export | rebuild`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from jackfield.api.cli import Cli, config_dir_option
from jackfield_telemetry.commands import PERIODS, ask, filters, tell, usage

if TYPE_CHECKING:
    from jackfield_telemetry.importing import Imported, Source
    from jackfield_telemetry.service import UsageService

_LOOK_SECONDS = 0.1
"""Between two looks at an import's progress."""


@click.command(name="import")
@click.argument("agent_dir", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--agent", help="Whose log it is; without AGENT_DIR: only this agent's own.")
@config_dir_option
@click.pass_obj
def import_(cli: Cli, agent_dir: Path | None, agent: str | None, config_dir: Path | None) -> None:
    """Count what is new in agents' own logs, or in the data directory AGENT_DIR."""
    place = str(agent_dir.absolute()) if agent_dir else None
    done = ask(cli, lambda service: _imported(service, agent, place), config_dir)
    from jackfield_telemetry.routes import import_sentence

    tell([problem for one in done for problem in one.problems], [])
    click.echo(import_sentence(done) if done else "No agent's log was found.")


async def _imported(service: UsageService, agent: str | None, place: str | None) -> list[Imported]:
    from jackfield_telemetry.service import sources_of

    environment = dict(os.environ)
    sources = await service.thread(lambda: sources_of(service, agent, place, environment))
    return await _with_progress(service, sources) if sources else []


async def _with_progress(service: UsageService, sources: list[Source]) -> list[Imported]:
    import asyncio

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


@click.command()
@click.option("--format", "form", type=click.Choice(["csv", "json"]), default="csv", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Default: standard output.")
@click.option("-p", "--period", type=click.Choice(PERIODS), default="all", show_default=True)
@filters
@config_dir_option
@click.pass_obj
def export(cli: Cli, /, form: str, output: Path | None, config_dir: Path | None, period: str, **narrowed: str) -> None:
    """One row for each day, agent, profile, provider, model, session and project."""

    async def work(service: UsageService) -> None:
        def write() -> None:
            parts = _parts(service, form, period, narrowed)
            if output is None:
                _copy(parts, sys.stdout.buffer)
            elif output.exists() and not output.is_file():
                _pour(output, parts)
            else:
                _replace(output.resolve(), parts)

        await service.thread(write)

    ask(cli, work, config_dir)


def _parts(service: UsageService, form: str, period: str, narrowed: dict[str, str]) -> Iterator[bytes]:
    """Blocks."""
    import sqlite3

    from jackfield_telemetry.export import BY, csv_parts, json_parts, limited, row_of
    from jackfield_telemetry.periods import span_of, zone_of
    from jackfield_telemetry.queries import Where, slices

    zone = zone_of(narrowed["tz"])
    span = span_of(period, service.context.clock.now_ms(), zone)
    where = Where(span, **{name: narrowed[name] for name in ("profile", "model", "agent", "provider")})
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
    import tempfile

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


@click.command()
@config_dir_option
@click.pass_obj
def rebuild(cli: Cli, config_dir: Path | None) -> None:
    """Read the whole log of sessions again, and write aggregates.json anew; a damaged one is kept beside."""
    from jackfield_telemetry.rebuilding import rebuild as work

    warnings = ask(cli, lambda service: service.thread(lambda: work(service)), config_dir)
    tell(warnings, [])
    click.echo("The sums are rebuilt.")


for _command in (import_, export, rebuild):
    usage.add_command(_command)
