"""Turns, limits, cancelling, waiting, error workflows, sub-workflows, stopping."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import orjson
import pytest
from engine_lab import Lab, doc, ended, request, until

from jackfield.api.engine import Execution
from jackfield.api.errors import Conflict, ExecutionTimeout, NotFound, StoreUnavailable
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeRun
from jackfield.api.storage import CallUpdate, ExecutionFilter, ExecutionRow, Variable
from jackfield.api.workflows import Outputs
from jackfield.testing.store import MemoryStore
from jackfield_workflows.engine import EmbeddedEngine, build
from jackfield_workflows.settings_executions import ExecutionsSettings


class Gate:
    """Holds nodes of the kind `gate` until it opens."""

    def __init__(self, lab: Lab) -> None:
        self.open = asyncio.Event()
        self.inside = 0
        self.most = 0
        lab.kind("gate", self._pass)

    async def _pass(self, run: NodeRun) -> Outputs:
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await self.open.wait()
        finally:
            self.inside -= 1
        return [run.items]


GATED = doc(("Start", "webhook"), ("Gate", "gate"), ("After", "pass"))


async def rows(lab: Lab, **where: Any) -> list[ExecutionRow]:
    page = await lab.store.executions(ExecutionFilter(**where), offset=0, limit=1000)
    return list(page.rows)


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


# --------------------------------------------------------------------------------------------------------------- cancel


async def test_a_running_execution_is_cancelled(lab: Lab) -> None:
    gate, engine = Gate(lab), lab.engine()
    execution = engine.submit(request(await lab.save(GATED)))
    await until(lambda: gate.inside == 1)
    await engine.cancel(execution.id)
    assert (await ended(execution)).status == "cancelled"
    assert await execution.answer is None
    assert await lab.status(execution.id) == "cancelled"
    assert [record["node"] for record in await lab.records(execution.id)] == ["Start"]
    with pytest.raises(Conflict):
        await engine.cancel(execution.id)


@pytest.mark.parametrize("durability", ["accept", "finish"])
async def test_a_queued_execution_is_cancelled(lab: Lab, durability: str) -> None:
    lab.settings = ExecutionsSettings(concurrency=1)
    gate, engine = Gate(lab), lab.engine()
    workflow = await lab.save(GATED)
    first = engine.submit(request(workflow))
    await until(lambda: gate.inside == 1)
    second = engine.submit(request(workflow, durability=durability))
    await engine.cancel(second.id)
    assert (await ended(second)).status == "cancelled"
    assert await lab.status(second.id) == "cancelled"
    gate.open.set()
    await ended(first)
    assert lab.ran == ["Gate", "After"]


async def test_an_execution_is_cancelled_the_moment_it_was_submitted(lab: Lab) -> None:
    engine = lab.engine()
    for durability in ("accept", "finish"):
        execution = engine.submit(request(await lab.save(GATED), durability=durability))
        await engine.cancel(execution.id)
        assert (await ended(execution)).status == "cancelled"
    assert lab.ran == []
    assert engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}


async def test_an_unknown_execution_is_not_cancelled(lab: Lab) -> None:
    with pytest.raises(NotFound):
        await lab.engine().cancel(new_id())


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


# ---------------------------------------------------------------------------------------------------------------- waits


def waits(lab: Lab, seconds: int) -> Any:
    resume = lab.clock.now_ms() + seconds * 1000
    return doc(("Start", "webhook"), ("Wait", "wait", {"parameters": {"until": resume}}), ("After", "pass"))


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
    await until(lambda: not engine._active)
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
        run = weakref.ref(engine._active[execution.id])
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


def stop(engine: EmbeddedEngine) -> None:
    engine.services.timers.close()
    if engine._waiting._poller is not None:
        engine._waiting._poller.cancel()


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


# ------------------------------------------------------------------------------------------------------ error workflows


async def error_items(lab: Lab, workflow_id: str) -> list[Any]:
    await until(lambda: "Caught" in lab.ran)
    [row] = await rows(lab, workflow_id=workflow_id, mode="error")
    stored = await lab.store.execution(row.id)
    assert stored is not None
    return [item["json"] for item in orjson.loads(stored.input)["items"]]


async def test_a_failure_starts_the_error_workflow(lab: Lab) -> None:
    handler = await lab.save(doc(("On error", "errorTrigger"), ("Caught", "pass")))
    workflow = await lab.save(doc(("Start", "webhook"), ("Bad", "fail"), errorWorkflow=handler.id))
    execution = lab.engine().submit(request(workflow))
    await ended(execution)
    [json] = await error_items(lab, str(handler.id))
    assert json["workflow"] == {"id": workflow.id, "name": "W"}
    assert json["execution"]["error"]["message"] == "it cannot be done"
    assert json["execution"]["lastNodeExecuted"] == "Bad"
    assert (json["execution"]["id"], json["execution"]["mode"]) == (execution.id, "webhook")
    assert json["execution"]["url"].endswith(f"/api/v1/executions/{execution.id}")


async def test_a_workflow_with_an_error_trigger_serves_itself_and_never_twice(lab: Lab) -> None:
    document = doc(("Start", "webhook"), ("Bad", "fail"))
    handler = doc(("On error", "errorTrigger"), ("Caught", "pass"), ("Bad too", "fail"))
    document["nodes"] += handler["nodes"]  # type: ignore[operator]
    document["connections"] |= handler["connections"]  # type: ignore[operator]
    workflow = await lab.save(document)
    await ended(lab.engine().submit(request(workflow)))
    await error_items(lab, str(workflow.id))
    await until(lambda: "Bad too" in lab.ran)
    await asyncio.sleep(0)
    assert len(await rows(lab, mode="error")) == 1


@pytest.mark.parametrize("mode", ["manual", "test", "error"])
async def test_other_failures_start_none(lab: Lab, mode: str) -> None:
    handler = await lab.save(doc(("On error", "errorTrigger"), ("Caught", "pass")))
    workflow = await lab.save(doc(("Start", "webhook"), ("Bad", "fail"), errorWorkflow=handler.id))
    await ended(lab.engine().submit(request(workflow, mode=mode)))
    assert len(await rows(lab)) == 1


async def test_an_error_workflow_that_is_gone_is_logged(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    workflow = await lab.save(doc(("Start", "webhook"), ("Bad", "fail"), errorWorkflow=new_id()))
    assert (await ended(lab.engine().submit(request(workflow)))).status == "failed"
    assert "did not start" in caplog.text


# -------------------------------------------------------------------------------------------------------- sub-workflows


async def a_parent(lab: Lab, child: Any) -> Any:
    saved = await lab.save(child)
    return await lab.save(
        doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": saved.id}}), ("After", "pass"))
    )


async def test_a_sub_workflow_gives_its_items(lab: Lab) -> None:
    child = doc(("In", "executeWorkflowTrigger"), ("Inside", "resolve", {"parameters": {"m": "={{ $json.n }}"}}))
    workflow = await a_parent(lab, child)
    outcome = await ended(lab.engine().submit(request(workflow)))
    assert [item["json"] for item in outcome.items] == [{"m": 1}]
    assert lab.ran == ["Call", "Inside", "After"]
    modes = sorted(row.mode for row in await rows(lab))
    assert modes == ["sub", "webhook"]


async def test_parents_and_children_share_slots_without_a_deadlock(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=1)
    child = doc(("In", "executeWorkflowTrigger"), ("Inside", "effect"))
    workflow = await a_parent(lab, child)
    engine = lab.engine()
    executions = [engine.submit(request(workflow)) for _ in range(5)]
    assert {(await ended(one)).status for one in executions} == {"success"}
    assert engine.state()["running"] == 0


async def test_a_child_that_waits_lends_its_parents_slot(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=1)
    child = doc(
        ("In", "executeWorkflowTrigger"), ("Wait", "wait", {"parameters": {"until": lab.clock.now_ms() + 5000}})
    )
    parent = await a_parent(lab, child)
    other = await lab.save(doc(("Start", "webhook"), ("Other", "pass")))
    engine = lab.engine()
    execution = engine.submit(request(parent))
    await until(lambda: engine.state()["waiting"] == 1)
    assert (await ended(engine.submit(request(other)))).status == "success"
    await lab.clock.advance(6)
    assert (await ended(execution)).status == "success"
    assert engine.state()["running"] == 0


async def test_a_childs_failure_is_the_nodes(lab: Lab) -> None:
    workflow = await a_parent(lab, doc(("In", "executeWorkflowTrigger"), ("Bad", "fail")))
    outcome = await ended(lab.engine().submit(request(workflow)))
    assert outcome.failure is not None
    assert outcome.failure.node == "Call"
    assert "failed at the node 'Bad': it cannot be done" in outcome.failure.message


async def test_workflows_that_call_themselves_end_in_a_clear_error(lab: Lab) -> None:
    workflow_id = new_id()
    document = doc(("In", "executeWorkflowTrigger"), ("Call", "call", {"parameters": {"workflow": workflow_id}}))
    workflow = await lab.save(document, workflow_id)
    outcome = await ended(lab.engine().submit(request(workflow)))
    assert outcome.failure is not None
    assert "more than 10 deep" in outcome.failure.message
    assert lab.ran.count("Call") == 11


@pytest.mark.parametrize(("child", "message"), [
    (None, "There is no workflow with the id"),
    (doc(("In", "webhook")), "add an Execute Workflow Trigger"),
])  # fmt: skip
async def test_a_workflow_that_cannot_be_called(lab: Lab, child: Any, message: str) -> None:
    target = new_id() if child is None else (await lab.save(child)).id
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": target}})))
    outcome = await ended(lab.engine().submit(request(workflow)))
    assert outcome.failure is not None
    assert message in outcome.failure.message


async def test_cancelling_a_parent_cancels_its_child(lab: Lab) -> None:
    gate, engine = Gate(lab), lab.engine()
    workflow = await a_parent(lab, doc(("In", "executeWorkflowTrigger"), ("Gate", "gate"), ("Never", "pass")))
    execution = engine.submit(request(workflow))
    await until(lambda: gate.inside == 1)
    await engine.cancel(execution.id)
    assert (await ended(execution)).status == "cancelled"
    await until(lambda: gate.inside == 0)
    assert {row.status for row in await rows(lab)} == {"cancelled"}


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
    assert await lab.status(execution.id) == "running"
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


# --------------------------------------------------------------------------------------------------------------- events


async def test_events_tell_of_starts_waits_and_ends(lab: Lab) -> None:
    context = lab.context()
    engine = build(context)
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
    await until(lambda: not engine._active)
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
        await until(lambda: engine._active[execution.id].ending == "parked")
    else:
        await until(lambda: lab.ran[-1:] == ["Wait"] and not engine._active)
    if way == "after a restart":
        stop(engine)
        engine = lab.engine()
        await engine.recover()
    if way == "back in memory":
        while execution.id not in engine._active:
            await lab.clock.advance(30)
    await engine.cancel(execution.id)
    await until(lambda: not engine._active)
    assert [row.status for row in await rows(lab)] == ["cancelled"] * 3
    stop(engine)


async def test_cancelling_leaves_the_children_of_others_alone(lab: Lab) -> None:
    later = {"parameters": {"until": lab.clock.now_ms() + 600_000}}
    top = await a_parent(lab, doc(("In", "executeWorkflowTrigger"), ("Wait", "wait", later)))
    engine = lab.engine()
    await engine.recover()
    first, second = (engine.submit(request(top)) for _ in range(2))
    await until(lambda: lab.ran.count("Wait") == 2 and not engine._active)
    await engine.cancel(first.id)
    assert sorted(row.status for row in await rows(lab)) == ["cancelled", "cancelled", "waiting", "waiting"]
    assert await lab.status(second.id) == "waiting"
    stop(engine)


async def test_a_start_that_does_not_exist_is_told(lab: Lab) -> None:
    outcome = await ended(lab.engine().submit(request(lab.parse(GATED), start="Gone")))
    assert outcome.failure is not None
    assert outcome.failure.message == "The workflow has no node 'Gone' to start at."
