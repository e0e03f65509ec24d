"""Executions that are cancelled, wherever they stand: running, in the queue, waiting, or in the store alone."""

from __future__ import annotations

import asyncio

from jackfield.api.engine import Outcome
from jackfield.api.errors import Conflict
from jackfield_workflows.execution import Run
from jackfield_workflows.residents import Residents
from jackfield_workflows.resuming import OPEN, ended, outcome_of
from jackfield_workflows.services import Services
from jackfield_workflows.turns import Turns
from jackfield_workflows.uptake import find
from jackfield_workflows.waiting import Waiting


class Cancelling:
    """Ends executions on demand; their children are the engine's matter."""

    def __init__(self, services: Services, residents: Residents, turns: Turns, waiting: Waiting) -> None:
        self._services = services
        self._residents = residents
        self._turns = turns
        self._waiting = waiting

    async def cancel(self, execution_id: str) -> None:
        """Raises `NotFound`, `Conflict` when it is over, `StoreUnavailable`."""
        run = self._residents.runs.get(execution_id)
        if run is None:
            await self._cancel_stored(execution_id)
        elif run.handle.finished.done():
            raise Conflict("The execution is over.")
        elif run.task is not None:
            run.end("cancelled")
        else:
            self._cancel_idle(run)

    def _cancel_idle(self, run: Run) -> None:
        """It waits for its turn or for a time."""
        run.end("cancelled")
        self._waiting.drop(run)
        self._turns.withdraw(run)
        run.finish(Outcome("cancelled"))

    async def _cancel_stored(self, execution_id: str) -> None:
        stored = await find(self._services.store, execution_id)
        if execution_id in self._residents.runs:
            return await self.cancel(execution_id)
        if stored.row.status not in OPEN:
            raise Conflict(f"The execution is over: {stored.row.status}.")
        finished = ended(stored, "cancelled", None, self._services.clock.now_ms())
        await asyncio.shield(self._services.store.finish_execution(finished))
        self._residents.handle(execution_id).close(outcome_of(stored, finished))
        return None
