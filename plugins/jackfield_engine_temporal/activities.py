"""Segments of executions as Temporal's activities. Nothing of an execution goes to Temporal but its id, and nothing of
an error but its kind: both would stay in its history."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator

from temporalio import activity
from temporalio.exceptions import ApplicationError

from jackfield.api.engine import ConductedEngine, SegmentEnd
from jackfield.api.errors import Conflict, NotFound, StoreUnavailable
from jackfield_engine_temporal.execution_workflow import CANCEL, ELSEWHERE, LEFT, SEGMENT, Reached

_BEATS = 3
"""Heartbeats per time limit of them."""


class SegmentActivities:
    """The work of a worker of this daemon."""

    def __init__(self, engine: ConductedEngine, host: str, patience: float, log: logging.Logger) -> None:
        """host: task queue of this daemon; patience: see `ConductedEngine.run_segment`."""
        self._engine = engine
        self._host = host
        self._patience = patience
        self._log = log
        self._tasks: set[asyncio.Task[object]] = set()
        self._stopped = False

    def stop(self) -> None:
        """The daemon stops: nothing runs here any more."""
        self._stopped = True
        for task in self._tasks:
            task.cancel()

    @activity.defn(name=SEGMENT)
    async def segment(self) -> Reached:
        """Run the workflow's execution until it is over or waits."""
        task = asyncio.current_task()
        if task is None or self._stopped:
            raise _not_here(left=True)
        self._tasks.add(task)
        try:
            async with _beating():
                end = await self._run(_execution_id())
        except asyncio.CancelledError:
            if self._stopped:
                raise _not_here(left=True) from None
            raise
        finally:
            self._tasks.discard(task)
        return Reached(end.over, end.wait_ms, self._host)

    async def _run(self, execution_id: str) -> SegmentEnd:
        try:
            return await self._engine.run_segment(execution_id, self._patience)
        except Conflict:
            raise _not_here(left=not self._engine.takes()) from None
        except StoreUnavailable:
            raise ApplicationError("The store does not answer.", type="StoreUnavailable") from None
        except Exception:
            self._log.exception("a segment of execution %s cannot be run", execution_id)
            raise ApplicationError("See the daemon's log.", type="Failed") from None

    @activity.defn(name=CANCEL)
    async def cancel(self) -> None:
        """Somebody has cancelled the workflow in Temporal."""
        try:
            await self._engine.cancel(_execution_id())
        except (Conflict, NotFound):
            return
        except Exception:
            self._log.warning("execution %s is not cancelled yet", _execution_id(), exc_info=True)
            raise ApplicationError("The execution cannot be cancelled now.", type="Failed") from None


def _not_here(*, left: bool) -> ApplicationError:
    """left: this daemon takes no executions any more."""
    kind = LEFT if left else ELSEWHERE
    return ApplicationError("The execution is not this daemon's.", type=kind, non_retryable=True)


def _execution_id() -> str:
    ident: str | None = activity.info().workflow_id
    if ident is None:
        raise AssertionError("a workflow has ordered this")
    return ident


@contextlib.asynccontextmanager
async def _beating() -> AsyncIterator[None]:
    limit = activity.info().heartbeat_timeout
    task = asyncio.create_task(_beat(limit.total_seconds() / _BEATS)) if limit else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()


async def _beat(interval: float) -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(interval)
