"""Workflows that a node starts without waiting, or gives as a document."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Kind, Lab, doc, ended, passing, request, until

from jackfield.api.nodes import NodeRun
from jackfield.api.storage import ExecutionFilter, ExecutionRow
from jackfield.api.workflows import Items, Node, Outputs, Workflow


class EntryKind(Kind):
    """A start node that counts what it is given."""

    def entry(self, node: Node, workflow: Workflow, items: Items | None) -> Items | None:
        return [{"json": {"given": len(items or [])}}]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    made = Lab(tmp_path)

    async def starting(run: NodeRun) -> Outputs:
        await run.start_workflow(run.node.parameters["workflow"], run.items)  # type: ignore[arg-type]
        return [run.items]

    async def running(run: NodeRun) -> Outputs:
        return [await run.run_workflow(run.node.parameters["workflow"], run.items)]  # type: ignore[arg-type]

    made.kind("begin", starting, effect=True)
    made.kind("call", running, effect=True)
    return made


async def rows(lab: Lab, mode: str) -> list[ExecutionRow]:
    return list((await lab.store.executions(ExecutionFilter(mode=mode), offset=0, limit=10)).rows)


def chain(kind: str, workflow: Any, *more: tuple[str, str]) -> Any:
    return doc(("In", "webhook"), ("Go", kind, {"parameters": {"workflow": workflow}}), *more)


async def test_a_started_workflow_runs_on_its_own(lab: Lab) -> None:
    gate = asyncio.Event()

    async def held(run: NodeRun) -> Outputs:
        await gate.wait()
        return [run.items]

    lab.kind("held", held)
    child = await lab.save(doc(("Sub", "executeWorkflowTrigger"), ("Held", "held"), ("End", "pass")))
    engine = lab.engine()
    outcome = await ended(engine.submit(request(await lab.save(chain("begin", child.id, ("After", "pass"))))))
    assert outcome.status == "success"
    assert [row.status for row in await rows(lab, "sub")] == ["running"]
    gate.set()
    await until(lambda: "End" in lab.ran)


async def test_a_started_workflow_is_not_cancelled_with_its_parent(lab: Lab) -> None:
    child = await lab.save(doc(("Sub", "executeWorkflowTrigger"), ("W", "wait", {"parameters": {"until": 10**15}})))
    wait = ("Rest", "wait", {"parameters": {"until": 10**15}})
    engine = lab.engine()
    execution = engine.submit(request(await lab.save(chain("begin", child.id, wait))))
    await until(lambda: "Rest" in lab.ran)
    for _ in range(50):
        await asyncio.sleep(0)
    await engine.cancel(execution.id)
    assert [row.status for row in await rows(lab, "sub")] == ["waiting"]


async def test_a_parent_that_runs_again_after_a_crash_does_not_start_it_twice(lab: Lab) -> None:
    attempts = 0

    async def starting(run: NodeRun) -> Outputs:
        nonlocal attempts
        attempts += 1
        first = attempts == 1
        await run.start_workflow(run.node.parameters["workflow"], run.items)  # type: ignore[arg-type]
        if first:
            await asyncio.Event().wait()
        return [run.items]

    lab.kind("begin", starting, effect=True)
    child = await lab.save(doc(("Sub", "executeWorkflowTrigger"), ("End", "pass")))
    execution = lab.engine().submit(request(await lab.save(chain("begin", child.id, ("After", "pass")))))
    await until(lambda: "End" in lab.ran)
    engine = lab.engine()
    await engine.recover()
    assert (await engine.result(execution.id, 5)).status == "success"
    assert len(await rows(lab, "sub")) == 1


async def test_a_workflow_that_the_node_gives(lab: Lab) -> None:
    inner = doc(("Sub", "executeWorkflowTrigger"), ("Inside", "pass"))
    outcome = await ended(lab.engine().submit(request(await lab.save(chain("call", inner)))))
    assert (outcome.status, [item["json"] for item in outcome.items]) == ("success", [{"n": 1}])
    (row,) = await rows(lab, "sub")
    stored = await lab.store.execution(row.id)
    assert stored is not None
    assert stored.document is not None  # it is saved nowhere else


async def test_a_given_workflow_that_is_none_says_where(lab: Lab) -> None:
    outcome = await ended(lab.engine().submit(request(await lab.save(chain("call", {"nodes": [{"name": 5}]})))))
    assert outcome.failure is not None
    assert "The given workflow is not valid. nodes[0]" in outcome.failure.message


async def test_the_start_node_says_what_it_takes(lab: Lab) -> None:
    lab.kinds["executeWorkflowTrigger"] = EntryKind("executeWorkflowTrigger", passing)
    child = await lab.save(doc(("Sub", "executeWorkflowTrigger"), ("End", "pass")))
    outcome = await ended(lab.engine().submit(request(await lab.save(chain("call", child.id)))))
    assert [item["json"] for item in outcome.items] == [{"given": 1}]


@pytest.mark.parametrize("kind", ["begin", "call"])
async def test_an_unknown_workflow_is_named(lab: Lab, kind: str) -> None:
    outcome = await ended(lab.engine().submit(request(await lab.save(chain(kind, "nowhere")))))
    assert outcome.failure is not None
    assert "There is no workflow with the id 'nowhere'" in outcome.failure.message
