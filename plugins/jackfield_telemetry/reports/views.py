"""Reports as JSON: for `GET /api/usage/report` and `jackfield usage --json`."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield_telemetry.reports.blocks import BlockPace, BlockReport, BlocksScope, UsageBlock, level
from jackfield_telemetry.reports.report import Kind, ReportRow, ReportScope, Tally, UsageReport
from jackfield_telemetry.reports.summary import cost_view, tokens_view

KEYS: Mapping[Kind, str] = {
    "daily": "date", "weekly": "week", "monthly": "month", "session": "session", "models": "model", "agents": "agent",
    "providers": "provider", "profiles": "profile", "projects": "project",
}  # fmt: skip
"""The name of a row's key."""


def report_view(made: UsageReport, wanted: ReportScope) -> dict[str, Json]:
    rows: list[Json] = [
        {KEYS[wanted.kind]: row.key, **row.about, **_row(row), **_breakdown(row, wanted)} for row in made.rows
    ]
    return {"kind": wanted.kind, "rows": rows, **_whole(made.total, made.left_out, made.unpriced)}


def blocks_view(made: BlockReport, wanted: BlocksScope) -> dict[str, Json]:
    rows: list[Json] = [_gap(block) if block.gap else _block(block, made.limit, wanted.base) for block in made.blocks]
    whole = _whole(made.total, made.left_out, made.unpriced)
    return {"kind": "blocks", "hours": wanted.hours, "token_limit": made.limit, "rows": rows, **whole}


def _whole(total: Tally, left_out: int, unpriced: frozenset[str]) -> dict[str, Json]:
    return {"totals": _tally(total), "left_out": left_out, "unpriced": list[Json](sorted(unpriced))}


def _row(row: ReportRow) -> dict[str, Json]:
    used: dict[str, Json] = {"first_used": iso(row.total.first), "last_used": iso(row.total.last)}
    names: dict[str, Json] = {"agents": list[Json](sorted(row.agents)), "models": list[Json](sorted(row.models))}
    return {**_tally(row.total), **used, **names}


def _tally(tally: Tally) -> dict[str, Json]:
    return {
        "answers": tally.count,
        "tokens": tokens_view(tally.tokens),
        "total_tokens": tally.tokens.total,
        "cost": cost_view(tally.cost),
    }


def _breakdown(row: ReportRow, wanted: ReportScope) -> dict[str, Json]:
    """The most expensive first."""
    if wanted.breakdown == "none":
        return {}
    parts = sorted(row.parts.items(), key=lambda part: (-part[1].cost.total, -part[1].tokens.total, part[0]))
    return {"breakdown": [{wanted.breakdown: name, **_tally(tally)} for name, tally in parts]}


def _gap(block: UsageBlock) -> dict[str, Json]:
    return {"start": iso(block.window.start), "end": iso(block.window.end), "gap": True, "active": False}


def _block(block: UsageBlock, limit: int | None, wanted: ReportScope) -> dict[str, Json]:
    tokens = block.row.total.tokens.total
    return {
        **_gap(block),
        "gap": False,
        "active": block.active,
        **_row(block.row),
        **_breakdown(block.row, wanted),
        **({"limit_percent": 100 * tokens / limit} if limit else {}),
        **(_pace(block.pace, limit) if block.pace else {}),
    }


def _pace(pace: BlockPace, limit: int | None) -> dict[str, Json]:
    projection: dict[str, Json] = {
        "total_tokens": pace.projected_tokens,
        "total_cost": pace.projected_cost,
        "remaining_minutes": pace.remaining,
    }
    if limit:
        projection |= {
            "limit_percent": 100 * pace.projected_tokens / limit,
            "limit_status": level(limit, pace.projected_tokens),
        }
    return {
        "burn_rate": {
            "tokens_per_minute": pace.tokens,
            "uncached_tokens_per_minute": pace.fresh_tokens,
            "cost_per_hour": pace.cost,
        },
        "projection": projection,
    }
