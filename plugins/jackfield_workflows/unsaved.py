"""Ends of executions that the store did not take yet."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from jackfield.api.errors import StoreUnavailable
from jackfield.api.storage import FinishedExecution
from jackfield_workflows.execution import Run
from jackfield_workflows.handles import settle, settle_error
from jackfield_workflows.persistence import pause
from jackfield_workflows.services import Services


class Unsaved:
    """Keeps them, at most so many, and tries again with growing pauses. One that is given up runs again from its last
    checkpoint, when the daemon starts next."""

    def __init__(self, services: Services, drop: Callable[[Run], None]) -> None:
        self._services = services
        self._drop = drop
        self._kept: OrderedDict[str, tuple[Run, FinishedExecution]] = OrderedDict()
        self._task: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, run: Run, finished: FinishedExecution) -> None:
        """The store did not answer for this end."""
        if not self._kept:
            self._services.context.log.error("the store does not take the end of executions; keeping them in memory")
        self._kept[run.id] = (run, finished)
        if len(self._kept) > self._services.settings.unsaved_limit:
            _, (oldest, _) = self._kept.popitem(last=False)
            self._services.context.log.error("execution %s is given up; it resumes after a restart", oldest.id)
            settle_error(oldest.handle.stored, StoreUnavailable())
            self._drop(oldest)
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
            execution_id, (run, finished) = next(iter(self._kept.items()))
            try:
                await self._services.store.finish_execution(finished)
            except StoreUnavailable:
                continue
            except Exception as exc:
                self._services.context.log.exception("the end of execution %s cannot be stored", execution_id)
                settle_error(run.handle.stored, exc)
            attempt = 0
            self._kept.pop(execution_id, None)
            settle(run.handle.stored, None)
            self._drop(run)
        self._services.context.log.warning("every end of an execution is stored again")
        self._task = None
