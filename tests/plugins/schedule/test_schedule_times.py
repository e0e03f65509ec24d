"""When schedules are due: cron expressions in time zones, with their gaps and repetitions, and even steps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield_schedule.cron import BadExpression, Cron
from jackfield_schedule.times import EverySoOften, LocalTimes, Schedule, first_after, last_until

BERLIN = ZoneInfo("Europe/Berlin")
LORD_HOWE = ZoneInfo("Australia/Lord_Howe")  # its daylight saving time is half an hour


def ms(text: str) -> int:
    """ISO 8601 with an offset as Unix ms."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def due(schedule: Schedule, after: str, count: int, zone: ZoneInfo = BERLIN) -> list[str]:
    """The next moments, as local times with their offset."""
    found = []
    moment: int | None = ms(after)
    for _ in range(count):
        assert moment is not None
        moment = schedule.after(moment)
        assert moment is not None
        found.append(datetime.fromtimestamp(moment / 1000, zone).isoformat())
    return found


def cron(text: str, zone: ZoneInfo = BERLIN) -> LocalTimes:
    return LocalTimes(Cron(text), zone)


def test_a_local_time_that_does_not_exist_is_due_once_right_after_the_gap() -> None:
    assert due(cron("30 2 * * *"), "2026-03-28T12:00:00+01:00", 2) == [
        "2026-03-29T03:00:00+02:00",
        "2026-03-30T02:30:00+02:00",
    ]


def test_several_times_in_one_gap_are_due_once_together() -> None:
    assert due(cron("*/10 2 * * *"), "2026-03-29T00:00:00+01:00", 2) == [
        "2026-03-29T03:00:00+02:00",
        "2026-03-30T02:00:00+02:00",
    ]


def test_a_time_in_the_gap_and_one_at_its_end_are_one() -> None:
    assert due(cron("0,30 2,3 * * *"), "2026-03-29T00:00:00+01:00", 3) == [
        "2026-03-29T03:00:00+02:00",
        "2026-03-29T03:30:00+02:00",
        "2026-03-30T02:00:00+02:00",
    ]


def test_a_local_time_that_occurs_twice_is_due_once() -> None:
    assert due(cron("30 2 * * *"), "2026-10-24T12:00:00+02:00", 2) == [
        "2026-10-25T02:30:00+02:00",
        "2026-10-26T02:30:00+01:00",
    ]


def test_nothing_that_names_its_hour_is_due_in_the_repetition() -> None:
    assert due(cron("*/30 2,3 * * *"), "2026-10-25T02:30:00+02:00", 2) == [
        "2026-10-25T03:00:00+01:00",
        "2026-10-25T03:30:00+01:00",
    ]


def test_from_within_the_repetition_it_goes_on_behind_it() -> None:
    assert due(cron("*/30 2 * * *"), "2026-10-25T02:10:00+01:00", 1) == ["2026-10-26T02:00:00+01:00"]


@pytest.mark.parametrize("text", ["0 * * * *", "0 */1 * * *", "0 0-23 * * *"])
def test_what_is_due_in_every_hour_goes_by_elapsed_time(text: str) -> None:
    assert due(cron(text), "2026-03-29T00:30:00+01:00", 3) == [
        "2026-03-29T01:00:00+01:00",
        "2026-03-29T03:00:00+02:00",
        "2026-03-29T04:00:00+02:00",
    ]
    assert due(cron(text), "2026-10-25T01:30:00+02:00", 3) == [
        "2026-10-25T02:00:00+02:00",
        "2026-10-25T02:00:00+01:00",
        "2026-10-25T03:00:00+01:00",
    ]


def test_a_change_of_half_an_hour() -> None:
    hourly = cron("0 * * * *", LORD_HOWE)
    # At 2:00 on 5 April 2026 the clocks go back to 1:30; at 2:00 on 4 October forward to 2:30.
    assert due(hourly, "2026-04-05T00:30:00+11:00", 3, LORD_HOWE) == [
        "2026-04-05T01:00:00+11:00",
        "2026-04-05T02:00:00+10:30",
        "2026-04-05T03:00:00+10:30",
    ]
    assert due(cron("15 2 * * *", LORD_HOWE), "2026-10-04T00:00:00+10:30", 1, LORD_HOWE) == [
        "2026-10-04T02:30:00+11:00"
    ]


def test_a_whole_day_that_a_zone_left_out_is_made_up_for_at_its_end() -> None:
    apia = ZoneInfo("Pacific/Apia")  # had no 30 December 2011
    assert due(cron("0 9 * * *", apia), "2011-12-29T10:00:00-10:00", 2, apia) == [
        "2011-12-31T00:00:00+14:00",
        "2011-12-31T09:00:00+14:00",
    ]


def test_seconds_first_in_six_fields() -> None:
    assert due(cron("15,45 59 23 31 12 *"), "2026-01-01T00:00:00+01:00", 2) == [
        "2026-12-31T23:59:15+01:00",
        "2026-12-31T23:59:45+01:00",
    ]


@pytest.mark.parametrize(
    ("text", "next_time"),
    [
        ("@daily", "2026-01-02T00:00:00+01:00"),
        ("@Hourly", "2026-01-01T01:00:00+01:00"),
        ("0 9 ? * MON-FRI", "2026-01-01T09:00:00+01:00"),
        ("0 0 l * *", "2026-01-31T00:00:00+01:00"),
        ("0 0 29 2 *", "2028-02-29T00:00:00+01:00"),
        ("0 12 13 * 5", "2026-01-02T12:00:00+01:00"),
    ],
)
def test_forms_of_expressions(text: str, next_time: str) -> None:
    assert due(cron(text), "2026-01-01T00:00:30+01:00", 1) == [next_time]


@pytest.mark.parametrize("text", ["", "* * * *", "61 * * * *", "* * * * * * *", "0 0 31 2 *", "a b c d e", "* " * 600])
def test_what_is_no_expression_says_so(text: str) -> None:
    with pytest.raises(BadExpression, match=r"cron expression"):
        Cron(text)


@given(st.text(alphabet="0123456789*/-,#LW? @aMONmon", max_size=30))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        found = Cron(text)
    except BadExpression:
        return
    assert LocalTimes(found, BERLIN).after(0) is not None


_FIELDS = st.sampled_from(["*", "0", "30", "*/15", "1-3", "2,22"])


@settings(max_examples=150, deadline=None)
@given(
    _FIELDS,
    st.sampled_from(["*", "0", "2", "3", "*/2", "1-3", "2,22"]),
    st.sampled_from(
        [ms("2026-03-28T20:00:00+01:00"), ms("2026-10-24T22:00:00+02:00"), ms("2026-06-01T00:00:00+02:00")]
    ),
    st.integers(0, 12 * 3600),
)
def test_moments_only_grow_and_do_not_depend_on_where_one_looks_from(
    minute: str, hour: str, start: int, ahead: int
) -> None:
    schedule = cron(f"{minute} {hour} * * *")
    first = schedule.after(start + ahead * 1000)
    assert first is not None
    assert first > start + ahead * 1000
    # Looked at from any moment in between, it is the same one.
    for part in (1, 2, 3):
        between = start + ahead * 1000 + (first - start - ahead * 1000) * part // 4
        assert schedule.after(between) == first


def test_even_steps_from_an_anchor() -> None:
    schedule = EverySoOften(45 * 60_000, ms("2026-01-01T00:00:00+01:00"))
    assert due(schedule, "2026-01-01T00:00:00+01:00", 3) == [
        "2026-01-01T00:45:00+01:00",
        "2026-01-01T01:30:00+01:00",
        "2026-01-01T02:15:00+01:00",
    ]
    assert due(schedule, "2025-12-31T23:00:00+01:00", 1) == ["2025-12-31T23:15:00+01:00"]


def test_the_first_of_several_schedules_counts() -> None:
    every = [EverySoOften(60_000, 0), EverySoOften(45_000, 0)]
    assert first_after(every, 0) == 45_000
    assert first_after(every, 45_000) == 60_000
    assert first_after([], 0) is None


@given(st.integers(1, 5000), st.integers(0, 100_000), st.integers(0, 100_000))
def test_the_last_moment_of_a_stretch(step: int, low: int, length: int) -> None:
    found = last_until([EverySoOften(step, 0)], low, low + length)
    multiples = (low + length) // step * step
    assert found == (multiples if multiples > low else None)


def test_the_last_moment_costs_little_however_long_the_stretch() -> None:
    looked = 0

    class Counted:
        def after(self, moment: int) -> int:
            nonlocal looked
            looked += 1
            return moment - moment % 1000 + 1000

    assert last_until([Counted()], 0, 10**12) == 10**12
    assert looked < 10


def test_nothing_is_due_for_ever() -> None:
    assert cron("0 0 1 1 *").after(ms("2999-12-31T23:00:00+00:00")) is None
    assert all(later - earlier == timedelta(days=1) for earlier, later in pairwise(_days()))


def _days() -> list[datetime]:
    found = due(cron("0 0 * * *", ZoneInfo("UTC")), "2026-02-26T00:00:00+00:00", 5, ZoneInfo("UTC"))
    return [datetime.fromisoformat(each).astimezone(UTC) for each in found]
