"""Several daemons for the suite of engines, which share a store.

Each request goes to the next one, as behind a balancer that knows of no stickiness.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from pathlib import Path

from ...api.engine import Engine, Execution, ExecutionRequest, Outcome, WaitingCall
from ...api.storage import CallUpdate
from ...api.workflows import Items
from .engine_bench import Control, EngineBench, opened_bench

_MASTER = {"JACKFIELD_ENCRYPTION_KEY": "a-master-key-that-all-daemons-have"}


class EngineInTurns:
    """`Engine`: that of the next daemon with each call."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = engines
        self._turns = cycle(engines)
        self._taken: dict[str, Engine] = {}
        """The engine that has accepted an execution, and that answers its caller."""
        self.name = engines[0].name

    def submit(self, request: ExecutionRequest) -> Execution:
        engine = next(self._turns)
        execution = engine.submit(request)
        self._taken[execution.id] = engine
        return execution

    def complete_call(self, execution: Execution, update: CallUpdate) -> asyncio.Future[None]:
        return self._taken[execution.id].complete_call(execution, update)

    async def result(self, execution_id: str, timeout: float) -> Outcome:
        return await next(self._turns).result(execution_id, timeout)

    async def waiting(self, execution_id: str) -> WaitingCall:
        return await next(self._turns).waiting(execution_id)

    async def resume(self, waiting: WaitingCall, items: Items | None) -> Execution:
        return await next(self._turns).resume(waiting, items)

    async def cancel(self, execution_id: str) -> None:
        await next(self._turns).cancel(execution_id)

    async def recover(self) -> int:
        return sum([await engine.recover() for engine in self._engines])

    async def drain(self, timeout: float) -> int:
        return sum(await asyncio.gather(*(engine.drain(timeout) for engine in self._engines)))

    def state(self) -> dict[str, int]:
        states = [engine.state() for engine in self._engines]
        return {name: sum(state.get(name, 0) for state in states) for name in states[0]}


@asynccontextmanager
async def opened_fleet(
    directory: Path, settings: Mapping[str, str], control: Control, count: int = 3
) -> AsyncIterator[EngineBench]:
    """That many daemons, each over a separate directory in this one. `settings`: name a store that they can share."""
    async with AsyncExitStack() as stack:
        benches: list[EngineBench] = []
        for number in range(count):
            own = directory / f"daemon{number}"
            own.mkdir(exist_ok=True)
            benches.append(await stack.enter_async_context(opened_bench(own, settings, control, environment=_MASTER)))
        benches[0].engine = EngineInTurns([bench.engine for bench in benches])
        yield benches[0]
