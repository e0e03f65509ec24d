"""What is old goes in a share of the time that grows with the backlog, by a clock that the test owns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.sql.moments import Pace, SpareMoments, pace_of, pace_of_forgetting
from jackfield.testing.clock import FakeClock

DAY = 86_400_000
AGE = 14 * DAY
NOW = 20_000 * DAY
BEFORE = NOW - AGE
SLICE = 100
WAITS = 0.03
"""Seconds that a slice waits for other writes."""


class Time(FakeClock):
    """It moves as soon as somebody sleeps or works."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Writer:
    """Somebody else always writes, so each slice waits before its work is done."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.time = Time()
        self.moments = SpareMoments(self.time, lambda: quiet)

    async def delete(self, share: float, seconds: float, waits: float = WAITS) -> None:
        async def write(work: Callable[[None], None]) -> None:
            await self.time.sleep(waits)
            work(None)

        def work(_: None) -> None:
            self.time.seconds += seconds

        await self.moments.run(write, work, share)


def late(part: float) -> Pace:
    """Of rows that are late by this part of their age."""
    return pace_of(BEFORE - round(part * AGE), BEFORE, NOW)


def test_a_small_backlog_takes_a_twentieth() -> None:
    for pace in (late(0), late(0.005), late(0.01), late(-0.5), pace_of(None, BEFORE, NOW)):
        assert (pace.share, pace.rows(SLICE)) == (0.05, SLICE)


def test_a_large_backlog_takes_half_and_no_more() -> None:
    for pace in (late(0.05), late(0.1), late(100), pace_of(0, NOW, NOW)):
        assert (pace.share, pace.rows(SLICE)) == (pytest.approx(0.5), 5 * SLICE)


def test_what_is_to_be_forgotten_is_kept_for_a_day_as_it_were() -> None:
    assert pace_of_forgetting(NOW - DAY // 200, NOW).share == 0.05
    assert pace_of_forgetting(NOW - DAY // 10, NOW).share == pytest.approx(0.5)
    assert pace_of_forgetting(None, NOW).share == 0.05


@given(st.floats(0, 2), st.floats(0, 2))
def test_the_share_grows_with_the_backlog(one: float, other: float) -> None:
    less, more = (late(part) for part in sorted((one, other)))
    assert 0.05 <= less.share <= more.share <= 0.5 + 1e-9
    assert SLICE <= less.rows(SLICE) <= more.rows(SLICE) <= 5 * SLICE


@pytest.mark.parametrize("share", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("waits", [0.0, WAITS])
async def test_only_the_work_itself_counts(share: float, waits: float) -> None:
    """The share is that of the work, however long slices wait, unless they wait for longer than they would rest."""
    writer, slices, seconds = Writer(), 50, 0.01
    for _ in range(slices + 1):
        await writer.delete(share, seconds, waits)
    each = (writer.time.seconds - waits - seconds) / slices
    assert each == pytest.approx(max(seconds / share, waits + seconds), rel=0.01)


async def test_nothing_waits_while_nobody_writes() -> None:
    writer = Writer(quiet=True)
    for _ in range(10):
        await writer.delete(0.05, 1.0, 0)
    assert writer.time.seconds == pytest.approx(10)


async def test_two_that_delete_have_one_share() -> None:
    """Also when both would go on at the same moment."""
    clock = FakeClock()
    moments = SpareMoments(clock, lambda: False)
    begun: list[float] = []

    async def write(work: Callable[[None], None]) -> None:
        begun.append(clock.monotonic())
        await clock.sleep(0.1)
        work(None)

    both = [asyncio.create_task(moments.run(write, lambda _: None, 0.05)) for _ in range(2)]
    await clock.advance(1)
    assert all(task.done() for task in both)
    assert begun[1] - begun[0] >= 0.1


async def test_one_that_is_late_does_not_rest_as_long_as_another() -> None:
    writer = Writer()
    await writer.delete(0.05, 0.1, 0)
    start = writer.time.seconds
    await writer.delete(0.9, 0.1, 0)
    assert writer.time.seconds - start < 0.15


async def test_work_that_fails_counts() -> None:
    writer = Writer()

    async def write(work: Callable[[None], None]) -> None:
        work(None)

    def fail(_: None) -> None:
        writer.time.seconds += 1
        raise ValueError

    with pytest.raises(ValueError):
        await writer.moments.run(write, fail, 0.05)
    await writer.delete(0.05, 0.0, 0)
    assert writer.time.seconds == pytest.approx(20)


@pytest.mark.parametrize("rate", [20, 240, 520, 850])
async def test_the_backlog_stays_bounded_while_more_comes_than_a_twentieth_deletes(rate: int) -> None:
    """2,000 rows are a second's work, and a twentieth deletes 100 a second.

    They come at this rate, always have, and may get 10,000 seconds old. A two-hundredth of that passes between
    two looks.
    """
    age, writer = 10_000.0, Writer()
    gone_until, most = -age, 0.0
    while writer.time.seconds < age / 2:
        due = writer.time.seconds - age
        most = max(most, due - gone_until)
        pace = pace_of(round(gone_until * 1000), round(due * 1000), round(writer.time.seconds * 1000))
        rows = min(pace.rows(SLICE), int((due - gone_until) * rate))
        if not rows:
            await writer.time.sleep(age / 200)
            continue
        await writer.delete(pace.share, rows / 2000)
        gone_until += rows / rate
    assert most < 0.05 * age
    if rate > 100:
        assert most > 0.01 * age, "a twentieth was enough"
