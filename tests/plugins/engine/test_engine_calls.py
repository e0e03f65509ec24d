"""Executions that wait for a call: exactly one call wakes them, durably, in this process or a later one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Lab, doc, ended, request, until

from jackfield.api.errors import Conflict, NotFound, StoreUnavailable
from jackfield.api.nodes import NodeAnswer, NodeResult, NodeRun, Suspend
from jackfield_engine.engine import EmbeddedEngine

DAY_MS = 86_400_000
CALLED: Any = [{"json": {"approved": True}}]


async def hooked(run: NodeRun) -> NodeResult:
    limit = run.node.parameters.get("until")
    return Suspend(limit if isinstance(limit, int) else None, [run.items], {"path": run.node.name})


async def answering(run: NodeRun) -> NodeResult:
    run.answer(NodeAnswer(201, (), run.node.name.encode()))
    return [run.items]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    made = Lab(tmp_path)
    made.kind("hook", hooked)
    made.kind("answer", answering)
    return made


CHAIN = doc(("In", "webhook"), ("Before", "effect"), ("Hook", "hook"), ("After", "pass"))


async def waiting(lab: Lab, engine: EmbeddedEngine, document: Any = CHAIN) -> str:
    execution = engine.submit(request(await lab.save(document)))
    await at_rest(lab, execution.id)
    return execution.id


async def at_rest(lab: Lab, execution_id: str) -> None:
    for _ in range(500):
        stored = await lab.store.execution(execution_id)
        if stored is not None and stored.row.status == "waiting":
            return
        await asyncio.sleep(0)
    raise AssertionError("it does not wait")


async def test_a_call_is_the_nodes_output(lab: Lab) -> None:
    engine = lab.engine()
    ident = await waiting(lab, engine)
    found = await engine.waiting(ident)
    assert (found.node.name, found.call, found.mode, found.start) == ("Hook", {"path": "Hook"}, "webhook", "In")
    outcome = await ended(await engine.resume(found, CALLED))
    assert (outcome.status, outcome.last_node) == ("success", "After")
    assert [item["json"] for item in outcome.items] == [{"approved": True}]
    assert lab.ran == ["Before", "Hook", "After"]
    hook = (await lab.records(ident))[2]
    assert hook["node"] == "Hook"
    assert hook["outputs"] == [[{"json": {"approved": True}, "pairedItem": {"item": 0}}]]  # type: ignore[typeddict-item]


async def test_of_two_calls_one_wins(lab: Lab) -> None:
    engine = lab.engine()
    found = await engine.waiting(await waiting(lab, engine))
    results = await asyncio.gather(engine.resume(found, CALLED), engine.resume(found, CALLED), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["Conflict", "Handle"]
    await until(lambda: lab.ran.count("After") == 1)
    with pytest.raises(Conflict):
        await engine.resume(found, CALLED)
    assert lab.ran.count("After") == 1


async def test_a_call_before_the_wait_is_refused(lab: Lab) -> None:
    gate = asyncio.Event()

    async def held(run: NodeRun) -> NodeResult:
        await gate.wait()
        return [run.items]

    lab.kind("held", held)
    engine = lab.engine()
    execution = engine.submit(request(await lab.save(doc(("In", "webhook"), ("Held", "held"), ("Hook", "hook")))))
    await until(lambda: lab.ran == ["Held"])
    with pytest.raises(Conflict, match="is running"):
        await engine.waiting(execution.id)
    gate.set()
    await at_rest(lab, execution.id)
    assert (await engine.waiting(execution.id)).node.name == "Hook"


async def test_unknown_ended_and_timed_executions(lab: Lab) -> None:
    engine = lab.engine()
    with pytest.raises(NotFound):
        await engine.waiting("019a0000-0000-7000-8000-000000000000")
    ident = await waiting(lab, engine)
    await ended(await engine.resume(await engine.waiting(ident), CALLED))
    with pytest.raises(Conflict, match="any more"):
        await engine.waiting(ident)
    timed = doc(("In", "webhook"), ("W", "wait", {"parameters": {"until": lab.clock.now_ms() + DAY_MS}}))
    with pytest.raises(Conflict, match="waits for a time"):
        await engine.waiting(await waiting(lab, engine, timed))


async def test_a_wait_survives_the_process(lab: Lab) -> None:
    ident = await waiting(lab, lab.engine())
    engine = lab.engine()
    await engine.recover()
    outcome = await ended(await engine.resume(await engine.waiting(ident), CALLED))
    assert outcome.status == "success"
    assert lab.ran == ["Before", "Hook", "After"]  # nothing ran twice


async def test_a_call_that_is_stored_survives_the_process(lab: Lab) -> None:
    engine = lab.engine()
    ident = await waiting(lab, engine)
    found = await engine.waiting(ident)

    async def crash(stored: Any, kept: Any) -> Any:
        raise asyncio.CancelledError

    engine._backlog.take = crash  # type: ignore[method-assign]  # the process ends between the store and the run
    with pytest.raises(asyncio.CancelledError):
        await engine.resume(found, CALLED)
    later = lab.engine()
    await later.recover()
    outcome = await later.result(ident, 5)
    assert [item["json"] for item in outcome.items] == [{"approved": True}]
    assert lab.ran == ["Before", "Hook", "After"]


async def test_a_call_that_cannot_be_stored_changes_nothing(lab: Lab) -> None:
    engine = lab.engine()
    found = await engine.waiting(await waiting(lab, engine))
    lab.store.fail_with = StoreUnavailable("disk full")  # type: ignore[attr-defined]
    with pytest.raises(StoreUnavailable):
        await engine.resume(found, CALLED)
    lab.store.fail_with = None  # type: ignore[attr-defined]
    assert (await ended(await engine.resume(found, CALLED))).status == "success"


async def test_a_run_that_cannot_be_read_after_its_call_is_taken_up_later(lab: Lab) -> None:
    engine = lab.engine()
    ident = await waiting(lab, engine)
    found = await engine.waiting(ident)
    store: Any = lab.store
    end_wait = store.end_wait

    async def then_fails(*given: Any) -> bool:
        done: bool = await end_wait(*given)
        store.fail_with = StoreUnavailable("gone")
        return done

    store.end_wait = then_fails
    execution = await engine.resume(found, CALLED)
    store.fail_with = None
    await lab.clock.advance(2)
    assert (await ended(execution)).status == "success"


async def test_a_caller_that_goes_away_leaves_its_call(lab: Lab) -> None:
    engine = lab.engine()
    ident = await waiting(lab, engine)
    task = asyncio.create_task(engine.resume(await engine.waiting(ident), CALLED))
    await asyncio.sleep(0)
    task.cancel()
    await until(lambda: "After" in lab.ran)


async def test_at_the_time_limit_the_items_go_on(lab: Lab) -> None:
    limited = doc(
        ("In", "webhook"), ("Hook", "hook", {"parameters": {"until": lab.clock.now_ms() + 10_000}}), ("After", "pass")
    )
    engine = lab.engine()
    await engine.recover()
    ident = await waiting(lab, engine, limited)
    await lab.clock.advance(60)
    outcome = await engine.result(ident, 5)
    assert [item["json"] for item in outcome.items] == [{"n": 1}]
    with pytest.raises(Conflict):
        await engine.waiting(ident)


async def test_a_call_before_the_time_limit_wins(lab: Lab) -> None:
    limited = doc(
        ("In", "webhook"), ("Hook", "hook", {"parameters": {"until": lab.clock.now_ms() + 40_000}}), ("After", "pass")
    )
    engine = lab.engine()
    await engine.recover()
    ident = await waiting(lab, engine, limited)
    await lab.clock.advance(31)  # by now the poller holds it in memory
    outcome = await ended(await engine.resume(await engine.waiting(ident), CALLED))
    await lab.clock.advance(60)
    assert [item["json"] for item in outcome.items] == [{"approved": True}]
    assert lab.ran == ["Hook", "After"]


async def test_without_a_limit_nothing_but_a_call_wakes_it(lab: Lab) -> None:
    engine = lab.engine()
    await engine.recover()
    ident = await waiting(lab, engine)
    await lab.clock.advance(10 * 86_400)
    assert await lab.status(ident) == "waiting"
    await engine.cancel(ident)
    with pytest.raises(Conflict):
        await engine.waiting(ident)


async def test_two_waits_in_a_row_are_two_calls(lab: Lab) -> None:
    engine = lab.engine()
    ident = await waiting(lab, engine, doc(("In", "webhook"), ("One", "hook"), ("Two", "hook"), ("End", "pass")))
    first = await engine.waiting(ident)
    await engine.resume(first, CALLED)
    await at_rest(lab, ident)
    second = await engine.waiting(ident)
    assert (first.node.name, second.node.name) == ("One", "Two")
    with pytest.raises(Conflict):
        await engine.resume(first, CALLED)  # a caller that was checked for the first wait
    assert (await ended(await engine.resume(second, CALLED))).status == "success"


async def test_each_caller_gets_its_own_answer(lab: Lab) -> None:
    engine = lab.engine()
    document = doc(("In", "webhook"), ("First", "answer"), ("Hook", "hook"), ("Second", "answer"))
    execution = engine.submit(request(await lab.save(document)))
    await at_rest(lab, execution.id)
    first = execution.answer.result()
    called = await engine.resume(await engine.waiting(execution.id), CALLED)
    await ended(called)
    second = called.answer.result()
    assert (first and first.body, second and second.body) == (b"First", b"Second")


async def test_a_parent_waits_for_the_call_of_its_child_and_gives_its_slot_away(lab: Lab) -> None:
    child = await lab.save(doc(("Sub", "executeWorkflowTrigger"), ("Hook", "hook")))
    parent = doc(("In", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}}), ("After", "pass"))
    engine = lab.engine()
    execution = engine.submit(request(await lab.save(parent)))
    await until(lambda: "Hook" in lab.ran)
    for _ in range(20):
        await asyncio.sleep(0)
    assert engine.state()["running"] == 0
    (ident,) = await lab.store.open_executions(statuses=("waiting",), after=None, limit=9)
    await engine.resume(await engine.waiting(ident), CALLED)
    outcome = await ended(execution)
    assert [item["json"] for item in outcome.items] == [{"approved": True}]


async def test_the_parent_of_a_waiting_child_finds_it_after_a_restart(lab: Lab) -> None:
    child = await lab.save(doc(("Sub", "executeWorkflowTrigger"), ("Hook", "hook")))
    parent = doc(("In", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}}), ("After", "pass"))
    execution = lab.engine().submit(request(await lab.save(parent)))
    await until(lambda: "Hook" in lab.ran)
    for _ in range(20):
        await asyncio.sleep(0)
    engine = lab.engine()
    await engine.recover()
    await until(lambda: lab.ran.count("Call") == 2)
    for _ in range(20):
        await asyncio.sleep(0)
    assert engine.state()["running"] == 0
    (ident,) = await lab.store.open_executions(statuses=("waiting",), after=None, limit=9)
    await engine.resume(await engine.waiting(ident), CALLED)
    outcome = await engine.result(execution.id, 5)
    assert [item["json"] for item in outcome.items] == [{"approved": True}]


async def test_a_large_file_of_a_call_is_kept_outside_of_its_item(lab: Lab) -> None:
    engine = lab.engine()
    ident = await waiting(lab, engine)
    file = {"data": "QUJD" * 50_000, "mimeType": "text/plain", "fileName": "a.txt"}
    await ended(await engine.resume(await engine.waiting(ident), [{"json": {}, "binary": {"f": file}}]))  # type: ignore[typeddict-item]
    (kept,) = (await lab.records(ident))[2]["outputs"][0]
    assert kept["binary"]["f"].get("id")
    assert not kept["binary"]["f"]["data"]


async def test_a_wait_for_nothing_is_the_nodes_mistake(lab: Lab) -> None:
    async def forever(run: NodeRun) -> NodeResult:
        return Suspend(None, [run.items])

    lab.kind("forever", forever)
    workflow = await lab.save(doc(("In", "webhook"), ("Ever", "forever")))
    outcome = await ended(lab.engine().submit(request(workflow)))
    assert outcome.failure is not None
    assert "waits for nothing" in outcome.failure.message
