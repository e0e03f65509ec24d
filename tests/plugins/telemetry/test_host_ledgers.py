"""Usage of several hosts, as one."""

from __future__ import annotations

from jackfield.api.jsontext import Json
from jackfield_telemetry.host_resources import answers, statistics


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
