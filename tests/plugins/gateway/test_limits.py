"""Limits of a minute and budgets, without a daemon."""

from __future__ import annotations

import sqlite3
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.dialects.model import DialectError
from jackfield_gateway.kept import tables
from jackfield_gateway.kept.database import TABLES
from jackfield_gateway.keys.virtual_key import KeyBudget, VirtualKey
from jackfield_gateway.limits.account import Hold, KeyAccount
from jackfield_gateway.limits.minute import SlidingMinute
from jackfield_gateway.limits.periods import date_of, day_of, days_before, end_of
from jackfield_proxy.messages import PermissionRefusal

NOON = round(datetime(2026, 12, 31, 12).timestamp() * 1000)  # noqa: DTZ001 - local time, as budgets count it
DAY_MS = 86_400_000


def account(**limits: object) -> KeyAccount:
    return KeyAccount(VirtualKey("k", "d", "jf_vk_", "label", NOON, **limits))  # type: ignore[arg-type]


@given(st.lists(st.tuples(st.floats(0, 20), st.integers(1, 50)), max_size=40))
def test_a_minute_holds_what_came_in_it(gaps: list[tuple[float, int]]) -> None:
    minute, now, came = SlidingMinute(), 1000.0, []
    for gap, amount in gaps:
        now += gap
        minute.add(now, amount)
        came.append((now, amount))
        # What came in one second goes with the last of it: what is 60 to 61 s old may be in or out.
        least = sum(one for at, one in came if at > now - 60)
        most = sum(one for at, one in came if at > now - 61)
        assert least <= minute.sum(now) <= most


def test_a_minute_that_nobody_asks_keeps_no_more_than_a_minute() -> None:
    """A key with a budget alone adds to it for as long as the daemon runs."""
    minute = SlidingMinute()
    for second in range(10_000):
        minute.add(float(second), 1)
    assert len(minute._seconds) <= 62


@given(st.lists(st.tuples(st.floats(0, 5), st.integers(1, 20)), min_size=1, max_size=30))
def test_after_the_told_wait_there_is_room(gaps: list[tuple[float, int]]) -> None:
    minute, now = SlidingMinute(), 500.0
    for gap, amount in gaps:
        now += gap
        minute.add(now, amount)
    wait = minute.room_after(now, 100, 10)
    assert 1 <= wait <= 60
    assert minute.sum(now + wait + 1e-6) + 10 <= 100


@pytest.mark.parametrize("begin", [1000.0, 1000.1, 4_000_000.7])
def test_a_full_minute_asks_official_clients_to_come_back(begin: float) -> None:
    """They wait a minute at most, and are told not to try again where it takes longer."""
    found = account(requests=1)
    found.reserve("a", Hold(1, 0.0, begin), NOON)
    with pytest.raises(DialectError) as refused:
        found.reserve("b", Hold(1, 0.0, begin + 0.01), NOON)
    error = PermissionRefusal.of(refused.value).error()
    assert (error.retry_after, error.lasting) == (60, False)
    found.reserve("c", Hold(1, 0.0, begin + 60.5), NOON)


def test_a_budget_lets_one_pass_that_may_need_more_and_then_none() -> None:
    found = account(budgets=[KeyBudget("total", "usd", 1.0)])
    found.reserve("a", Hold(10, 5.0, 0.0), NOON)
    with pytest.raises(DialectError) as refused:
        found.reserve("b", Hold(10, 0.1, 0.0), NOON)
    assert (refused.value.status, refused.value.retry_after) == (429, 1)
    hold = found.release("a")
    found.count(0.2, 3, hold, NOON)
    found.reserve("b", Hold(10, 0.1, 1.0), NOON)
    found.count(0.9, 3, found.release("b"), NOON)
    with pytest.raises(DialectError) as refused:
        found.reserve("c", Hold(0, 0.0, 2.0), NOON)
    assert (refused.value.status, refused.value.kind) == (402, "billing_error")


def test_budgets_of_a_day_and_a_month_come_back() -> None:
    found = account(budgets=[KeyBudget("day", "tokens", 10), KeyBudget("month", "tokens", 15)])
    found.reserve("a", Hold(5, 0.0, 0.0), NOON)
    found.count(0.0, 10, found.release("a"), NOON)
    with pytest.raises(DialectError) as refused:
        found.reserve("b", Hold(5, 0.0, 1.0), NOON)
    assert refused.value.retry_after == 12 * 3600
    assert "2027-01-01T00:00:00" in refused.value.message
    found.reserve("b", Hold(5, 0.0, 2.0), NOON + DAY_MS)
    assert found.used(found.key.budgets[1], NOON + DAY_MS) == (0.0, 5)


def test_a_request_that_is_not_sent_counts_nowhere() -> None:
    found = account(requests=1, tokens=10, parallel=1)
    found.reserve("a", Hold(10, 0.0, 0.0), NOON)
    with pytest.raises(DialectError):
        found.reserve("b", Hold(1, 0.0, 0.5), NOON)
    found.withdraw("a")
    found.reserve("b", Hold(10, 0.0, 1.0), NOON)
    assert found.in_flight == 1


def test_what_costs_nothing_counts_as_a_request_and_passes_a_used_up_budget() -> None:
    found = account(requests=3, parallel=2, tokens=10, budgets=[KeyBudget("total", "usd", 1.0)])
    found.reserve("a", Hold(10, 5.0, 0.0), NOON)
    found.count(5.0, 10, found.release("a"), NOON)
    found.reserve_free("b", 1.0)
    found.reserve_free("c", 2.0)
    with pytest.raises(DialectError, match="2 requests in flight"):
        found.reserve_free("d", 3.0)
    found.release("b")
    with pytest.raises(DialectError, match="3 requests a minute"):
        found.reserve_free("d", 4.0)
    assert found.used(found.key.budgets[0], NOON) == (5.0, 0)


def test_tokens_that_were_reserved_too_many_come_back() -> None:
    found = account(tokens=100)
    found.reserve("a", Hold(90, 0.0, 0.0), NOON)
    found.count(0.0, 10, found.release("a"), NOON)
    found.reserve("b", Hold(90, 0.0, 1.0), NOON)
    with pytest.raises(DialectError) as refused:
        found.reserve("c", Hold(20, 0.0, 2.0), NOON)
    assert 0 < (refused.value.retry_after or 0) <= 61


@given(st.dates(datetime(2000, 1, 1).date(), datetime(2100, 1, 1).date()))  # noqa: DTZ001 - days alone
def test_days_are_numbers(day: object) -> None:
    number = int(str(day).replace("-", ""))
    assert date_of(number) == day
    assert days_before(number, 0) == number
    end = end_of("month", number)
    assert end is not None
    assert end.date() > date_of(number)
    assert end.day == 1


def test_the_day_is_that_of_local_time() -> None:
    assert day_of(NOON) == 20261231
    assert end_of("total", 20261231) is None


def test_names_of_a_day_are_bounded_and_the_rest_is_one() -> None:
    found = account()
    assert [found.counted_as(name, 20261231, 2) for name in "abcab"] == ["a", "b", "other", "a", "b"]
    assert found.counted_as("c", 20270101, 2) == "c", "a new day begins"


def test_folded_days_keep_the_names_that_were_asked_for_most() -> None:
    database = sqlite3.connect(":memory:", isolation_level=None)
    for statement in TABLES.split(";"):
        database.execute(statement)
    for day in (20250101, 20250102):
        for number in range(5):
            row = tables.KeyUsageRow("k", day, "work", "openai", f"m{number}", requests=number + 1, usd=1.0, last=day)
            tables.add(database, row)
        tables.fold(database, day, 2)
    rows = tables.usage_rows(database, "k", 0, 0, 10)
    assert {(row.model, row.requests) for row in rows} == {("m4", 10), ("m3", 8), ("other", 12)}
    assert sum(row.usd for row in rows) == 10
    within = tables.UsageWithin(["k", "other key"], ["work"])
    assert tables.usage_rows(database, "k", 0, 0, 10, within) == rows
    for keys, profiles in ((["other key"], ["work"]), (["k"], ["another"]), (["k"], [])):
        assert tables.usage_rows(database, None, 0, 0, 10, tables.UsageWithin(keys, profiles)) == []
    assert tables.profile_names(database) == ["work"]
