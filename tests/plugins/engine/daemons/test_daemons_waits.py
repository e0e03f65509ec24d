"""Daemons that share a store: executions that wait, for a time, a call or their child."""

from __future__ import annotations

import asyncio

import pytest
from daemons_lab import (
    LEASE,
    Hosts,
    drained,
    held_at_the_gate,
    marks,
)
from engine_lab import doc, ended, request
from gate_lab import waits

from jackfield.api.errors import Conflict, StoreUnavailable
from jackfield.api.storage import ExecutionFilter, StoredExecution


async def test_a_short_wait_stays_with_its_daemon_and_a_long_one_with_nobody(hosts: Hosts) -> None:
    a, b = await hosts.two()
    short = a.engine.submit(request(await a.lab.save(waits(a.lab, 20))))
    long = a.engine.submit(request(await a.lab.save(waits(a.lab, 500))))
    await hosts.clock.advance(1)
    assert [(await hosts.stored(one.id)).owner is None for one in (short, long)] == [False, True]
    await hosts.clock.advance(20)
    assert (await hosts.stored(short.id)).row.status == "success"
    assert (a.lab.ran.count("After"), b.lab.ran) == (1, [])
    await drained(hosts, a)
    over = await hosts.until_over(long.id, 600)
    assert (over.row.status, over.epoch, marks(over), b.lab.ran) == ("success", 1, [], ["After"])


async def test_a_short_wait_of_a_dead_daemon_goes_on(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = a.engine.submit(request(await a.lab.save(waits(a.lab, 3))))
    await hosts.clock.advance(1)
    a.line.off = True
    over = await hosts.until_over(execution.id, LEASE + 3)
    assert (over.row.status, over.epoch, marks(over)) == ("success", 2, [])
    assert b.lab.ran == ["After"]


async def test_a_call_ends_a_wait_at_any_daemon(hosts: Hosts) -> None:
    a, b = await hosts.two()
    execution = a.engine.submit(request(await a.lab.save(doc(("Start", "webhook"), ("F", "form"), ("Z", "effect")))))
    await hosts.clock.advance(1)
    found = await b.engine.waiting(execution.id)
    resumed = await b.engine.resume(found, [{"json": {"came": True}}])
    assert [item["json"] for item in (await ended(resumed)).items] == [{"came": True}]
    with pytest.raises(Conflict):
        await a.engine.resume(found, None)
    for _ in range(40):
        await hosts.clock.advance(1)
    assert (a.lab.ran, b.lab.ran) == (["F"], ["Z"])


async def test_a_call_and_its_time_at_two_daemons_go_on_once(hosts: Hosts) -> None:
    """One daemon holds the wait as its time is near; the call comes to the other one."""
    a, b = await hosts.two()
    execution = a.engine.submit(request(await a.lab.save(doc(("Start", "webhook"), ("F", "form"), ("Z", "effect")))))
    await hosts.clock.advance(11.5)
    held = [host for host in (a, b) if host.engine.state()["waiting"]]
    assert len(held) == 1
    other = b if held[0] is a else a
    await other.engine.resume(await other.engine.waiting(execution.id), None)
    await hosts.clock.advance(10)
    assert (held[0].lab.ran.count("Z"), other.lab.ran.count("Z")) == (0, 1)
    assert (await hosts.stored(execution.id)).row.status == "success"
    assert held[0].engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}


async def test_a_parent_and_its_child_are_taken_over(hosts: Hosts) -> None:
    a, b = await hosts.two()
    child = await a.lab.save(doc(("In", "executeWorkflowTrigger"), ("Inner", "effect"), ("Gate", "gate")))
    parent = doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}}), ("After", "effect"))
    execution = await held_at_the_gate(a, parent)
    a.line.off = True
    b.gate.open.set()
    over = await hosts.until_over(execution.id, LEASE + 10)
    assert (over.row.status, b.lab.ran.count("Inner"), b.lab.ran.count("After")) == ("success", 0, 1)
    rows = (await hosts.store.executions(ExecutionFilter(), offset=0, limit=9)).rows
    assert [row.status for row in rows] == ["success", "success"]


async def test_a_wait_that_was_due_while_a_call_came_to_nothing_goes_on(hosts: Hosts) -> None:
    a = await hosts.begin("a")
    execution = a.engine.submit(request(await a.lab.save(doc(("Start", "webhook"), ("F", "form"), ("Z", "effect")))))
    await hosts.clock.advance(1)
    found = await a.engine.waiting(execution.id)
    read, answer = hosts.store.execution, asyncio.Event()

    async def fails_late(_: str) -> StoredExecution | None:
        a.line.execution = read  # type: ignore[attr-defined]  # before `__getattr__`
        await answer.wait()
        raise StoreUnavailable

    a.line.execution = fails_late  # type: ignore[attr-defined]
    call = asyncio.create_task(a.engine.resume(found, None))
    for _ in range(30):
        await hosts.clock.advance(0.5)
    assert (await hosts.stored(execution.id)).row.status == "waiting"
    answer.set()
    with pytest.raises(StoreUnavailable):
        await call
    assert (await hosts.until_over(execution.id, 5)).row.status == "success"
    assert a.lab.ran == ["F", "Z"]


async def test_doubts_do_not_give_away_what_a_call_has_just_woken(hosts: Hosts) -> None:
    """It stands neither in memory nor in the backlog as long as it is read."""
    a = await hosts.begin("a")
    execution = a.engine.submit(request(await a.lab.save(doc(("Start", "webhook"), ("F", "form"), ("Z", "effect")))))
    await hosts.clock.advance(1)
    found = await a.engine.waiting(execution.id)
    read, answer = hosts.store.execution, asyncio.Event()

    async def late(execution_id: str) -> StoredExecution | None:
        stored = await read(execution_id)
        if stored is not None and stored.row.status == "running":
            await answer.wait()
        return stored

    a.line.execution = late  # type: ignore[attr-defined]  # before `__getattr__`
    task = asyncio.create_task(a.engine.resume(found, None))
    await until_running(hosts, execution.id)
    a.engine.services.lease.doubt()
    await hosts.clock.advance(2)
    assert (await hosts.stored(execution.id)).owner == a.engine.services.lease.life.id
    answer.set()
    assert (await ended(await task)).status == "success"
    assert a.lab.ran == ["F", "Z"]


async def until_running(hosts: Hosts, execution_id: str) -> None:
    for _ in range(100):
        if (await hosts.stored(execution_id)).row.status == "running":
            return
        await asyncio.sleep(0)
    raise AssertionError("it does not run")


@pytest.mark.parametrize(("first", "second"), [(0, 60), (0, -60), (60, 0), (-60, 60)])
async def test_a_wait_takes_as_long_as_it_should_whatever_the_clocks_of_the_daemons_say(
    hosts: Hosts, first: int, second: int
) -> None:
    a, b = await hosts.begin("a", first), await hosts.begin("b", second)
    await hosts.clock.advance(2)
    workflow = await a.lab.save(waits(a.lab, 500))
    began = hosts.clock.now_ms()
    execution = a.engine.submit(request(workflow))
    await hosts.clock.advance(1)
    await drained(hosts, a)
    while (await hosts.stored(execution.id)).row.finished_at is None:
        await hosts.clock.advance(0.5)
        assert hosts.clock.now_ms() < began + 700_000
    assert (b.lab.ran, round((hosts.clock.now_ms() - began) / 1000)) == (["After"], 500)


async def test_a_parent_hears_of_its_child_whose_call_came_to_another_daemon(hosts: Hosts) -> None:
    a, b = await hosts.two()
    child = await a.lab.save(doc(("In", "executeWorkflowTrigger"), ("F", "form"), ("Inner", "effect")))
    parent = doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}}), ("After", "effect"))
    execution = a.engine.submit(request(await a.lab.save(parent)))
    await hosts.clock.advance(1)
    rows = (await hosts.store.executions(ExecutionFilter(status="waiting"), offset=0, limit=9)).rows
    await b.engine.resume(await b.engine.waiting(rows[0].id), None)
    over = await hosts.until_over(execution.id, 10)
    assert (over.row.status, a.lab.ran, b.lab.ran) == ("success", ["Call", "F", "After"], ["Inner"])
