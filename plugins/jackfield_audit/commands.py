"""`jackfield audit`: the audit log from the command line, beside a running daemon or without one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from jackfield.api.cli import (
    Cli,
    CommandGroup,
    CommandOutput,
    audited,
    config_dir_option,
    echo_json,
    harmless,
    json_option,
    work_at,
)

if TYPE_CHECKING:
    from jackfield_audit.verifying import Verdict

_MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%z"])
_WORK = "jackfield_audit.command_work"
_COLUMNS = {
    "NUMBER": "number", "TIME": "time", "ACTOR": "actor.name", "METHOD": "actor.method", "ACT": "act",
    "SUBJECT": "subject", "NAME": "name", "OUTCOME": "outcome",
}  # fmt: skip


def _filters(command: Any) -> Any:  # click's own decorators
    """Options that choose records."""
    for option in (
        click.option("--until", type=_MOMENT, help="Only before this time, UTC unless it names a zone."),
        click.option("--since", type=_MOMENT, help="Only from this time on."),
        click.option("--project", default="", metavar="ID", help="Only of this project."),
        click.option("--actor", default="", metavar="ID", help="Only of this user, by id."),
        click.option(
            "--act", default="", metavar="ACT", help="Only this act, such as workflow.update; `workflow.`: all."
        ),
    ):
        command = option(command)
    return command


@click.group(cls=CommandGroup)
def audit() -> None:
    """The audit log: list, export, verify."""


@audit.command("list")
@_filters
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="Records at most.")
@json_option
@config_dir_option
@click.pass_obj
def list_records(
    cli: Cli,
    act: str,
    actor: str,
    project: str,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    as_json: bool,
    config_dir: Path | None,
) -> None:
    """List records, the newest first."""
    work = work_at(f"{_WORK}:listed", act, actor, project, _ms(since), _ms(until), limit)
    CommandOutput(as_json=as_json).table(
        _COLUMNS, cli.run("audit", work, config_dir=config_dir), "The audit log has no such record."
    )


@audited("audit.export")
@audit.command()
@_filters
@click.option("--format", "form", type=click.Choice(("jsonl", "csv")), default="jsonl", show_default=True, help="Form.")
@click.option("-o", "--output", type=click.File("wb", lazy=True), default="-", help="File (default: standard output).")
@config_dir_option
@click.pass_obj
def export(
    cli: Cli,
    act: str,
    actor: str,
    project: str,
    since: datetime | None,
    until: datetime | None,
    form: str,
    output: Any,  # an open file
    config_dir: Path | None,
) -> None:
    """Write records, the oldest first."""
    work = work_at(f"{_WORK}:exported", act, actor, project, _ms(since), _ms(until), form, output)
    count = cli.run("audit", work, config_dir=config_dir)
    if count["cut"]:
        click.echo("The export ends at audit.export_limit records; give --since for the rest.", err=True)


@audited("audit.verify")
@audit.command()
@json_option
@config_dir_option
@click.pass_obj
def verify(cli: Cli, as_json: bool, config_dir: Path | None) -> None:
    """Check the chain, and say at which record it breaks. Exit code 1: it does."""
    found = cast("Verdict", cli.run("audit", work_at("jackfield_audit.verifying:verify"), config_dir=config_dir))
    if as_json:
        echo_json(found.shown())
    elif found.good:
        dropped = f"; {found.dropped} before were dropped by retention" if found.dropped else ""
        click.echo(f"The audit log is whole: {found.records} records, {found.first} to {found.last}{dropped}.")
    else:
        where = f"The audit log is broken at record {found.broken}. " if found.broken is not None else ""
        click.echo(harmless(f"{where}{found.problem}"), err=True)
    if not found.good:
        raise SystemExit(1)


def _ms(moment: datetime | None) -> int | None:
    if moment is None:
        return None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
