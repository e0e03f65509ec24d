"""A store and nodes whose power goes off, and daemons that are gone without a word."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

from engine_lab import Kind, Lab, request

from jackfield.api.engine import Outcome
from jackfield.api.nodes import NodeResult, NodeRun
from jackfield.api.workflows import Outputs, Workflow
from jackfield.testing.store import MemoryStore
from jackfield_engine.engine import EmbeddedEngine
from jackfield_engine.run.state import RunEvent

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


async def count(run: NodeRun) -> Outputs:
    run.context["n"] = int(run.context.get("n", 0)) + 1  # type: ignore[arg-type]
    return [[{"json": {"n": run.context["n"]}} for _ in run.items]]
