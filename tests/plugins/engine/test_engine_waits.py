"""Executions that wait, in memory and in the store, and children that do."""

from __future__ import annotations

import gc
import weakref

import pytest
from engine_lab import Lab, doc, ended, request, until
from gate_lab import GATED, a_parent, rows, stop, waits

from jackfield_engine.run.state import RunState
from jackfield_engine.settings import ExecutionsSettings

# ---------------------------------------------------------------------------------------------------------------- waits


@pytest.mark.parametrize("durability", ["accept", "finish"])
async def test_a_short_wait_stays_in_memory_without_a_slot(lab: Lab, durability: str) -> None:
    lab.settings = ExecutionsSettings(concurrency=1)
    engine = lab.engine()
    execution = engine.submit(request(await lab.save(waits(lab, 10)), durability=durability))
    await until(lambda: engine.state()["waiting"] == 1)
    assert await lab.status(execution.id) == "waiting"
    assert engine.state()["running"] == 0
    await lab.clock.advance(9)
    assert lab.ran == ["Wait"]
    await lab.clock.advance(2)
    assert (await ended(execution)).status == "success"
    assert lab.ran == ["Wait", "After"]
    nodes = [record["node"] for record in await lab.records(execution.id)]
    assert nodes == ["Start", "Wait", "After"]


async def test_a_long_wait_leaves_the_memory_and_comes_back(lab: Lab) -> None:
    engine = lab.engine()
    await engine.recover()
    execution = engine.submit(request(await lab.save(waits(lab, 600))))
    await until(lambda: lab.ran == ["Wait"])
    await until(lambda: not engine.live.runs)
    assert engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}
    for _ in range(20):
        await lab.clock.advance(29.9)
    assert lab.ran == ["Wait"]
    await lab.clock.advance(2.1)
    assert (await ended(execution)).status == "success"
    assert lab.ran == ["Wait", "After"]
    stop(engine)


@pytest.mark.parametrize("within", [False, True], ids=["one that waits", "one whose child waits"])
async def test_an_execution_that_leaves_the_memory_is_freed_without_the_collector(lab: Lab, within: bool) -> None:
    workflow = await lab.save(waits(lab, 600))
    if within:
        later = {"parameters": {"until": lab.clock.now_ms() + 600_000}}
        child = await lab.save(doc(("In", "executeWorkflowTrigger"), ("Wait", "wait", later)))
        workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}})))
    engine = lab.engine()
    gc.collect()
    gc.disable()
    try:
        execution = engine.submit(request(workflow))
        run = weakref.ref(engine.live.runs[execution.id])
        await until(lambda: lab.ran[-1:] == ["Wait"])
        await until(lambda: run() is None)
    finally:
        gc.enable()
    assert await lab.status(execution.id) == "waiting"


async def test_more_waits_than_memory_is_for(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(waiting_in_memory=2, poll_interval=5)
    engine = lab.engine()
    await engine.recover()
    workflow = await lab.save(waits(lab, 20))
    executions = [engine.submit(request(workflow)) for _ in range(10)]
    await until(lambda: lab.ran.count("Wait") == 10)
    await until(lambda: engine.state()["running"] == 0)
    assert engine.state()["waiting"] == 2
    for _ in range(12):
        await lab.clock.advance(5)
    assert {(await ended(one)).status for one in executions} == {"success"}
    assert lab.ran.count("After") == 10
    stop(engine)


@pytest.mark.parametrize("seconds", [10, 600])
async def test_a_waiting_execution_is_cancelled(lab: Lab, seconds: int) -> None:
    engine = lab.engine()
    execution = engine.submit(request(await lab.save(waits(lab, seconds))))
    await until(lambda: lab.ran == ["Wait"])
    await until(lambda: engine.state()["running"] == 0)
    await engine.cancel(execution.id)
    assert await lab.status(execution.id) == "cancelled"
    assert execution.finished.done()
    await lab.clock.advance(seconds + 60)
    assert lab.ran == ["Wait"]


# --------------------------------------------------------------------------------------------- children that wait long


@pytest.mark.parametrize("durability", ["accept", "finish"])
async def test_a_parent_leaves_the_memory_with_a_child_that_waits_for_long(lab: Lab, durability: str) -> None:
    lab.settings = ExecutionsSettings(concurrency=1)
    later = {"parameters": {"until": lab.clock.now_ms() + 600_000}}
    child = doc(("In", "executeWorkflowTrigger"), ("Before", "effect"), ("Wait", "wait", later), ("Inside", "effect"))
    call = {"parameters": {"workflow": (await lab.save(child)).id}}
    middle = doc(("Start", "executeWorkflowTrigger"), ("Call", "call", call), ("After", "pass"))
    top = await a_parent(lab, middle)
    engine = lab.engine()
    await engine.recover()
    execution = engine.submit(request(top, durability=durability))
    await until(lambda: lab.ran[-1:] == ["Wait"])
    await until(lambda: not engine.live.runs)
    assert engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}
    assert {row.status for row in await rows(lab)} == {"waiting"}
    for _ in range(25):
        await lab.clock.advance(30)
    assert (await ended(execution)).status == "success"
    assert {row.status for row in await rows(lab)} == {"success"}
    assert (lab.ran.count("Before"), lab.ran.count("Inside"), lab.ran.count("After")) == (1, 1, 2)
    assert engine.state()["running"] == 0
    stop(engine)


@pytest.mark.parametrize("way", ["in the store", "after a restart", "back in memory", "while it parks"])
async def test_cancelling_a_parent_of_a_child_that_waits_for_long_cancels_both(lab: Lab, way: str) -> None:
    later = {"parameters": {"until": lab.clock.now_ms() + 600_000}}
    child = doc(("In", "executeWorkflowTrigger"), ("Wait", "wait", later), ("Never", "pass"))
    call = {"parameters": {"workflow": (await lab.save(child)).id}}
    top = await a_parent(lab, doc(("Start", "executeWorkflowTrigger"), ("Call", "call", call)))
    engine = lab.engine()
    await engine.recover()
    execution = engine.submit(request(top))
    if way == "while it parks":
        await until(lambda: engine.live.runs[execution.id].state is RunState.PARKING)
    else:
        await until(lambda: lab.ran[-1:] == ["Wait"] and not engine.live.runs)
    if way == "after a restart":
        stop(engine)
        engine = lab.engine()
        await engine.recover()
    if way == "back in memory":
        while execution.id not in engine.live.runs:
            await lab.clock.advance(30)
    await engine.cancel(execution.id)
    await until(lambda: not engine.live.runs)
    assert [row.status for row in await rows(lab)] == ["cancelled"] * 3
    stop(engine)


async def test_cancelling_leaves_the_children_of_others_alone(lab: Lab) -> None:
    later = {"parameters": {"until": lab.clock.now_ms() + 600_000}}
    top = await a_parent(lab, doc(("In", "executeWorkflowTrigger"), ("Wait", "wait", later)))
    engine = lab.engine()
    await engine.recover()
    first, second = (engine.submit(request(top)) for _ in range(2))
    await until(lambda: lab.ran.count("Wait") == 2 and not engine.live.runs)
    await engine.cancel(first.id)
    assert sorted(row.status for row in await rows(lab)) == ["cancelled", "cancelled", "waiting", "waiting"]
    assert await lab.status(second.id) == "waiting"
    stop(engine)


async def test_a_start_that_does_not_exist_is_told(lab: Lab) -> None:
    outcome = await ended(lab.engine().submit(request(lab.parse(GATED), start="Gone")))
    assert outcome.failure is not None
    assert outcome.failure.message == "The workflow has no node 'Gone' to start at."
