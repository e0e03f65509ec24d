"""`jackfield draft`: list, show, accept, reject, run, discard."""

from __future__ import annotations

from collections.abc import Sequence

import click

from jackfield.api.cli import CommandGroup, echo_json
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command, segment
from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield_copilot.cli.deciding import accept, require_ids, tell_accepted
from jackfield_copilot.cli.showing import show_changes

draft_argument = click.argument("draft_id", shell_complete=completed("/drafts", key="id", about="title"))
change_option = click.option("--change", "changes", multiple=True, metavar="ID", help="A change; may be repeated.")
all_option = click.option("--all", "every", is_flag=True, help="All changes.")


@click.group(cls=CommandGroup)
def draft() -> None:
    """Drafts of workflows: list, show, accept, reject, allow-run, refuse-run, discard."""


@draft.command("list")
@click.option("--workflow", default=None, help="Id of a workflow; none: drafts of no workflow.")
@daemon_command
def list_drafts(call: DaemonCall, workflow: str | None) -> None:
    """List drafts, the last changed first."""
    columns = {
        "ID": "id",
        "TITLE": "title",
        "WORKFLOW": "workflowName",
        "CHANGES": "changeCount",
        "CHANGED": "updatedAt",
    }
    query = {} if workflow is None else {"workflowId": workflow}
    call.table(columns, call.daemon.rows("/drafts", query), "There is no draft.")


@draft.command()
@draft_argument
@daemon_command
def show(call: DaemonCall, draft_id: str) -> None:
    """Show the changes of a draft."""
    found = call.ask("GET", _path(draft_id))
    if call.as_json:
        echo_json(found)
        return
    call.fields(found, {"id": "id", "title": "title", "workflow": "workflowName", "revision": "revision"})
    show_changes(found)


@draft.command("accept")
@draft_argument
@change_option
@all_option
@click.option("--overwrite", is_flag=True, help="Also what somebody has changed otherwise in the workflow.")
@daemon_command
def accept_changes(call: DaemonCall, draft_id: str, changes: Sequence[str], every: bool, overwrite: bool) -> None:
    """Accept changes of a draft: they are saved in its workflow."""
    chosen = require_ids(changes, every=every)
    done = accept(call.daemon, call.ask("GET", _path(draft_id)), chosen, overwrite=overwrite)
    if call.as_json:
        echo_json(done)
    else:
        tell_accepted(done)


@draft.command()
@draft_argument
@change_option
@all_option
@daemon_command
def reject(call: DaemonCall, draft_id: str, changes: Sequence[str], every: bool) -> None:
    """Reject changes of a draft: they are taken out of it."""
    chosen = require_ids(changes, every=every)
    revision = call.ask("GET", _path(draft_id))["revision"]
    body = {"revision": revision, "changes": None if chosen is None else list(chosen)}
    done = call.ask("POST", f"{_path(draft_id)}/reject", body=body)
    _done(call, f"The draft has {len(done['changes'])} changes left.", done)


@draft.command()
@draft_argument
@daemon_command
def discard(call: DaemonCall, draft_id: str) -> None:
    """Discard a draft, with all that it has."""
    call.ask("DELETE", _path(draft_id))
    _done(call, "The draft is discarded.", {"id": draft_id})


def _done(call: DaemonCall, text: str, answer: Json) -> None:
    if call.as_json:
        echo_json(answer)
    else:
        click.echo(text)


def _path(draft_id: str) -> str:
    return f"/drafts/{segment(draft_id)}"


def _decide(call: DaemonCall, draft_id: str, *, allow: bool) -> dict[str, Json]:
    """The run that waits for an answer, decided."""
    run = call.ask("GET", _path(draft_id))["run"]
    if run is None:
        raise NotFound("Nobody has asked for a run of this draft.")
    found: dict[str, Json] = call.ask("POST", f"{_path(draft_id)}/runs/{run['id']}", body={"allow": allow})
    return found


@draft.command("allow-run")
@draft_argument
@daemon_command
def allow_run(call: DaemonCall, draft_id: str) -> None:
    """Let a draft run, as its agent has asked."""
    done = _decide(call, draft_id, allow=True)
    _done(call, f"Execution {done['executionId']} has begun.", done)


@draft.command("refuse-run")
@draft_argument
@daemon_command
def refuse_run(call: DaemonCall, draft_id: str) -> None:
    """Do not let a draft run."""
    _done(call, "The run is refused.", _decide(call, draft_id, allow=False))
