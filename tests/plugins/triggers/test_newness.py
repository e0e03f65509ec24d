"""Which rows are new: none twice, none lost, whatever a service repeats, reorders or keeps back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.jsontext import dumps, loads
from jackfield.api.triggers.newness import Newness, of_source, seconds

BY_ID = Newness("id", lambda row: row["id"])  # type: ignore[index, call-overload]  # rows of these tests
BY_TIME = Newness("time", lambda row: row["id"], lambda row: row["at"])  # type: ignore[index, call-overload]
BY_HASH = Newness("hash", lambda row: None)


def stored(state: dict[str, Any]) -> dict[str, Any]:
    """As it comes back from the store."""
    found: Any = loads(dumps(state))
    return found


def polled(rule: Newness, lists: list[list[Any]], limit: int) -> list[Any]:
    """What is told of these lists, each asked until there is no more, over a restart in between each time."""
    state: dict[str, Any] = {}
    told: list[Any] = []
    for rows in lists:
        for _ in range(len(rows) + 2):
            state = stored(state)
            new, more = rule.new(rows, state, limit)
            assert len(new) <= limit
            told += new
            if not more:
                break
        else:
            pytest.fail("there is always more")
    return told


steps = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@given(steps, st.integers(1, 5), st.randoms(use_true_random=False), st.booleans())
def test_by_id_each_row_is_told_once(steps: list[int], limit: int, chance: Any, newest_first: bool) -> None:
    lists, rows = [], []
    for count in steps:
        rows = [*rows, *({"id": len(rows) + number} for number in range(count))]
        listed = [row for row in rows for _ in range(chance.choice((1, 1, 2)))]
        listed = listed[::-1] if newest_first else chance.sample(listed, len(listed))
        lists.append(listed)
    told = polled(BY_ID, lists, limit)
    assert sorted(row["id"] for row in told) == list(range(steps[0], len(rows)))


@given(steps, st.integers(1, 5), st.randoms(use_true_random=False))
def test_by_time_each_row_is_told_once(steps: list[int], limit: int, chance: Any) -> None:
    """Several rows may have the same time, also one that was the latest of an earlier poll."""
    lists, rows, moment = [], [], 1000
    for count in steps:
        for _ in range(count):
            rows.append({"id": f"r{len(rows)}", "at": moment})
            moment += chance.choice((0, 0, 1, 5))
        lists.append(chance.sample(rows, len(rows)))
    told = polled(BY_TIME, lists, limit)
    first = steps[0]
    assert sorted(row["id"] for row in told) == sorted(f"r{number}" for number in range(first, len(rows)))


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), max_size=30))
def test_late_rows_within_the_overlap_are_told(made: list[tuple[int, int]]) -> None:
    """Each comes up to 9 seconds after the time that it has."""
    rule = Newness("time", lambda row: row["id"], lambda row: row["at"], overlap=30)  # type: ignore[index, call-overload]
    state: dict[str, Any] = {}
    rule.new([{"id": "first", "at": 100}], state, 9)
    rows = [{"id": f"r{index}", "at": 100 + at - late} for index, (at, late) in enumerate(made)]
    told: list[Any] = []
    for row in rows:
        state = stored(state)
        new, _ = rule.new([row], state, 9)
        told += new
    assert [row["id"] for row in told] == [row["id"] for row in rows]


def test_by_hash_a_changed_row_is_new() -> None:
    state: dict[str, Any] = {}
    assert BY_HASH.new([{"a": 1}, {"a": 2}], state, 9) == ([], False)
    assert BY_HASH.new([{"a": 1}, {"a": 3}], state, 9) == ([{"a": 3}], False)
    assert BY_HASH.new([{"a": 3}, {"a": 1}], state, 9) == ([], False)


def test_what_is_listed_is_never_forgotten() -> None:
    rule = Newness("id", lambda row: row["id"], most=3)  # type: ignore[index, call-overload]
    state: dict[str, Any] = {}
    rows = [{"id": number} for number in range(10)]
    rule.new(rows, state, 99)
    assert rule.new(rows, state, 99) == ([], False)
    assert rule.new([{"id": 99}], state, 99) == ([{"id": 99}], False)
    assert len(state["seen"]) == 3


def test_a_list_that_was_empty_at_first_tells_its_first_row() -> None:
    for rule in (BY_ID, BY_TIME, BY_HASH):
        state: dict[str, Any] = {}
        rule.new([], state, 9)
        assert state
        row = {"id": "a", "at": "2026-01-01T00:00:00Z"}
        assert rule.new([row], state, 9)[0] == [row]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (1_767_225_600, 1_767_225_600.0),
        (1_767_225_600_000, 1_767_225_600.0),
        ("1767225600000", 1_767_225_600.0),
        ("2026-01-01T00:00:00Z", 1_767_225_600.0),
        ("2026-01-01T01:00:00+01:00", 1_767_225_600.0),
        ("2026-01-01", 1_767_225_600.0),
        ("Thu, 01 Jan 2026 00:00:00 GMT", 1_767_225_600.0),
        ("soon", None),
        ("", None),
        (None, None),
        (True, None),
        (float("nan"), None),
    ],
)
def test_times_of_services(text: Any, found: float | None) -> None:
    assert seconds(text) == found


@given(st.one_of(st.text(), st.floats(), st.integers(), st.none(), st.booleans()))
def test_no_time_is_no_crash(value: Any) -> None:
    found = seconds(value)
    assert found is None or isinstance(found, float)


def test_another_source_begins_anew() -> None:
    state: dict[str, Any] = {}
    of_source(state, "a")
    BY_ID.new([{"id": 1}], state, 9)
    of_source(state, "a")
    assert BY_ID.new([{"id": 2}], state, 9)[0] == [{"id": 2}]
    of_source(state, "b")
    assert BY_ID.is_first(state)
    assert BY_ID.new([{"id": 3}], state, 9)[0] == []


def test_what_lies_far_back_counts_as_seen_though_nothing_came() -> None:
    rule = Newness("time", lambda row: row["id"], lambda row: row["at"], overlap=5)  # type: ignore[index, call-overload]
    state: dict[str, Any] = {}
    rule.begin(state, 1000)
    assert rule.new([{"id": "a", "at": 1001}], state, 10)[0] == [{"id": "a", "at": 1001}]
    rule.advance(state, 900)
    assert state == {"latest": 1001.0, "at": {"a": 1001.0}}
    rule.advance(state, 2000)
    assert state == {"latest": 2000, "at": {}}
    assert rule.since(state) == 1995
    assert rule.new([{"id": "b", "at": 1500}, {"id": "c", "at": 2001}], state, 10)[0] == [{"id": "c", "at": 2001}]


def test_a_date_to_come_makes_nothing_old() -> None:
    """As in a table whose field of times is somebody's plan."""
    state: dict[str, Any] = {}
    BY_TIME.begin(state, 1000)
    plan = {"id": "plan", "at": 9000}
    assert BY_TIME.new([plan], state, 10, now=1001)[0] == [plan]
    state = stored(state)
    later = [{"id": str(number), "at": number} for number in (1002, 1003)]
    assert BY_TIME.new([plan, *later], state, 10, now=1004)[0] == later
    assert BY_TIME.new([plan, *later], stored(state), 10, now=9500) == ([], False)
