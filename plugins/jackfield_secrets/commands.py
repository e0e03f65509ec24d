"""`jackfield secrets`: sources, names, test. No command shows a value."""

from __future__ import annotations

import sys

import click

from jackfield.api.cli import Columns, CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed_whole, daemon_command, segment

PATH = "/secret-sources"
COLUMNS: Columns = {"NAME": "name", "KIND": "kind", "PROJECTS": "projects", "STATE": "state"}
source_argument = click.argument("source", shell_complete=completed_whole(PATH, key="name", about="title"))


@click.group(cls=CommandGroup)
def secrets() -> None:
    """External secrets of credentials: sources, names, test."""


@secrets.command()
@daemon_command
def sources(call: DaemonCall) -> None:
    """List the sources of secrets that the settings name."""
    rows = call.ask("GET", PATH)["data"]
    for row in rows:
        row["projects"] = ", ".join(row["projects"]) or "all"
        row["state"] = row["mistake"] or row["failure"] or "good"
    call.table(COLUMNS, rows, "The settings name no source of secrets.")


@secrets.command()
@source_argument
@daemon_command
def names(call: DaemonCall, source: str) -> None:
    """List references to the secrets of SOURCE."""
    rows = [{"reference": name} for name in call.ask("GET", f"{PATH}/{segment(source)}/names")["references"]]
    call.table({"REFERENCE": "reference"}, rows, "The source has no secret, or lists none.")


@secrets.command()
@source_argument
@daemon_command
def test(call: DaemonCall, source: str) -> None:
    """Try whether SOURCE lets the daemon in. Exit code 1 when it does not."""
    found = call.ask("POST", f"{PATH}/{segment(source)}/test")
    call.say(found["message"], found)
    if not found["valid"]:
        sys.exit(1)
