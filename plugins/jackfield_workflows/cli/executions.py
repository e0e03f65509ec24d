"""`jackfield execution`: list, show, watch, retry, cancel."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command, segment
from jackfield.api.errors import Conflict, InvalidInput, JackfieldError
from jackfield.api.jsontext import Json
from jackfield_workflows.cli.progress import CommandOutcome, RunPrinter
from jackfield_workflows.cli.progress import show as show_outcome
from jackfield_workflows.cli.run_following import FIRST_PAUSE_S, OVER, longer, tell_nodes

execution_argument = click.argument("execution_id", shell_complete=completed("/executions", key="id", about="status"))
executions_argument = click.argument(
    "execution_ids", nargs=-1, required=True, shell_complete=completed("/executions", key="id", about="status")
)
STATUSES = ("queued", "running", "waiting", "success", "failed", "cancelled")
COLUMNS = {"ID": "id", "WORKFLOW": "workflow", "STATUS": "status", "MODE": "mode", "STARTED": "startedAt"}


@click.group(cls=CommandGroup)
def execution() -> None:
    """Executions of workflows: list, show, watch, retry, cancel."""


@execution.command("list")
@click.option("--workflow", shell_complete=completed("/workflows"), help="Only of this workflow: its id or its name.")
@click.option("--status", type=click.Choice(STATUSES), help="Only with this status.")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="List at most this many.")
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
@executions_argument
@click.option("--from-failed", is_flag=True, help="From the node that failed, with the items that it had.")
@click.option("--from", "node", metavar="NODE", help="From this node, with the items that it had.")
@daemon_command
def retry(call: DaemonCall, execution_ids: tuple[str, ...], from_failed: bool, node: str | None) -> None:
    """Run EXECUTION_IDS once more, from their original input unless told otherwise."""
    if from_failed and node:
        raise InvalidInput("Give --from-failed or --from, not both.")
    query = {"from": "failed"} if from_failed else {"from": "node", "node": node} if node else {}

    def again(execution_id: str) -> tuple[str, dict[str, Json]]:
        found = call.ask("POST", f"/executions/{segment(execution_id)}/retry", query=query)
        return f"The execution {found['executionId']} was started.", found

    _each(call, execution_ids, again)


@execution.command()
@executions_argument
@daemon_command
def cancel(call: DaemonCall, execution_ids: tuple[str, ...]) -> None:
    """Cancel EXECUTION_IDS."""

    def end(execution_id: str) -> tuple[str, dict[str, Json]]:
        found = call.ask("POST", f"/executions/{segment(execution_id)}/cancel")
        return f"The execution {execution_id} is being cancelled.", found

    _each(call, execution_ids, end)


def _each(call: DaemonCall, execution_ids: tuple[str, ...], act: Callable[[str], tuple[str, dict[str, Json]]]) -> None:
    """One after the other; one that is refused does not keep the others from it. With --json several give a list.
    Raises the refusal of a single one, and `Conflict` with all of them where there are several."""
    if len(execution_ids) == 1:
        call.say(*act(execution_ids[0]))
        return
    done: list[dict[str, Json]] = []
    refused: dict[str, str] = {}
    for execution_id in execution_ids:
        try:
            text, found = act(execution_id)
        except JackfieldError as exc:
            refused[execution_id] = exc.message
            continue
        done.append(found)
        if not call.as_json:
            call.say(text, found)
    if call.as_json:
        call.say("", done)
    if refused:
        raise Conflict(f"{len(refused)} of {len(execution_ids)} executions were refused.", details=refused)


def _read(call: DaemonCall, execution_id: str) -> dict[str, Any]:  # as `GET /executions/{id}` answers
    found: dict[str, Json] = call.ask("GET", f"/executions/{segment(execution_id)}")
    return found


def _outcome(found: dict[str, Any]) -> CommandOutcome:
    return CommandOutcome(found["status"], found.get("data") or (), found.get("error"), found["id"])
