"""`jackfield execution`: list, show, watch, retry, cancel."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command, segment
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield_workflows.cli.progress import CommandOutcome, RunPrinter
from jackfield_workflows.cli.progress import show as show_outcome
from jackfield_workflows.cli.run_following import FIRST_PAUSE_S, OVER, longer, tell_nodes

execution_argument = click.argument("execution_id", shell_complete=completed("/executions", key="id", about="status"))
STATUSES = ("queued", "running", "waiting", "success", "failed", "cancelled")
COLUMNS = {"ID": "id", "WORKFLOW": "workflow", "STATUS": "status", "MODE": "mode", "STARTED": "startedAt"}


@click.group(cls=CommandGroup)
def execution() -> None:
    """Executions of workflows: list, show, watch, retry, cancel."""


@execution.command("list")
@click.option("--workflow", shell_complete=completed("/workflows"), help="Only of this workflow: its id or its name.")
@click.option("--status", type=click.Choice(STATUSES), help="Only with this status.")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="At most so many.")
@daemon_command
def list_executions(call: DaemonCall, workflow: str | None, status: str | None, limit: int) -> None:
    """List the executions, the newest first."""
    query = {"limit": str(limit)}
    if status:
        query["status"] = status
    if workflow:
        query["workflowId"] = call.identify("/workflows", workflow, "workflow")
    rows = call.ask("GET", "/executions", query=query)["data"]
    if not call.as_json:
        names = {row["id"]: row["name"] for row in call.daemon.rows("/workflows")} if rows else {}
        rows = [{**row, "workflow": names.get(row["workflowId"], row["workflowId"])} for row in rows]
    call.table(COLUMNS, rows, "There is no execution.")


@execution.command()
@execution_argument
@daemon_command
def show(call: DaemonCall, execution_id: str) -> None:
    """Show EXECUTION_ID with the runs of its nodes and the items of its last node; --json shows all items."""
    found = _read(call, execution_id)
    if call.as_json:
        call.fields(found)
        return
    call.fields({name: value for name, value in found.items() if name not in ("nodes", "data", "error")})
    tell_nodes(found.get("nodes") or {}, set(), RunPrinter())
    show_outcome(_outcome(found), as_json=False)


@execution.command()
@execution_argument
@daemon_command
def watch(call: DaemonCall, execution_id: str) -> None:
    """Follow EXECUTION_ID to its end: a line per node run, then the items of its last node.

    Exit code 0: it succeeded, 1: it failed or was cancelled."""
    printer, told, pause = RunPrinter(quiet=call.as_json), set[int](), FIRST_PAUSE_S
    while True:
        found = _read(call, execution_id)
        tell_nodes(found.get("nodes") or {}, told, printer)
        if found["status"] in OVER:
            break
        time.sleep(pause)
        pause = longer(pause)
    ended = _outcome(found)
    show_outcome(ended, as_json=call.as_json)
    sys.exit(ended.exit_code)


@execution.command()
@execution_argument
@click.option("--from-failed", is_flag=True, help="From the node that failed, with the items that it had.")
@click.option("--from", "node", metavar="NODE", help="From this node, with the items that it had.")
@daemon_command
def retry(call: DaemonCall, execution_id: str, from_failed: bool, node: str | None) -> None:
    """Run EXECUTION_ID once more, from its original input unless told otherwise."""
    if from_failed and node:
        raise InvalidInput("Give --from-failed or --from, not both.")
    query = {"from": "failed"} if from_failed else {"from": "node", "node": node} if node else {}
    found = call.ask("POST", f"/executions/{segment(execution_id)}/retry", query=query)
    call.say(f"The execution {found['executionId']} was started.", found)


@execution.command()
@execution_argument
@daemon_command
def cancel(call: DaemonCall, execution_id: str) -> None:
    """Cancel EXECUTION_ID."""
    found = call.ask("POST", f"/executions/{segment(execution_id)}/cancel")
    call.say(f"The execution {execution_id} is being cancelled.", found)


def _read(call: DaemonCall, execution_id: str) -> dict[str, Any]:  # as `GET /executions/{id}` answers
    found: dict[str, Json] = call.ask("GET", f"/executions/{segment(execution_id)}")
    return found


def _outcome(found: dict[str, Any]) -> CommandOutcome:
    return CommandOutcome(found["status"], found.get("data") or (), found.get("error"), found["id"])
