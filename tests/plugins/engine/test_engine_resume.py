"""What a crash leaves, and what the next process makes of it: the power goes off at every write to the store."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from engine_lab import Lab, doc, ended, request, until
from power_lab import Machine, count, halt

from jackfield.api.engine import Failure
from jackfield.api.errors import DataDamaged
from jackfield.api.history import node_records
from jackfield.api.ids import new_id
from jackfield.api.records import replace
from jackfield.api.storage import ExecutionFilter, NewCall, NewExecution, StoredExecution
from jackfield_engine.lifecycle.resuming import request_of
from jackfield_engine.run.stored_form import LEFT, resumed_mark
from jackfield_engine.settings import ExecutionsSettings


def a_workflow(lab: Lab, name: str) -> Any:
    now = lab.clock.now_ms()
    short, long = now + 5_000, now + 120_000
    branches = {
        "effects": [("A", "effect"), ("B", "pass"), ("C", "effect"), ("D", "pass"), ("E", "effect")],
        "waits": [("A", "effect"), ("Short", "wait", short), ("B", "effect"), ("Long", "wait", long), ("C", "effect")],
        "pure": [("A", "pass"), ("B", "pass"), ("C", "pass")],
        "fails": [("A", "effect"), ("Bad", "fail")],
        "counts": [("A", "count"), ("B", "effect"), ("C", "count")],
    }  # fmt: skip
    nodes: list[Any] = [("Start", "webhook")]
    for node, kind, *more in branches[name]:
        nodes.append((node, kind, {"parameters": {"until": more[0]} if more else {}}))
    return doc(*nodes)


def steps(records: list[Any]) -> list[Any]:
    keys = ("node", "index", "status", "outputs", "inputOutput", "context")
    return [[record.get(key) for key in keys] for record in records]


@pytest.mark.parametrize("durability", ["accept", "finish"])
@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("name", ["effects", "waits", "pure", "fails", "counts"])
async def test_the_end_is_the_same_wherever_the_power_goes_off(
    lab: Lab, name: str, done: bool, durability: str
) -> None:
    lab.kind("count", count)
    machine = Machine(lab)
    workflow = await lab.save(a_workflow(lab, name))
    whole = await machine.cut(workflow, 1000, False, durability=durability)
    uncut = await machine.resume(whole)
    assert uncut is not None
    expected = steps(await lab.records(whole))
    writes = 0
    while True:
        machine.effects.clear()
        execution_id = await machine.cut(workflow, writes, done, durability=durability)
        off = machine.power is not None and machine.power.off
        before = await known(lab, execution_id)
        outcome = await machine.resume(execution_id)
        if outcome is None:
            assert not done
            assert writes == 0
            assert not machine.effects
        else:
            assert (outcome.status, outcome.failure, outcome.items, outcome.last_node) == (
                uncut.status, uncut.failure, uncut.items, uncut.last_node,
            )  # fmt: skip
            assert steps(await lab.records(execution_id)) == expected
            for node, times in machine.effects.items():
                assert times == 1 or node not in before, "a node before the last checkpoint ran again"
                assert times <= 2
        if not off:
            return
        writes += 1


async def known(lab: Lab, execution_id: str) -> set[str]:
    """The nodes whose results are on the disk."""
    stored = await lab.store.execution(execution_id)
    return set() if stored is None else {record["node"] for record in await lab.records(execution_id)}


@pytest.mark.parametrize("done", [False, True])
async def test_children_are_found_again_and_not_run_twice(lab: Lab, done: bool) -> None:
    machine = Machine(lab)
    child = await lab.save(doc(("In", "executeWorkflowTrigger"), ("Inside", "effect"), ("More", "effect")))
    call = {"parameters": {"workflow": child.id}}
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", call), ("After", "effect")))
    writes = 0
    while True:
        machine.effects.clear()
        execution_id = await machine.cut(workflow, writes, done)
        off = machine.power is not None and machine.power.off
        outcome = await machine.resume(execution_id)
        if outcome is not None:
            assert outcome.status == "success", outcome
            assert machine.effects["Inside"] <= 2
            children = await lab.store.executions(ExecutionFilter(mode="sub"), offset=0, limit=100)
            mine = [row for row in children.rows if row.id[:13] == execution_id[:13] and row.status != "success"]
            assert not mine
        if not off:
            assert machine.effects == {"Call": 1, "Inside": 1, "More": 1, "After": 1}
            return
        writes += 1


async def test_a_child_that_is_taken_up_at_the_same_time_gets_its_parents_slot(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=1)
    machine = Machine(lab)
    child = await lab.save(doc(("In", "executeWorkflowTrigger"), ("Inside", "effect"), ("More", "effect")))
    call = {"parameters": {"workflow": child.id}}
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", call)))
    parent = await machine.cut(workflow, 3, False)
    machine.power = None
    [row] = (await lab.store.executions(ExecutionFilter(mode="sub"), offset=0, limit=9)).rows
    assert row.status == "running"
    engine = lab.engine()
    read, first = lab.store.execution, [row.id]

    async def execution(execution_id: str) -> StoredExecution | None:
        """While the parent asks for its child, the backlog puts it into the queue."""
        stored = await read(execution_id)
        if execution_id in first and stored is not None:
            first.clear()
            await engine._backlog.take(stored, engine.services.lease.kept(stored.row.id))
        return stored

    lab.store.execution = execution  # type: ignore[method-assign]
    stored = await read(parent)
    assert stored is not None
    await engine._backlog.take(stored, engine.services.lease.kept(stored.row.id))
    result = asyncio.create_task(engine.result(parent, 5))
    for _ in range(20):
        await lab.clock.advance(1)
    outcome = await result
    assert outcome.status == "success"
    assert not first
    await halt(engine)


async def test_a_child_that_cannot_be_resumed_fails_its_parent(lab: Lab) -> None:
    machine = Machine(lab)
    child = await lab.save(doc(("In", "executeWorkflowTrigger"), ("Inside", "effect"), ("More", "effect")))
    call = {"parameters": {"workflow": child.id}}
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", call)))
    parent = await machine.cut(workflow, 3, False)
    machine.power = None
    await lab.store.delete_workflow(str(child.id))
    engine = lab.engine()
    stored = await lab.store.execution(parent)
    assert stored is not None
    await engine._backlog.take(stored, engine.services.lease.kept(stored.row.id))
    result = asyncio.create_task(engine.result(parent, 5))
    for _ in range(20):
        await lab.clock.advance(1)
    outcome = await result
    assert outcome.failure is not None
    assert "Its workflow was deleted while it was open." in outcome.failure.message
    await halt(engine)


@pytest.mark.parametrize("seconds", [5, 600])
async def test_parents_whose_children_wait_do_not_hold_all_slots_after_a_crash(lab: Lab, seconds: int) -> None:
    lab.settings = ExecutionsSettings(concurrency=2)
    later = {"parameters": {"until": lab.clock.now_ms() + seconds * 1000}}
    child = await lab.save(doc(("In", "executeWorkflowTrigger"), ("Wait", "wait", later), ("Inside", "effect")))
    call = {"parameters": {"workflow": child.id}}
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", call)))
    engine = lab.engine()
    parents = [engine.submit(request(workflow)) for _ in range(4)]
    await until(lambda: lab.ran.count("Wait") == 4)
    for _ in range(20):
        await asyncio.sleep(0)
    for parent in parents:
        stored = await lab.store.execution(parent.id)
        assert stored is not None
        await lab.store.set_running(parent.id, 1, stored.owner)
    await halt(engine)
    await lab.clock.advance(1)
    engine = lab.engine()
    await engine.recover()
    for _ in range(seconds // 5 + 30):
        await lab.clock.advance(5)
    assert [await lab.status(parent.id) for parent in parents] == ["success"] * 4
    assert engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}
    await halt(engine)


async def test_a_damaged_execution_ends_with_its_call_and_for_those_who_wait(lab: Lab) -> None:
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "pass")))
    given = orjson.dumps({"start": "Start", "items": []})
    call = NewCall("call", "hook", 1, "POST", b"{}", "")
    await lab.store.add_execution(NewExecution("e", workflow.id, 1, "webhook", "queued", 1, given, call=call))
    read = lab.store.execution

    async def execution(execution_id: str) -> StoredExecution | None:
        raise DataDamaged("The stored execution e is damaged; restore it from a backup.")

    lab.store.execution = execution  # type: ignore[method-assign]
    engine = lab.engine()
    waiting = engine.live.handles.of("e")
    await engine.recover()
    outcome = await asyncio.wait_for(waiting.finished, 10)
    assert (outcome.status, outcome.failure) == (
        "failed", Failure("The stored execution e is damaged; restore it from a backup."),
    )  # fmt: skip
    stored = await read("e")
    assert stored is not None
    assert (stored.row.status, stored.call_status) == ("failed", "failed")
    assert (await lab.store.webhook_stats("hook")).failed_calls == 1
    await halt(engine)


async def test_a_crowd_of_open_executions_is_resumed_a_few_at_a_time(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(concurrency=2, queue_size=5)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "pass"), ("B", "pass")))
    ids = []
    for number in range(150):
        ids.append(new_id())
        given = {"start": "Start", "items": [{"json": {"n": number}}]}
        status: Any = "running" if number % 2 else "queued"
        await lab.store.add_execution(
            NewExecution(ids[-1], workflow.id, 1, "webhook", status, number, orjson.dumps(given), started_at=number)
        )
    engine = lab.engine()
    assert await engine.recover() == 150
    most = 0
    for _ in range(3000):
        await asyncio.sleep(0)
        most = max(most, len(engine.live.runs))
        if lab.ran.count("B") == 150:
            break
    assert lab.ran.count("B") == 150
    assert most < 30
    await until(lambda: engine.state()["running"] == 0)
    page = await lab.store.executions(ExecutionFilter(status="success"), offset=0, limit=1000)
    assert page.total == 150
    await halt(engine)


async def test_large_executions_come_back_one_after_another(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(read_back_memory=1_048_576)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "pass"), ("B", "pass")))
    large = {"start": "Start", "items": [{"json": {"list": [{}] * 30_000}}]}
    small = {"start": "Start", "items": [{"json": {}}]}
    for number in range(6):
        given = orjson.dumps(large if number < 5 else small)
        await lab.store.add_execution(
            NewExecution(new_id(), workflow.id, 1, "webhook", "running", number, given, started_at=number)
        )
    engine = lab.engine()
    assert await engine.recover() == 6
    most = 0
    for _ in range(2000):
        most = max(
            most, len([run for run in engine.live.runs.values() if run.request.memory and run.request.memory.size])
        )
        await asyncio.to_thread(lambda: None)  # large ones are read and written on threads
        await lab.clock.advance(0.5)
        if lab.ran.count("B") == 6:
            break
    assert lab.ran.count("B") == 6
    assert most == 1
    await halt(engine)


async def test_the_call_of_a_resumed_execution_gets_its_end(lab: Lab) -> None:
    machine = Machine(lab)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "effect")))
    call = NewCall("call-1", "hook-1", 0, "POST", b"{}", "")
    execution_id = await machine.cut(workflow, 1, False, call=call, durability="finish")
    assert (await machine.resume(execution_id)) is not None
    [stored] = (await lab.store.calls("hook-1", status=None, offset=0, limit=9)).rows
    assert stored.status == "success"


def test_a_record_replaces_what_was_stored_from_its_index_on() -> None:
    def chunk(*records: tuple[int, str]) -> bytes:
        return orjson.dumps([{"node": node, "index": index} for index, node in records])

    def kept(*chunks: bytes) -> list[tuple[int, str]]:
        return [(record["index"], record["node"]) for record in node_records(chunks)]

    twice = chunk((1, "A"), (2, "B"))
    assert kept(chunk((0, "S")), twice, twice, chunk((3, "C"))) == [(0, "S"), (1, "A"), (2, "B"), (3, "C")]
    assert kept(chunk((0, "S"), (1, "A"), (2, "B")), resumed_mark("1", "me"), chunk((1, "X")), LEFT) == [
        (0, "S"),
        (1, "X"),
    ]


async def test_a_checkpoint_that_was_kept_twice_runs_nothing_twice(lab: Lab) -> None:
    machine = Machine(lab)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "effect"), ("B", "effect"), ("C", "effect")))
    execution_id = await machine.cut(workflow, 2, False)
    stored = await lab.store.execution(execution_id)
    assert stored is not None
    await lab.store.append_steps(execution_id, stored.steps[-1], stored.next_chunk, stored.owner)
    ran = machine.effects["A"]
    outcome = await machine.resume(execution_id)
    assert outcome is not None
    assert outcome.status == "success"
    assert machine.effects["A"] == ran
    assert [record["node"] for record in await lab.records(execution_id)] == ["Start", "A", "B", "C"]


@pytest.mark.parametrize("damage", ["workflow", "input", "start"])
async def test_what_cannot_be_resumed_ends_as_failed(lab: Lab, damage: str) -> None:
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "pass")))
    execution_id = new_id()
    start = "Gone" if damage == "start" else "Start"
    data = b"{" if damage == "input" else orjson.dumps({"start": start, "items": [{"json": {}}]})
    owner = new_id() if damage == "workflow" else workflow.id
    await lab.store.add_execution(NewExecution(execution_id, owner, 1, "webhook", "running", 1, data))
    engine = lab.engine()
    assert await engine.recover() == 1
    for _ in range(50):
        await asyncio.sleep(0)
    stored = await lab.store.execution(execution_id)
    assert stored is not None
    assert stored.row.status == "failed"
    assert stored.row.error is not None
    assert orjson.loads(stored.row.error)["message"].startswith("The execution cannot be resumed. ")
    await halt(engine)


async def test_a_retry_takes_over_what_was_done(lab: Lab) -> None:
    document = doc(("Start", "webhook"), ("A", "effect"), ("B", "pass"), ("Bad", "fail"))
    workflow = await lab.save(document)
    engine = lab.engine()
    first = engine.submit(request(workflow))
    await ended(first)
    stored = await lab.store.execution(first.id)
    assert stored is not None
    lab.ran.clear()
    second = engine.submit(request(workflow, mode="retry", retry_of=first.id, replay=stored.steps))
    assert (await ended(second)).status == "failed"
    assert lab.ran == ["Bad"]
    again = await lab.records(second.id)
    assert [(record["node"], record["index"]) for record in again] == [("Start", 0), ("A", 1), ("B", 2), ("Bad", 3)]
    assert again[1:3] == [{**one, "reused": True} for one in (await lab.records(first.id))[1:3]]


async def test_a_retry_of_another_workflow_runs_from_where_it_differs(lab: Lab) -> None:
    engine = lab.engine()
    first = engine.submit(request(await lab.save(doc(("Start", "webhook"), ("A", "effect"), ("B", "pass")))))
    await ended(first)
    stored = await lab.store.execution(first.id)
    assert stored is not None
    lab.ran.clear()
    other = await lab.save(doc(("Start", "webhook"), ("A", "effect"), ("New", "pass"), ("B", "pass")))
    await ended(engine.submit(request(other, mode="retry", replay=stored.steps)))
    assert lab.ran == ["New", "B"]


async def test_an_execution_that_ends_early_does_so_after_a_restart_and_when_repeated(lab: Lab) -> None:
    from jackfield_workflows.history.retries import original_input

    workflow = await lab.save(
        doc(("A", "pass"), ("B", "wait", {"parameters": {"until": 10**15}}), ("C", "pass"), ("D", "pass"))
    )
    engine = lab.engine()
    execution = engine.submit(request(workflow, until="C"))
    await until(lambda: "B" in lab.ran)
    await asyncio.shield(execution.accepted)
    await engine.drain(0)
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    assert original_input(stored).until == "C"
    again = await request_of(lab.context(), stored)
    assert again.until == "C"
    lab.ran.clear()
    assert (await ended(lab.engine().submit(replace(again, start="B", replay=())))).last_node == "C"
    assert lab.ran == ["C"]
