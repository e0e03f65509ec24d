"""SSE Trigger: starts the workflow with the server-sent events of an address."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import ClassVar

from pydantic import Field

from jackfield.api.context import PluginContext
from jackfield.api.dialects.sse import EventTooLarge
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import HttpCall, HttpClient, HttpReply
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeDescription, NodeError, Parameters, needed
from jackfield.api.nodes.running import PassingNode
from jackfield.api.nodes.ui import UiFields
from jackfield.api.triggers.failures import ServiceRefusal, wait_asked
from jackfield.api.triggers.listening import Heard, ListeningBase, ListenRun, event_items
from jackfield.api.workflows import BinaryData, Node, Problem
from jackfield_nodes.http.event_stream import EventStream, StreamEvent
from jackfield_nodes.http.form import SSE
from jackfield_nodes.http.settings import HttpSettings

_TYPE = "text/event-stream"
_PAUSE_MS = 3_000
"""Until a server that has ended a stream is asked again, unless it says another time."""
_LEAST_MS, _MOST_MS = 500, 60_000


class SseTrigger(Parameters):
    ui_fields: ClassVar[UiFields] = SSE

    url: str = Field("", description="The address of the events.", json_schema_extra=needed())


class SseTriggerNode(PassingNode, ListeningBase):
    """`ListeningNode`. Events without a name count, as in n8n; they are JSON. A server that gives them ids is asked for
    what came since the last one."""

    def __init__(self, context: PluginContext) -> None:
        described = NodeDescription(
            "SSE Trigger", "Starts the workflow with server-sent events.", "trigger", inputs=0, trigger=True
        )
        super().__init__("sseTrigger", (1,), described, SseTrigger)
        self._context = context

    def listen(self, run: ListenRun) -> AbstractAsyncContextManager[AsyncIterator[Heard]]:
        wanted = SseTrigger.model_validate(dict(run.node.parameters))
        return self._opened(run, wanted.url)

    @contextlib.asynccontextmanager
    async def _opened(self, run: ListenRun, url: str) -> AsyncIterator[AsyncIterator[Heard]]:
        stream = EventStream(self._context.settings(HttpSettings).max_response_bytes, _known_ident(run.state, url))
        async with _Connection.opened(self._context, url, stream) as first:
            yield self._heard(run, url, stream, first)

    async def _heard(self, run: ListenRun, url: str, stream: EventStream, first: _Connection) -> AsyncIterator[Heard]:
        async for event in first.events():
            for heard in _told(run, url, event):
                yield heard
        while True:
            pause = _PAUSE_MS if stream.retry_ms is None else stream.retry_ms
            await self._context.clock.sleep(min(max(pause, _LEAST_MS), _MOST_MS) / 1000)
            stream.restart()
            async with _Connection.opened(self._context, url, stream) as connection:
                async for event in connection.events():
                    for heard in _told(run, url, event):
                        yield heard

    def listen_problems(self, node: Node) -> Sequence[Problem]:
        wanted = SseTrigger.model_validate(dict(node.parameters))
        return [] if wanted.url.strip() else [Problem("parameters.url", "The parameter url is empty; fill it in.")]


class _Connection:
    """One exchange: `BodyKeeper` of its answer. The server waits while nobody takes an event."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream
        self._begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._events: asyncio.Queue[StreamEvent | None] = asyncio.Queue(1)
        self._task: asyncio.Task[None]

    @classmethod
    @contextlib.asynccontextmanager
    async def opened(cls, context: PluginContext, url: str, stream: EventStream) -> AsyncIterator[_Connection]:
        """Once the stream has begun. Raises `NodeError`."""
        made = cls(stream)
        made._task = asyncio.ensure_future(made._exchange(context.port(HttpClient), url))
        try:
            await asyncio.wait({made._task, made._begun}, return_when=asyncio.FIRST_COMPLETED)
            if made._task.done():
                made._task.result()
            yield made
        finally:
            made._task.cancel()
            made._begun.cancel()
            await asyncio.gather(made._task, return_exceptions=True)

    async def events(self) -> AsyncIterator[StreamEvent]:
        """Until the server ends them. Raises `NodeError`."""
        while True:
            waits = {self._task, taken := asyncio.ensure_future(self._events.get())}
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if not taken.done():
                    self._task.result()
                    return
                event = taken.result()
            finally:
                taken.cancel()
            if event is None:
                return
            yield event

    async def _exchange(self, client: HttpClient, url: str) -> None:
        headers = [("accept", _TYPE), ("cache-control", "no-cache")]
        if self._stream.ident:
            headers.append(("last-event-id", self._stream.ident))
        reply = await client.send(HttpCall("GET", url, headers=headers, keeper=self, lasting=True))
        if reply.file is None:
            raise _refusal(reply)

    def wants(self, head: HttpReply) -> bool:
        return head.status == 200 and head.header("content-type").partition(";")[0].strip().lower() == _TYPE

    async def keep(self, head: HttpReply, chunks: AsyncIterator[bytes]) -> BinaryData:
        if not self._begun.done():
            self._begun.set_result(None)
        try:
            async for chunk in chunks:
                for event in self._stream.feed(chunk):
                    await self._events.put(event)
        except EventTooLarge:
            raise NodeError("One event is larger than nodes.http.max_response_bytes allows.") from None
        await self._events.put(None)
        return BinaryData(data="", mimeType=_TYPE)


def _refusal(reply: HttpReply) -> NodeError:
    if reply.status >= 300:
        about = f"The server of the events answers {reply.status} {reply.reason}."
        return ServiceRefusal(about, status=reply.status, retry_after=wait_asked(reply))
    return NodeError(f"The address gives no server-sent events: it answers {reply.status} without {_TYPE}.")


def _known_ident(state: Mapping[str, Json], url: str) -> str:
    """Of the same address only."""
    found = state.get("lastEventId") if state.get("url") == url else None
    return found if isinstance(found, str) else ""


def _told(run: ListenRun, url: str, event: StreamEvent) -> list[Heard]:
    if event.name not in ("", "message"):
        return []
    try:
        value = loads(event.data.encode())
    except InvalidInput:
        run.log.warning("An event that is no JSON starts nothing.", extra={"node": run.node.name})
        return []
    state: dict[str, Json] | None = {"url": url, "lastEventId": event.ident} if event.ident else None
    return [Heard(event_items([value]), state)]


def node(context: PluginContext) -> SseTriggerNode:
    return SseTriggerNode(context)
