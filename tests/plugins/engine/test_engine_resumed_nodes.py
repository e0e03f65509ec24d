"""Nodes that run again after a wait (`Suspend.state`): with their state and what the call has brought."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Lab, doc, ended, request
from power_lab import halt

from jackfield.api.engine import ExecutionRequest
from jackfield.api.errors import Conflict
from jackfield.api.history import node_records
from jackfield.api.nodes import NodeResult, NodeRun, Suspend

CALLED: Any = [{"json": {"said": 1}}]


async def twice(run: NodeRun) -> NodeResult:
    """Waits for two calls, and gives what they have brought."""
    resumed = run.resumed
    heard: Any = [] if resumed is None else [*resumed.state["heard"], resumed.items and resumed.items[0]["json"]]  # type: ignore[misc]  # its own list
    if len(heard) == 2:
        return [[{"json": {"heard": heard}}]]
    limit = run.node.parameters.get("until")
    until = limit if isinstance(limit, int) else None
    return Suspend(until, [run.items], {"number": len(heard)}, {"heard": heard})


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    made = Lab(tmp_path)
    made.kind("twice", twice)
    return made


def chain(**parameters: Any) -> Any:
    return doc(("In", "webhook"), ("Twice", "twice", {"parameters": parameters}), ("After", "pass"))


async def at_rest(lab: Lab, ident: str, chunks: int = 0) -> int:
    """Until it waits, with more chunks than before; how many there are."""
    for _ in range(500):
        stored = await lab.store.execution(ident)
        if stored is not None and stored.row.status == "waiting" and len(stored.steps) > chunks:
            return len(stored.steps)
        await asyncio.sleep(0)
    raise AssertionError("it does not wait")


async def test_it_goes_on_with_its_state_in_a_later_process_too(lab: Lab) -> None:
    engine = lab.engine()
    ident = engine.submit(request(await lab.save(chain()))).id
    chunks = await at_rest(lab, ident)
    first = await engine.waiting(ident)
    await engine.resume(first, CALLED)
    await at_rest(lab, ident, chunks)
    with pytest.raises(Conflict):  # the same node run waits for another call
        await engine.resume(first, CALLED)
    later = lab.engine()
    await later.recover()
    assert (await later.waiting(ident)).call == {"number": 1}
    outcome = await ended(await later.resume(await later.waiting(ident), CALLED))
    assert outcome.items[0]["json"] == {"heard": [{"said": 1}, {"said": 1}]}
    assert lab.ran == ["Twice", "Twice", "Twice", "After"]
    stored = await lab.store.execution(ident)
    assert stored is not None
    assert not any("suspended" in one for one in node_records(stored.steps))


async def test_at_the_time_limit_it_goes_on_without_a_call(lab: Lab) -> None:
    engine = lab.engine()
    await engine.recover()
    document = chain(until=lab.clock.now_ms() + 40_000)
    ident = engine.submit(request(await lab.save(document))).id
    await at_rest(lab, ident)
    await lab.clock.advance(120)
    outcome = await engine.result(ident, 5)
    assert outcome.items[0]["json"] == {"heard": [None, None]}


async def test_a_call_that_is_stored_is_heard_after_a_crash(lab: Lab) -> None:
    engine = lab.engine()
    ident = engine.submit(request(await lab.save(chain()))).id
    chunks = await at_rest(lab, ident)

    async def crash(stored: Any, kept: Any) -> Any:
        raise asyncio.CancelledError

    engine._backlog.take = crash  # type: ignore[method-assign]  # the process ends between the store and the run
    with pytest.raises(asyncio.CancelledError):
        await engine.resume(await engine.waiting(ident), CALLED)
    later = lab.engine()
    await later.recover()
    await at_rest(lab, ident, chunks)
    assert (await later.waiting(ident)).call == {"number": 1}


async def test_another_execution_begins_it_anew(lab: Lab) -> None:
    engine = lab.engine()
    workflow = await lab.save(chain())
    ident = engine.submit(request(workflow)).id
    await at_rest(lab, ident)
    await engine.cancel(ident)
    stored = await lab.store.execution(ident)
    assert stored is not None
    retry = ExecutionRequest(workflow=workflow, mode="retry", start="In", items=[{"json": {}}], replay=stored.steps)
    again = engine.submit(retry).id
    await at_rest(lab, again)
    assert (await engine.waiting(again)).call == {"number": 0}
    assert lab.ran == ["Twice", "Twice"]


async def test_what_it_does_after_a_wait_is_told_from_before_and_found_after_a_crash(lab: Lab) -> None:
    keys: list[str] = []
    held = asyncio.Event()

    async def act(run: NodeRun) -> NodeResult:
        keys.append(run.idempotency_key(0))
        found = await run.run_workflow(str(run.node.parameters["workflow"]), run.items)
        if run.resumed is None:
            return Suspend(None, [run.items], {"number": 0}, {"heard": []})
        if len(keys) == 2:
            held.set()
            await asyncio.get_running_loop().create_future()
        return [found]

    lab.kind("parent", act, effect=True)
    sub = await lab.save(doc(("Sub", "executeWorkflowTrigger"), ("Inside", "pass")))
    engine = lab.engine()
    parameters = {"parameters": {"workflow": sub.id}}
    workflow = await lab.save(doc(("In", "webhook"), ("P", "parent", parameters)))
    ident = engine.submit(request(workflow)).id
    await at_rest(lab, ident)
    await engine.resume(await engine.waiting(ident), CALLED)
    await asyncio.wait_for(held.wait(), 10)
    await halt(engine)
    later = lab.engine()
    await later.recover()
    assert (await later.result(ident, 10)).status == "success"
    before, after, repeated = keys
    assert before != after == repeated
    assert lab.ran.count("Inside") == 2, "once before the wait, and once after it"
