"""Usage of several hosts, as one."""

from __future__ import annotations

import pytest

from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield_telemetry.reports.joining import answers, report, statistics


def part(tokens: int, model: str, last: str, prices: str | None) -> Json:
    group: dict[str, Json] = {
        "tokens": {"input_tokens": tokens},
        "cost": {"total_cost": tokens / 4},
        "sessions": 1,
        "last_used": last,
    }
    return {
        "period": "today",
        "total_tokens": {"input_tokens": tokens},
        "total_sessions": 1,
        "aggregates": {"by_model": {model: group, "both": group}},
        "unpriced": [model],
        "prices_as_of": prices,
    }


def test_counts_are_added_by_what_they_are_about() -> None:
    found = statistics([part(3, "a", "2026-01-02", "2026-01-01"), part(4, "b", "2026-01-03", None)], {})
    alone = part(3, "a", "2026-01-02", "2026-01-01")
    assert isinstance(found, dict)
    assert (found["period"], found["total_sessions"], found["total_tokens"]) == ("today", 2, {"input_tokens": 7})
    assert (found["unpriced"], found["prices_as_of"]) == (["a", "b"], "2026-01-01")
    both: Json = {
        "tokens": {"input_tokens": 7},
        "cost": {"total_cost": 1.75},
        "sessions": 2,
        "last_used": "2026-01-03",
    }
    groups = found["aggregates"]
    assert isinstance(groups, dict)
    by_model = groups["by_model"]
    assert isinstance(by_model, dict)
    assert (by_model["both"], set(by_model)) == (both, {"a", "b", "both"})
    assert statistics([alone], {}) == alone


def test_the_latest_answers_of_all_are_listed_in_their_order() -> None:
    one: Json = {"rows": [{"time": "1"}, {"time": "4"}], "left_out": 2}
    other: Json = {"rows": [{"time": "2"}, {"time": "3"}], "left_out": 0}
    assert answers([one, other], {"limit": "3"}) == {
        "rows": [{"time": "2"}, {"time": "3"}, {"time": "4"}],
        "left_out": 3,
    }
    assert answers([one, other], {}) == {"rows": [{"time": str(n)} for n in (1, 2, 3, 4)], "left_out": 2}


def tally(tokens: int) -> dict[str, Json]:
    return {
        "answers": 1,
        "tokens": {"input_tokens": tokens},
        "total_tokens": tokens,
        "cost": {"total_cost": tokens / 4},
    }


def row(key: str, name: str, tokens: int, model: str, day: str, **about: Json) -> dict[str, Json]:
    names: dict[str, Json] = {
        "agents": ["shell"],
        "models": [model],
        "first_used": f"{day}T01",
        "last_used": f"{day}T02",
    }
    return {key: name, **about, **tally(tokens), **names, "breakdown": [{"model": model, **tally(tokens)}]}


def of_host(kind: str, *rows: dict[str, Json], left_out: int = 0) -> Json:
    total = sum(int(str(one["total_tokens"])) for one in rows)
    return {"kind": kind, "rows": [*rows], "totals": tally(total), "left_out": left_out, "unpriced": [f"u{total}"]}


def joined(*parts: Json, **query: str) -> dict[str, Json]:
    found = report(parts, query)
    assert isinstance(found, dict)
    return found


def test_rows_of_a_report_are_added_by_their_key() -> None:
    first = of_host("daily", row("date", "1", 3, "a", "1"), row("date", "2", 4, "a", "2"), left_out=2)
    found = joined(first, of_host("daily", row("date", "0", 1, "b", "0"), row("date", "2", 6, "b", "1")))
    days = found["rows"]
    assert isinstance(days, list)
    assert [day["date"] for day in days if isinstance(day, dict)] == ["0", "1", "2"]
    breakdown: Json = [{"model": "b", **tally(6)}, {"model": "a", **tally(4)}]
    both: Json = {
        **row("date", "2", 10, "a", "2"),
        "answers": 2,
        "models": ["a", "b"],
        "first_used": "1T01",
        "breakdown": breakdown,
    }
    assert days[2] == both
    assert (found["totals"], found["left_out"]) == ({**tally(14), "answers": 2}, 2)
    assert found["unpriced"] == ["u7"]


def test_the_order_and_the_limit_are_those_of_one_report() -> None:
    parts = [
        of_host("models", row("model", name, tokens, name, "1")) for name, tokens in (("a", 9), ("b", 1), ("c", 5))
    ]
    for query, names, beyond in (({}, ["b", "c", "a"], 0), ({"order": "desc", "limit": "2"}, ["a", "c"], 1)):
        found = joined(*parts, **query)
        rows = found["rows"]
        assert isinstance(rows, list)
        assert [one["model"] for one in rows if isinstance(one, dict)] == names
        assert found["left_out"] == beyond


def test_sessions_of_two_agents_are_two_and_blocks_stand_beside_each_other() -> None:
    parts = [of_host("session", row("session", "s", 1, "a", str(n), agent=agent)) for n, agent in enumerate(("x", "y"))]
    sessions = joined(*parts)["rows"]
    assert isinstance(sessions, list)
    assert [one["agent"] for one in sessions if isinstance(one, dict)] == ["x", "y"]
    block: dict[str, Json] = {**row("start", "2", 1, "a", "1"), "gap": False}
    gap: dict[str, Json] = {**row("start", "3", 0, "a", "1"), "gap": True}
    found = joined(of_host("blocks", block, gap), of_host("blocks", {**block, "start": "1"}))["rows"]
    assert isinstance(found, list)
    assert [one["start"] for one in found if isinstance(one, dict)] == ["1", "2"]


@pytest.mark.parametrize("limit", ["0", "10001", "x", "-1", "1" * 20])
def test_a_limit_that_no_host_has_looked_at_is_checked(limit: str) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        joined(of_host("models"), limit=limit)
