"""`jackfield import` and `jackfield export`. The work of each stands in its own module."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command
from jackfield.api.object_references import load

FAILED = 1


def _work(reference: str) -> Callable[..., Any]:  # each with its own parameters
    return cast("Callable[..., Any]", load(f"jackfield_migration.{reference}"))


@click.group("import", cls=CommandGroup)
def import_group() -> None:
    """Move in from another system."""


@import_group.command("n8n")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--encryption-key-file",
    type=click.Path(path_type=Path, allow_dash=True),
    help="File with the encryption key of that n8n, or - for standard input (default: N8N_ENCRYPTION_KEY, else the "
    "file config beside the database). Several keys stand in lines.",
)
@click.option(
    "--postgres",
    is_flag=True,
    help="Read n8n's PostgreSQL database, as DB_POSTGRESDB_HOST and the other variables of n8n say.",
)
@click.option("--activate", is_flag=True, help="Activate the workflows that are active in n8n.")
@click.option("--dry-run", is_flag=True, help="Change nothing; say what an import would do.")
@click.option("--source", default="n8n", metavar="NAME", help="A name for this n8n, when you move in from several.")
@daemon_command
def import_n8n(
    call: DaemonCall,
    paths: tuple[Path, ...],
    encryption_key_file: Path | None,
    postgres: bool,
    activate: bool,
    dry_run: bool,
    source: str,
) -> None:
    """Import workflows, credentials and variables of n8n.

    PATH is a file that `n8n export:workflow`, `export:credentials` or `export:entities` wrote, a directory of them, or
    n8n's database.sqlite. Imported twice, everything is here once. Exit code 1 when something was not imported.
    """
    if not paths and not postgres:
        raise click.UsageError("Name a file, a directory or a database of n8n, or give --postgres.")
    request = _work("moving:Request")(paths, encryption_key_file, postgres, activate, dry_run, source)
    if not _work("moving:move_in")(call, request):
        sys.exit(FAILED)


@click.command()
@click.argument("workflows", nargs=-1, metavar="[ID|NAME]...", shell_complete=completed("/workflows"))
@click.option("--n8n", "for_n8n", is_flag=True, required=True, help="In n8n's form, with n8n's names of node types.")
@click.option("--all", "everything", is_flag=True, help="Every workflow.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File, or a directory for one file each.")
@click.option("--source", default="n8n", metavar="NAME", help="The n8n whose ids the workflows get back.")
@daemon_command
def export(
    call: DaemonCall,
    workflows: tuple[str, ...],
    for_n8n: bool,
    everything: bool,
    output: Path | None,
    source: str,
) -> None:
    """Write workflows so that `n8n import:workflow` reads them: one as an object, several as a list.

    Secrets of nodes are left out; credentials are named, and not exported.
    """
    if bool(workflows) == everything:
        raise click.UsageError("Give the ids or names of workflows, or --all.")
    _work("moving_out:move_out")(call, workflows, output, source)
