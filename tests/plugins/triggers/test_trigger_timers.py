"""The heap of moments: one task for a key, nothing kept of what has gone, and a clock that is set back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from jackfield.testing.clock import FakeClock
from jackfield_triggers.timers import KeyedTimers


class Lab:
    """seconds: that each act takes; following: of each key, in ms from its end; None: nothing follows."""

    def __init__(self, slots: int) -> None:
        self.clock = FakeClock()
        self.timers = KeyedTimers(self.clock, slots)
        self.seconds = 0.0
        self.following: int | None = None
        self.under_way: list[str] = []
        self.acted: list[str] = []
        self.most = 0
        self.task = asyncio.ensure_future(self.timers.run(self.act))

    async def act(self, key: str) -> int | None:
        self.acted.append(key)
        self.under_way.append(key)
        self.most = max(self.most, self.under_way.count(key))
        await self.clock.sleep(self.seconds)
        self.under_way.remove(key)
        return None if self.following is None else self.clock.now_ms() + self.following


@pytest.fixture
async def lab() -> AsyncIterator[Lab]:
    made = Lab(slots=1)
    yield made
    made.task.cancel()
    await asyncio.gather(made.task, return_exceptions=True)


async def test_a_key_that_is_dropped_while_it_waits_for_a_slot_is_not_worked_on(lab: Lab) -> None:
    lab.seconds = 10
    lab.timers.at("a", lab.clock.now_ms())
    lab.timers.at("b", lab.clock.now_ms())
    await lab.clock.advance(1)
    assert lab.acted == ["a"]
    lab.timers.drop("b")
    await lab.clock.advance(30)
    assert lab.acted == ["a"]
    lab.timers.at("b", lab.clock.now_ms())
    await lab.clock.advance(30)
    assert (lab.acted, lab.most) == (["a", "b"], 1)


async def test_what_is_never_due_again_is_forgotten(lab: Lab) -> None:
    """Each test event has a key of its own."""
    for number in range(50):
        lab.timers.at(f"test-{number}", lab.clock.now_ms())
    await lab.clock.advance(1)
    assert (len(lab.acted), len(lab.timers)) == (50, 0)


@pytest.mark.parametrize("seconds", [-86_400, 86_400])
async def test_what_is_due_goes_on_when_the_clock_is_set(lab: Lab, seconds: float) -> None:
    lab.following = 60_000
    lab.timers.at("a", lab.clock.now_ms())
    await lab.clock.advance(300)
    before = len(lab.acted)
    lab.clock.set_wall(seconds)
    await lab.clock.advance(600)
    assert 9 <= len(lab.acted) - before <= 12
