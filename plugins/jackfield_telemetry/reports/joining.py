"""One answer of the answers of several hosts, each with its own ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast, get_args

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield_telemetry.reports.answers import USUAL_ANSWERS
from jackfield_telemetry.reports.report import MOST_ROWS, Kind
from jackfield_telemetry.reports.views import KEYS

Row = dict[str, Json]
_EARLIEST = frozenset({"as_of", "prices_as_of", "first_used"})
"""Costs are as old as the oldest price list, sums as what stands for a host that does not answer. Of other times the
latest counts."""
_ABOUT = frozenset({"agent", "profile", "project"})
"""Of a session: the first host that names one is right."""


def statistics(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
    """Of `GET /api/usage`: counts and costs are added, member by member."""
    return _added("", parts)


def answers(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
    """Of `GET /api/usage/answers`: the latest of all, in the order of their time."""
    limit = int(query.get("limit") or USUAL_ANSWERS)
    rows, left_out = _all_rows(parts)
    rows.sort(key=lambda row: str(row.get("time")))
    return {"rows": [*rows[-limit:]], "left_out": left_out + max(len(rows) - limit, 0)}


def report(parts: Sequence[Json], query: Mapping[str, str]) -> Json:
    """Of `GET /api/usage/report`: rows of one key are added. Blocks begin with the first answer of their host, so that
    those of all hosts stand beside each other, in the order of their time. Raises `InvalidInput`."""
    limit = _limit(query.get("limit"))
    given = [part for part in parts if isinstance(part, dict)]
    kind = cast("Kind", given[0].get("kind"))
    rows, left_out = _all_rows(parts)
    if kind in get_args(Kind) and kind != "blocks":
        rows = _rows_by_key(rows, kind, query.get("breakdown") or "model")
    else:
        rows = sorted((row for row in rows if not row.get("gap")), key=lambda row: str(row.get("start")))
    beyond = max(len(rows) - limit, 0)
    kept: list[Json] = [*rows[beyond:]]
    whole = _members([{name: part[name] for name in ("totals", "unpriced", "as_of") if name in part} for part in given])
    if query.get("order") == "desc":
        kept.reverse()
    return {**given[0], "rows": kept, **whole, "left_out": left_out + beyond}


def _limit(given: str | None) -> int:
    """Of the rows of all hosts together; none of them has looked at it."""
    if given is None:
        return MOST_ROWS
    if not (given.isascii() and given.isdecimal() and len(given) < 10 and 1 <= int(given) <= MOST_ROWS):
        raise InvalidInput(f"limit must be a whole number from 1 to {MOST_ROWS}.", details={"limit": "is out of range"})
    return int(given)


def _rows_by_key(given: Sequence[Row], kind: Kind, breakdown: str) -> list[Row]:
    """In ascending order."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in given:
        key = str(row.get(KEYS[kind]))
        found.setdefault((str(row.get("agent")), key) if kind == "session" else (key,), []).append(row)
    rows = [_row(same, breakdown) for same in found.values()]
    if kind == "session":
        rows.sort(key=lambda row: (str(row.get("last_used")), str(row.get("session"))))
    elif kind in ("daily", "weekly", "monthly"):
        rows.sort(key=lambda row: str(row.get(KEYS[kind])))
    else:
        rows.sort(key=lambda row: (*_weight(row), str(row.get(KEYS[kind]))))
    return rows


def _row(same: Sequence[Row], breakdown: str) -> Row:
    """The sum of rows of one key."""
    made = _members([{name: value for name, value in row.items() if name != "breakdown"} for row in same])
    parts: dict[str, list[Row]] = {}
    for row in same:
        for part in _dicts(row.get("breakdown")):
            parts.setdefault(str(part.get(breakdown)), []).append(part)
    if any("breakdown" in row for row in same):
        added = [_members(each) for each in parts.values()]
        added.sort(key=lambda part: (*(-weight for weight in _weight(part)), str(part.get(breakdown))))
        made["breakdown"] = [*added]
    return made


def _weight(row: Row) -> tuple[float, float]:
    cost, tokens = row.get("cost"), row.get("total_tokens")
    total = cost.get("total_cost") if isinstance(cost, dict) else 0
    return (total if isinstance(total, int | float) else 0, tokens if isinstance(tokens, int | float) else 0)


def _all_rows(parts: Sequence[Json]) -> tuple[list[Row], int]:
    """And how many more the hosts have left out."""
    given = [part for part in parts if isinstance(part, dict)]
    rows = [row for part in given for row in _dicts(part.get("rows"))]
    return rows, sum(count for part in given if isinstance(count := part.get("left_out"), int))


def _dicts(found: Json) -> list[Row]:
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


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
    if name in _ABOUT:
        return given[0]
    told = {str(part) for part in given}
    return min(told) if name in _EARLIEST else max(told)


def _members(parts: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: _added(name, [part.get(name) for part in parts]) for name in names}
