"""`jackfield workflow` on saved workflows of the running daemon: show, activate, deactivate, delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from jackfield.api.cli import echo_json
from jackfield.api.daemon_commands import DaemonCall, completed, confirmed, daemon_command, segment
from jackfield_workflows.cli.progress import printable

PATH = "/workflows"
workflow_argument = click.argument("workflow", shell_complete=completed(PATH))
SHOWN = {
    "id": "id",
    "name": "name",
    "active": "active",
    "version": "version",
    "tags": "tags",
    "created": "createdAt",
    "updated": "updatedAt",
}


@click.command()
@workflow_argument
@daemon_command
def show(call: DaemonCall, workflow: str) -> None:
    """Show WORKFLOW, an id or a name: its state and its nodes; with --json the whole document."""
    found = call.ask("GET", f"{PATH}/{_id(call, workflow)}")
    if call.as_json:
        echo_json(found)
        return
    call.fields({**found, "tags": [tag["name"] for tag in found["tags"]]}, SHOWN)
    _tell_attention(found)
    rows = [{**node, "state": "disabled" if node.get("disabled") else ""} for node in found["nodes"]]
    call.table({"NODE": "name", "TYPE": "type", "STATE": "state"}, rows, "It has no node.")


@click.command()
@workflow_argument
@daemon_command
def activate(call: DaemonCall, workflow: str) -> None:
    """Let the triggers of WORKFLOW, an id or a name, start it."""
    found = call.ask("POST", f"{PATH}/{_id(call, workflow)}/activate")
    call.say(f"The workflow {workflow} is active.", found)
    if not call.as_json:
        _tell_attention(found)


@click.command()
@workflow_argument
@daemon_command
def deactivate(call: DaemonCall, workflow: str) -> None:
    """Stop the triggers of WORKFLOW, an id or a name. Executions that run go on."""
    found = call.ask("POST", f"{PATH}/{_id(call, workflow)}/deactivate")
    call.say(f"The workflow {workflow} is not active.", found)


@click.command()
@workflow_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def delete(call: DaemonCall, workflow: str, yes: bool) -> None:
    """Delete WORKFLOW, an id or a name, with its versions."""
    found = _id(call, workflow)
    confirmed(f"Delete the workflow {workflow} with its versions?", yes=yes)
    call.ask("DELETE", f"{PATH}/{found}")
    call.say(f"The workflow {workflow} was deleted.", {"id": found, "deleted": True})


def _tell_attention(found: Mapping[str, Any]) -> None:  # Any: JSON of an answer
    for reason in found.get("attention") or ():
        click.echo(f"needs attention: {printable(reason['path'])}: {printable(reason['message'])}", err=True)


def _id(call: DaemonCall, named: str) -> str:
    return segment(call.identify(PATH, named, "workflow"))
