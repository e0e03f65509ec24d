"""Executions from start to end."""

from __future__ import annotations

import asyncio
import gc
import logging
import weakref
from typing import Any

import orjson
import pytest
from engine_lab import Lab, doc, ended, request, until
from pydantic import Field

from jackfield.api.engine import ExecutionRequest
from jackfield.api.errors import Conflict, JackfieldError, StoreUnavailable
from jackfield.api.nodes import NodeAnswer, NodeError, NodeParameters, NodeRun
from jackfield.api.storage import CallUpdate, Delivery, ExecutionFilter, NewCall
from jackfield.api.workflows import Outputs
from jackfield.testing.store import MemoryStore
from jackfield_engine.settings import ExecutionsSettings
from jackfield_workflows.history.views import execution_body


async def test_a_run_is_accepted_finished_and_stored(lab: Lab) -> None:
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "pass"), ("B", "pass")))
    execution = lab.engine().submit(request(workflow))
    await execution.accepted
    outcome = await ended(execution)
    assert (outcome.status, outcome.last_node, lab.ran) == ("success", "B", ["A", "B"])
    assert [item["json"] for item in outcome.items] == [{"n": 1}]
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    assert (stored.row.status, stored.row.mode, stored.row.workflow_id) == ("success", "webhook", workflow.id)
    assert orjson.loads(stored.input) == {
        "start": "Start", "items": [{"json": {"n": 1}}], "output": 0, "pin": False, "responseNode": False, "depth": 0,
    }  # fmt: skip
    records = await lab.records(execution.id)
    assert [(record["node"], record["index"], record["status"]) for record in records] == [
        ("Start", 0, "success"), ("A", 1, "success"), ("B", 2, "success"),
    ]  # fmt: skip
    assert records[0]["inputOutput"] == 0
    assert records[1]["outputs"] == [[{"json": {"n": 1}, "pairedItem": {"item": 0}}]]


async def test_a_workflow_that_is_not_saved_is_kept_with_its_execution(lab: Lab) -> None:
    document = doc(("Start", "webhook"), ("A", "pass"))
    execution = lab.engine().submit(request(lab.parse(document), mode="manual"))
    await ended(execution)
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    assert stored.document == document


async def test_a_start_without_a_successor_ends_with_its_items(lab: Lab) -> None:
    outcome = await ended(lab.engine().submit(request(lab.parse(doc(("Start", "webhook"))), durability="finish")))
    assert (outcome.items, outcome.last_node) == ([{"json": {"n": 1}}], "Start")


class Fields(NodeParameters):
    number: int = Field(0)
    text: str = ""


def resolving(parameters: dict[str, Any]) -> Any:
    return doc(("Start", "webhook"), ("A", "resolve", {"parameters": parameters}))


async def test_parameters_are_resolved_and_validated_per_item(lab: Lab) -> None:
    workflow = lab.parse(resolving({"a": "={{ $json.n }}", "b": "=<{{ $itemIndex }}>", "c": "fixed"}))
    items = [{"json": {"n": 1}}, {"json": {"n": 2}}]
    outcome = await ended(lab.engine().submit(request(workflow, items=items)))
    assert [item["json"] for item in outcome.items] == [
        {"a": 1, "b": "<0>", "c": "fixed"},
        {"a": 2, "b": "<1>", "c": "fixed"},
    ]


async def test_a_wrong_parameter_names_itself_and_the_item(lab: Lab) -> None:
    lab.kind("strict", lambda run: _resolve(run), model=Fields)
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "strict", {"parameters": {"number": "={{ $json.n }}"}})))
    outcome = await ended(lab.engine().submit(request(workflow, items=[{"json": {"n": 1}}, {"json": {"n": "x"}}])))
    assert outcome.failure is not None
    assert outcome.failure.message.startswith("The parameter number of item 1 is not valid: ")
    assert (outcome.failure.node, outcome.failure.item) == ("A", 1)


async def test_a_wrong_literal_parameter_names_itself(lab: Lab) -> None:
    lab.kind("strict", lambda run: _resolve(run), model=Fields)
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "strict", {"parameters": {"number": "x"}})))
    outcome = await ended(lab.engine().submit(request(workflow)))
    assert outcome.failure is not None
    assert outcome.failure.message.startswith("The parameter number is not valid: ")


async def _resolve(run: NodeRun) -> Outputs:
    await run.resolve()
    return [run.items]


async def test_literal_parameters_are_validated_once(lab: Lab) -> None:
    seen: list[object] = []

    async def look(run: NodeRun) -> Outputs:
        seen.extend(await run.resolve())
        seen.append(await run.resolve_first())
        return [run.items]

    lab.kind("look", look)
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "look", {"parameters": {"a": 1}})))
    engine = lab.engine()
    await ended(engine.submit(request(workflow, items=[{"json": {}}, {"json": {}}])))
    await ended(engine.submit(request(workflow)))
    assert len(seen) == 5
    assert len({id(one) for one in seen}) == 1


async def test_other_nodes_are_read_through_pairing(lab: Lab) -> None:
    async def swap(run: NodeRun) -> Outputs:
        pairs = [{"json": {"swapped": index}, "pairedItem": {"item": index}} for index in (1, 0)]
        return [pairs]  # type: ignore[list-item]

    lab.kind("swap", swap)
    parameters = {"n": "={{ $('Start').item.json.n }}", "f": "={{ $('Swap').first().json.swapped }}"}
    workflow = lab.parse(
        doc(
            ("Start", "webhook"),
            ("Swap", "swap"),
            ("A", "resolve", {"parameters": parameters}),
        )
    )  # fmt: skip
    outcome = await ended(lab.engine().submit(request(workflow, items=[{"json": {"n": 1}}, {"json": {"n": 2}}])))
    assert [item["json"] for item in outcome.items] == [{"n": 2, "f": 1}, {"n": 1, "f": 1}]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("$('Gone').item.json.x", "There is no node 'Gone' in this workflow."),
        ("$('Later').first().json.x", "The node 'Later' has not run in this execution."),
        ("$('Start').item.json.x", "cannot be traced back to an item of the node 'Start'"),
    ],
)
async def test_broken_references_are_told(lab: Lab, expression: str, message: str) -> None:
    async def lose(run: NodeRun) -> Outputs:
        return [[{"json": {}}, {"json": {}}, {"json": {}}]]

    lab.kind("lose", lose)
    parameters = {"p": f"={{{{ {expression} }}}}"}
    workflow = lab.parse(
        doc(("Start", "webhook"), ("Lose", "lose"), ("A", "resolve", {"parameters": parameters}), ("Later", "pass"))
    )
    items = [{"json": {}}, {"json": {}}]
    outcome = await ended(lab.engine().submit(request(workflow, items=items)))
    assert outcome.failure is not None
    assert outcome.failure.message.startswith("The parameter p of item 0 is not valid: ")
    assert message in outcome.failure.message


async def test_a_failure_ends_the_run_with_node_and_item(lab: Lab) -> None:
    workflow = await lab.save(doc(("Start", "webhook"), ("Bad", "fail"), ("After", "pass")))
    execution = lab.engine().submit(request(workflow))
    outcome = await ended(execution)
    assert (outcome.status, outcome.failure and outcome.failure.message) == ("failed", "it cannot be done")
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    assert stored.row.error is not None
    assert orjson.loads(stored.row.error) == {"message": "it cannot be done", "node": "Bad", "itemIndex": 0}
    assert lab.ran == ["Bad"]
    last = (await lab.records(execution.id))[-1]
    assert (last["node"], last["status"], last["error"]) == (
        "Bad", "failed", {"message": "it cannot be done", "itemIndex": 0},
    )  # fmt: skip


async def test_a_nodes_own_mistake_is_logged_and_told_in_short(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        outcome = await ended(lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("Bad", "broken"))))))
    assert outcome.failure is not None
    assert outcome.failure.message == "The node failed unexpectedly (ZeroDivisionError); see the daemon's log."
    assert "ZeroDivisionError" in caplog.text


async def test_a_run_without_any_output_leaves_the_one_before_as_the_last(lab: Lab) -> None:
    async def once(run: NodeRun) -> Outputs:
        return [] if run.run_index else [run.items]

    lab.kind("once", once)
    document: Any = doc(("Start", "webhook"), ("A", "once"), ("B", "pass"))
    document["connections"]["B"] = {"main": [[{"node": "A", "type": "main", "index": 0}]]}
    outcome = await ended(lab.engine().submit(request(lab.parse(document))))
    assert (lab.ran, outcome.status, outcome.last_node) == (["A", "B", "A"], "success", "A")
    assert [item["json"] for item in outcome.items] == [{"n": 1}]


@pytest.mark.parametrize(("tries", "runs", "status"), [(3, 3, "success"), (2, 2, "failed")])
async def test_a_node_is_tried_again(lab: Lab, tries: int, runs: int, status: str) -> None:
    async def third(run: NodeRun) -> Outputs:
        if lab.ran.count("A") < 3:
            raise NodeError("not yet") if lab.ran.count("A") == 1 else KeyError("not yet")
        return [run.items]

    lab.kind("third", third)
    retries = {"retryOnFail": True, "maxTries": tries, "waitBetweenTries": 1000}
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "third", retries)))
    execution = lab.engine().submit(request(workflow))
    for expected in range(1, runs):
        await lab.clock.advance(0.5)
        assert lab.ran.count("A") == expected
        await lab.clock.advance(0.5)
    assert (await ended(execution)).status == status
    assert lab.ran.count("A") == runs


async def test_the_nodes_memory_lasts_for_the_execution(lab: Lab) -> None:
    async def count(run: NodeRun) -> Outputs:
        run.context["n"] = int(run.context.get("n", 0)) + 1  # type: ignore[arg-type]
        return [[{"json": {"n": run.context["n"]}}] if run.context["n"] != 3 else []]

    lab.kind("count", count)
    document = doc(("Start", "webhook"), ("A", "count"))
    document["connections"]["A"] = {"main": [[{"node": "A", "type": "main", "index": 0}]]}  # type: ignore[index, call-overload]
    execution = lab.engine().submit(request(lab.parse(document)))
    await ended(execution)
    assert [record.get("context") for record in await lab.records(execution.id)] == [None, {"n": 1}, {"n": 2}, {"n": 3}]


async def test_an_endless_workflow_is_stopped(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(max_node_runs=50)
    document = doc(("Start", "webhook"), ("A", "pass"))
    document["connections"]["A"] = {"main": [[{"node": "A", "type": "main", "index": 0}]]}  # type: ignore[index, call-overload]
    outcome = await ended(lab.engine().submit(request(lab.parse(document))))
    assert outcome.failure is not None
    assert "limit of 50 node runs" in outcome.failure.message
    assert len(lab.ran) == 49


async def test_a_wide_workflow_with_cycles_is_stopped_before_it_fills_the_memory(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(max_node_runs=1000)
    document = doc(("Start", "webhook"), *((f"N{number}", "pass") for number in range(100)))
    names = [node["name"] for node in document["nodes"]]  # type: ignore[index, call-overload, union-attr]
    wires = [{"node": name, "type": "main", "index": 0} for name in names[1:]]
    document["connections"] = {name: {"main": [wires]} for name in names}  # type: ignore[misc]
    outcome = await ended(lab.engine().submit(request(lab.parse(document))))
    assert outcome.failure is not None
    assert "limit of 1000 node runs" in outcome.failure.message
    assert len(lab.ran) <= 10


async def test_the_data_of_an_execution_is_bounded(lab: Lab) -> None:
    async def twice(run: NodeRun) -> Outputs:
        return [[*run.items, *run.items]]

    lab.kind("twice", twice)
    lab.settings = ExecutionsSettings(max_data=50_000)
    document = doc(("Start", "webhook"), ("A", "twice"))
    document["connections"]["A"] = {"main": [[{"node": "A", "type": "main", "index": 0}]]}  # type: ignore[index, call-overload]
    execution = lab.engine().submit(request(lab.parse(document)))
    outcome = await ended(execution)
    assert outcome.failure is not None
    assert "more than 50000 bytes together. The setting executions.max_data" in outcome.failure.message
    assert outcome.failure.node == "A"
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    assert sum(map(len, stored.steps)) < 51_000


@pytest.mark.parametrize("depth", [240, 300, 800, 960, 985])
async def test_what_is_kept_can_be_read_again(lab: Lab, depth: int) -> None:
    async def deep(run: NodeRun) -> Outputs:
        value: Any = {}
        for _ in range(depth):
            value = {"a": value}
        return [[{"json": {"text": "half \ud83d", "value": value}}]]

    lab.kind("deep", deep)
    execution = lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "deep")))))
    outcome = await ended(execution)
    assert outcome.status == ("success" if depth < 245 else "failed")
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    assert orjson.loads(await execution_body(stored))["id"] == execution.id


async def test_an_end_that_cannot_be_stored_hangs_nobody(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    value: Any = {}
    for _ in range(2000):
        value = {"a": value}
    engine = lab.engine()
    execution = engine.submit(
        request(lab.parse(doc(("Start", "webhook"), ("A", "pass"))), items=[{"json": value}], durability="finish")
    )
    with pytest.raises(JackfieldError, match="failed unexpectedly"):
        await ended(execution)
    assert engine.state()["running"] == 0
    assert not engine.live.runs
    assert "cannot be ended" in caplog.text


async def test_data_that_is_no_json_fails_the_node_and_not_the_engine(lab: Lab) -> None:
    async def deep(run: NodeRun) -> Outputs:
        value: Any = 1
        for _ in range(3000):
            value = [value]
        return [[{"json": {"value": value}}]]

    async def odd(run: NodeRun) -> Outputs:
        return [[{"json": {"text": "half \ud83d", "big": 2**70}}]]

    lab.kind("deep", deep)
    lab.kind("odd", odd)
    outcome = await ended(lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "deep"))))))
    assert outcome.failure is not None
    assert "nested too deeply" in outcome.failure.message
    execution = lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "odd")))))
    assert (await ended(execution)).status == "success"
    json = (await lab.records(execution.id))[-1]["outputs"][0][0]["json"]
    assert json["text"] == "half \ufffd"
    assert json["big"] == pytest.approx(2**70)


async def test_an_answer_comes_before_the_end_and_only_the_first_counts(lab: Lab) -> None:
    gate = asyncio.Event()

    async def respond(run: NodeRun) -> Outputs:
        run.answer(NodeAnswer(201, body=run.node.name.encode()))
        return [run.items]

    async def pause(run: NodeRun) -> Outputs:
        await gate.wait()
        return [run.items]

    lab.kind("respond", respond)
    lab.kind("pause", pause)
    document = doc(("Start", "webhook"), ("One", "respond"), ("Two", "respond"), ("Pause", "pause"))
    execution = lab.engine().submit(request(lab.parse(document), durability="finish", response_node=True))
    answer = await execution.answer
    assert answer is not None
    assert answer.body == b"One"
    assert not execution.finished.done()
    gate.set()
    assert (await ended(execution)).status == "success"


async def test_without_an_answer_there_is_none_at_the_end(lab: Lab) -> None:
    execution = lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "pass"))), durability="finish"))
    assert await execution.answer is None


class CountingStore(MemoryStore):
    """Notes the names of the writes."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[str] = []

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name in ("add_execution", "append_steps", "set_running", "set_waiting", "finish_execution", "update_call"):
            self.writes.append(name)
        return found


@pytest.mark.parametrize(
    ("durability", "kinds", "writes"),
    [
        ("finish", ("pass", "resolve"), ["add_execution"]),
        ("accept", ("pass", "resolve"), ["add_execution", "finish_execution"]),
        ("finish", ("pass", "effect"), ["add_execution", "finish_execution"]),
        ("finish", ("effect", "pass"), ["add_execution", "append_steps", "finish_execution"]),
        ("accept", ("effect", "effect"), ["add_execution", "append_steps", "finish_execution"]),
        ("accept", ("fail",), ["add_execution", "finish_execution"]),
        ("finish", ("fail",), ["add_execution"]),
    ],
)
async def test_how_often_the_store_is_written(
    lab: Lab, durability: str, kinds: tuple[str, ...], writes: list[str]
) -> None:
    store = CountingStore()
    lab.store = store
    nodes = [(f"N{index}", kind) for index, kind in enumerate(kinds)]
    execution = lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), *nodes)), durability=durability))
    assert store.writes == (["add_execution"] if durability == "accept" else [])
    await ended(execution)
    assert store.writes == writes
    assert execution.accepted.done()


def a_call() -> NewCall:
    return NewCall("call-1", "hook-1", 0, "POST", b"{}", "")


@pytest.mark.parametrize(("kind", "status"), [("pass", "success"), ("fail", "failed")])
async def test_the_end_of_an_accepted_call_is_the_end_of_its_run(lab: Lab, kind: str, status: str) -> None:
    engine = lab.engine()
    execution = engine.submit(request(lab.parse(doc(("Start", "webhook"), ("A", kind))), call=a_call()))
    await execution.accepted
    await engine.complete_call(execution, CallUpdate("call-1", "hook-1", response_status=200, response_body="ok"))
    await ended(execution)
    [call] = (await lab.store.calls("hook-1", status=None, offset=0, limit=9)).rows
    assert (call.status, call.response_status, call.execution_id) == (status, 200, execution.id)


async def test_a_call_that_somebody_waits_for_is_left_to_them(lab: Lab) -> None:
    engine = lab.engine()
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "pass")))
    execution = engine.submit(request(workflow, call=a_call(), durability="finish"))
    await ended(execution)
    await engine.complete_call(execution, CallUpdate("call-1", "hook-1", status="success", response_status=201))
    [call] = (await lab.store.calls("hook-1", status=None, offset=0, limit=9)).rows
    assert (call.status, call.response_status) == ("success", 201)


async def test_an_early_answer_is_stored_after_the_acceptance(lab: Lab) -> None:
    gate = asyncio.Event()

    async def pause(run: NodeRun) -> Outputs:
        await gate.wait()
        return [run.items]

    lab.kind("pause", pause)
    engine = lab.engine()
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "pause")))
    execution = engine.submit(request(workflow, call=a_call(), durability="finish"))
    await until(lambda: lab.ran == ["A"])
    await engine.complete_call(execution, CallUpdate("call-1", "hook-1", status="success", response_status=200))
    await asyncio.wait_for(execution.accepted, 5)
    [call] = (await lab.store.calls("hook-1", status=None, offset=0, limit=9)).rows
    assert call.response_status == 200
    gate.set()
    await ended(execution)


@pytest.mark.parametrize("durability", ["accept", "finish"])
@pytest.mark.parametrize("kind", ["pass", "effect"])
async def test_a_known_delivery_starts_nothing(lab: Lab, durability: str, kind: str) -> None:
    engine = lab.engine()
    workflow = lab.parse(doc(("Start", "webhook"), ("A", kind)))
    given: dict[str, Any] = {"delivery": Delivery("hook-1", "key", 2**50), "durability": durability}
    await ended(engine.submit(request(workflow, **given)))
    lab.ran.clear()
    second = engine.submit(request(workflow, **given))
    with pytest.raises(Conflict):
        await second.accepted
    with pytest.raises(Conflict):
        await second.stored
    assert "A" not in lab.ran or kind == "pass"
    page = await lab.store.executions(ExecutionFilter(), offset=0, limit=9)
    assert page.total == 1
    assert engine.state()["running"] == 0


async def test_a_store_that_refuses_is_told_and_nothing_runs(lab: Lab) -> None:
    assert isinstance(lab.store, MemoryStore)
    lab.store.fail_with = StoreUnavailable()
    execution = lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "pass")))))
    for future in (execution.accepted, execution.answer, execution.finished, execution.stored):
        with pytest.raises(StoreUnavailable):
            await future
    assert lab.ran == []


async def test_static_order_of_two_runs_is_kept_apart(lab: Lab) -> None:
    engine = lab.engine()
    workflow = lab.parse(resolving({"v": "={{ $json.v }}"}))

    def start(value: int) -> Any:
        return engine.submit(ExecutionRequest(workflow, "webhook", "Start", [{"json": {"v": value}}]))

    executions = [start(value) for value in range(200)]
    outcomes = [await ended(execution) for execution in executions]
    assert [outcome.items[0]["json"]["v"] for outcome in outcomes] == list(range(200))
    assert engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}


async def test_an_ended_execution_is_freed_without_the_collector(lab: Lab) -> None:
    """Thousands of inputs would pile up until the cyclic collector runs."""
    engine = lab.engine()
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "pass")))
    gc.collect()
    gc.disable()
    try:
        execution = engine.submit(request(workflow))
        run = weakref.ref(engine.live.runs[execution.id])
        await ended(execution)
        await execution.stored
        await until(lambda: run() is None)
    finally:
        gc.enable()
