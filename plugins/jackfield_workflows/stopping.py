"""The engine's end: what is worth waiting for is waited for; the rest goes on after the restart."""

from __future__ import annotations

import asyncio

from jackfield.api.errors import StoreUnavailable
from jackfield_workflows.residents import Residents
from jackfield_workflows.services import Services
from jackfield_workflows.turns import Turns
from jackfield_workflows.unsaved import Unsaved
from jackfield_workflows.waiting import Waiting

LAST_SECONDS = 2.0
"""So long a stopped node may take to clean up."""
RESUMES = "The daemon is stopping; the execution goes on after its restart."


class Stopping:
    """Empties the memory."""

    def __init__(
        self, services: Services, residents: Residents, turns: Turns, waiting: Waiting, unsaved: Unsaved
    ) -> None:
        self._clock = services.clock
        self._residents = residents
        self._turns = turns
        self._waiting = waiting
        self._unsaved = unsaved

    async def stop(self, end: float) -> int:
        """How many executions were left open. end: of the patience, on the monotonic clock."""
        while self._wanted() and (left := end - self._clock.monotonic()) > 0:
            await self._change(left)
        return await self._leave()

    def _wanted(self) -> bool:
        """Whether something is worth waiting for: runs in flight, and whatever a call waits for."""
        if self._turns.busy or self._turns.accepting or len(self._unsaved):
            return True
        return any(run.handle.waiters for run in (*self._turns, *self._waiting))

    async def _change(self, seconds: float) -> None:
        changed = self._residents.changed
        changed.clear()
        waits = {asyncio.ensure_future(changed.wait()), asyncio.ensure_future(self._clock.sleep(seconds))}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _leave(self) -> int:
        """Stop what still runs; it resumes from the store."""
        runs = self._residents.runs
        tasks = [run.task for run in runs.values() if run.task is not None]
        for run in list(runs.values()):
            run.end("left")
        if tasks:
            await asyncio.wait(tasks, timeout=LAST_SECONDS)
        await asyncio.sleep(0)
        queued = self._turns.clear()
        for run in queued:
            if run.disk.status is None:
                run.handle.refuse(StoreUnavailable("The daemon stopped before the execution began; send it again."))
        for run in list(runs.values()):
            if not run.handle.finished.done():
                run.handle.refuse(StoreUnavailable(RESUMES))
        return len(tasks) + sum(run.disk.status is not None for run in queued)
