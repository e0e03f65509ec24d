"""Loops end to end: the real Loop node in the engine, with cycles, pairing, restarts and many rounds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from engine_lab import Lab, doc, request, until
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jackfield.api.context import PluginContext
from jackfield.api.engine import Outcome
from jackfield.api.nodes import NodeRun
from jackfield.api.scripts import ScriptData
from jackfield.api.workflows import Document, Items, Outputs
from jackfield_engine.settings import ExecutionsSettings
from jackfield_nodes.flow.loop_node import node as loop_node

NO_CONTEXT = cast("PluginContext", SimpleNamespace())


@pytest.fixture
def loops(lab: Lab) -> Lab:
    lab.kinds["splitInBatches"] = loop_node(NO_CONTEXT)
    lab.settings = ExecutionsSettings(max_node_runs=100_000)
    return lab


def looping(size: int, version: float = 3, body: str = "pass", done: dict[str, Any] | None = None) -> Document:
    """Start -> Loop -> Body -> Loop; the end goes to Done."""
    document: Any = doc(
        ("Start", "webhook"),
        ("Loop", "splitInBatches", {"typeVersion": version, "parameters": {"batchSize": size}}),
        ("Body", body),
        ("Done", "resolve" if done else "pass", {"parameters": done or {}}),
    )
    body_wire, done_wire = ([{"node": name, "type": "main", "index": 0}] for name in ("Body", "Done"))
    wires = {1: [body_wire], 2: [body_wire, done_wire], 3: [done_wire, body_wire]}[int(version)]
    document["connections"]["Loop"] = {"main": wires}
    document["connections"]["Body"] = {"main": [[{"node": "Loop", "type": "main", "index": 0}]]}
    return cast("Document", document)


def numbers(count: int) -> Items:
    return [{"json": {"n": number}} for number in range(count)]


async def run(lab: Lab, document: Document, count: int) -> Outcome:
    execution = lab.engine().submit(request(lab.parse(document), items=numbers(count)))
    async with asyncio.timeout(60):
        return await asyncio.shield(execution.finished)


async def doubling(run: NodeRun) -> Outputs:
    return [[{"json": {"n": cast("int", item["json"]["n"]) * 2}} for item in run.items]]


@pytest.mark.parametrize("version", [2, 3])
async def test_every_item_goes_round_once_and_all_come_out(loops: Lab, version: float) -> None:
    loops.kind("double", doubling)
    outcome = await run(loops, looping(2, version, "double"), 5)
    assert outcome.status == "success"
    assert [item["json"]["n"] for item in outcome.items] == [0, 2, 4, 6, 8]
    assert loops.ran == ["Body"] * 3 + ["Done"]


async def test_version_1_stops_when_nothing_is_left(loops: Lab) -> None:
    outcome = await run(loops, looping(2, 1), 5)
    assert outcome.status == "success"
    assert loops.ran == ["Body"] * 3


async def test_items_can_be_traced_through_every_round(loops: Lab) -> None:
    """$('N').item after the loop and inside of it leads to the item that went round."""
    loops.kind("double", doubling)
    fields = {"before": "={{ $('Start').item.json.n }}", "inside": "={{ $('Body').item.json.n }}"}
    outcome = await run(loops, looping(1, 3, "double", done=fields), 3)
    assert [item["json"] for item in outcome.items] == [{"before": number, "inside": 2 * number} for number in range(3)]


async def test_inside_the_loop_the_nodes_before_it_can_be_traced(loops: Lab) -> None:
    document: Any = looping(1, 3, "resolve")
    document["nodes"][2]["parameters"] = {"before": "={{ $('Start').item.json.n }}"}
    outcome = await run(loops, document, 3)
    assert [item["json"] for item in outcome.items] == [{"before": number} for number in range(3)]


class Listener:
    """Stands for JavaScript; notes what the loop's memory is for expressions of other nodes."""

    language = "javaScript"

    def __init__(self) -> None:
        self.contexts: list[Any] = []

    async def evaluate(self, sources: Sequence[str], data: ScriptData, items: Sequence[int]) -> list[list[Any]]:
        runs = cast("dict[str, Any]", data.nodes["Loop"])["runs"]
        assert all("context" not in run for run in runs[:-1])
        self.contexts.append(dict(runs[-1]["context"]))
        return [[None] * len(sources) for _ in items]

    async def close(self) -> None: ...


async def test_expressions_can_ask_the_loop_whether_it_is_at_its_end(loops: Lab) -> None:
    listener = loops.scripts["javaScript"] = Listener()
    document: Any = looping(2, 1, "resolve")
    document["nodes"][2]["parameters"] = {"left": "={{ !$node['Loop'].context.noItemsLeft }}"}
    await run(loops, document, 3)
    assert [context["noItemsLeft"] for context in listener.contexts] == [False, True]


async def test_an_item_that_looks_like_an_error_is_not_merged_with_another_rounds(loops: Lab) -> None:
    """The error output takes error items with the input item they are paired with; that one came rounds before."""
    document: Any = looping(1)
    document["nodes"][1]["onError"] = "continueErrorOutput"
    document["connections"]["Loop"]["main"].append([{"node": "Done", "type": "main", "index": 0}])
    execution = loops.engine().submit(
        request(loops.parse(document), items=[{"json": {"a": 1}}, {"json": {"error": "told"}}])
    )
    outcome = await execution.finished
    assert [item["json"] for item in outcome.items] == [{"error": "told"}]


async def test_a_loop_goes_on_after_a_restart(loops: Lab) -> None:
    """The process stops in the middle of the second round; the next one knows which items are left."""
    stopped = asyncio.Event()

    async def waiting(run: NodeRun) -> Outputs:
        if run.run_index == 1 and not stopped.is_set():
            await asyncio.get_running_loop().create_future()
        return [run.items]

    loops.kind("waiting", waiting, effect=True)
    workflow = await loops.save(looping(2, 3, "waiting"))
    first = loops.engine()
    execution = first.submit(request(workflow, items=numbers(5)))
    await until(lambda: loops.ran.count("Body") == 2)
    assert await first.drain(0) == 1
    stopped.set()
    second = loops.engine()
    await second.recover()
    outcome = await second.result(execution.id, 5)
    assert [item["json"]["n"] for item in outcome.items] == [0, 1, 2, 3, 4]
    assert loops.ran == ["Body"] * 4 + ["Done"]  # the second round was begun twice
    assert await second.drain(0) == 0


async def test_ten_thousand_rounds_take_time_and_space_in_proportion(loops: Lab) -> None:
    """What a round stores does not grow with the items that are left or came back."""
    execution = loops.engine().submit(request(loops.parse(looping(1)), items=numbers(10_000)))
    async with asyncio.timeout(60):
        outcome = await asyncio.shield(execution.finished)
        await asyncio.shield(execution.stored)
    assert [item["json"]["n"] for item in outcome.items] == list(range(10_000))
    records = [record for record in await loops.records(execution.id) if record["node"] == "Loop"]
    assert len(records) == 10_001
    assert all(len(str(record.get("context"))) < 200 for record in records)
    assert all(sum(map(len, record["outputs"])) == 1 for record in records[:-1])


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(count=st.integers(1, 30), size=st.integers(1, 12), version=st.sampled_from([2, 3]))
async def test_nothing_is_lost_or_doubled(loops: Lab, count: int, size: int, version: float) -> None:
    outcome = await run(loops, looping(size, version), count)
    assert [item["json"]["n"] for item in outcome.items] == list(range(count))
