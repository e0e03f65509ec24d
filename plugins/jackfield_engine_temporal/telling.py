"""Telling Temporal of executions that may go on. A server that does not answer gets the report later."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta

from temporalio.client import Client, WorkflowExecutionDescription, WorkflowExecutionStatus
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.service import RPCError, RPCStatusCode

from jackfield_engine_temporal.execution_workflow import NAME, WAKE, Order
from jackfield_engine_temporal.settings import TemporalSettings

Request = Callable[[Client, str], Awaitable[None]]


class Telling:
    """`Conductor`: keeps ids, at most `engine.temporal.untold_limit`, until Temporal has them."""

    def __init__(self, settings: TemporalSettings, host: Callable[[], str]) -> None:
        """host: task queue of this daemon."""
        self._settings = settings
        self._host = host
        self._untold: dict[str, Request] = {}
        self._some = asyncio.Event()
        self._timeout = timedelta(seconds=settings.timeout)

    def __len__(self) -> int:
        return len(self._untold)

    def wanted(self, execution_id: str) -> None:
        """It may go on now, best here."""
        self._tell(execution_id, self._wake_here)

    def idle(self, execution_id: str) -> None:
        """It may go on, and nothing happens to it."""
        if execution_id not in self._untold:
            self._tell(execution_id, self._wake)

    def known(self, execution_id: str) -> None:
        """It waits, and Temporal must have its workflow, whatever that does."""
        if execution_id not in self._untold:
            self._tell(execution_id, self._start)

    def changed(self, execution_id: str) -> None:
        """Its workflow has to look at it, if there is one."""
        if self._untold.get(execution_id) in (None, self._start):
            self._tell(execution_id, self._signal)

    def _tell(self, execution_id: str, request: Request) -> None:
        if execution_id in self._untold or len(self._untold) < self._settings.untold_limit:
            self._untold[execution_id] = request
            self._some.set()

    async def run(self, client: Client) -> None:
        """Tell, until the server does not answer. Raises RPCError."""
        tasks = [asyncio.create_task(self._work(client)) for _ in range(self._settings.requests)]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _work(self, client: Client) -> None:
        while True:
            while not self._untold:
                self._some.clear()
                await self._some.wait()
            execution_id = next(iter(self._untold))
            request = self._untold.pop(execution_id)
            try:
                await request(client, execution_id)
            except BaseException:
                self._untold.setdefault(execution_id, request)
                raise

    async def _wake_here(self, client: Client, execution_id: str) -> None:
        await self._signal_or_start(client, execution_id, self._host())

    async def _wake(self, client: Client, execution_id: str) -> None:
        await self._signal_or_start(client, execution_id, "")

    async def _signal_or_start(self, client: Client, execution_id: str, host: str) -> None:
        await client.start_workflow(
            NAME,
            self._order(),
            id=execution_id,
            task_queue=self._settings.task_queue,
            start_signal=WAKE,
            start_signal_args=[host],
            rpc_timeout=self._timeout,
        )

    async def _start(self, client: Client, execution_id: str) -> None:
        await client.start_workflow(
            NAME,
            self._order(),
            id=execution_id,
            task_queue=self._settings.task_queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            rpc_timeout=self._timeout,
        )

    async def _signal(self, client: Client, execution_id: str) -> None:
        with _unless_gone():
            await client.get_workflow_handle(execution_id).signal(WAKE, "", rpc_timeout=self._timeout)

    def _order(self) -> Order:
        return Order(self._host(), self._settings.heartbeat_timeout, self._settings.host_patience)

    async def is_idle(self, client: Client, execution_id: str) -> bool:
        """Whether Temporal does nothing for the execution. Raises RPCError."""
        with _unless_gone():
            handle = client.get_workflow_handle(execution_id)
            return _is_idle(await handle.describe(rpc_timeout=self._timeout))
        return True


def _is_idle(found: WorkflowExecutionDescription) -> bool:
    if found.status is not WorkflowExecutionStatus.RUNNING:
        return True
    raw = found.raw_description
    return not raw.pending_activities and not raw.HasField("pending_workflow_task")


@contextlib.contextmanager
def _unless_gone() -> Iterator[None]:
    """For a workflow that Temporal may not have any more."""
    try:
        yield
    except RPCError as exc:
        if exc.status is not RPCStatusCode.NOT_FOUND:
            raise
