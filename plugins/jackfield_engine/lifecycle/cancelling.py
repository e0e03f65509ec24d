"""Executions that are cancelled, wherever they stand: running, in the queue, waiting, or in the store alone."""

from __future__ import annotations

import asyncio

from jackfield.api.errors import Conflict
from jackfield.api.storage import OPEN_STATUSES
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.recovery import find
from jackfield_engine.lifecycle.resuming import ended, outcome_of
from jackfield_engine.run.state import RunEvent
from jackfield_engine.shared.services import Services


class Cancelling:
    """Ends executions on demand; their children are the engine's matter."""

    def __init__(self, services: Services, live: LiveRuns) -> None:
        self._services = services
        self._live = live

    async def cancel(self, execution_id: str) -> None:
        """Raises `NotFound`, `Conflict` when it is over, `StoreUnavailable`."""
        run = self._live.runs.get(execution_id)
        if run is None:
            await self._cancel_stored(execution_id)
        elif run.handle.finished.done():
            raise Conflict("The execution is over.")
        else:
            run.move(RunEvent.CANCEL)

    async def _cancel_stored(self, execution_id: str) -> None:
        stored = await find(self._services.store, execution_id)
        if execution_id in self._live.runs:
            return await self.cancel(execution_id)
        if stored.row.status not in OPEN_STATUSES:
            raise Conflict(f"The execution is over: {stored.row.status}.")
        finished = ended(stored, "cancelled", None, self._services.clock.now_ms())
        await asyncio.shield(self._services.store.finish_execution(finished))
        self._live.handles.of(execution_id).over(outcome_of(stored, finished))
        return None
