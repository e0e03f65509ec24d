"""A report of an import, for a person."""

from __future__ import annotations

from collections.abc import Sequence

import click

from jackfield.api.cli import cell, echo_table
from jackfield_migration.bundle import NOT_HERE, shortened
from jackfield_migration.report import MigrationReport, Result, counts, next_steps

_VERDICTS = {
    "runs": "runs",
    "setup": "runs once set up",
    "attention": "needs attention",
    "cannot": "cannot run",
    "": "-",
}


def print_report(report: MigrationReport) -> None:
    """A table, then what is left, counts and next steps."""
    rows = [_row(result) for result in report.results]
    echo_table(("KIND", "NAME", "STATUS", "HERE", "ACTIVE", "REMARKS"), rows, empty="There was nothing to import.")
    for origin, reason in report.unreadable:
        click.echo(f"not read: {origin}: {reason}", err=True)
    for kind, count in sorted(report.left.items()):
        click.echo(f"not imported: {count} x {kind}: {NOT_HERE.get(kind, 'There is nothing like it here.')}", err=True)
    click.echo("")
    for kind, numbers in counts(report.results).items():
        shown = numbers if isinstance(numbers, dict) else {}
        click.echo(f"{kind}s: " + ", ".join(f"{count} {name}" for name, count in shown.items()))
    for step in next_steps(report):
        click.echo(f"- {step}")


def _row(result: Result) -> Sequence[str]:
    remarks = "; ".join(f"{problem.severity}: {problem.path}: {problem.message}" for problem in result.problems) or "-"
    here, active = _VERDICTS[result.verdict], cell(result.active)
    return (result.kind, shortened(result.name), result.status, here, active, remarks)
