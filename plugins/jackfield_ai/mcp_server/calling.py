"""A tool call as an execution."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping

from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, Execution, ExecutionRequest, Outcome
from jackfield.api.errors import Conflict, ExecutionTimeout, JackfieldError, NotFound, StoreUnavailable
from jackfield.api.jsontext import Json
from jackfield_ai.mcp_server.node import CALL_OUTPUT, call_item
from jackfield_ai.mcp_server.servers import McpTarget
from jackfield_ai.settings import AiSettings

Progress = Callable[[float], Awaitable[None]]
"""Told how many seconds a call has taken so far."""


class ToolFailed(JackfieldError):
    """The tool gave no result. Its message is the node's, which names no secret."""


class ToolCalls:
    """Runs calls, and ends those whose client has gone."""

    def __init__(self, context: PluginContext, settings: AiSettings) -> None:
        self._context = context
        self._settings = settings
        self._ending: set[asyncio.Task[None]] = set()

    async def run(
        self, target: McpTarget, name: str, arguments: Mapping[str, Json], request_id: str | None, progress: Progress
    ) -> Json:
        """The tool's result. Cancelling the call cancels the execution. Raises `ToolFailed`, `ExecutionTimeout`,
        `StoreUnavailable`."""
        execution = self._started(target, name, arguments, request_id)
        try:
            outcome = await self._end(execution, progress)
        except asyncio.CancelledError:
            self._cancel(execution)
            raise
        return _result(outcome)

    def _started(
        self, target: McpTarget, name: str, arguments: Mapping[str, Json], request_id: str | None
    ) -> Execution:
        try:
            return self._context.port(Engine).submit(
                ExecutionRequest(
                    workflow=target.workflow,
                    mode="test" if target.test else "webhook",
                    start=target.node.name,
                    items=[call_item(name, arguments)],
                    start_output=CALL_OUTPUT,
                    durability="finish",
                    request_id=request_id,
                )
            )
        except Conflict:
            raise StoreUnavailable("The daemon is stopping; call again in a moment.") from None

    async def _end(self, execution: Execution, progress: Progress) -> Outcome:
        """Returns once it is stored."""
        loop, step = asyncio.get_running_loop(), self._settings.mcp_progress
        begun = loop.time()
        while not execution.finished.done():
            left = begun + self._settings.mcp_call_timeout - loop.time()
            if left <= 0:
                raise ExecutionTimeout("The tool takes longer than ai.mcp_call_timeout allows; its execution goes on.")
            await asyncio.wait([execution.finished], timeout=min(step, left))
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


def _result(outcome: Outcome) -> Json:
    if outcome.status != "success":
        failure = outcome.failure
        raise ToolFailed(failure.message if failure else f"The execution ended as {outcome.status}.")
    return outcome.items[0]["json"].get("result") if outcome.items else None
