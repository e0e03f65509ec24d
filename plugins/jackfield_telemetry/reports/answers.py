"""Usage answer by answer, each with the id that its provider has given it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield.api.records import record
from jackfield.api.telemetry import Cost, Tokens
from jackfield_telemetry.reports.queries import Pricing, UsageFilter, dims_of
from jackfield_telemetry.reports.summary import cost_view, tokens_view

MOST_ANSWERS, USUAL_ANSWERS = 10_000, 100
_ANSWERS = """
SELECT e.dim, n.name, n.project, r.id, e.time, e.step, e.cost, e.input, e.output, e.written, e.read, e.hours
FROM entries AS e JOIN sessions AS n ON n.id = e.session LEFT JOIN responses AS r ON r.key = e.key
"""


@record
class AnswersScope:
    """Which answers. session: an agent's own name of it; empty: any. limit: 1 to `MOST_ANSWERS`."""

    where: UsageFilter = UsageFilter()
    session: str = ""
    limit: int = USUAL_ANSWERS


@record
class AnswerUsage:
    """source: `log` or `proxy`. response_id: None where the agent's log names none. cost: None: the price is not
    known."""

    time_ms: int
    agent: str
    provider: str
    profile: str
    model: str
    session: str
    project: str
    source: str
    response_id: str | None
    tokens: Tokens
    cost: Cost | None


def answers(connection: sqlite3.Connection, pricing: Pricing, wanted: AnswersScope) -> tuple[list[AnswerUsage], int]:
    """The latest ones, in the order of their time, and how many earlier ones are left out."""
    dims = dims_of(connection, wanted.where)
    condition = f"WHERE e.dim IN ({', '.join(str(int(dim)) for dim in dims)})"
    values = list[object]()
    for border, sign in ((wanted.where.span.start, ">="), (wanted.where.span.end, "<")):
        if border is not None:
            condition += f" AND e.time {sign} ?"
            values.append(border)
    if wanted.session:
        condition += " AND e.session IN (SELECT id FROM sessions WHERE name = ?)"
        values.append(wanted.session)
    count = f"SELECT count(*) FROM entries AS e {condition}"  # noqa: S608 - our own names; values are parameters
    (total,) = connection.execute(count, values).fetchone()
    query = f"{_ANSWERS} {condition} ORDER BY e.time DESC, e.key DESC LIMIT ?"
    rows = connection.execute(query, [*values, wanted.limit]).fetchall()
    return [_answer(row, dims[row[0]], pricing) for row in reversed(rows)], max(0, total - len(rows))


def _answer(row: Sequence[object], dim: Sequence[str], pricing: Pricing) -> AnswerUsage:
    _, session, project, response, time, step, logged, *counts = row
    agent, provider, profile, model, tier, source = dim
    tokens = Tokens(*(int(str(count)) for count in counts))
    rates = pricing.table.rates(model, provider, tier)
    cost = None if rates is None else pricing.charged(rates, tokens, int(str(step)))
    if isinstance(logged, float) and pricing.cost == "auto":
        cost = Cost(other=logged)
    named = None if response is None else str(response)
    return AnswerUsage(
        int(str(time)), agent, provider, profile, model, str(session), str(project), source, named, tokens, cost
    )


def answers_view(found: Sequence[AnswerUsage], left_out: int) -> dict[str, Json]:
    """For `GET /api/usage/answers` and `jackfield usage answers --json`."""
    return {"rows": [_row(one) for one in found], "left_out": left_out}


def _row(one: AnswerUsage) -> dict[str, Json]:
    return {
        "time": iso(one.time_ms),
        "agent": one.agent,
        "provider": one.provider,
        "profile": one.profile,
        "model": one.model,
        "session": one.session,
        "project": one.project,
        "source": one.source,
        "response_id": one.response_id,
        "tokens": tokens_view(one.tokens),
        "total_tokens": one.tokens.total,
        "cost": None if one.cost is None else cost_view(one.cost),
    }
