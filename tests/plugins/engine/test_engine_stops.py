"""A store that fails, and an engine that stops."""

from __future__ import annotations

import asyncio

import pytest
from engine_lab import Lab, doc, ended, request, until
from gate_lab import GATED, Gate, stop, waits

from jackfield.api.engine import Execution
from jackfield.api.errors import Conflict, StoreUnavailable
from jackfield.testing.store import MemoryStore
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.settings import ExecutionsSettings

# --------------------------------------------------------------------------------------------------- a store that fails


async def test_ends_are_kept_while_the_store_is_away(lab: Lab) -> None:
    gate, engine = Gate(lab), lab.engine()
    assert isinstance(lab.store, MemoryStore)
    execution = engine.submit(request(await lab.save(GATED)))
    await until(lambda: gate.inside == 1)
    lab.store.fail_with = StoreUnavailable()
    gate.open.set()
    assert (await execution.finished).status == "success"
    await until(lambda: engine.state()["unsaved"] == 1)
    await lab.clock.advance(3)
    assert not execution.stored.done()
    lab.store.fail_with = None
    await lab.clock.advance(6)
    await ended(execution)
    assert engine.state()["unsaved"] == 0
    assert await lab.status(execution.id) == "success"
    assert len(await lab.records(execution.id)) == 3


async def test_an_effect_waits_until_the_one_before_is_durable(lab: Lab) -> None:
    gate, engine = Gate(lab), lab.engine()
    assert isinstance(lab.store, MemoryStore)
    document = doc(("Start", "webhook"), ("One", "effect"), ("Gate", "gate"), ("Two", "effect"))
    execution = engine.submit(request(await lab.save(document)))
    lab.store.fail_with = None
    await until(lambda: "One" in lab.ran)
    await until(lambda: gate.inside == 1)
    stored = await lab.records(execution.id)
    assert [record["node"] for record in stored] == ["Start", "One"]
    gate.open.set()
    await ended(execution)
    assert [record["node"] for record in await lab.records(execution.id)] == ["Start", "One", "Gate", "Two"]


# ------------------------------------------------------------------------------------------------------------- stopping


async def drained(lab: Lab, engine: EmbeddedEngine, seconds: float) -> int:
    """Drain while the clock runs."""
    task = asyncio.create_task(engine.drain(seconds))
    for _ in range(50):
        if task.done():
            break
        await lab.clock.advance(seconds / 20)
    return await task


async def test_a_stop_waits_for_what_runs_and_takes_nothing_new(lab: Lab) -> None:
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    execution = engine.submit(request(workflow))
    await until(lambda: gate.inside == 1)
    task = asyncio.create_task(engine.drain(30))
    await asyncio.sleep(0)
    with pytest.raises(Conflict):
        engine.submit(request(workflow))
    gate.open.set()
    assert await task == 0
    assert await lab.status(execution.id) == "success"


@pytest.mark.parametrize("durability", ["accept", "finish"])
async def test_a_stop_leaves_what_takes_too_long(lab: Lab, durability: str) -> None:
    gate, engine = Gate(lab), lab.engine()
    execution = engine.submit(request(await lab.save(GATED), durability=durability))
    await until(lambda: gate.inside == 1)
    assert await drained(lab, engine, 2) == 1
    assert await lab.status(execution.id) == "queued"
    with pytest.raises(StoreUnavailable):
        await execution.finished
    gate.open.set()
    second = lab.engine()
    assert await second.recover() == 1
    assert (await second.result(execution.id, 5)).status == "success"
    assert lab.ran == ["Gate", "Gate", "After"]
    stop(second)


async def test_a_stop_leaves_waiting_executions_at_once(lab: Lab) -> None:
    engine = lab.engine()
    execution = engine.submit(request(await lab.save(waits(lab, 10))))
    await until(lambda: engine.state()["waiting"] == 1)
    assert await engine.drain(30) == 0
    second = lab.engine()
    assert await second.recover() == 1
    await lab.clock.advance(11)
    assert (await second.result(execution.id, 5)).status == "success"
    assert lab.ran == ["Wait", "After"]
    stop(second)


async def test_a_stop_waits_for_a_wait_that_somebody_waits_for(lab: Lab) -> None:
    engine = lab.engine()
    execution = engine.submit(request(await lab.save(waits(lab, 10)), durability="finish"))
    await until(lambda: engine.state()["waiting"] == 1)
    assert await drained(lab, engine, 30) == 0
    assert await lab.status(execution.id) == "success"


async def test_a_stop_runs_queued_calls_that_somebody_waits_for(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=1)
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    executions: list[Execution] = [engine.submit(request(workflow))]
    await until(lambda: gate.inside == 1)
    executions += [engine.submit(request(workflow, durability=way)) for way in ("accept", "finish")]
    await until(lambda: engine.state()["queued"] == 2)
    task = asyncio.create_task(engine.drain(30))
    await asyncio.sleep(0)
    gate.open.set()
    assert await task == 1
    statuses = [await lab.status(one.id) for one in executions]
    assert statuses == ["success", "queued", "success"]
