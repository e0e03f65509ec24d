"""`Engine` over Temporal: one workflow per execution, one activity per segment between two waits.

The store stays the record. An execution is stored before Temporal hears of it. A segment runs where the store gives the
execution to, and the store says how far it came. Temporal decides when a segment runs, and at which daemon.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from functools import cached_property

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding
from jackfield.api.engine import ConductedEngine, ConductedEngines, Execution, ExecutionRequest, Outcome, WaitingCall
from jackfield.api.storage import CallUpdate
from jackfield.api.workflows import Items
from jackfield_engine_temporal.connection import NoTemporal, connect
from jackfield_engine_temporal.serving import Serving
from jackfield_engine_temporal.settings import TemporalSettings
from jackfield_engine_temporal.telling import Telling
from jackfield_engine_temporal.workers import LAST_SECONDS


class TemporalEngine:
    """Runs with the parts of the embedded engine."""

    name = "temporal"

    def __init__(self, context: PluginContext, settings: TemporalSettings) -> None:
        self._context = context
        self._settings = settings
        self._telling = Telling(settings, lambda: self._host)
        self._task: asyncio.Task[None] | None = None

    @cached_property
    def _engine(self) -> ConductedEngine:
        """Made when the ports are there."""
        return self._context.port(ConductedEngines).make(self._telling, self._settings.wait_in_memory)

    @cached_property
    def _host(self) -> str:
        """Task queue of this daemon, the same in all of its lives. Its name stays out of Temporal's history."""
        digest = hashlib.sha256(self._engine.daemon.encode()).hexdigest()
        return f"{self._settings.task_queue}-{digest[:16]}"

    @cached_property
    def _serving(self) -> Serving:
        return Serving(self._context, self._settings, self._engine, self._telling, self._host)

    # -- the port

    def submit(self, request: ExecutionRequest) -> Execution:
        return self._engine.submit(request)

    def complete_call(self, execution: Execution, update: CallUpdate) -> asyncio.Future[None]:
        return self._engine.complete_call(execution, update)

    async def result(self, execution_id: str, timeout: float) -> Outcome:
        return await self._engine.result(execution_id, timeout)

    async def waiting(self, execution_id: str) -> WaitingCall:
        return await self._engine.waiting(execution_id)

    async def resume(self, waiting: WaitingCall, items: Items | None) -> Execution:
        return await self._engine.resume(waiting, items)

    async def cancel(self, execution_id: str) -> None:
        await self._engine.cancel(execution_id)
        self._telling.changed(execution_id)

    async def recover(self) -> int:
        found = await self._engine.recover()
        if self._task is None:
            self._task = asyncio.create_task(self._serving.run(), name="engine.temporal")
        return found

    async def drain(self, timeout: float) -> int:
        left = await self._engine.drain(timeout)
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait([self._task], timeout=2 * LAST_SECONDS)
        return left

    def state(self) -> dict[str, int]:
        return {**self._engine.state(), "untold": len(self._telling)}

    # -- how it stands

    def standing(self) -> Finding:
        """As far as this daemon knows."""
        return self._serving.standing

    async def diagnose(self) -> Finding:
        """By asking the server."""
        try:
            await connect(self._settings)
        except NoTemporal as exc:
            return Finding("temporal", False, f"{exc}.")
        return Finding("temporal", True, f"The server at {self._settings.address} answers.")
