"""Executions that crash the daemon: how often they are resumed, when, and what counts as a crash."""

from __future__ import annotations

import asyncio

import orjson
import pytest
from engine_lab import Lab, doc, ended, request, until
from power_lab import Machine, PowerCut, halt

from jackfield.api.nodes import NodeRun
from jackfield.api.storage import NewCall
from jackfield.api.workflows import Outputs
from jackfield_engine.run.marks import resumes
from jackfield_engine.run.stored_form import LEFT, resumed_mark
from jackfield_engine.settings import ExecutionsSettings
from jackfield_engine.shared.begun import FILE


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
