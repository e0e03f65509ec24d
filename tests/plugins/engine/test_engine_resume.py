"""What a crash leaves, and what the next process makes of it: the power goes off at every write to the store."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from engine_lab import Kind, Lab, doc, ended, request, until

from jackfield.api.engine import Failure, Outcome
from jackfield.api.errors import DataDamaged
from jackfield.api.history import node_records
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeResult, NodeRun
from jackfield.api.records import replace
from jackfield.api.storage import ExecutionFilter, NewCall, NewExecution, StoredExecution
from jackfield.api.workflows import Outputs, Workflow
from jackfield.testing.store import MemoryStore
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.lifecycle.resuming import request_of
from jackfield_engine.run.marks import resumes
from jackfield_engine.run.state import RunEvent
from jackfield_engine.run.stored_form import LEFT, resumed_mark
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared.begun import FILE

WRITES = frozenset(("add_execution", "append_steps", "set_running", "set_waiting", "finish_execution", "update_call"))


class PowerCut:
    """A store whose writes reach the disk up to a number; from then on nothing answers any more. done: whether the last
    write is on the disk although nobody was told."""

    def __init__(self, store: MemoryStore, writes: int, done: bool) -> None:
        self._store = store
        self._left = writes
        self._done = done
        self.off = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if name in WRITES:
            return lambda *args: self._write(found, *args)
        return found

    def _write(self, verb: Callable[..., asyncio.Future[None]], *args: object) -> asyncio.Future[None]:
        if not self.off:
            if self._left:
                self._left -= 1
                return verb(*args)
            self.off = True
            if self._done:
                verb(*args)
        return asyncio.get_running_loop().create_future()


class Machine:
    """A lab whose nodes stand still once the power is off. effects: how often each node had its effect."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.power: PowerCut | None = None
        self.effects: Counter[str] = Counter()
        for kind in list(lab.kinds.values()):
            assert isinstance(kind, Kind)
            kind.act = self._powered(kind.act, kind.effect)

    def _powered(self, act: Callable[[NodeRun], Any], effect: bool) -> Callable[[NodeRun], Any]:
        async def run(run: NodeRun) -> NodeResult:
            if self.power is not None and self.power.off:
                await asyncio.get_running_loop().create_future()
            if effect:
                self.effects[run.node.name] += 1
            result: NodeResult = await act(run)
            return result

        return run

    async def cut(self, workflow: Workflow, writes: int, done: bool, **more: Any) -> str:
        """Run until the power goes off."""
        assert isinstance(self.lab.store, MemoryStore)
        self.power = PowerCut(self.lab.store, writes, done)
        engine = self.lab.engine(self.power)  # type: ignore[arg-type]
        execution = engine.submit(request(workflow, **more))
        for _ in range(60):
            await asyncio.sleep(0)
            if self.power.off:
                break
            await self.lab.clock.advance(1)
        await asyncio.sleep(0)
        await halt(engine)
        return execution.id

    async def resume(self, execution_id: str) -> Outcome | None:
        """A new process goes on with it; None when it knows nothing of it."""
        self.power = None
        engine = self.lab.engine()
        await engine.recover()
        if await self.lab.store.execution(execution_id) is None:
            await halt(engine)
            return None
        result = asyncio.create_task(engine.result(execution_id, 5))
        for _ in range(300):
            if result.done():
                break
            await self.lab.clock.advance(1)
        outcome = await result
        for _ in range(20):
            await asyncio.sleep(0)
        assert engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}
        await halt(engine)
        return outcome


async def halt(engine: EmbeddedEngine) -> None:
    """The process is gone: its tasks never go on."""
    engine.services.timers.close()
    mine = asyncio.current_task()
    tasks = [task for task in asyncio.all_tasks() if task is not mine]
    for run in list(engine.live.runs.values()):
        run.disk.leave = lambda: None  # type: ignore[method-assign]
        run.move(RunEvent.LEAVE)
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)


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


async def count(run: NodeRun) -> Outputs:
    run.context["n"] = int(run.context.get("n", 0)) + 1  # type: ignore[arg-type]
    return [[{"json": {"n": run.context["n"]}} for _ in run.items]]


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


# --------------------------------------------------------------------------------- executions that crash the daemon


async def crash(lab: Lab, execution_id: str) -> str:
    """A process that takes up what is open and is gone while the node `Deadly` runs; the execution's status then."""
    deaths = lab.ran.count("Deadly")
    engine = lab.engine()
    await engine.recover()
    for _ in range(100):
        await asyncio.sleep(0)
        if lab.ran.count("Deadly") > deaths:
            break
    await halt(engine)
    await lab.clock.advance(1)
    return await lab.status(execution_id)


async def put_off(lab: Lab, seconds: float) -> None:
    """A process that takes up what is open, lives so long, and is gone."""
    engine = lab.engine()
    await engine.recover()
    for _ in range(100):
        await asyncio.sleep(0)
    await lab.clock.advance(seconds)
    for _ in range(100):
        await asyncio.sleep(0)
    await halt(engine)


async def stuck(run: NodeRun) -> Outputs:
    await asyncio.get_running_loop().create_future()
    raise AssertionError("the process is gone")


@pytest.mark.parametrize("effect", [False, True])
@pytest.mark.parametrize("before", ["pass", "effect"])
async def test_an_execution_that_crashes_the_daemon_is_given_up(lab: Lab, before: str, effect: bool) -> None:
    lab.kind("deadly", stuck, effect=effect)
    lab.settings = ExecutionsSettings(max_resumes=2, resume_backoff=0)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", before), ("Deadly", "deadly")))
    engine = lab.engine()
    call = NewCall("call-1", "hook-1", 0, "POST", b"{}", "")
    execution = engine.submit(request(workflow, call=call))
    await until(lambda: "Deadly" in lab.ran)
    await halt(engine)
    assert [await crash(lab, execution.id) for _ in range(3)] == ["running", "running", "failed"]
    assert lab.ran.count("Deadly") == 3
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    assert stored.row.error is not None
    message = orjson.loads(stored.row.error)["message"]
    assert "It was resumed 2 times in a row, and each time the daemon ended unexpectedly" in message
    assert "executions.max_resumes" in message
    assert stored.call_status == "failed"


async def test_a_child_that_crashes_the_daemon_is_given_up_in_its_parents_place(lab: Lab) -> None:
    lab.kind("deadly", stuck, effect=True)
    lab.settings = ExecutionsSettings(max_resumes=2, resume_backoff=0)
    child = await lab.save(doc(("In", "executeWorkflowTrigger"), ("Deadly", "deadly")))
    call = {"parameters": {"workflow": child.id}, "onError": "continueRegularOutput"}
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", call), ("After", "pass")))
    engine = lab.engine()
    execution = engine.submit(request(workflow))
    await until(lambda: "Deadly" in lab.ran)
    await halt(engine)
    assert [await crash(lab, execution.id) for _ in range(3)] == ["running", "running", "success"]
    assert lab.ran.count("Deadly") == 3
    error = (await lab.records(execution.id))[1]["error"]["message"]
    assert "It was resumed 2 times in a row" in error
    assert lab.ran[-1] == "After"


async def test_a_child_that_crashes_the_daemon_before_it_is_stored_counts_for_its_parent(lab: Lab) -> None:
    lab.kind("deadly", stuck)
    lab.settings = ExecutionsSettings(max_resumes=2, resume_backoff=0)
    child = await lab.save(doc(("In", "executeWorkflowTrigger"), ("Deadly", "deadly")))
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", {"parameters": {"workflow": child.id}})))
    engine = lab.engine()
    execution = engine.submit(request(workflow))
    await until(lambda: "Deadly" in lab.ran)
    await halt(engine)
    assert [await crash(lab, execution.id) for _ in range(3)] == ["running", "running", "failed"]
    assert lab.ran.count("Deadly") == 3


async def test_progress_between_crashes_counts_anew(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(max_resumes=1, resume_backoff=0)
    lab.kind("deadly", stuck)
    names = [(f"E{number}", "effect") for number in range(4)]
    workflow = await lab.save(doc(("Start", "webhook"), *names, ("Deadly", "deadly")))
    machine = Machine(lab)
    execution_id = await machine.cut(workflow, 1, False)
    for _ in range(3):
        machine.power = PowerCut(lab.store, 2, False)  # type: ignore[arg-type]
        engine = lab.engine(machine.power)  # type: ignore[arg-type]
        await engine.recover()
        await until(lambda: machine.power is not None and machine.power.off)
        await halt(engine)
        await lab.clock.advance(1)
        assert await lab.status(execution_id) == "running"
    machine.power = None
    assert [await crash(lab, execution_id) for _ in range(3)] == ["running", "running", "failed"]


async def test_only_lives_count_in_which_a_node_of_the_execution_began(lab: Lab) -> None:
    """The power goes off right behind the mark, again and again; the execution has run nothing then."""
    lab.settings = ExecutionsSettings(max_resumes=2)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "effect")))
    machine = Machine(lab)
    execution_id = await machine.cut(workflow, 1, False)
    lab.ran.clear()
    for _ in range(6):
        machine.power = PowerCut(lab.store, 0, True)  # type: ignore[arg-type]
        engine = lab.engine(machine.power)  # type: ignore[arg-type]
        await engine.recover()
        await until(lambda: machine.power is not None and machine.power.off)
        await halt(engine)
        await lab.clock.advance(1)
    stored = await lab.store.execution(execution_id)
    assert stored is not None
    marks = [mark for chunk in stored.steps for mark in orjson.loads(chunk) if mark.get("mark") == "resumed"]
    assert len({mark["life"] for mark in marks}) == 6
    assert not lab.ran
    outcome = await machine.resume(execution_id)
    assert outcome is not None
    assert outcome.status == "success"
    assert lab.ran == ["A"]


async def test_a_resume_is_put_off_longer_each_time(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(resume_backoff=10, resume_backoff_max=20, concurrency=1)
    lab.kind("deadly", stuck)
    workflow = await lab.save(doc(("Start", "webhook"), ("Deadly", "deadly")))
    engine = lab.engine()
    execution = engine.submit(request(workflow))
    await until(lambda: "Deadly" in lab.ran)
    await halt(engine)
    await lab.clock.advance(1)
    lab.ran.clear()
    await put_off(lab, 0)
    assert lab.ran == ["Deadly"], "the first resume is not put off"
    for _ in range(40):
        await put_off(lab, 4)
    assert lab.ran == ["Deadly"], "lives in which it was put off do not count, however many"
    other = await lab.save(doc(("Start", "webhook"), ("Other", "pass")))
    engine = lab.engine()
    await engine.recover()
    await lab.clock.advance(4)
    assert await ended(engine.submit(request(other)))
    await halt(engine)
    await put_off(lab, 15)
    await put_off(lab, 9)
    assert lab.ran == ["Deadly", "Other", "Deadly"]
    for _ in range(5):
        await put_off(lab, 30)
    assert lab.ran.count("Deadly") == 7
    assert await lab.status(execution.id) == "running"


async def test_a_child_is_put_off_in_its_parents_place_and_the_slot_is_for_others(lab: Lab) -> None:
    lab.settings = ExecutionsSettings(resume_backoff=10, concurrency=1)
    calm = asyncio.Event()

    async def sometimes(run: NodeRun) -> Outputs:
        return [run.items] if calm.is_set() else await stuck(run)

    lab.kind("deadly", sometimes, effect=True)
    child = await lab.save(doc(("In", "executeWorkflowTrigger"), ("Deadly", "deadly")))
    call = {"parameters": {"workflow": child.id}}
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", call)))
    other = await lab.save(doc(("Start", "webhook"), ("Other", "pass")))
    engine = lab.engine()
    execution = engine.submit(request(workflow))
    await until(lambda: "Deadly" in lab.ran)
    await halt(engine)
    assert await crash(lab, execution.id) == "running"
    calm.set()
    engine = lab.engine()
    await engine.recover()
    await lab.clock.advance(4)
    assert lab.ran.count("Deadly") == 2
    engine.submit(request(other))
    await until(lambda: "Other" in lab.ran)
    await lab.clock.advance(12)
    for _ in range(50):
        await asyncio.sleep(0)
    assert await lab.status(execution.id) == "success"
    assert lab.ran.count("Deadly") == 3
    assert engine.state() == {"running": 0, "queued": 0, "waiting": 0, "unsaved": 0}
    await halt(engine)


async def test_marks_of_earlier_versions_count(lab: Lab) -> None:
    old = b'[{"mark":"resumed"}]'
    mine = resumed_mark("mine", "me")
    began = {"mine"}.__contains__
    assert resumes([b"[]", old, old], "me", began) == 2
    assert resumes([old, LEFT, mine, mine, resumed_mark("other", "me")], "me", began) == 1
    assert resumes([], "me", began) == 0


async def test_marks_of_other_daemons_count(lab: Lab) -> None:
    """What they noted is not here."""
    marks = [resumed_mark(life, "other") for life in ("1", "2", "2")]
    assert resumes([LEFT, *marks, resumed_mark("3", "me")], "me", {"3"}.__contains__) == 3
    assert resumes([LEFT, *marks], "other", set[str]().__contains__) == 0


async def test_notes_of_what_is_over_are_forgotten(lab: Lab) -> None:
    lab.kind("deadly", stuck)
    workflow = await lab.save(doc(("Start", "webhook"), ("Deadly", "deadly")))
    engine = lab.engine()
    execution = engine.submit(request(workflow))
    await until(lambda: "Deadly" in lab.ran)
    await halt(engine)
    await crash(lab, execution.id)
    notes = lab.path / FILE
    assert notes.read_text().split()[1] == execution.id
    assert notes.stat().st_mode & 0o777 == 0o600
    engine = lab.engine()
    await engine.cancel(execution.id)
    await engine.recover()
    assert notes.read_text() == ""
    await halt(engine)


async def test_notes_that_cannot_be_written_hold_nothing_up(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    (lab.path / FILE).mkdir()
    machine = Machine(lab)
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "effect")))
    execution_id = await machine.cut(workflow, 1, False)
    outcome = await machine.resume(execution_id)
    assert outcome is not None
    assert outcome.status == "success"
    assert sum("crashes are counted for no execution" in line for line in caplog.messages) == 1


@pytest.mark.parametrize(("inside", "status"), [("slow", "running"), ("wait", "success")])
async def test_stops_and_waits_are_no_crashes(lab: Lab, inside: str, status: str) -> None:
    """A parent whose child goes through stops and long waits gets no further itself."""
    lab.settings = ExecutionsSettings(max_resumes=1, resume_backoff=0)
    lab.kind("slow", stuck)
    moments = [lab.clock.now_ms() + number * 900_000 for number in range(1, 5)]
    nodes = [(f"N{moment}", inside, {"parameters": {"until": moment}}) for moment in moments]
    child = await lab.save(doc(("In", "executeWorkflowTrigger"), *nodes))
    call = {"parameters": {"workflow": child.id}}
    workflow = await lab.save(doc(("Start", "webhook"), ("Call", "call", call)))
    engine = lab.engine()
    execution = engine.submit(request(workflow))
    for _ in range(4):
        for _ in range(100):
            await asyncio.sleep(0)
        stopping = asyncio.create_task(engine.drain(0))
        await lab.clock.advance(5)
        await stopping
        engine = lab.engine()
        await engine.recover()
        for _ in range(31):
            await lab.clock.advance(30)
    assert await lab.status(execution.id) == status
    await halt(engine)


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
