"""Executions that stand in the store and not in memory: what did not fit, and what an earlier process left open."""

from __future__ import annotations

import asyncio
from functools import partial

from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import StoredExecution
from jackfield_engine.lifecycle.live_runs import LiveRuns
from jackfield_engine.lifecycle.recovery import Recovery
from jackfield_engine.lifecycle.scheduler import Scheduler
from jackfield_engine.shared.services import Services

PAGE = 100
RETRY_S = 1.0


class Backlog:
    """Claims what is open in the store, oldest first, as far as there is room."""

    def __init__(self, services: Services, live: LiveRuns, scheduler: Scheduler, recovery: Recovery) -> None:
        self._services = services
        self._live = live
        self._scheduler = scheduler
        self._recovery = recovery
        self._closed = False
        self._marks = 0
        self._done = 0
        self._task: asyncio.Task[None] | None = None
        self._put_off: set[str] = set()
        """Executions whose resume is put off: the daemon ended unexpectedly with them, or they have no room."""
        self.pending = False
        """Whether the store may hold executions that nobody runs."""

    def mark(self) -> None:
        """There are open executions that are not in memory."""
        self._marks += 1
        self.pending = True

    def _cleared(self, marks: int) -> None:
        """Whatever was marked so far is in memory."""
        self._done = marks
        self.pending = self._done < self._marks

    def wake(self) -> None:
        """There may be room."""
        if self.pending and self._task is None and self._room():
            self._task = asyncio.get_running_loop().create_task(self._claim(), name="executions.backlog")
            self._task.add_done_callback(self._over)

    async def close(self) -> None:
        """Claim nothing more."""
        self._closed = True
        self._cleared(self._marks)
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _over(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if task.cancelled():
            return
        if (error := task.exception()) is not None:
            self._services.context.log.error("claiming queued executions failed", exc_info=error)
        else:
            self.wake()

    async def _claim(self) -> None:
        after: str | None = None
        marks = self._marks
        store = self._services.store
        while True:
            try:
                ids = await store.open_executions(statuses=("running", "queued"), after=after, limit=PAGE)
                if not ids:
                    self._cleared(marks)
                    return
                for execution_id in ids:
                    if not self._room():
                        return
                    await self._load(execution_id)
                    after = execution_id
            except StoreUnavailable:
                await self._services.clock.sleep(RETRY_S)

    async def _load(self, execution_id: str) -> None:
        if self._live.knows(execution_id) or execution_id in self._put_off:
            return
        if not self._recovery.read_back.may_come(execution_id):
            self._put_off_for(RETRY_S, execution_id)
            return
        stored = await self._recovery.stored(execution_id)
        if stored is None or stored.row.status not in ("queued", "running") or self._live.knows(execution_id):
            return
        if (seconds := self._recovery.put_off(stored)) > 0:
            self._put_off_for(seconds, execution_id)
            return
        await self.take(stored)

    async def take(self, stored: StoredExecution) -> None:
        """Put a stored execution in its turn, now or when there is memory for it. Raises `StoreUnavailable`."""
        memory = await self._recovery.read_back.reserve(stored)
        if memory is None:
            self._put_off_for(RETRY_S, stored.row.id)
            return
        run = await self._recovery.load(stored, memory)
        if run is not None:
            self._scheduler.enter(run)

    def _put_off_for(self, seconds: float, execution_id: str) -> None:
        self._put_off.add(execution_id)
        self._services.timers.after(seconds, partial(self._due, execution_id))

    def _due(self, execution_id: str) -> None:
        self._put_off.discard(execution_id)
        self.mark()
        self.wake()

    def _room(self) -> bool:
        return self._scheduler.fits(0) and not self._closed
