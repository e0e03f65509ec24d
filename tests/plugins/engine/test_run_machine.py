"""Executions driven at random: submitted, cancelled, called, left alone, with a store that fails, hangs, and loses its
power at any transition of any execution. What the store took on comes to an end, and nothing stored runs again."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Lab, doc, pass_on, request
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.history import node_records
from jackfield.api.nodes import NodeError, NodeResult, NodeRun, Suspend
from jackfield.api.storage import ExecutionFilter
from jackfield.api.workflows import Document, Outputs, Workflow
from jackfield.testing.store import MemoryStore
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.run.state import RunEvent, RunState
from jackfield_engine.settings import ExecutionsSettings

WRITES = frozenset(
    ("add_execution", "append_steps", "set_running", "set_waiting", "finish_execution", "update_call", "end_wait")
)
WITHOUT_TASK = {RunState.ACCEPTING, RunState.QUEUED, RunState.WAITING, RunState.STORING, RunState.UNSAVED}
ENDS = {"success", "failed", "cancelled"}
SOON, LATE = 3_000, 200_000
"""Milliseconds: a wait in memory, and one that the store keeps."""


class Disk:
    """The store of one process. off: nothing is written, and nothing answers any more. held: answers to writes that
    wait until the test lets them go; None: they come at once."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store
        self.off = False
        self.held: list[Callable[[], None]] | None = None

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return partial(self._call, name, found) if callable(found) else found

    def _call(self, name: str, verb: Callable[..., Any], *args: Any, **more: Any) -> Any:
        if self.off:
            return asyncio.get_running_loop().create_future()
        answer = verb(*args, **more)
        if name not in WRITES or self.held is None:
            return answer
        given = asyncio.ensure_future(answer)
        later: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.held.append(partial(given.add_done_callback, partial(pass_on, later)))
        return later

    def answer(self) -> None:
        held, self.held = self.held, None
        for tell in held or ():
            tell()


class World:
    """Processes in a row over one store, with nodes that do what the rules let them."""

    def __init__(self, path: Path) -> None:
        self.lab = Lab(
            path,
            settings=ExecutionsSettings(
                concurrency=2, queue_size=3, wait_in_memory=10, waiting_in_memory=2, poll_interval=5, unsaved_limit=2
            ),
        )
        assert isinstance(self.lab.store, MemoryStore)
        self.store: MemoryStore = self.lab.store
        self.gate = asyncio.Event()
        self.moves = 0
        self.crash_at: int | None = None
        self.patience = PATIENCE
        self.wrong: list[str] = []
        self.handles: list[Any] = []
        self.disk = Disk(self.store)
        self.engine: EmbeddedEngine
        self.workflows: dict[str, Workflow] = {}
        asyncio.get_running_loop().set_exception_handler(self._broken)
        for kind, act in {
            "pass": self._pass, "gate": self._gate, "deaf": self._deaf, "soon": self._soon, "late": self._late,
            "form": self._form, "deaf wait": self._deaf_wait, "call": self._child, "fail": self._fail,
        }.items():  # fmt: skip
            self.lab.kind(kind, act)
        self.lab.kind("effect", self._effect, effect=True)

    def _broken(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is not None and not isinstance(error, StoreUnavailable):
            self.wrong.append(repr(error))

    async def prepare(self) -> None:
        chains = {
            "pure": ["pass", "pass"],
            "mixed": ["effect", "gate", "effect"],
            "soon": ["effect", "soon", "effect"],
            "late": ["effect", "late", "effect"],
            "form": ["effect", "form", "effect"],
            "fails": ["effect", "fail"],
            "deaf": ["deaf", "effect"],
            "gated": ["gate"],
            "checkpoint": ["effect", "gate"],
            "deaf wait": ["deaf wait", "effect"],
        }
        for name, kinds in chains.items():
            nodes = [(f"{place} {kind}", kind) for place, kind in enumerate(kinds)]
            self.workflows[name] = await self.lab.save(doc(("Start", "executeWorkflowTrigger"), *nodes))
        for name, kind in {"timed": "gate", "timed deaf": "deaf", "timed deaf wait": "deaf wait"}.items():
            document = doc(("Start", "webhook"), ("First", kind), ("A", "effect"), executionTimeout=7)
            self.workflows[name] = await self.lab.save(document)
        for child in ("soon", "late", "mixed"):
            self.workflows[f"parent of {child}"] = await self.lab.save(self._parent(child))
        await self.start()

    def _parent(self, child: str) -> Document:
        call = {"parameters": {"workflow": self.workflows[child].id}}
        return doc(("Start", "webhook"), ("Call", "call", call), ("After", "effect"))

    # -- nodes

    async def _on(self) -> None:
        """A node of a process that is gone stands still."""
        if self.disk.off:
            await asyncio.get_running_loop().create_future()

    async def _pass(self, run: NodeRun) -> Outputs:
        await self._on()
        return [run.items]

    async def _effect(self, run: NodeRun) -> Outputs:
        await self._on()
        stored = self.store._runs.get(run.execution.id)
        for record in node_records(stored.steps) if stored is not None else ():
            if record["node"] == run.node.name:
                self.wrong.append(f"{run.node.name} ran again, although its result was stored")
        if stored is None or stored.row.status in ENDS:
            self.wrong.append(f"{run.node.name} had its effect in an execution that the store does not have open")
        return [run.items]

    async def _gate(self, run: NodeRun) -> Outputs:
        await self._on()
        await self.gate.wait()
        return [run.items]

    async def _deaf(self, run: NodeRun) -> Outputs:
        await self._on()
        with contextlib.suppress(asyncio.CancelledError):
            await self.gate.wait()
        return [run.items]

    async def _soon(self, run: NodeRun) -> NodeResult:
        return Suspend(self.lab.clock.now_ms() + SOON, [run.items])

    async def _late(self, run: NodeRun) -> NodeResult:
        return Suspend(self.lab.clock.now_ms() + LATE, [run.items])

    async def _form(self, run: NodeRun) -> NodeResult:
        return Suspend(self.lab.clock.now_ms() + LATE, [run.items], call={"kind": "form"})

    async def _deaf_wait(self, run: NodeRun) -> NodeResult:
        await self._deaf(run)
        return await self._soon(run)

    async def _child(self, run: NodeRun) -> Outputs:
        await self._on()
        return [await run.run_workflow(str(run.node.parameters["workflow"]), run.items)]

    async def _fail(self, run: NodeRun) -> Outputs:
        await self._on()
        raise NodeError("it cannot be done")

    # -- processes

    async def start(self) -> None:
        """A process begins, whose power may go off at any transition."""
        self.disk = Disk(self.store)
        self.engine = self.lab.engine(self.disk)  # type: ignore[arg-type]
        found = self.engine.hooks.table
        for key, (state, effects) in list(found.items()):
            found[key] = (state, (self._moved, *effects, self._moved))
        await self.engine.recover()

    def _moved(self, _: LiveRun) -> None:
        self.moves += 1
        if self.moves == self.crash_at:
            self.disk.off = True

    async def crash(self) -> None:
        """The process is gone: its tasks never go on."""
        self.disk.off = True
        await self._end()
        self.crash_at = None
        self.store.fail_with = None
        await self.start()

    async def restart(self) -> None:
        self.crash_at = None
        await self.engine.drain(0)
        self.store.fail_with = None
        await turns()
        await self._end()
        await self.start()

    async def _end(self) -> None:
        """Nothing of the engine goes on, whatever its tasks are told."""
        self.engine.services.timers.close()
        found = self.engine.hooks.table
        for key, (state, _) in list(found.items()):
            found[key] = (state, ())
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for _ in range(3):  # deaf nodes hear the second time
            for task in tasks:
                task.cancel()
            if tasks:
                _, tasks = await asyncio.wait(tasks, timeout=0.01)

    async def settle(self) -> None:
        await turns(self.patience)
        if self.disk.off:
            await self.crash()
            await turns()

    async def finish(self) -> None:
        """Everything that is open comes to its end."""
        self.patience = PATIENCE
        await self.settle()
        self.gate.set()
        self.crash_at = None
        self.disk.answer()
        self.store.fail_with = None
        for _ in range(60):
            await self.lab.clock.advance(30)
            if not self.engine.live.runs and not await self._open():
                return
        self.wrong.append(f"never ended: {await self._open()}, {[run.state for run in self.live()]}")

    async def _open(self) -> list[str]:
        page = await self.store.executions(ExecutionFilter(), offset=0, limit=1000)
        return [f"{row.id} {row.status}" for row in page.rows if row.status not in ENDS]

    def live(self) -> list[LiveRun]:
        return list(self.engine.live.runs.values())

    # -- what users do

    def submit(self, name: str, durability: str) -> None:
        with contextlib.suppress(JackfieldError):
            self.handles.append(self.engine.submit(request(self.workflows[name], durability=durability)))

    async def cancel(self, place: int) -> None:
        if self.handles:
            await self._away(self.engine.cancel(self.handles[place % len(self.handles)].id))

    async def call(self, place: int) -> None:
        async def called() -> None:
            found = await self.engine.waiting(self.handles[place % len(self.handles)].id)
            await self.engine.resume(found, [{"json": {"called": True}}])

        if self.handles:
            await self._away(called())

    async def _away(self, work: Coroutine[Any, Any, None]) -> None:
        """Somebody whose answer may never come."""

        async def quiet() -> None:
            with contextlib.suppress(JackfieldError):
                await work

        task = asyncio.ensure_future(quiet())
        await turns(self.patience)
        if task.done():
            task.result()

    # -- what always holds

    def check(self) -> None:
        assert not self.wrong, self.wrong
        scheduler, waiting = self.engine._scheduler, self.engine._waiting
        states = {run.id: run.state for run in self.live()}
        for run in self.live():
            assert run.state not in (RunState.READY, RunState.SPILLED, RunState.SUSPENDED, RunState.GONE)
            resting = run.state in WITHOUT_TASK or (run.state is RunState.LEAVING and run.task is None)
            assert resting == (run.task is None), (run.state, run.task)
        assert {run.id for run in scheduler} == {one for one, state in states.items() if state is RunState.QUEUED}
        assert scheduler.accepting == sum(state is RunState.ACCEPTING for state in states.values())
        assert {run.id for run in waiting} == {one for one, state in states.items() if state is RunState.WAITING}
        assert set(self.engine._unsaved._kept) == {one for one, state in states.items() if state is RunState.UNSAVED}
        assert all(run.id in states and run.task is not None for run in scheduler._slots)

    async def check_promises(self) -> None:
        """What callers were told is what the store has."""
        for handle in self.handles:
            if handle.stored.done() and handle.stored.exception() is None:
                assert await self.lab.status(handle.id) == handle.finished.result().status
            elif handle.accepted.done() and handle.accepted.exception() is None:
                assert await self.lab.status(handle.id) in ENDS


PATIENCE = 40
"""Turns of the event loop in which everything comes to rest."""


async def turns(count: int = PATIENCE) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


NAMES = [
    "pure", "gated", "mixed", "checkpoint", "soon", "late", "form", "fails", "deaf", "deaf wait", "timed", "timed deaf",
    "timed deaf wait", "parent of soon", "parent of late", "parent of mixed",
]  # fmt: skip
DURABILITIES = ("accept", "finish")
DEADLINE = 60.0


class Executions(RuleBasedStateMachine):
    """Rules over a `World` in an event loop of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._directory = tempfile.TemporaryDirectory()
        self._runner = asyncio.Runner()
        self.world: World

    @initialize()
    def begin(self) -> None:
        async def made() -> World:
            world = World(Path(self._directory.name))
            await world.prepare()
            return world

        self.world = self._runner.run(made())

    def _do(self, work: Callable[[World], Coroutine[Any, Any, None] | None]) -> None:
        async def done() -> None:
            async with asyncio.timeout(DEADLINE):  # what hangs is to fail, not to hold up every other test
                found = work(self.world)
                if found is not None:
                    await found
                await self.world.settle()

        self._runner.run(done())

    @rule(name=st.sampled_from(NAMES), durability=st.sampled_from(DURABILITIES), count=st.integers(1, 3))
    def submit(self, name: str, durability: str, count: int) -> None:
        def submitted(world: World) -> None:
            for _ in range(count):
                world.submit(name, durability)

        self._do(submitted)

    @rule(place=st.integers(0, 30))
    def cancel(self, place: int) -> None:
        self._do(lambda world: world.cancel(place))

    @rule(name=st.sampled_from(NAMES), durability=st.sampled_from(DURABILITIES))
    def submit_and_cancel(self, name: str, durability: str) -> None:
        self._do(lambda world: (world.submit(name, durability), world.cancel(-1))[1])

    @rule(turns=st.sampled_from((0, 1, 2, 3, 4, 6, 9, PATIENCE)))
    def hurry(self, turns: int) -> None:
        """From here on the rules come while everything is in motion."""
        self.world.patience = turns

    @rule(place=st.integers(0, 30))
    def call(self, place: int) -> None:
        self._do(lambda world: world.call(place))

    @rule(seconds=st.sampled_from((1, 4, 8, 40, 250)))
    def pass_time(self, seconds: int) -> None:
        self._do(lambda world: world.lab.clock.advance(seconds))

    @rule(open_=st.booleans())
    def gate(self, open_: bool) -> None:
        self._do(lambda world: world.gate.set() if open_ else world.gate.clear())

    @rule(fails=st.booleans())
    def fail(self, fails: bool) -> None:
        self._do(lambda world: setattr(world.store, "fail_with", StoreUnavailable() if fails else None))

    @rule(hangs=st.booleans())
    def hang(self, hangs: bool) -> None:
        def done(world: World) -> None:
            if not hangs:
                world.disk.answer()
            elif world.disk.held is None:
                world.disk.held = []

        self._do(done)

    @rule(moves=st.integers(1, 40))
    def crash_soon(self, moves: int) -> None:
        self._do(lambda world: setattr(world, "crash_at", world.moves + moves))

    @rule()
    def crash(self) -> None:
        self._do(lambda world: world.crash())

    @rule()
    def restart(self) -> None:
        self._do(lambda world: world.restart())

    @invariant()
    def consistent(self) -> None:
        if hasattr(self, "world"):
            self.world.check()

    def teardown(self) -> None:
        async def ended() -> None:
            await self.world.finish()
            self.world.check()
            await self.world.check_promises()
            await self.world.restart()

        try:
            if hasattr(self, "world"):
                self._runner.run(ended())
        finally:
            self._runner.close()
            self._directory.cleanup()


Executions.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestExecutions = Executions.TestCase


@pytest.fixture
def world(tmp_path: Path) -> Iterator[tuple[World, asyncio.Runner]]:
    with asyncio.Runner() as runner:

        async def made() -> World:
            found = World(tmp_path)
            await found.prepare()
            return found

        yield runner.run(made()), runner


@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("name", NAMES)
def test_an_execution_ends_wherever_its_process_does(
    world: tuple[World, asyncio.Runner], name: str, durability: str
) -> None:
    """The power goes off before and behind every transition of one execution and its children."""
    found, runner = world

    async def lived(crash_at: int | None) -> int:
        found.gate.clear()
        begun = found.moves
        found.crash_at = None if crash_at is None else begun + crash_at
        found.submit(name, durability)
        await found.settle()
        found.gate.set()
        await found.settle()
        for seconds in (4, 8, 250):
            await found.lab.clock.advance(seconds)
            await found.settle()
        made = found.moves - begun
        await found.finish()
        found.check()
        return made

    async def lives() -> None:
        whole = await lived(None)
        assert whole > 8
        for crash_at in range(1, whole + 1):
            await lived(crash_at)
        await found.check_promises()
        await found.restart()

    runner.run(lives())


def test_the_events_of_a_stop_are_known(world: tuple[World, asyncio.Runner]) -> None:
    found, runner = world

    async def stopped() -> None:
        for name in NAMES:
            for durability in DURABILITIES:
                found.submit(name, durability)
        await turns()
        for run in found.live():
            run.move(RunEvent.LEAVE)
        await turns()
        await found.crash()
        await found.finish()
        found.check()

    runner.run(stopped())
