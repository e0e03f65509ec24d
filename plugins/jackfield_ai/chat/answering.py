"""The execution that a message starts, and what is answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import TypeAlias, TypeVar

from quart import Response, request

from jackfield.api.body_budget import TakenMemory
from jackfield.api.chunk_streams import HEADERS, ChunkBuffer
from jackfield.api.clock import Clock
from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, Execution, ExecutionRequest, Outcome
from jackfield.api.errors import Conflict, ExecutionFailed, ExecutionTimeout, NoResponseNode, StoreUnavailable
from jackfield.api.http import response_of
from jackfield.api.jsontext import Json, dumps
from jackfield.api.nodes import NodeAnswer
from jackfield.api.streaming import Chunk
from jackfield.api.tracing import named_span
from jackfield.api.workflows import Node, Workflow
from jackfield_ai.chat.trigger import mode_of

T = TypeVar("T")
FAILED = "The message was received, but could not be worked on."
Ends: TypeAlias = "Callable[[Execution, Workflow, int], Chunk | None]"
"""How the stream of an ended execution ends; see `error_chunk`."""
_SANDBOX = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts"
_RESPONSE_NODES = ("responseNode", "responseNodes")


class ChatFailed(ExecutionFailed):
    """The message was received, but could not be worked on."""

    def __init__(self, execution: str, outcome: Outcome) -> None:
        """outcome: for a caller who may see the execution; strangers are not told of it."""
        super().__init__(FAILED)
        self.execution, self.outcome = execution, outcome

    def explained(self) -> ExecutionFailed:
        """For a caller who may see the execution."""
        return ExecutionFailed(reason_of(self.outcome), extra={"executionId": self.execution})


def reason_of(outcome: Outcome) -> str:
    """Why an execution gave no answer, as its own page says it."""
    failure = outcome.failure
    if failure is None:
        return f"The execution ended as {outcome.status}."
    return f"{failure.node}: {failure.message}" if failure.node else failure.message


async def started(
    context: PluginContext,
    workflow: Workflow,
    node: Node,
    message: dict[str, Json],
    request_id: str | None,
    memory: TakenMemory | None,
    *,
    test: bool,
    stream: ChunkBuffer | None = None,
) -> Execution:
    """By the current request. memory: what the message takes. Returns once it is durable. Raises
    `StoreUnavailable`."""
    try:
        execution = context.port(Engine).submit(
            ExecutionRequest(
                workflow=workflow,
                mode="test" if test else "webhook",
                start=node.name,
                items=[{"json": message}],
                use_pin_data=test,
                request_id=request_id,
                response_node=mode_of(node) in _RESPONSE_NODES,
                memory=memory,
                stream=stream,
                caller=named_span(context, request.scope["headers"]),
            )
        )
    except Conflict:
        raise StoreUnavailable("The daemon is stopping; send the message again in a moment.") from None
    await asyncio.shield(execution.accepted)
    return execution


def streamed(
    stream: ChunkBuffer, execution: Execution, workflow: Workflow, clock: Clock, keepalive: float, ends: Ends
) -> Response:
    """The pieces that the nodes send, while they run. keepalive: seconds."""

    def over(_: object) -> None:
        stream.end(ends(execution, workflow, clock.now_ms()))

    async def lines() -> AsyncIterator[bytes]:
        try:
            while piece := await stream.next(keepalive):
                yield piece
            await asyncio.shield(execution.stored)
        finally:
            stream.leave()

    execution.finished.add_done_callback(over)
    made = Response(lines(), 200)
    made.timeout = None  # an answer may take its time
    for name, value in HEADERS:
        made.headers[name] = value
    made.headers["X-Content-Type-Options"] = "nosniff"
    return made


async def answer_of(node: Node, execution: Execution, limit: float) -> Response:
    """limit: seconds. Raises `ChatFailed`, `ExecutionTimeout`, `NoResponseNode`."""
    if mode_of(node) in _RESPONSE_NODES:
        answer = await _within(execution.answer, limit)
        if answer is not None:
            return _of_node(answer)
    outcome = await _within(execution.finished, limit)
    if outcome.status != "success":
        raise ChatFailed(execution.id, outcome)
    if mode_of(node) in _RESPONSE_NODES:
        raise NoResponseNode
    last = outcome.items[0]["json"] if outcome.items else {}
    return Response(dumps(last), 200, {"X-Content-Type-Options": "nosniff"}, content_type="application/json")


async def _within(future: asyncio.Future[T], limit: float) -> T:
    try:
        return await asyncio.wait_for(asyncio.shield(future), limit)
    except TimeoutError:
        raise ExecutionTimeout("The message was received; the answer takes longer than expected.") from None


def _of_node(answer: NodeAnswer) -> Response:
    made = response_of(answer.body, answer.status)
    del made.headers["Content-Type"]
    for name, value in answer.headers:
        made.headers.add(name, value)
    made.headers["Content-Security-Policy"] = _SANDBOX
    made.headers["X-Content-Type-Options"] = "nosniff"
    return made
