"""The engine's end: what is worth waiting for is waited for; the rest goes on after the restart."""

from __future__ import annotations

import asyncio

from jackfield.api.errors import StoreUnavailable
from jackfield_engine.lifecycle.effects import RESUMES
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.lifecycle.unsaved import Unsaved
from jackfield_engine.lifecycle.waiting import Waiting
from jackfield_engine.run.state import RunEvent, RunState
from jackfield_engine.shared.services import Services

LAST_SECONDS = 2.0
"""So long a stopped node may take to clean up."""


class Stopping:
    """The end of the engine: runs finish or are left to the next process, until none is in memory."""

    def __init__(
        self, services: Services, live: LiveRuns, scheduler: Scheduler, waiting: Waiting, unsaved: Unsaved
    ) -> None:
        self._clock = services.clock
        self._live = live
        self._scheduler = scheduler
        self._waiting = waiting
        self._unsaved = unsaved

    async def stop(self, end: float) -> int:
        """How many executions were left open. end: of the patience, on the monotonic clock."""
        while self._wanted() and (left := end - self._clock.monotonic()) > 0:
            await self._change(left)
        return await self._leave()

    def _wanted(self) -> bool:
        """Whether something is worth waiting for: runs in flight, and whatever a call waits for."""
        if self._scheduler.busy or self._scheduler.accepting or len(self._unsaved):
            return True
        return any(run.handle.waiters for run in (*self._scheduler, *self._waiting))

    async def _change(self, seconds: float) -> None:
        changed = self._live.changed
        changed.clear()
        waits = {asyncio.ensure_future(changed.wait()), asyncio.ensure_future(self._clock.sleep(seconds))}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _leave(self) -> int:
        """Stop what still runs; it resumes from the store."""
        runs = list(self._live.runs.values())
        tasks = [run.task for run in runs if run.task is not None]
        queued = sum(run.state is RunState.QUEUED and run.disk.status is not None for run in runs)
        for run in runs:
            run.move(RunEvent.LEAVE)
        if tasks:
            await asyncio.wait(tasks, timeout=LAST_SECONDS)
        await asyncio.sleep(0)
        for run in list(self._live.runs.values()):
            if not run.handle.finished.done():
                run.handle.refuse(StoreUnavailable(RESUMES))
        return len(tasks) + queued
