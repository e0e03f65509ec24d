"""Periods and sums, without a store."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

import pytest

from jackfield.api.sql.insights import InsightWork
from jackfield.api.storage.insights import DAY_MS, HOUR_MS, WEEK_MS, EndedCount
from jackfield_insights.periods import DAYS, PeriodName, period_between, period_of
from jackfield_insights.slow_nodes import percentile
from jackfield_insights.sums import EndSums, all_of, by_key
from jackfield_insights.views import n8n_summary, sums_view
from jackfield_store_sqlite.dialect import SqliteDialect

NOW = 20_002 * DAY_MS + 5 * HOUR_MS + 1


@pytest.mark.parametrize(("name", "unit", "steps"), [("day", "hour", 24), ("week", "day", 8), ("quarter", "day", 91)])
def test_a_period_ends_with_the_present_hour(name: PeriodName, unit: str, steps: int) -> None:
    period = period_of(name, NOW)
    assert period.until == NOW - 1 + HOUR_MS
    assert period.until - period.since == DAYS[name] * DAY_MS
    assert (period.unit, len(period.steps)) == (unit, steps)
    assert period.before.until == period.since
    assert period.before.until - period.before.since == period.until - period.since


def test_weeks_begin_on_monday() -> None:
    period = period_of("year", NOW)
    assert period.unit == "week"
    assert all((step + 3 * DAY_MS) % WEEK_MS == 0 for step in period.steps)
    assert period.steps[0] <= period.since < period.steps[1]
    assert period.steps[-1] < period.until


def test_moments_are_widened_to_full_hours() -> None:
    period = period_between(NOW, NOW + 1)
    assert (period.since, period.until) == (NOW - 1, NOW - 1 + HOUR_MS)
    assert period_between(0, HOUR_MS).until == HOUR_MS


def test_the_total_is_the_sum_of_its_parts() -> None:
    counts = [
        EndedCount("a", "success", 4, 100),
        EndedCount("a", "failed", 1, 50),
        EndedCount("b", "cancelled", 2, 999),
        EndedCount("b", "success", 1, 10),
    ]
    sums = by_key(counts, {"a": 2.5})
    whole = all_of(sums.values())
    assert (whole.total, whole.success, whole.failed, whole.cancelled) == (8, 5, 1, 2)
    assert whole.total == whole.success + whole.failed + whole.cancelled
    assert (whole.saved_minutes, whole.took_ms) == (10.0, 160)
    assert sums_view(whole)["averageRunTimeMs"] == round(160 / 6, 2)
    assert sums_view(whole)["failureRate"] == round(1 / 6, 4)


def test_n8n_s_summary_has_no_deviation_from_nothing() -> None:
    now, before = EndSums(9, 1, 3, 100, 5.0), EndSums(5, 5, 0, 50, 0.0)
    found = n8n_summary(now, before)
    assert found["total"] == {"value": 10, "deviation": 0, "unit": "count"}
    assert found["failureRate"] == {"value": 0.1, "deviation": -0.4, "unit": "ratio"}
    assert found["averageRunTime"] == {"value": 10.0, "deviation": 5.0, "unit": "millisecond"}
    assert {one["deviation"] for one in n8n_summary(now, EndSums(cancelled=1)).values()} == {None}  # type: ignore[index, call-overload]  # each is an object


@pytest.mark.parametrize(("share", "value"), [(0.5, 50), (0.95, 95), (1.0, 100), (0.001, 1)])
def test_percentiles_are_values_that_there_were(share: float, value: int) -> None:
    assert percentile(range(1, 101), share) == value
    assert percentile([7], share) == 7


class Interrupted(SqliteDialect):
    """Another daemon deletes an execution after each statement."""

    deleted = 0

    def execute(self, connection: sqlite3.Connection, sql: str, values: Sequence[Any] = ()) -> Any:
        found = super().execute(connection, sql, values).fetchall()
        self.deleted += 1
        hour = self.deleted * HOUR_MS
        connection.execute("INSERT INTO insights VALUES (?, 'w', 'webhook', 'success', 1, 5)", [hour])
        return super().execute(connection, "SELECT value FROM json_each(?)", ["[]"]) if not found else _Rows(found)


class _Rows:
    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows

    def fetchall(self) -> list[Any]:
        return self._rows


def test_what_comes_while_hours_become_a_day_counts_on() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(
        """CREATE TABLE insights (start INTEGER, workflow_id TEXT, mode TEXT, status TEXT, number INTEGER,
        took_ms INTEGER, PRIMARY KEY (start, workflow_id, mode, status))"""
    )
    for hour in (20, 21):
        connection.execute("INSERT INTO insights VALUES (?, 'w', 'webhook', 'success', 2, 10)", [hour * HOUR_MS])
    dialect = Interrupted()
    InsightWork(dialect).make_day(connection, 0, DAY_MS)
    assert dialect.deleted > 1
    number, took = connection.execute("SELECT sum(number), sum(took_ms) FROM insights").fetchone()
    assert (number, took) == (4 + dialect.deleted, 20 + 5 * dialect.deleted)
    assert connection.execute("SELECT number FROM insights WHERE start = 0").fetchone()[0] >= 4
    connection.close()
