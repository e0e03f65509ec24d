"""An execution does not start when a node that it could reach lacks what it needs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from engine_lab import Lab, doc, ended, passing, request
from pydantic import Field

from jackfield.api.engine import Outcome
from jackfield.api.nodes import NodeParameters, NodeResult, NodeRun, Suspend, needed


class Needing(NodeParameters):
    value: str = Field("", json_schema_extra=needed())


class Unsure(NodeParameters):
    @classmethod
    def obstacles(cls, parameters: object) -> dict[str, str]:
        raise ZeroDivisionError


@pytest.fixture
def needing(lab: Lab) -> Lab:
    lab.kind("need", passing, model=Needing)
    lab.kind("unsure", passing, model=Unsure)
    return lab


async def outcome(lab: Lab, document: dict[str, Any], **more: Any) -> Outcome:
    return await ended(lab.engine().submit(request(await lab.save(document), **more)))


GIVEN: dict[str, Any] = {"parameters": {"value": "x"}}


async def test_no_node_runs_and_the_message_names_node_and_parameter(needing: Lab) -> None:
    found = await outcome(needing, doc(("A", "pass"), ("E", "effect"), ("B", "need"), ("C", "need")))
    assert found.status == "failed"
    assert needing.ran == []
    assert found.failure is not None
    assert found.failure.node == "B"
    assert "did not start" in found.failure.message
    assert "Node 'B', parameter value: It is empty" in found.failure.message
    assert "Node 'C', parameter value" in found.failure.message


async def test_it_starts_when_all_is_there_or_an_expression_gives_it(needing: Lab) -> None:
    found = await outcome(
        needing, doc(("A", "pass"), ("B", "need", dict(GIVEN)), ("C", "need", {"parameters": {"value": "={{ 1 }}"}}))
    )
    assert found.status == "success"
    assert needing.ran == ["B", "C"]


async def test_nodes_that_it_cannot_reach_do_not_count(needing: Lab) -> None:
    document = doc(("A", "pass"), ("B", "need", {"disabled": True}), ("C", "pass"), ("D", "need"))
    document["connections"].pop("C")  # type: ignore[union-attr, call-arg]  # an object
    assert (await outcome(needing, document)).status == "success"
    assert (await outcome(needing, doc(("A", "pass"), ("B", "pass"), ("C", "need")), until="B")).status == "success"
    assert (await outcome(needing, doc(("A", "pass"), ("B", "need"), ("C", "pass")), until="C")).status == "failed"


async def test_pinned_data_stand_for_a_node_where_they_are_used(needing: Lab) -> None:
    document = {**doc(("A", "pass"), ("B", "need")), "pinData": {"B": [{"json": {"pinned": True}}]}}
    assert (await outcome(needing, document, use_pin_data=True)).status == "success"
    assert (await outcome(needing, document)).status == "failed"


async def test_a_type_that_cannot_tell_fails_where_it_is_reached(needing: Lab) -> None:
    assert (await outcome(needing, doc(("A", "pass"), ("B", "unsure")))).status == "success"


async def test_a_type_that_is_not_there_keeps_all_from_starting(needing: Lab) -> None:
    found = await outcome(needing, doc(("A", "pass"), ("B", "pass"), ("C", "nothing")))
    assert (found.status, needing.ran) == ("failed", [])
    assert found.failure is not None
    assert found.failure.message.startswith("The execution did not start. Node 'C': The node type 'jackfield.nothing'")


@pytest.mark.parametrize("odd", [{"disabled": True}, {}])
async def test_a_type_that_is_not_there_is_no_obstacle_where_it_does_not_run(needing: Lab, odd: dict[str, Any]) -> None:
    document = doc(("A", "pass"), ("B", "pass"), ("C", "nothing", dict(odd)))
    found = await outcome(needing, document, until="" if odd else "B")
    assert (found.status, needing.ran) == ("success", ["B"])


async def test_a_part_whose_type_is_not_there_keeps_all_from_starting(needing: Lab) -> None:
    document: Any = doc(("A", "pass"), ("B", "pass"))
    document["nodes"] += doc(("P", "nothing"), ("N", "need"))["nodes"]
    document["connections"]["P"] = {"ai_tool": [[{"node": "B", "type": "ai_tool", "index": 0}]]}
    document["connections"]["N"] = {"ai_tool": [[{"node": "B", "type": "ai_tool", "index": 0}]]}
    found = await outcome(needing, document)
    assert (found.status, needing.ran) == ("failed", [])
    assert found.failure is not None
    assert found.failure.message.count("Node '") == 1


async def test_an_execution_is_looked_at_once_per_version(needing: Lab) -> None:
    asked: list[object] = []

    class Counting(NodeParameters):
        @classmethod
        def obstacles(cls, parameters: object) -> dict[str, str]:
            asked.append(parameters)
            return {}

    needing.kind("count", passing, model=Counting)
    workflow, engine = await needing.save(doc(("A", "pass"), ("B", "count"))), needing.engine()
    for _ in range(3):
        assert (await ended(engine.submit(request(workflow)))).status == "success"
    assert len(asked) == 1


async def test_an_execution_that_goes_on_after_a_restart_is_not_looked_at_again(lab: Lab) -> None:
    async def waiting(run: NodeRun) -> NodeResult:
        return Suspend(None, [run.items], {"path": run.node.name})

    lab.kind("hook", waiting)
    lab.kind("later", passing)
    execution = lab.engine().submit(request(await lab.save(doc(("A", "pass"), ("Hook", "hook"), ("B", "later")))))
    for _ in range(500):
        stored = await lab.store.execution(execution.id)
        if stored is not None and stored.row.status == "waiting":
            break
        await asyncio.sleep(0)
    lab.kind("later", passing, model=Needing)
    engine = lab.engine()
    await engine.recover()
    outcome = await ended(await engine.resume(await engine.waiting(execution.id), None))
    assert outcome.status == "success"
    assert lab.ran == ["Hook", "B"]
