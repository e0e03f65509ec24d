"""The contract of engines, over ours; a stranger's test module reads like this."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jackfield.api.engine import ConductedEngine, ConductedEngines
from jackfield.api.errors import Conflict
from jackfield.api.offers import Offer
from jackfield.api.plugin import Plugin, hookimpl
from jackfield.testing.contracts.engine import EngineContract, Restart
from jackfield.testing.contracts.engine_bench import Control, opened_bench

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext


class TestEmbedded(EngineContract):
    """The engine that comes with Jackfield."""


class OwnConductor:
    """Orders each segment as soon as it may run. What the embedded engine gives, it takes over."""

    name = "conducted"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._woken: dict[str, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @cached_property
    def _engine(self) -> ConductedEngine:
        return self._context.port(ConductedEngines).make(self, 0)

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)

    def wanted(self, execution_id: str) -> None:
        """See `Conductor`."""
        if execution_id in self._woken:
            self._woken[execution_id].set()
            return
        self._woken[execution_id] = asyncio.Event()
        task = asyncio.create_task(self._conduct(execution_id))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _conduct(self, execution_id: str) -> None:
        woken = self._woken[execution_id]
        try:
            while not (end := await self._engine.run_segment(execution_id, 5)).over:
                with suppress(TimeoutError):
                    await asyncio.wait_for(woken.wait(), None if end.wait_ms is None else end.wait_ms / 1000)
                woken.clear()
        except Conflict:  # it was left open, as the daemon stops
            return
        finally:
            del self._woken[execution_id]

    async def recover(self) -> int:
        found = await self._engine.recover()
        for execution_id in await self._context.store.open_executions(
            statuses=("queued", "running", "waiting"), after=None, limit=100
        ):
            self.wanted(execution_id)
        return found

    async def drain(self, timeout: float) -> int:
        left = await self._engine.drain(timeout)
        for task in self._tasks:
            task.cancel()
        return left


class ConductorPlugin(Plugin):
    """Gives the engine `conducted`."""

    name = "conductor"

    @hookimpl
    def jackfield_engine(self) -> Offer:
        return Offer(OwnConductor.name, lambda: OwnConductor(self.context))


class TestConducted(EngineContract):
    """The embedded engine as another one conducts it; `tox -e temporal` has the one for which that is made."""

    engine_name = "conducted"

    @pytest.fixture
    def restart(self, tmp_path: Path, control: Control) -> Restart:
        settings: Mapping[str, str] = {"engine.name": self.engine_name}
        return lambda: opened_bench(tmp_path, settings, control, plugins={"conductor": ConductorPlugin})
