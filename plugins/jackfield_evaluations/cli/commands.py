"""`jackfield evaluation`: list, show, save, delete, runs, rows, compare, cancel."""

from __future__ import annotations

import json
from typing import Any

import click

from jackfield.api.cli import CommandGroup, echo_json
from jackfield.api.daemon_commands import DaemonCall, completed, confirmed, daemon_command, segment
from jackfield.api.errors import InvalidInput, NotFound
from jackfield_evaluations.cli.words import run_line

LARGEST = 4 * 1024 * 1024
"""Characters of a definition."""
name_argument = click.argument("name", shell_complete=completed("/evaluations"))


@click.group("evaluation", cls=CommandGroup)
def evaluation() -> None:
    """Evaluations of workflows and agents: list, show, save, delete, runs, rows, compare, cancel."""


@evaluation.command("list")
@daemon_command
def list_evaluations(call: DaemonCall) -> None:
    """List the evaluations with their newest runs."""
    found = list(call.daemon.rows("/evaluations"))
    for each in found:
        last = each["lastRun"]
        each["last"] = "" if last is None else run_line(last)
    call.table({"NAME": "name", "VERSION": "version", "LAST RUN": "last"}, found, "There is no evaluation.")


@evaluation.command()
@name_argument
@daemon_command
def show(call: DaemonCall, name: str) -> None:
    """Show the definition of the evaluation NAME as JSON, as save takes it."""
    found = call.ask("GET", f"/evaluations/{segment(name)}")
    echo_json(found if call.as_json else found["definition"])


@evaluation.command()
@name_argument
@click.option(
    "--file",
    "file",
    type=click.File(encoding="utf-8"),
    default="-",
    help="The definition in JSON (default: stdin).",
)
@daemon_command
def save(call: DaemonCall, name: str, file: Any) -> None:  # click opens what text it is given
    """Create or replace the evaluation NAME from a definition in JSON."""
    path = f"/evaluations/{segment(name)}"
    try:
        call.ask("GET", path)
        known = True
    except NotFound:
        known = False
    definition = _definition(file)
    if known:
        made = call.ask("PUT", path, body=definition)
        call.say(f"The evaluation {name} has the version {made['version']}.", made)
    else:
        made = call.ask("POST", "/evaluations", body={"name": name, **definition})
        call.say(f"The evaluation {name} was created.", made)


def _definition(file: Any) -> dict[str, Any]:  # an open text, and JSON
    text = file.read(LARGEST + 1)
    try:
        definition = json.loads(text) if len(text) <= LARGEST else None
    except ValueError:
        definition = None
    if not isinstance(definition, dict):
        raise InvalidInput(f"The file is no JSON object of at most {LARGEST} characters.")
    definition.pop("name", None)
    return definition


@evaluation.command()
@name_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@daemon_command
def delete(call: DaemonCall, name: str, yes: bool) -> None:
    """Delete the evaluation NAME with its runs."""
    call.ask("GET", f"/evaluations/{segment(name)}")
    confirmed(f"Delete the evaluation {name} with all its runs?", yes=yes)
    call.ask("DELETE", f"/evaluations/{segment(name)}")
    call.say(f"The evaluation {name} was deleted.", {"name": name, "deleted": True})


@evaluation.command()
@name_argument
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True, help="Runs at most.")
@daemon_command
def runs(call: DaemonCall, name: str, limit: int) -> None:
    """List the runs of the evaluation NAME, the newest first."""
    found = call.ask("GET", f"/evaluations/{segment(name)}/runs", query={"limit": str(limit)})["data"]
    for each in found:
        each["told"] = run_line(each)
    columns = {"ID": "id", "STARTED": "createdAt", "VERSION": "version", "RUN": "told"}
    call.table(columns, found, "The evaluation has no run.")


@evaluation.command()
@click.argument("run_id")
@daemon_command
def rows(call: DaemonCall, run_id: str) -> None:
    """List the rows of the run RUN_ID with their scores."""
    found = list(call.daemon.rows(f"/evaluation-runs/{segment(run_id)}/rows"))
    columns = {
        "ROW": "rowId",
        "STATUS": "status",
        "SCORE": "score",
        "MS": "durationMs",
        "EXECUTION": "executionId",
        "PROBLEM": "problem",
    }
    call.table(columns, found, "The run has no row.")


@evaluation.command()
@click.argument("before")
@click.argument("after")
@daemon_command
def compare(call: DaemonCall, before: str, after: str) -> None:
    """Compare two runs by their ids: which rows got better, and which worse."""
    found = call.ask("GET", f"/evaluation-runs/{segment(before)}/compare/{segment(after)}")
    changed = [row for row in found["rows"] if row["change"] != "same"]
    if call.as_json:
        echo_json(found)
        return
    columns = {"ROW": "rowId", "CHANGE": "change", "BEFORE": "before.score", "AFTER": "after.score"}
    call.table(columns, changed, "No row has another score.")
    click.echo(", ".join(f"{count} {change}" for change, count in found["counts"].items()))


@evaluation.command()
@click.argument("run_id")
@daemon_command
def cancel(call: DaemonCall, run_id: str) -> None:
    """Cancel the run RUN_ID."""
    made = call.ask("POST", f"/evaluation-runs/{segment(run_id)}/cancel")
    call.say(f"The run {made['number']} of {made['evaluation']} is being cancelled.", made)
