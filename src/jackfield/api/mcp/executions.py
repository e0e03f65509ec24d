"""A tool call as an execution: waited for, with progress, and cancelled with its call."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from ..context import PluginContext
from ..engine import Engine, Execution, ExecutionRequest, Outcome
from ..errors import Conflict, ExecutionTimeout, NotFound, StoreUnavailable
from ..records import record
from .tool_sources import ToolFailed

Progress = Callable[[float], Awaitable[None]]
"""Told how many seconds a call has taken so far."""


@record
class CallPatience:
    """seconds: that a call may take. Its execution goes on. step: seconds between two reports of progress. setting: the
    name of the first, for the message."""

    seconds: float
    step: float
    setting: str


class ToolExecutions:
    """Runs calls, and ends those whose client has gone."""

    def __init__(self, context: PluginContext, patience: CallPatience) -> None:
        self._context = context
        self._patience = patience
        self._ending: set[asyncio.Task[None]] = set()

    async def run(self, request: ExecutionRequest, progress: Progress) -> Outcome:
        """Of an execution that has succeeded, once it is stored. Cancelling the call cancels the execution. Raises
        `ToolFailed` with the node's message, which names no secret; `ExecutionTimeout`, `StoreUnavailable`."""
        try:
            execution = self._context.port(Engine).submit(request)
        except Conflict:
            raise StoreUnavailable("The daemon is stopping; call again in a moment.") from None
        try:
            outcome = await self._end(execution, progress)
        except asyncio.CancelledError:
            self._cancel(execution)
            raise
        if outcome.status != "success":
            failure = outcome.failure
            raise ToolFailed(failure.message if failure else f"The execution ended as {outcome.status}.")
        return outcome

    async def _end(self, execution: Execution, progress: Progress) -> Outcome:
        """Returns once it is stored."""
        loop, patience = asyncio.get_running_loop(), self._patience
        begun = loop.time()
        while not execution.finished.done():
            left = begun + patience.seconds - loop.time()
            if left <= 0:
                raise ExecutionTimeout(
                    f"The tool takes longer than {patience.setting} allows; its execution {execution.id} goes on."
                )
            await asyncio.wait([execution.finished], timeout=min(patience.step, left))
            if not execution.finished.done():
                await progress(loop.time() - begun)
        await asyncio.shield(execution.stored)
        return execution.finished.result()

    def _cancel(self, execution: Execution) -> None:
        task = asyncio.ensure_future(self._cancelled(execution))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _cancelled(self, execution: Execution) -> None:
        with contextlib.suppress(Conflict, NotFound, StoreUnavailable):
            await asyncio.shield(execution.accepted)
            await self._context.port(Engine).cancel(execution.id)
