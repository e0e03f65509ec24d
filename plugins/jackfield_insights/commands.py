"""`jackfield insights`: sums over a period, the slowest nodes."""

from __future__ import annotations

from urllib.parse import urlencode

import click

from jackfield.api.cli import CommandGroup
from jackfield.api.daemon_commands import DaemonCall, daemon_command

_PERIODS = click.Choice(("day", "week", "month", "quarter", "year"))
_MINUTE_MS, _SECOND_MS = 60_000, 1_000
period_option = click.option("--period", type=_PERIODS, default="week", show_default=True, help="Up to now.")
workflow_option = click.option("--workflow", default="", help="Id of the only workflow that counts.")


@click.group("insights", cls=CommandGroup)
def insights() -> None:
    """Insights: executions, failures and time saved over weeks and years."""


@insights.command("show")
@period_option
@workflow_option
@click.option("--project", default="", help="Id of the only project that counts.")
@click.option("--all", "everything", is_flag=True, help="Count runs by hand and sub-workflows, too.")
@daemon_command
def show(call: DaemonCall, period: str, workflow: str, project: str, everything: bool) -> None:
    """Sum up executions that have ended, by workflow."""
    asked = {"period": period, "workflowId": workflow, "projectId": project, "executions": "all" if everything else ""}
    found = call.ask("GET", f"/insights?{urlencode({name: value for name, value in asked.items() if value})}")
    if call.as_json:
        call.say("", found)
        return
    sums = found["sums"]
    call.say(
        f"{sums['total']} executions since {found['since']}: {sums['success']} succeeded, {sums['failed']} failed "
        f"({sums['failureRate']:.1%}), {sums['cancelled']} were cancelled. On average they took "
        f"{_time(sums['averageRunTimeMs'])}. They saved {_time(sums['timeSavedMinutes'] * _MINUTE_MS)}.",
        found,
    )
    rows = [
        {
            **each,
            "shown": each["name"] or each["workflowId"] or "(not saved)",
            "rate": f"{each['failureRate']:.1%}",
            "took": _time(each["averageRunTimeMs"]),
            "saved": _time(each["timeSavedMinutes"] * _MINUTE_MS),
        }
        for each in found["workflows"]
    ]
    columns = {
        "WORKFLOW": "shown", "TOTAL": "total", "FAILED": "failed", "RATE": "rate", "AVERAGE": "took", "SAVED": "saved",
    }  # fmt: skip
    call.table(columns, rows, "No execution has ended in this time.")


@insights.command("nodes")
@period_option
@workflow_option
@click.option("--limit", type=click.IntRange(1, 200), default=20, show_default=True)
@daemon_command
def nodes(call: DaemonCall, period: str, workflow: str, limit: int) -> None:
    """List the slowest nodes of the newest executions."""
    asked = {"period": period, "limit": limit, **({"workflowId": workflow} if workflow else {})}
    found = call.ask("GET", f"/insights/nodes?{urlencode(asked)}")["data"]
    rows = [{**each, "shown": each["workflowName"] or each["workflowId"]} for each in found]
    columns = {
        "WORKFLOW": "shown", "NODE": "node", "RUNS": "runs", "FAILED": "failed", "P50 MS": "p50Ms", "P95 MS": "p95Ms",
        "MOST MS": "mostMs",
    }  # fmt: skip
    call.table(columns, rows, "No node has run in this time.")


def _time(milliseconds: float) -> str:
    if milliseconds < _SECOND_MS:
        return f"{milliseconds:.0f} ms"
    if milliseconds < _MINUTE_MS:
        return f"{milliseconds / _SECOND_MS:.1f} s"
    hours, minutes = divmod(round(milliseconds / _MINUTE_MS), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
