"""How a flood leaves the event loop to those who type, with a clock of the test's own."""

from __future__ import annotations

import asyncio

import pytest

from jackfield.testing.clock import FakeClock
from jackfield_terminal.hub import Hub
from jackfield_terminal.output.reading_budget import (
    ECHO,
    KEYSTROKES,
    RECENT,
    SHARED,
    TYPES,
    TYPING,
    WHOLE,
    ReadingBudget,
)

from .conftest import attach, start


class Held:
    """Counts how often it was told to go on."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def budget(clock: FakeClock) -> ReadingBudget:
    return ReadingBudget(clock)


async def test_a_session_alone_reads_more_than_one_beside_others(budget: ReadingBudget, clock: FakeClock) -> None:
    assert budget.share("one") == WHOLE
    assert budget.share("other") == SHARED
    await clock.advance(RECENT * 1.1)
    assert budget.share("one") == WHOLE


async def test_beside_one_who_types_it_reads_little(budget: ReadingBudget, clock: FakeClock) -> None:
    budget.typed("typist", 1)
    await clock.advance(TYPES * 0.9)
    assert budget.share("flood") == TYPING
    await clock.advance(TYPES * 0.2)
    assert budget.share("flood") == WHOLE


def test_what_is_typed_into_a_session_costs_it_nothing(budget: ReadingBudget) -> None:
    budget.typed("flood", 1)
    assert budget.share("flood") == WHOLE
    assert not budget.holds("flood", Held())


async def test_between_a_keystroke_and_its_echo_others_read_nothing(budget: ReadingBudget, clock: FakeClock) -> None:
    flood = Held()
    budget.typed("typist", 1)
    assert budget.holds("flood", flood)
    assert not budget.holds("typist", Held())
    budget.printed("third")
    assert flood.times == 0
    await clock.advance(ECHO / 4)
    budget.printed("typist")
    assert flood.times == 1
    assert not budget.holds("flood", flood)


async def test_the_echo_of_each_who_types_is_waited_for(budget: ReadingBudget) -> None:
    flood = Held()
    budget.typed("one", 1)
    budget.typed("other", 1)
    assert budget.holds("flood", flood)
    budget.printed("one")
    assert flood.times == 0
    budget.printed("other")
    assert flood.times == 1


async def test_one_that_does_not_echo_is_not_waited_for_longer(budget: ReadingBudget, clock: FakeClock) -> None:
    flood = Held()
    budget.typed("typist", 1)
    assert budget.holds("flood", flood)
    await clock.advance(ECHO)
    assert not budget.holds("second", Held())
    assert flood.times == 1
    budget.typed("typist", 1)
    assert not budget.holds("flood", flood), "half of the time is the others'"
    await clock.advance(ECHO)
    budget.typed("typist", 1)
    assert budget.holds("flood", flood)


async def test_a_timer_lets_them_go_on(clock: FakeClock) -> None:
    budget, flood = ReadingBudget(clock), asyncio.Event()
    budget.typed("typist", 1)
    assert budget.holds("flood", flood.set)
    async with asyncio.timeout(15):
        await flood.wait()


def test_what_is_pasted_is_no_keystroke(budget: ReadingBudget) -> None:
    budget.typed("typist", KEYSTROKES + 1)
    assert budget.share("flood") == WHOLE
    assert not budget.holds("flood", Held())


@pytest.mark.parametrize("watched", [True, False])
async def test_a_flood_goes_on_while_somebody_types_and_nothing_echoes(hub: Hub, watched: bool) -> None:
    flood = await start(hub, "exec yes")
    typist = await start(hub, "stty raw -echo; printf ready; exec cat >/dev/null")
    client = attach(hub, typist)
    await client.printed(b"ready")
    reader = attach(hub, flood) if watched else None
    before = flood.log.end
    async with asyncio.timeout(15):
        while flood.log.end < before + 500_000:
            await typist.type(b"k")
            await asyncio.sleep(0)
    if reader is not None:
        await reader.until(lambda: len(reader.output) > 500_000)
