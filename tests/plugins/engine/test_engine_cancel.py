"""Cancelling, error workflows, sub-workflows."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from engine_lab import Lab, doc, ended, request, until
from gate_lab import GATED, Gate, a_parent, rows

from jackfield.api.errors import Conflict, NotFound
from jackfield.api.ids import new_id
from jackfield_engine.settings import ExecutionsSettings

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
    gate, engine = Gate(lab), lab.engine()
    for durability in ("accept", "finish"):
        execution = engine.submit(request(await lab.save(GATED), durability=durability))
        await engine.cancel(execution.id)
        assert (await ended(execution)).status == "cancelled"
    assert (gate.inside, lab.ran) == (0, [])
    assert engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}


async def test_an_unknown_execution_is_not_cancelled(lab: Lab) -> None:
    with pytest.raises(NotFound):
        await lab.engine().cancel(new_id())


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
