"""Temporal's workers in this daemon: one takes what is for any daemon, one what is for this daemon."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from datetime import timedelta

from temporalio.client import Client
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from jackfield.api.clock import Clock
from jackfield_engine_temporal.activities import SegmentActivities
from jackfield_engine_temporal.execution_workflow import ExecutionWorkflow
from jackfield_engine_temporal.settings import TemporalSettings

LOOK_S = 1.0
"""Seconds between two looks whether this daemon takes executions."""
LAST_SECONDS = 3.0
"""So long the workers may take to tell Temporal how their segments ended."""
_STICKY = timedelta(seconds=2)
"""So long a workflow waits for the daemon that has it in memory, before another one reads its history."""
_GRACE = timedelta(hours=1)
"""The caller who ends a worker lets its segments end first."""


class TemporalWorkers:
    """Their life, for one connection."""

    def __init__(
        self,
        client: Client,
        settings: TemporalSettings,
        activities: SegmentActivities,
        *,
        host: str,
        slots: int,
        takes: Callable[[], bool],
        clock: Clock,
    ) -> None:
        """host: task queue of this daemon; slots: segments side by side; takes: whether it takes any."""
        self._client = client
        self._settings = settings
        self._activities = activities
        self._host = host
        self._slots = slots
        self._takes = takes
        self._clock = clock

    async def run(self) -> None:
        """Until cancelled; then what runs may end. Raises what the library raises when the server refuses a worker."""
        async with asyncio.TaskGroup() as group:
            group.create_task(_working(self._own(), self._activities.stop))
            group.create_task(self._share())

    async def _share(self) -> None:
        while True:
            await self._until(taking=True)
            worker = self._shared()
            working = asyncio.create_task(_working(worker, _nothing))
            watching = asyncio.create_task(self._until(taking=False))
            try:
                await asyncio.wait([working, watching], return_when=asyncio.FIRST_COMPLETED)
                if not working.done():  # this daemon is drained: what runs may end
                    await worker.shutdown()
            finally:
                watching.cancel()
                working.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await working

    async def _until(self, *, taking: bool) -> None:
        while self._takes() is not taking:
            await self._clock.sleep(LOOK_S)

    def _own(self) -> Worker:
        return Worker(
            self._client,
            task_queue=self._host,
            activities=[self._activities.segment],
            max_concurrent_activities=self._slots,
            graceful_shutdown_timeout=_GRACE,
        )

    def _shared(self) -> Worker:
        return Worker(
            self._client,
            task_queue=self._settings.task_queue,
            workflows=[ExecutionWorkflow],
            activities=[self._activities.segment, self._activities.cancel],
            # The workflow imports nothing that a sandbox would keep from it.
            workflow_runner=UnsandboxedWorkflowRunner(),
            max_concurrent_activities=self._slots,
            max_cached_workflows=self._settings.cached_workflows,
            sticky_queue_schedule_to_start_timeout=_STICKY,
            graceful_shutdown_timeout=_GRACE,
        )


async def _working(worker: Worker, ends: Callable[[], None]) -> None:
    """Until it is shut down, fails or is cancelled. ends: told before it tells Temporal what came of its segments."""
    running = asyncio.create_task(worker.run())
    try:
        await asyncio.shield(running)
    finally:
        ends()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                await worker.shutdown()
        running.cancel()


def _nothing() -> None:
    """Its segments go on."""
