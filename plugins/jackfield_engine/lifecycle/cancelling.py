"""Executions that are cancelled, wherever they stand: running, in the queue, waiting, or in the store alone."""

from __future__ import annotations

import asyncio

from jackfield.api.errors import Conflict, StoreUnavailable
from jackfield.api.storage import OPEN_STATUSES, StoredExecution
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.recovery import find
from jackfield_engine.lifecycle.resuming import ended, outcome_of
from jackfield_engine.lifecycle.stored_spans import end_stored_span
from jackfield_engine.run.state import RunEvent
from jackfield_engine.shared.services import Services

_TRIES = 3


class Cancelling:
    """Ends executions on demand; their children are the engine's matter."""

    def __init__(self, services: Services, live: LiveRuns) -> None:
        self._services = services
        self._lease = services.lease
        self._live = live

    async def cancel(self, execution_id: str) -> bool:
        """Whether it ends here; False: the daemon that has it got the order. Raises `NotFound`, `Conflict` when it is
        over, `StoreUnavailable`."""
        run = self._live.runs.get(execution_id)
        if run is None:
            return await self._cancel_stored(execution_id)
        if run.handle.finished.done():
            raise Conflict("The execution is over.")
        run.move(RunEvent.CANCEL)
        return True

    async def _cancel_stored(self, execution_id: str) -> bool:
        """One that this daemon has not in memory: it ends it itself, or stores the wish for the daemon that has it."""
        for _ in range(_TRIES):
            stored = await find(self._services.store, execution_id)
            if execution_id in self._live.runs:
                return await self.cancel(execution_id)
            if stored.row.status not in OPEN_STATUSES:
                raise Conflict(f"The execution is over: {stored.row.status}.")
            if stored.owner == self._lease.life.id:
                await self._end(stored)
                return True
            if await self._lease.own(execution_id, stored.owner):
                await self._end_claimed(stored)
                return True
            if await self._services.store.ask_cancel(execution_id):
                return False
        raise StoreUnavailable("The execution changes hands; try again in a moment.")

    async def _end_claimed(self, stored: StoredExecution) -> None:
        """One that was claimed for its end alone: if that is not stored, nobody here has it in mind."""
        try:
            await self._end(stored)
        except BaseException:
            self._lease.claimed.pop(stored.row.id, None)
            self._lease.doubt()
            raise

    async def _end(self, stored: StoredExecution) -> None:
        execution_id, life = stored.row.id, self._lease.life
        finished = ended(stored, "cancelled", None, self._services.clock.now_ms(), life.id)
        await asyncio.shield(self._services.store.finish_execution(finished))
        self._services.figures.ended_stored(stored.row, finished)
        await end_stored_span(self._services, stored, finished)
        self._live.ended(execution_id)
        if (run := self._live.runs.get(execution_id)) is not None:  # it was read before, and begun since
            run.move(RunEvent.CANCEL)
        self._lease.claimed.pop(execution_id, None)
        self._live.handles.of(execution_id).over(outcome_of(stored, finished))
