"""Each host has a ledger of its own; what all of them hold is joined here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.hosts import HostResources
from jackfield.api.jsontext import Json
from jackfield_telemetry.reports.answers import USUAL_ANSWERS


def resources(context: PluginContext) -> Sequence[HostResources]:
    async def has(name: str) -> bool:
        return False  # nothing of a ledger is named by a path

    joins = {"/api/usage": statistics, "/api/usage/answers": answers}
    return [HostResources("usage", has, joins=joins)]


def statistics(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
    """Of `GET /api/usage`: counts and costs are added, member by member."""
    return _added("", parts)


def _added(name: str, parts: Sequence[Json]) -> Json:
    given = [part for part in parts if part is not None]
    if not given:
        return None
    if all(isinstance(part, dict) for part in given):
        return _members([part for part in given if isinstance(part, dict)])
    if all(isinstance(part, list) for part in given):
        texts = {str(one) for part in given if isinstance(part, list) for one in part}
        return [*sorted(texts)]
    numbers = [part for part in given if isinstance(part, int | float) and not isinstance(part, bool)]
    if len(numbers) == len(given):
        return sum(numbers)
    texts = {str(part) for part in given}
    # Costs are as old as the oldest price list; otherwise the latest time counts, and what is the same stays so.
    return min(texts) if name == "prices_as_of" else max(texts)


def _members(parts: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _added(name, [part.get(name) for part in parts]) for name in names}


def answers(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
    """Of `GET /api/usage/answers`: the latest of all, in the order of their time."""
    limit = int(query.get("limit") or USUAL_ANSWERS)
    given = [part for part in parts if isinstance(part, dict)]
    rows = [row for part in given for row in _rows(part)]
    rows.sort(key=lambda row: str(row.get("time")))
    kept: list[Json] = [*rows[-limit:]]
    left_out = sum(count for part in given if isinstance(count := part.get("left_out"), int))
    return {"rows": kept, "left_out": left_out + len(rows) - len(kept)}


def _rows(part: Mapping[str, Json]) -> list[dict[str, Json]]:
    rows = part.get("rows")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
