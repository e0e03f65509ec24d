"""A schedule as a sentence."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.workflows import Node
from jackfield_schedule.cron import BadExpression, Cron
from jackfield_schedule.rules import read
from jackfield_schedule.times import LocalTimes
from jackfield_schedule.words import sentence

ZONE = ZoneInfo("Europe/Berlin")
SAVED = 1_750_000_000_000


def told(kind: str, parameters: dict[str, Any]) -> str:
    node = Node("1", "N", f"jackfield.{kind}", kind, 1, parameters)
    schedules, findings = read(node, ZONE, SAVED)
    assert not findings
    return sentence(schedules, "Europe/Berlin")


def interval(*rows: dict[str, Any]) -> str:
    return told("scheduleTrigger", {"rule": {"interval": list(rows)}})


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({}, "Every day at 00:00 (Europe/Berlin)"),
        ({"field": "seconds"}, "Every 30 seconds"),
        ({"field": "seconds", "secondsInterval": 120}, "Every 2 minutes"),
        ({"field": "minutes", "minutesInterval": 1}, "Every minute"),
        ({"field": "hours", "hoursInterval": 2, "triggerAtMinute": 15}, "Every 2 hours at minute 15 (Europe/Berlin)"),
        ({"field": "hours", "hoursInterval": 5}, "Every 5 hours"),
        ({"field": "days", "triggerAtHour": 9}, "Every day at 09:00 (Europe/Berlin)"),
        ({"field": "days", "daysInterval": 3, "triggerAtHour": 9}, "Every 3 days at 09:00 (Europe/Berlin)"),
        (
            {"field": "weeks", "triggerAtDay": [1, 2, 3, 4, 5], "triggerAtHour": 9},
            "Every weekday at 09:00 (Europe/Berlin)",
        ),
        ({"field": "weeks", "triggerAtDay": [0, 6]}, "Every Saturday and Sunday at 00:00 (Europe/Berlin)"),
        (
            {"field": "weeks", "weeksInterval": 2, "triggerAtDay": [0, 1]},
            "Every 2 weeks on Monday and Sunday at 00:00 (Europe/Berlin)",
        ),
        (
            {"field": "weeks", "weeksInterval": 2, "triggerAtDay": [1, 2, 3, 4, 5]},
            "Every 2 weeks on every weekday at 00:00 (Europe/Berlin)",
        ),
        ({"field": "months", "triggerAtDayOfMonth": 5}, "On day 5 of every month at 00:00 (Europe/Berlin)"),
        (
            {"field": "months", "monthsInterval": 3, "triggerAtHour": 8},
            "On day 1 of every 3 months at 08:00 (Europe/Berlin)",
        ),
    ],
)
def test_an_interval_is_a_sentence(row: dict[str, Any], text: str) -> None:
    assert interval(row) == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("0 9 * * 1-5", "Every weekday at 09:00"),
        ("0 9 * * MON-FRI", "Every weekday at 09:00"),
        ("30 8,17 * * *", "Every day at 08:30 and 17:30"),
        ("0 17,8,8 * * *", "Every day at 08:00 and 17:00"),
        ("0 9 15,1 1-12 *", "On day 1 and 15 of every month at 09:00"),
        ("*/5 * * * *", "Every 5 minutes"),
        ("*/10 * * * * *", "Every 10 seconds"),
        ("* * * * *", "Every minute"),
        ("0 9-17 * * 1-5", "Every hour from 09:00 to 17:00, every weekday"),
        ("15 * * * *", "Every hour at minute 15"),
        ("0 */4 * * *", "Every 4 hours"),
        ("0 6 1,15 * *", "On day 1 and 15 of every month at 06:00"),
        ("0 6 L * *", "On the last day of every month at 06:00"),
        ("0 6 1 1 *", "On day 1 in January at 06:00"),
        ("0 0 * JAN,JUN *", "Every day in January and June at 00:00"),
        ("@hourly", "Every hour"),
        ("*/45 * * * *", "At the times of the cron expression */45 * * * *"),
        ("*/90 * * * *", "At the times of the cron expression */90 * * * *"),
        ("0 */5 * * *", "At the times of the cron expression 0 */5 * * *"),
        ("0 9 1 * 1", "At the times of the cron expression 0 9 1 * 1"),
        ("1-20 9 * * *", "At the times of the cron expression 1-20 9 * * *"),
    ],
)
def test_a_cron_expression_is_a_sentence_where_one_holds_it(expression: str, text: str) -> None:
    assert interval({"field": "cronExpression", "expression": expression}) == f"{text} (Europe/Berlin)"


def test_several_rules_are_one_sentence() -> None:
    minutes, daily = {"field": "minutes"}, {"field": "days", "triggerAtHour": 7}
    assert interval(minutes, daily) == "Every 5 minutes and every day at 07:00 (Europe/Berlin)"
    assert interval(minutes, daily, daily, daily, daily).endswith(
        ", every day at 07:00 and by 2 more rules (Europe/Berlin)"
    )


def test_older_nodes_say_it_too() -> None:
    assert told("cron", {"triggerTimes": {"item": [{"mode": "everyWeek", "hour": 9}]}}) == (
        "Every Monday at 09:00 (Europe/Berlin)"
    )
    assert told("interval", {"unit": "hours", "interval": 1}) == "Every hour"


FIELD = st.from_regex(r"(\\*|[0-9]{1,2})(-[0-9]{1,2})?(/[1-9])?(,[0-9]{1,2})?", fullmatch=True)


@given(st.lists(FIELD, min_size=5, max_size=6))
def test_every_expression_that_counts_has_a_sentence(fields: list[str]) -> None:
    try:
        cron = Cron(" ".join(fields))
    except BadExpression:
        return
    text = sentence([LocalTimes(cron, ZONE)], "UTC")
    assert text[0].isupper()
    assert text.endswith("(UTC)")
