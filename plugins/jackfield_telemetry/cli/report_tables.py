"""Reports and sums as tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

import click

from jackfield_telemetry.cli.tables import FigureColumn, dollars, echo_fitting, number, several
from jackfield_telemetry.reports.views import KEYS

View = Mapping[str, Any]
"""The answer of the API. Any: JSON, whose form its models say."""
_SUMS = (
    FigureColumn("INPUT", 2),
    FigureColumn("OUTPUT", 1),
    FigureColumn("CACHE WRITES", 4),
    FigureColumn("CACHE READS", 3),
    FigureColumn("TOTAL"),
    FigureColumn("COST"),
)


def echo_report(view: View, *, breakdown: bool) -> None:
    kind = view["kind"]
    named = [FigureColumn(KEYS[kind].upper(), right=False)]
    if kind == "session":
        named += [
            FigureColumn("AGENT", 5, right=False),
            FigureColumn("PROJECT", 7, right=False),
            FigureColumn("LAST USED", 6, right=False),
        ]
    elif kind != "models":
        named.append(FigureColumn("MODELS", 5, right=False))
    rows = []
    for row in view["rows"]:
        own = [row[KEYS[kind]] or "-"]
        if kind == "session":
            own += [row["agent"], row.get("project", "-"), row["last_used"][:16].replace("T", " ")]
        elif kind != "models":
            own.append(several(row["models"]))
        rows.append([*own, *_sums(row)])
        rows += _parts(row, len(named)) if breakdown else []
    _echo(named, rows, view)


def echo_blocks(view: View, zone: tzinfo, *, breakdown: bool) -> None:
    limit = view["token_limit"]
    named = [
        FigureColumn("BLOCK", right=False),
        FigureColumn("STATE", 1, right=False),
        FigureColumn("MODELS", 5, right=False),
    ]
    share = [FigureColumn("LIMIT", 0)] if limit else []
    rows = []
    for block in view["rows"]:
        start = _moment(block["start"], zone)
        if block["gap"]:
            hours = f"gap of {_hours(block):g} h"
            rows.append([start, hours, *[""] * (1 + len(_SUMS) + len(share))])
            continue
        part = [f"{block['limit_percent']:.0f} %"] if limit else []
        state = "active" if block["active"] else "-"
        rows.append([start, state, several(block["models"]), *_sums(block), *part])
        rows += [[*row, *[""] * len(share)] for row in _parts(block, len(named))] if breakdown else []
    _echo(named, rows, view, share)
    if limit:
        click.echo(f"\nLimit: {number(limit)} tokens.")
    for block in view["rows"]:
        if block.get("burn_rate"):
            _show_pace(block)


def echo_answers(view: View, zone: tzinfo) -> None:
    named = ["TIME", "AGENT", "PROFILE", "MODEL", "RESPONSE"]
    ranks = [0, 5, 6, 1, 7]
    rows = []
    for row in view["rows"]:
        cost = dollars(row["cost"]["total_cost"]) if row["cost"] is not None else "-"
        own = [row["agent"], row["profile"] or "-", row["model"], row["response_id"] or "-"]
        rows.append([_moment(row["time"], zone), *own, *_counts(row["tokens"]), cost])
    columns = [FigureColumn(name, rank, right=False) for name, rank in zip(named, ranks, strict=True)]
    echo_fitting([*columns, *_SUMS], rows)
    if view["left_out"]:
        click.echo(f"\n{number(view['left_out'])} earlier answers are left out.")


def _show_pace(block: View) -> None:
    rate, ahead = block["burn_rate"], block["projection"]
    click.echo(
        f"\nActive block: {number(round(rate['tokens_per_minute']))} tokens a minute, "
        f"{dollars(rate['cost_per_hour'])} an hour; {round(ahead['remaining_minutes'])} minutes remain."
    )
    share = f", {ahead['limit_percent']:.0f} % of the limit" if "limit_percent" in ahead else ""
    total = f"{number(ahead['total_tokens'])} tokens, {dollars(ahead['total_cost'])}"
    click.echo(f"At this rate: {total}{share}.")
    if ahead.get("limit_status") == "exceeds":
        click.echo("jackfield: at this rate the limit of tokens will be exceeded.", err=True)
    elif ahead.get("limit_status") == "warning":
        click.echo("jackfield: at this rate the limit of tokens comes close.", err=True)


def echo_groups(name: str, groups: Mapping[str, View]) -> None:
    """Of the summary: one table for each grouping."""
    rows = [
        [key, *_figures(group["tokens"], group["cost"]), number(group["sessions"])]
        for key, group in sorted(groups.items(), key=lambda pair: _place(name, *pair))
    ]
    echo_fitting([FigureColumn(name.upper(), right=False), *_SUMS, FigureColumn("SESSIONS", 2)], rows)


def _place(name: str, key: str, group: View) -> tuple[float, int, str]:
    """Days by time, all else the dearest first."""
    if name == "date":
        return 0, 0, key
    return -group["cost"]["total_cost"], -sum(group["tokens"].values()), key


def _echo(named: Sequence[FigureColumn], rows: list[list[str]], view: View, more: Sequence[FigureColumn] = ()) -> None:
    blank = [""] * (len(named) - 1)
    rows.append(["Total", *blank, *_sums(view["totals"]), *[""] * len(more)])
    echo_fitting([*named, *_SUMS, *more], rows)
    if view["left_out"]:
        click.echo(f"\n{number(view['left_out'])} rows are left out; they are in the total.")


def _parts(row: View, columns: int) -> list[list[str]]:
    found = []
    for part in row.get("breakdown", ()):
        (name,) = (
            str(value) for key, value in part.items() if key not in ("answers", "tokens", "total_tokens", "cost")
        )
        found.append([f"  {name or '-'}", *[""] * (columns - 1), *_sums(part)])
    return found


def _sums(row: View) -> list[str]:
    return _figures(row["tokens"], row["cost"])


def _figures(tokens: View, cost: View) -> list[str]:
    return [*_counts(tokens), dollars(cost["total_cost"])]


def _counts(tokens: View) -> list[str]:
    names = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    counts = [tokens[name] for name in names]
    return [*map(number, counts), number(sum(counts))]


def _moment(text: str, zone: tzinfo) -> str:
    return datetime.fromisoformat(text).astimezone(zone).strftime("%Y-%m-%d %H:%M")


def _hours(block: View) -> float:
    span = datetime.fromisoformat(block["end"]) - datetime.fromisoformat(block["start"])
    return span.total_seconds() / 3600
