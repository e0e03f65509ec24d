"""What the parameters of scheduleTrigger, cron and interval mean."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.workflows import Node
from jackfield_schedule.rules import read
from jackfield_schedule.times import first_after

BERLIN = ZoneInfo("Europe/Berlin")
SAVED = "2026-01-01T10:20:30+01:00"  # a Thursday


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def node(kind: str, parameters: dict[str, Any]) -> Node:
    return Node("1", "T", f"n8n-nodes-base.{kind}", kind, 1.2, parameters)


def due(kind: str, parameters: dict[str, Any], count: int = 3, after: str = SAVED) -> list[str]:
    schedules, findings = read(node(kind, parameters), BERLIN, ms(SAVED))
    assert findings == {}
    found = []
    moment: int | None = ms(after)
    for _ in range(count):
        assert moment is not None
        moment = first_after(schedules, moment)
        assert moment is not None
        found.append(f"{datetime.fromtimestamp(moment / 1000, BERLIN):%m-%d %H:%M:%S}")
    return found


def rule(**fields: Any) -> dict[str, Any]:
    return {"rule": {"interval": [fields]}}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ["01-02 00:00:00", "01-03 00:00:00", "01-04 00:00:00"]),
        ({"field": "seconds"}, ["01-01 10:21:00", "01-01 10:21:30", "01-01 10:22:00"]),
        ({"field": "seconds", "secondsInterval": 20}, ["01-01 10:20:40", "01-01 10:21:00", "01-01 10:21:20"]),
        ({"field": "minutes"}, ["01-01 10:25:00", "01-01 10:30:00", "01-01 10:35:00"]),
        ({"field": "minutes", "minutesInterval": 90}, ["01-01 10:30:00", "01-01 12:00:00", "01-01 13:30:00"]),
        ({"field": "hours"}, ["01-01 11:00:00", "01-01 12:00:00", "01-01 13:00:00"]),
        ({"field": "hours", "triggerAtMinute": 30}, ["01-01 10:30:00", "01-01 11:30:00", "01-01 12:30:00"]),
        ({"field": "hours", "hoursInterval": 6}, ["01-01 12:00:00", "01-01 18:00:00", "01-02 00:00:00"]),
        ({"field": "hours", "hoursInterval": 5}, ["01-01 15:00:00", "01-01 20:00:00", "01-02 01:00:00"]),
        (
            {"field": "days", "triggerAtHour": 9, "triggerAtMinute": 15},
            ["01-02 09:15:00", "01-03 09:15:00", "01-04 09:15:00"],
        ),
        (
            {"field": "days", "daysInterval": 3, "triggerAtHour": "8"},
            ["01-02 08:00:00", "01-05 08:00:00", "01-08 08:00:00"],
        ),
        (
            {"field": "days", "daysInterval": 2, "triggerAtHour": 12},
            ["01-01 12:00:00", "01-03 12:00:00", "01-05 12:00:00"],
        ),
        ({"field": "weeks"}, ["01-04 00:00:00", "01-11 00:00:00", "01-18 00:00:00"]),
        (
            {"field": "weeks", "triggerAtDay": [1, 5], "triggerAtHour": 7},
            ["01-02 07:00:00", "01-05 07:00:00", "01-09 07:00:00"],
        ),
        (
            {"field": "weeks", "weeksInterval": 2, "triggerAtDay": [1, 5]},
            ["01-02 00:00:00", "01-12 00:00:00", "01-16 00:00:00"],
        ),
        ({"field": "months"}, ["02-01 00:00:00", "03-01 00:00:00", "04-01 00:00:00"]),
        (
            {"field": "months", "monthsInterval": 3, "triggerAtDayOfMonth": 15, "triggerAtHour": 6},
            ["01-15 06:00:00", "04-15 06:00:00", "07-15 06:00:00"],
        ),
        (
            {"field": "months", "triggerAtDayOfMonth": 31},
            ["01-31 00:00:00", "03-31 00:00:00", "05-31 00:00:00"],
        ),
        (
            {"field": "cronExpression", "expression": "0 9 * * 1-5"},
            ["01-02 09:00:00", "01-05 09:00:00", "01-06 09:00:00"],
        ),
    ],
)
def test_rules_of_the_schedule_trigger(fields: dict[str, Any], expected: list[str]) -> None:
    assert due("scheduleTrigger", rule(**fields)) == expected


def test_a_schedule_trigger_without_parameters_is_due_every_midnight() -> None:
    assert due("scheduleTrigger", {}, 1) == ["01-02 00:00:00"]


def test_several_rules_are_due_one_after_another_and_together_once() -> None:
    parameters = {"rule": {"interval": [{"field": "hours"}, {"field": "cronExpression", "expression": "0,40 * * * *"}]}}
    assert due("scheduleTrigger", parameters) == ["01-01 10:40:00", "01-01 11:00:00", "01-01 11:40:00"]


def test_every_third_day_stays_even_over_the_end_of_a_year() -> None:
    every = rule(field="days", daysInterval=3, triggerAtHour=8)
    assert due("scheduleTrigger", every, after="2026-12-26T00:00:00+01:00") == [
        "12-28 08:00:00",
        "12-31 08:00:00",
        "01-03 08:00:00",
    ]


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({}, ["01-01 14:00:00", "01-02 14:00:00"]),
        ({"mode": "everyMinute"}, ["01-01 10:21:00", "01-01 10:22:00"]),
        ({"mode": "everyHour", "minute": 5}, ["01-01 11:05:00", "01-01 12:05:00"]),
        ({"mode": "everyWeek", "hour": 8, "weekday": "0"}, ["01-04 08:00:00", "01-11 08:00:00"]),
        ({"mode": "everyWeek"}, ["01-05 14:00:00", "01-12 14:00:00"]),
        ({"mode": "everyMonth", "dayOfMonth": 20, "minute": 10}, ["01-20 14:10:00", "02-20 14:10:00"]),
        ({"mode": "everyX", "unit": "minutes", "value": 30}, ["01-01 10:30:00", "01-01 11:00:00"]),
        ({"mode": "everyX"}, ["01-01 12:00:00", "01-01 14:00:00"]),
        ({"mode": "custom", "cronExpression": "0 0 * * * *"}, ["01-01 11:00:00", "01-01 12:00:00"]),
    ],
)
def test_modes_of_the_cron_node(item: dict[str, Any], expected: list[str]) -> None:
    assert due("cron", {"triggerTimes": {"item": [item]}}, 2) == expected


def test_the_interval_node_counts_from_when_it_was_saved() -> None:
    assert due("interval", {}, 2) == ["01-01 10:20:31", "01-01 10:20:32"]
    assert due("interval", {"interval": 7, "unit": "minutes"}, 2) == ["01-01 10:27:30", "01-01 10:34:30"]
    assert due("interval", {"interval": 2, "unit": "hours"}, 1) == ["01-01 12:20:30"]


@pytest.mark.parametrize(
    ("kind", "parameters", "path"),
    [
        ("scheduleTrigger", rule(field="cronExpression", expression="61 * * * *"), "rule.interval[0].expression"),
        ("scheduleTrigger", rule(field="cronExpression"), "rule.interval[0].expression"),
        ("scheduleTrigger", rule(field="cronExpression", expression="={{ $x }}"), "rule.interval[0].expression"),
        ("scheduleTrigger", rule(field="fortnights"), "rule.interval[0].field"),
        ("scheduleTrigger", rule(field="seconds", secondsInterval=0), "rule.interval[0].secondsInterval"),
        ("scheduleTrigger", rule(field="minutes", minutesInterval=1.5), "rule.interval[0].minutesInterval"),
        ("scheduleTrigger", rule(field="hours", hoursInterval=True), "rule.interval[0].hoursInterval"),
        ("scheduleTrigger", rule(field="days", triggerAtHour=24), "rule.interval[0].triggerAtHour"),
        ("scheduleTrigger", rule(field="weeks", triggerAtDay=["x"]), "rule.interval[0].triggerAtDay"),
        ("scheduleTrigger", rule(field="months", triggerAtDayOfMonth=32), "rule.interval[0].triggerAtDayOfMonth"),
        ("scheduleTrigger", {"rule": {"interval": "daily"}}, "rule.interval"),
        ("scheduleTrigger", {"rule": {"interval": []}}, "rule"),
        ("cron", {"triggerTimes": {"item": [{"mode": "custom", "cronExpression": "x"}]}}, "cronExpression"),
        ("cron", {"triggerTimes": {"item": [{"mode": "often"}]}}, "triggerTimes.item[0].mode"),
        ("interval", {"unit": "days"}, "unit"),
        ("interval", {"interval": -1}, "interval"),
    ],
)
def test_what_is_wrong_is_named_by_its_parameter(kind: str, parameters: dict[str, Any], path: str) -> None:
    schedules, findings = read(node(kind, parameters), BERLIN, ms(SAVED))
    assert schedules == []
    assert [found for found in findings if found.endswith(path)]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    [
        *("field", "secondsInterval", "minutesInterval", "hoursInterval", "daysInterval", "weeksInterval"),
        *("monthsInterval", "triggerAtHour", "triggerAtMinute", "triggerAtDay", "triggerAtDayOfMonth", "expression"),
        *("mode", "hour", "minute", "weekday", "dayOfMonth", "cronExpression", "value", "unit", "interval"),
    ]
)
_ROWS = st.lists(st.dictionaries(_KEYS, _JSON, max_size=4), max_size=3)


@given(st.sampled_from(["scheduleTrigger", "cron", "interval"]), _ROWS, _JSON)
def test_any_parameters_are_read_or_refused(kind: str, rows: list[dict[str, Any]], other: Any) -> None:
    for parameters in ({"rule": {"interval": rows}, "triggerTimes": {"item": rows}}, {"rule": other}, *rows):
        schedules, findings = read(node(kind, parameters), BERLIN, ms(SAVED))
        assert findings or first_after(schedules, ms(SAVED)) is not None
