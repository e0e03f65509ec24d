"""`jackfield trigger`: list, test."""

from __future__ import annotations

import click

from jackfield.api.cli import CommandGroup, echo_json
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command, segment

workflow_argument = click.argument("workflow", shell_complete=completed("/workflows"))
_COLUMNS = {
    "NODE": "node",
    "KIND": "kind",
    "STATE": "state",
    "EVENTS": "events",
    "LAST EVENT": "lastEvent",
    "NEXT": "next",
    "CONNECTED": "connected",
    "LAST ERROR": "lastError.message",
}
_NONE = "The workflow has no trigger that asks a service, gets its events or holds a connection."


@click.group("trigger", cls=CommandGroup)
def trigger() -> None:
    """Triggers that ask services, that services send events to, or that hold a connection: list, test."""


@trigger.command("list")
@workflow_argument
@daemon_command
def list_triggers(call: DaemonCall, workflow: str) -> None:
    """List the triggers of a WORKFLOW: last event, next poll or look at the subscription, connection, last error."""
    rows = call.ask("GET", f"{_path(call, workflow)}/triggers")["data"]
    call.table(
        _COLUMNS, rows, "The workflow has no trigger that asks a service, gets its events or holds a connection."
    )


@trigger.command()
@workflow_argument
@click.argument("node")
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3_600),
    default=60,
    show_default=True,
    help="How long to wait for an event that the service sends.",
)
@daemon_command
def test(call: DaemonCall, workflow: str, node: str, seconds: float) -> None:
    """Fetch a test event of the trigger NODE of a WORKFLOW, as JSON.

    It is the newest item that it would ask for, or the next event that its service sends. Nothing starts.
    """
    body = {"node": node, "seconds": seconds}
    found = call.ask("POST", f"{_path(call, workflow)}/triggers/test", body=body, timeout=seconds + 180)
    echo_json(found["items"])


def _path(call: DaemonCall, workflow: str) -> str:
    return f"/workflows/{segment(call.identify('/workflows', workflow, 'workflow'))}"
