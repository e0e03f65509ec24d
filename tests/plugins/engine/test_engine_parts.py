"""Small parts of the engine: awaiting with an eye on the time, timers, the scheduler."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from engine_lab import Kind, Lab, doc, ended, request
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.nodes import NodeResult, NodeRun
from jackfield.testing.clock import FakeClock
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.lifecycle.subworkflows import child_id
from jackfield_engine.run.progress import watched
from jackfield_engine.run.state import RunEvent
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared.timers import Timers

T = TypeVar("T")


async def observed(work: Coroutine[Any, Any, T], seconds: float, slow: Callable[[], None]) -> T:
    """What the engine does with a node."""
    try:
        first = work.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    return await watched(work, first, seconds, slow)


class Bell:
    rung = 0

    def __call__(self) -> None:
        self.rung += 1


async def test_work_that_ends_at_once_is_not_slow() -> None:
    async def work() -> int:
        return 7

    bell = Bell()
    assert await observed(work(), 0, bell) == 7
    await asyncio.sleep(0.001)
    assert bell.rung == 0


async def test_work_that_waits_is_slow_after_its_time() -> None:
    gate = asyncio.Event()

    async def work() -> int:
        await asyncio.sleep(0)
        await gate.wait()
        return 7

    bell = Bell()
    task = asyncio.ensure_future(observed(work(), 0, bell))
    while not bell.rung:
        await asyncio.sleep(0.001)
    gate.set()
    assert await task == 7
    assert bell.rung == 1


async def test_errors_and_cancelling_reach_the_work() -> None:
    told: list[str] = []

    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    async def stays() -> None:
        try:
            async with asyncio.timeout(60):
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            told.append("cancelled")
            raise

    with pytest.raises(ValueError, match="no"):
        await observed(fails(), 9, Bell())
    task = asyncio.ensure_future(observed(stays(), 9, Bell()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert told == ["cancelled"]


async def test_a_node_may_give_a_future(lab: Lab) -> None:
    async def passes(run: NodeRun) -> NodeResult:
        return [run.items]

    class Eager(Kind):
        def execute(self, run: NodeRun) -> asyncio.Future[NodeResult]:  # type: ignore[override]  # any awaitable does
            return asyncio.ensure_future(self.act(run))

    lab.kinds["eager"] = Eager("eager", passes)
    outcome = await ended(lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "eager"))))))
    assert (outcome.status, outcome.last_node) == ("success", "A")


async def test_timers_ring_in_order_and_not_when_cancelled() -> None:
    clock = FakeClock()
    timers = Timers(clock)
    rung: list[str] = []
    timers.after(5, lambda: rung.append("late"))
    timers.after(1, lambda: rung.append("early"))
    timers.after(3, lambda: rung.append("never")).cancel()
    timers.after(2, lambda: timers.after(0.5, lambda: rung.append("from a timer")))
    await clock.advance(2.4)
    assert rung == ["early"]
    await clock.advance(3)
    assert rung == ["early", "from a timer", "late"]
    timers.after(1, lambda: rung.append("closed"))
    timers.close()
    await clock.advance(2)
    assert rung[-1] == "late"


class ARun:
    """An execution that only notes that it was started."""

    def __init__(self, size: int, running: list[Any]) -> None:
        self.id = str(size)
        self.disk = SimpleNamespace(size=size)
        self.handle = SimpleNamespace(waiters=0)
        self._running = running

    def move(self, event: RunEvent) -> None:
        if event is RunEvent.START:
            self._running.append(self)


def test_what_waits_in_the_store_has_its_turns_beside_a_full_queue() -> None:
    takes = [True]
    scheduler = Scheduler(ExecutionsSettings(concurrency=4), lambda: takes[0])
    running: list[Any] = []
    for number in range(30):
        run: Any = ARun(number, running)
        scheduler.enter(run)
    scheduler.surplus()
    assert scheduler.wanted == 0
    for _ in range(6):
        scheduler.leave(running.pop(0))
        scheduler.next()
    scheduler.surplus()
    assert scheduler.wanted == 2
    scheduler.count_turns(1)
    assert scheduler.wanted == 1
    claimed: Any = ARun(99, running)
    scheduler.enter_claimed(claimed)
    assert next(iter(scheduler)) is claimed
    takes[0] = False
    scheduler.surplus()
    assert scheduler.wanted == 0


@given(st.lists(st.sampled_from(("announce", "enter", "first", "leave", "withdraw", "lend", "back")), max_size=60))
def test_the_scheduler_never_gives_more_slots_than_there_are(verbs: list[str]) -> None:
    scheduler = Scheduler(ExecutionsSettings(concurrency=2, queue_size=5), lambda: True)
    running: list[Any] = []
    announced: list[Any] = []
    lent: list[Any] = []
    for number, verb in enumerate(verbs):
        run: Any = ARun(number, running)
        if verb == "announce":
            scheduler.announce(run)
            announced.append(run)
        elif verb in ("enter", "first"):
            if announced:
                run = announced.pop()
                run.disk.size += 10
                assert scheduler.withdraw(run)
            if verb == "first":
                scheduler.enter_first(run)
            else:
                scheduler.enter(run)
        elif verb == "leave" and running:
            scheduler.leave(running.pop(0))
        elif verb == "withdraw":
            queued = next(iter(scheduler), run)
            assert scheduler.withdraw(queued) == (queued is not run)
        elif verb == "lend" and running:
            lent.append(running.pop(0))
            scheduler.lend(lent[-1])
        elif verb == "back" and lent:
            run = lent.pop()
            scheduler.take_back(run)
            running.append(run)
            scheduler.leave(running.pop())
        scheduler.next()
        assert scheduler.busy == len(running) <= 2
        assert all(scheduler.has_slot(run) for run in running)
        assert scheduler._bytes == sum(scheduler._counted[run] for run in (*scheduler, *announced))
        assert len(scheduler) == len(list(scheduler)) + len(announced)


def test_the_id_of_a_child_is_a_uuid_that_follows_from_the_call() -> None:
    parent = "01a1fc43-c9ac-70a8-a92d-7e99c14460a1"
    one = child_id(parent, 3, "Call", "w", 0)
    assert one == child_id(parent, 3, "Call", "w", 0)
    assert one.startswith(parent[:13])
    assert len(one) == 36
    assert len({one, child_id(parent, 3, "Call", "w", 1), child_id(parent, 2, "Call", "w", 0)}) == 3
