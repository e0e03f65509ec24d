"""Turns, limits, and the results of executions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from engine_lab import Lab, doc, ended, request, until
from gate_lab import GATED, Gate, rows, waits

from jackfield.api.errors import ExecutionTimeout, NotFound
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeRun
from jackfield.api.storage import CallUpdate, NewCall, Variable
from jackfield.api.workflows import Outputs
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.settings import ExecutionsSettings

# ---------------------------------------------------------------------------------------------------------------- turns


async def test_at_most_so_many_run_side_by_side(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=3, queue_size=10)
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    executions = [engine.submit(request(workflow)) for _ in range(8)]
    await until(lambda: gate.inside == 3)
    assert engine.state() == {"running": 3, "queued": 5, "waiting": 0, "unsaved": 0}
    assert [(await lab.status(one.id)) for one in executions].count("queued") == 5
    gate.open.set()
    assert {(await ended(one)).status for one in executions} == {"success"}
    assert gate.most == 3


async def test_what_does_not_fit_in_memory_waits_in_the_store(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=2, queue_size=3)
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    executions = [engine.submit(request(workflow, durability=way)) for way in ("accept", "finish") * 20]
    await until(lambda: gate.inside == 2)
    assert engine.state()["queued"] <= 3
    assert len(await rows(lab, status="queued")) >= 30
    gate.open.set()
    assert {(await ended(one)).status for one in executions} == {"success"}
    assert gate.most <= 2
    assert sorted(row.id for row in await rows(lab, status="success")) == sorted(one.id for one in executions)
    assert lab.ran.count("Gate") == 40


async def test_the_memory_of_queued_input_is_bounded(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=1, queue_size=1000, queue_bytes=3000)
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    items = [{"json": {"text": "x" * 900}}]
    executions = [engine.submit(request(workflow, items=items)) for _ in range(10)]
    await until(lambda: gate.inside == 1)
    await asyncio.sleep(0)
    assert engine.state()["queued"] <= 4
    gate.open.set()
    assert {(await ended(one)).status for one in executions} == {"success"}


async def test_calls_that_wait_in_memory_are_not_written_before_they_end(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=2, queue_size=50)
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    executions = [engine.submit(request(workflow, durability="finish")) for _ in range(50)]
    await until(lambda: gate.inside == 2)
    assert engine.state() == {"running": 2, "queued": 48, "waiting": 0, "unsaved": 0}
    assert not await rows(lab, status="queued")
    gate.open.set()
    assert {(await ended(one)).status for one in executions} == {"success"}
    assert {one.id for one in executions} == {row.id for row in await rows(lab, status="success")}


@pytest.mark.parametrize("stands_in_items", [False, True])
async def test_the_bodies_of_calls_that_wait_in_memory_are_bounded(lab: Lab, stands_in_items: bool) -> None:
    lab.settings = ExecutionsSettings(concurrency=1, queue_bytes=3000)
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    encoded = b'[{"json":{"body":"%s"}}]' % (b"x" * 900) if stands_in_items else None
    body, places = ("", ((17, 902),)) if stands_in_items else ("x" * 900, ())
    calls = [NewCall(new_id(), "w", 0, "POST", b"{}", body, places=places) for _ in range(10)]
    executions = [engine.submit(request(workflow, durability="finish", call=call, encoded=encoded)) for call in calls]
    await until(lambda: gate.inside == 1)
    await asyncio.sleep(0)
    assert engine.state()["queued"] < 9
    assert await rows(lab, status="queued"), "the others wait in the store"
    gate.open.set()
    assert {(await ended(one)).status for one in executions} == {"success"}


async def test_a_call_that_needs_not_wait_begins_at_once_however_large_it_is(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=1, queue_bytes=3000)
    gate, engine = Gate(lab), lab.engine()
    call = NewCall(new_id(), "w", 0, "POST", b"{}", "x" * 4000)
    execution = engine.submit(request(await lab.save(GATED), durability="finish", call=call))
    await until(lambda: gate.inside == 1)
    assert not await rows(lab)
    gate.open.set()
    assert (await ended(execution)).status == "success"


async def test_a_long_run_lets_others_go_on(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(max_node_runs=3000)
    document = doc(("Start", "webhook"), ("Loop", "tick"))
    document["connections"]["Loop"] = {"main": [[{"node": "Loop", "type": "main", "index": 0}]]}  # type: ignore[index, call-overload]

    async def tick(run: NodeRun) -> Outputs:
        lab.clock._elapsed += 0.001
        return [run.items]

    lab.kind("tick", tick)
    engine = lab.engine()
    long = engine.submit(request(lab.parse(document)))
    await until(lambda: lab.ran.count("Loop") > 5)
    short = engine.submit(request(lab.parse(doc(("Start", "webhook"), ("A", "pass")))))
    await ended(short)
    assert not long.finished.done()
    await engine.cancel(long.id)
    assert (await ended(long)).status == "cancelled"


async def test_an_answered_call_that_still_queues_is_stored_as_queued(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=1)
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    first = engine.submit(request(workflow))
    await until(lambda: gate.inside == 1)
    others = [engine.submit(request(workflow, durability=way)) for way in ("accept", "finish")]
    for other in others:
        await engine.complete_call(other, CallUpdate("none", "none", response_status=200))
        await until(other.accepted.done)
        assert await lab.status(other.id) == "queued"
    gate.open.set()
    assert {(await ended(one)).status for one in (first, *others)} == {"success"}


# --------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.parametrize(("settings", "workflow", "limit"), [
    ({}, {"executionTimeout": 3}, 3),
    ({"timeout": 2}, {}, 2),
    ({"timeout": 2}, {"executionTimeout": 4}, 4),
    ({"max_timeout": 5}, {"executionTimeout": 100}, 5),
])  # fmt: skip
async def test_an_execution_has_a_time_limit(lab: Lab, settings: Any, workflow: Any, limit: float) -> None:
    lab.settings = ExecutionsSettings(**settings)
    gate, engine = Gate(lab), lab.engine()
    execution = engine.submit(request(lab.parse(doc(("Start", "webhook"), ("Gate", "gate"), **workflow))))
    await until(lambda: gate.inside == 1)
    await lab.clock.advance(limit - 0.5)
    assert not execution.finished.done()
    await lab.clock.advance(1)
    outcome = await ended(execution)
    assert outcome.failure is not None
    assert outcome.failure.message == f"The execution ran longer than its limit of {limit} seconds."


# --------------------------------------------------------------------------------------------------------------- result


async def test_the_result_of_any_stored_execution(lab: Lab) -> None:
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    execution = engine.submit(request(workflow))
    await until(lambda: gate.inside == 1)
    with pytest.raises(ExecutionTimeout):
        await engine.result(execution.id, 0.01)
    waiting = asyncio.create_task(engine.result(execution.id, 5))
    await asyncio.sleep(0)
    gate.open.set()
    outcome = await waiting
    assert (outcome.status, outcome.last_node) == ("success", "After")
    await ended(execution)
    again = await engine.result(execution.id, 5)
    assert (again.status, again.last_node, again.items) == ("success", "After", outcome.items)
    failed = engine.submit(request(await lab.save(doc(("Start", "webhook"), ("Bad", "fail")))))
    first = await ended(failed)
    assert (await lab.engine().result(failed.id, 5)).failure == first.failure
    with pytest.raises(NotFound):
        await engine.result(new_id(), 5)


# ------------------------------------------------------------------------------------------------------------ variables


async def test_variables_are_read_when_an_execution_uses_them(lab: Lab) -> None:
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "resolve", {"parameters": {"v": "={{ $vars.key }}"}})))
    engine = lab.engine()
    for value in ("one", "two"):
        await lab.store.put_variable(Variable("id", "key", value, 0, 0))
        outcome = await ended(engine.submit(request(workflow)))
        assert outcome.items[0]["json"] == {"v": value}


async def test_the_environment_is_closed_unless_a_name_is_allowed(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED", "yes")
    monkeypatch.setenv("SECRET", "no")
    lab.settings = ExecutionsSettings(allowed_environment=["ALLOWED"])
    parameters = {"a": "={{ $env.ALLOWED }}", "s": "={{ $env.SECRET }}"}
    outcome = await ended(
        lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "resolve", {"parameters": parameters})))))
    )
    assert outcome.items[0]["json"] == {"a": "yes", "s": None}


# --------------------------------------------------------------------------------------------------------------- events


async def test_events_tell_of_starts_waits_and_ends(lab: Lab) -> None:
    context = lab.context()
    engine = EmbeddedEngine(context, strict=True)
    execution = engine.submit(request(await lab.save(waits(lab, 5))))
    await until(lambda: engine.state()["waiting"] == 1)
    await lab.clock.advance(6)
    await ended(execution)
    told = [(event.type, event.data["id"], event.data.get("status")) for event in context.events.published]
    assert told == [
        ("execution.started", execution.id, None),
        ("execution.nodes", execution.id, None),
        ("execution.waiting", execution.id, None),
        ("execution.nodes", execution.id, None),
        ("execution.finished", execution.id, "success"),
    ]
