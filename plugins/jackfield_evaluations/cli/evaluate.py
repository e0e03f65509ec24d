"""`jackfield evaluate NAME`: run an evaluation, wait for its end, and tell by the exit code how good it was."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import click

from jackfield.api.cli import echo_error, echo_json, echo_remark
from jackfield.api.daemon_commands import DaemonCall, completed, daemon_command, segment
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.object_references import load
from jackfield_evaluations.cli.words import run_line

PASSED, BELOW, FAILED = 0, 1, 2
"""Exit codes."""
_POLL_S = 0.5
_LONGEST_POLL_S = 5.0


@click.command()
@click.argument("name", shell_complete=completed("/evaluations"))
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=None,
    help="The mean score from which it has passed (default: every row must pass).",
)
@click.option("--scorer", default="", help="The scorer whose mean --min-score compares (default: that of the rows).")
@click.option("--workflow-version", type=click.IntRange(1), default=None, help="Run this version of the workflow.")
@click.option("--label", default="", help="A few words by which you know the run.")
@click.option("--junit", is_flag=True, help="Print JUnit's XML, a test case for each row.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=None,
    help="Seconds after which the run is cancelled (default: as the evaluation says).",
)
@daemon_command
def evaluate(
    call: DaemonCall,
    name: str,
    min_score: float | None,
    scorer: str,
    workflow_version: int | None,
    label: str,
    junit: bool,
    timeout: float | None,
) -> None:
    """Run the evaluation NAME and wait for its end.

    Exit code 0: it has passed. 1: it is below the threshold. 2: it could not be run to its end. Ctrl-C cancels the run.
    """
    try:
        run = _ran(call, name, {"workflowVersion": workflow_version, "label": label}, timeout)
        rows = list(call.daemon.rows(f"/evaluation-runs/{segment(run['id'])}/rows"))
    except JackfieldError as exc:
        echo_error(exc.code, exc.message, exc.details, as_json=call.as_json)
        sys.exit(FAILED)
    code, verdict = _verdict(run, min_score, scorer)
    if junit:
        click.echo(_junit(run, rows))
    elif call.as_json:
        echo_json({"run": run, "rows": rows, "passed": code == PASSED, "verdict": verdict})
    else:
        _tell(call, run, rows)
    echo_remark(verdict)
    sys.exit(code)


def _ran(call: DaemonCall, name: str, body: Mapping[str, object], timeout: float | None) -> dict[str, Any]:
    """The run at its end."""
    run: dict[str, Any] = call.ask("POST", f"/evaluations/{segment(name)}/runs", body=dict(body))
    path = f"/evaluation-runs/{segment(run['id'])}"
    end = None if timeout is None else time.monotonic() + timeout
    pause, done = _POLL_S, -1
    try:
        while run["status"] == "running":
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                _cancel(call, path)
                end = left = None
            time.sleep(pause if left is None else min(pause, left))
            pause = min(pause * 1.2, _LONGEST_POLL_S)
            run = call.ask("GET", path)
            if run["totals"]["done"] != done and sys.stderr.isatty():
                done = run["totals"]["done"]
                click.echo(f"{done} of {run['totals']['rows']} rows ...", err=True)
    except KeyboardInterrupt:
        _cancel(call, path)
        echo_remark(f"The run {run['number']} is being cancelled.")
        sys.exit(FAILED)
    return run


def _junit(run: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    """Loaded when it is asked for: the library for XML brings those for TLS along."""
    made = cast(
        "Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], str]",
        load("jackfield_evaluations.cli.junit:junit_xml"),
    )
    return made(run, rows)


def _cancel(call: DaemonCall, path: str) -> None:
    with contextlib.suppress(Conflict):  # it has come to its end meanwhile
        call.ask("POST", f"{path}/cancel")


def _verdict(run: Mapping[str, Any], min_score: float | None, scorer: str) -> tuple[int, str]:
    """The exit code, and a sentence."""
    totals = run["totals"]
    if run["status"] != "finished":
        return FAILED, f"The run {run['number']} has not come to its end ({run['status']}). {run['problem']}".strip()
    if not totals["done"]:
        return FAILED, "The data table has no row, so nothing was evaluated."
    if scorer and scorer not in totals["scores"]:
        return FAILED, f"There is no scorer {scorer}; there are: {', '.join(totals['scores'])}."
    score = totals["scores"][scorer] if scorer else totals["score"]
    if min_score is None:
        passed = totals["passed"] == totals["done"]
        told = f"{totals['passed']} of {totals['done']} rows have passed."
        return (PASSED if passed else BELOW), told
    what = f"The score of {scorer}" if scorer else "The score"
    if score >= min_score:
        return PASSED, f"{what} is {score:.3f}, and at least {min_score:g} is wanted."
    return BELOW, f"{what} is {score:.3f}, below {min_score:g}."


def _tell(call: DaemonCall, run: Mapping[str, Any], rows: list[dict[str, Any]]) -> None:
    shown = [
        {
            "row": row["rowId"],
            "score": "" if row["score"] is None else f"{row['score']:.3f}",
            "ms": row["durationMs"],
            "tokens": row["tokensIn"] + row["tokensOut"],
            "problem": row["problem"],
        }
        for row in rows
    ]
    columns = {"ROW": "row", "SCORE": "score", "MS": "ms", "TOKENS": "tokens", "PROBLEM": "problem"}
    call.table(columns, shown, "The run has no row.")
    click.echo(run_line(run))
