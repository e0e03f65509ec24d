"""Ends of executions that the store did not take yet."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

from jackfield.api.errors import Fenced, StoreUnavailable
from jackfield_engine.run.live_run import LiveRun
from jackfield_engine.run.persistence import pause
from jackfield_engine.run.state import RunEvent
from jackfield_engine.shared.services import Services


class Unsaved:
    """Keeps them, at most that many, and tries again with growing pauses. One that is given up runs again from its last
    checkpoint."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._kept: OrderedDict[str, LiveRun] = OrderedDict()
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, run: LiveRun) -> None:
        """The store did not answer for this end."""
        if not self._kept:
            self._services.context.log.error("the store does not take the end of executions; keeping them in memory")
        self._kept[run.id] = run
        if len(self._kept) > self._services.settings.unsaved_limit:
            _, oldest = self._kept.popitem(last=False)
            self._services.context.log.error("execution %s is given up; it resumes from its checkpoint", oldest.id)
            oldest.lose_end(StoreUnavailable())
            self._services.lease.doubt()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._retry(), name="executions.unsaved")

    async def close(self) -> None:
        """Stop trying; what is kept resumes from the store."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _retry(self) -> None:
        attempt = 0
        while self._kept:
            await self._services.clock.sleep(pause(attempt))
            attempt += 1
            run = next(iter(self._kept.values()))
            try:
                await self._store(run)
            except StoreUnavailable:
                continue
            attempt = 0
        self._services.context.log.warning("every end of an execution is stored again")
        self._task = None

    async def _store(self, run: LiveRun) -> None:
        """Raises `StoreUnavailable`."""
        lost: Exception | None = None
        try:
            if run.end is not None:
                await self._services.store.finish_execution(run.end)
        except StoreUnavailable:
            raise
        except Fenced as exc:
            self._services.lease.suspect(run.disk.life)
            lost = exc
        except Exception as exc:
            self._services.context.log.exception("the end of execution %s cannot be stored", run.id)
            lost = exc
        if self._kept.pop(run.id, None) is None:
            return  # it was given up meanwhile
        if lost is None:
            run.move(RunEvent.END_STORED)
        else:
            run.lose_end(lost)
