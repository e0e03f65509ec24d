"""Whoever holds a cap looks as more comes, and still at what is due by the clock."""

from __future__ import annotations

import asyncio

from jackfield.api.growth import Growth
from jackfield.testing.clock import FakeClock


async def test_what_is_due_has_its_turn_while_more_comes_all_the_time() -> None:
    clock, growth = FakeClock(), Growth()
    growth.add()
    assert await growth.wait(1, clock, 60)
    assert not await growth.wait(1, clock, 0)
    assert not await growth.wait(1, clock, -0.5)


async def test_it_ends_with_the_first_of_both() -> None:
    clock, growth = FakeClock(), Growth()
    waiting = asyncio.create_task(growth.wait(2, clock, 60))
    await clock.advance(59)
    growth.add("a")
    growth.add("b")
    await clock.advance(0)
    assert not waiting.done()
    await clock.advance(1)
    assert not await waiting
    assert growth.take(1) == ["a", "b"]
