"""The workflow of Temporal: one per execution, with the execution's id. Ids and times alone stand in its history.

Deterministic, as Temporal replays it. A change of what it does for the same history breaks those that are open, unless
`temporalio.workflow.patched` tells old and new apart. It imports nothing of Jackfield.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta

from temporalio import workflow
from temporalio.common import RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError, is_cancelled_exception

NAME = "JackfieldExecution"
SEGMENT, CANCEL = "jackfield_segment", "jackfield_cancel"
WAKE = "wake"
ELSEWHERE, LEFT = "Elsewhere", "Left"
"""Types of errors of a segment: another daemon has the execution; this one left it open, as it takes none any more."""
_LONGEST = timedelta(days=3650)
"""Of a segment: heartbeats tell whether it lives, and the execution has its own limit."""
_SHORTEST = 0.05
"""Seconds of a timer: clocks of daemons and server differ."""
_PAUSES = (1.0, 10.0)
"""Seconds between two rounds in which nobody had the execution: the first, and the longest."""
_RETRY = RetryPolicy(
    initial_interval=timedelta(seconds=1), backoff_coefficient=1.5, maximum_interval=timedelta(seconds=10)
)
_ONCE = RetryPolicy(maximum_attempts=1)


@dataclass(frozen=True)
class Order:
    """host: task queue of the daemon at which callers wait; empty: any. Times in seconds, see `TemporalSettings`."""

    host: str
    heartbeat: float
    host_patience: float


@dataclass(frozen=True)
class Reached:
    """over: whether the execution is. wait_ms: until its wait is over; None: a call ends it. host: task queue of the
    daemon that ran it."""

    over: bool
    wait_ms: int | None
    host: str


@workflow.defn(name=NAME)
class ExecutionWorkflow:
    """Segments, one after another, with the waits between them."""

    def __init__(self) -> None:
        self._host = ""
        self._woken = False

    @workflow.signal(name=WAKE)
    def wake(self, host: str) -> None:
        """Something happened to the execution. host: see `Order`; empty: as before."""
        self._host = host or self._host
        self._woken = True

    @workflow.run
    async def run(self, order: Order) -> None:
        """Until the execution is over; a cancel of the workflow cancels it."""
        self._host = self._host or order.host
        try:
            await self._go(order)
        except (asyncio.CancelledError, ActivityError) as exc:
            if not is_cancelled_exception(exc):
                raise
            await self._cancel(order)
            raise

    async def _go(self, order: Order) -> None:
        while not (reached := await self._segment(order)).over:
            self._host = self._host or reached.host
            await self._rest(reached.wait_ms)
            if workflow.info().is_continue_as_new_suggested() and not self._woken:
                workflow.continue_as_new(replace(order, host=self._host))

    async def _rest(self, wait_ms: int | None) -> None:
        timeout = None if wait_ms is None else timedelta(seconds=max(wait_ms / 1000, _SHORTEST))
        try:
            await workflow.wait_condition(lambda: self._woken, timeout=timeout)
        except TimeoutError:
            return

    async def _segment(self, order: Order) -> Reached:
        """At the daemon that had it last, else at any, and so on in turn until one has it."""
        pause, longest = _PAUSES
        while True:
            self._woken = False
            if self._host and (reached := await self._try(order, self._host)) is not None:
                return reached
            if (reached := await self._try(order, None)) is not None:
                return reached
            await workflow.sleep(timedelta(seconds=pause))
            pause = min(pause * 2, longest)

    async def _try(self, order: Order, host: str | None) -> Reached | None:
        """None: it cannot be had there now."""
        patience = None if host is None else timedelta(seconds=order.host_patience)
        try:
            reached: Reached | None = await workflow.execute_activity(
                SEGMENT,
                result_type=Reached,
                task_queue=host,
                schedule_to_start_timeout=patience,
                start_to_close_timeout=_LONGEST,
                heartbeat_timeout=timedelta(seconds=order.heartbeat),
                retry_policy=_RETRY if host is None else _ONCE,
            )
        except ActivityError as exc:
            if is_cancelled_exception(exc):
                raise
            elsewhere = isinstance(exc.cause, ApplicationError) and exc.cause.type == ELSEWHERE
            if host is not None and not elsewhere and host == self._host:
                self._host = ""
            reached = None
        return reached

    async def _cancel(self, order: Order) -> None:
        await workflow.execute_activity(
            CANCEL, start_to_close_timeout=timedelta(seconds=order.heartbeat * 3), retry_policy=_RETRY
        )
        await self._go(order)
