"""Calls that are answered in chunks while their execution runs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from jackfield.api.asgi import Send
from jackfield.api.chunk_streams import HEADERS, error_chunk
from jackfield.api.clock import Clock
from jackfield.api.engine import Execution
from jackfield.api.records import record
from jackfield.api.storage import CallStatus
from jackfield_webhooks.answers.plans import HeaderPairs
from jackfield_webhooks.answers.streams import CallStream
from jackfield_webhooks.calls.call import IncomingCall
from jackfield_webhooks.hook import Hook
from jackfield_webhooks.settings import StreamSettings


@record
class StreamAnswer:
    """stored: to be awaited when the execution is over; returns once that is durable, and raises `JackfieldError` when
    it cannot be."""

    headers: HeaderPairs
    stream: CallStream
    stored: Callable[[], Awaitable[None]]
    status: int = 200


def headers_of(hook: Hook) -> HeaderPairs:
    """The node's own headers beat n8n's."""
    named = {name for name, _ in hook.plan.headers}
    return (*(pair for pair in HEADERS if pair[0] not in named), *hook.plan.headers)


def end_with(stream: CallStream, execution: Execution, hook: Hook, clock: Clock) -> None:
    """Let the stream end when the execution does, with an error when it failed."""

    def over(_: object) -> None:
        stream.end(error_chunk(execution, hook.workflow, clock.now_ms()))

    execution.finished.add_done_callback(over)


def status_of(execution: Execution) -> CallStatus:
    """Of the call, once the execution is over."""
    finished = execution.finished
    return "success" if finished.exception() is None and finished.result().status == "success" else "failed"


async def deliver_stream(call: IncomingCall, answer: StreamAnswer, settings: StreamSettings, send: Send) -> None:
    """Send what the nodes send, and return once the execution is over and stored. The connection of an execution whose
    end cannot be stored breaks off. Raises `JackfieldError` then."""
    stream = answer.stream
    left = asyncio.ensure_future(call.reader.left())
    left.add_done_callback(lambda _: stream.leave())
    whole = False
    try:
        with contextlib.suppress(ConnectionError, TimeoutError):
            await _begin(call, answer, send)
            if call.method != "HEAD":
                await _pass_on(stream, settings, send)
            whole = not stream.gone
        if not whole or call.method == "HEAD":
            stream.leave()
        await answer.stored()
        if whole:
            with contextlib.suppress(ConnectionError):
                await send({"type": "http.response.body", "body": b""})
    finally:
        stream.leave()
        left.cancel()


async def _begin(call: IncomingCall, answer: StreamAnswer, send: Send) -> None:
    headers = [(name.encode("latin-1", "replace"), text.encode("latin-1", "replace")) for name, text in answer.headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": [*headers, *call.permission]})
    # The head goes out with the first bytes of the body in some servers.
    await send({"type": "http.response.body", "body": b"", "more_body": True})


async def _pass_on(stream: CallStream, settings: StreamSettings, send: Send) -> None:
    """Raises `TimeoutError` when the caller reads nothing for too long."""
    while piece := await stream.next(settings.keepalive):
        async with asyncio.timeout(settings.stall_timeout):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
