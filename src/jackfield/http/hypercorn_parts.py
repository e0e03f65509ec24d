"""Hypercorn's connections, with what it leaves open in a daemon whose WebSockets live for days.

- A caller who has gone is noticed at once: the application is told although its queue is full, and the socket is closed
  although the application or the task that sends pings still runs.
- A WebSocket is closed as RFC 6455 has it: a protocol error and a message that is too large are answered with their
  code, what comes behind is read and thrown away, and the caller has a moment to take the last frames.
- Frames are compressed only where `server.websocket_compression` says so.
- A stop cuts off WebSockets that take nothing.

Source: RFC 6455 sections 5.5.1, 7.1.1, 7.1.7 and 7.4.1.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, cast
from weakref import WeakSet

import hypercorn.asyncio.run as hypercorn_run
import hypercorn.asyncio.tcp_server as hypercorn_tcp
import hypercorn.protocol.h11 as hypercorn_h11
from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.config import Config, Sockets
from hypercorn.events import Event, RawData
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.events import Request, StreamClosed
from hypercorn.protocol.h11 import H11WSConnection
from hypercorn.protocol.ws_stream import ASGIWebsocketState, FrameTooLargeError, WSStream
from wsproto.connection import ConnectionState
from wsproto.events import CloseConnection, Message, Ping
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import LocalProtocolError

LINGER = 1.0
"""Seconds that a caller has to take the close frame and to answer it."""
STALLED = 2.0
"""Seconds without progress after which a stop cuts a WebSocket off."""
LOOK = 0.25
"""Seconds between two looks at that."""
_EXTENSIONS = b"sec-websocket-extensions"
_connections: WeakSet[Connection] = WeakSet()


class OwnConfig(Config):
    """Hypercorn's own sockets are inherited by programs that are started, for workers that we have none of. An agent
    could take our callers' requests with one, and would keep the port from a new daemon."""

    websocket_compression = False
    send_timeout = 0.0
    websocket_send_timeout = 0.0
    """Seconds that a caller may leave unread what it was sent, and a WebSocket's. 0: as the socket has it."""

    def create_sockets(self) -> Sockets:
        made = super().create_sockets()
        for each in made.insecure_sockets:
            each.set_inheritable(False)
        return made


def install() -> None:
    """Hypercorn has no other way to be told of these."""
    hypercorn_run.TCPServer = Connection  # type: ignore[attr-defined,assignment]
    hypercorn_tcp.TaskGroup = Tasks  # type: ignore[attr-defined]
    hypercorn_h11.WSStream = Stream  # type: ignore[attr-defined,assignment]


class Inbox:
    """What an application has still to receive. Data wait for room, as ever; the end does not: an application that is
    busy with the first message would never hear that its caller has gone."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: deque[Any] = deque()  # ASGI's messages
        self._room: deque[asyncio.Future[None]] = deque()
        self._more = asyncio.Event()
        self._over = False

    async def put(self, message: Any) -> None:  # Any: an ASGI message
        while not self._over and not message["type"].endswith(".disconnect") and len(self._kept) >= self._size:
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._room.append(waiting)
            await waiting
        if not self._over:
            self._kept.append(message)
            self._more.set()

    async def get(self) -> Any:  # an ASGI message
        while not self._kept:
            self._more.clear()
            await self._more.wait()
        found = self._kept.popleft()
        while self._room:
            waiting = self._room.popleft()
            if not waiting.done():
                waiting.set_result(None)
                break
        return found

    def close(self) -> None:
        """The application has ended: nobody waits for it any more, and what comes is forgotten."""
        self._over = True
        self._kept.clear()
        for waiting in self._room:
            if not waiting.done():
                waiting.set_result(None)
        self._room.clear()


class Tasks(TaskGroup):
    """The tasks of one connection; its applications have an inbox of ours."""

    async def spawn_app(self, app: Any, config: Config, scope: Any, send: Any) -> Callable[[Any], Awaitable[None]]:
        inbox = Inbox(config.max_app_queue_size)

        async def own(scope: Any, _: Any, send: Any, *more: Any) -> None:  # Any: as Hypercorn wraps applications
            try:
                await app(scope, inbox.get, send, *more)
            finally:
                inbox.close()

        await super().spawn_app(cast("Any", own), config, scope, send)
        return inbox.put


class Connection(TCPServer):
    """One caller's connection."""

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        self._senders = 0
        self._progress = self.loop.time()
        _connections.add(self)

    @property
    def is_websocket(self) -> bool:
        inner = getattr(getattr(self, "protocol", None), "protocol", None)
        return isinstance(getattr(inner, "connection", None), H11WSConnection)

    async def protocol_send(self, event: Event) -> None:
        if not isinstance(event, RawData):
            await super().protocol_send(event)
            return
        if self._senders == 0:
            self._progress = self.loop.time()
        self._senders += 1
        try:
            await super().protocol_send(event)
        finally:
            self._senders -= 1
            self._progress = self.loop.time()

    async def _read_data(self) -> None:
        """When the caller has gone, the socket goes: not when the application has finished. Whoever leaves a WebSocket
        without a close frame waits for nothing more; others get what has been written for them."""
        await super()._read_data()
        if self.is_websocket:
            self.writer.transport.abort()
        else:
            self.writer.close()

    async def _close(self) -> None:
        self._senders += 1
        self._progress = self.loop.time()
        try:
            await super()._close()
        finally:
            self._senders -= 1

    def grant(self, seconds: float) -> None:
        """How long the caller may leave unread what it was sent (Linux)."""
        sock = self.writer.get_extra_info("socket")
        if sock is not None and seconds and hasattr(socket, "TCP_USER_TIMEOUT"):
            with contextlib.suppress(OSError, ValueError):  # it is closed; ValueError is uvloop's
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(seconds * 1000))

    def end_writing(self) -> None:
        with contextlib.suppress(OSError, RuntimeError, NotImplementedError):  # it is closed, or encrypted
            self.writer.write_eof()

    def cut_off_if_stalled(self) -> None:
        if self._senders and self.is_websocket and self.loop.time() - self._progress > STALLED:
            self.writer.transport.abort()


async def cut_off_stalled() -> None:
    """For the time of a stop: callers who take nothing would hold it up as long as it may last."""
    while True:
        for connection in list(_connections):
            connection.cut_off_if_stalled()
        await asyncio.sleep(LOOK)


class Stream(WSStream):
    """One WebSocket."""

    config: OwnConfig

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        self._over = asyncio.Event()
        self._failed = False
        """We have closed it for what the caller has sent."""

    async def handle(self, event: StreamEvent) -> None:
        if isinstance(event, Request):
            event = self._prepared(event)
        elif self._failed and not isinstance(event, StreamClosed):
            return  # it is read so that the caller can finish sending, and find our close frame
        try:
            await super().handle(event)
        except LocalProtocolError:  # something behind the caller's close frame
            pass
        finally:
            if self.closed:
                self._over.set()

    def _prepared(self, event: Request) -> Request:
        self._grant(self.config.websocket_send_timeout)
        if self.config.websocket_compression:
            return event
        return replace(event, headers=[pair for pair in event.headers if pair[0] != _EXTENSIONS])

    def _grant(self, seconds: float) -> None:
        if (connection := self._own_connection()) is not None:
            connection.grant(seconds)

    def _own_connection(self) -> Connection | None:
        """We send by a method of the protocol, and that by one of the connection."""
        sending = getattr(getattr(self.send, "__self__", None), "send", None)
        found = getattr(sending, "__self__", None)
        return found if isinstance(found, Connection) else None

    async def _handle_events(self) -> None:
        for event in self.connection.events():
            if self._failed:
                return
            if isinstance(event, Message):
                await self._take(event)
            elif isinstance(event, Ping):
                await self._send_wsproto_event(event.response())
            elif isinstance(event, CloseConnection):
                await self._end(event)

    async def _take(self, event: Message[Any]) -> None:
        try:
            self.buffer.extend(event)
        except FrameTooLargeError:
            self.buffer.clear()
            await self._fail(CloseReason.MESSAGE_TOO_BIG)
            return
        if event.message_finished:
            message = self.buffer.to_message()
            self.buffer.clear()
            if self.app_put is not None and self.state is ASGIWebsocketState.CONNECTED:
                await self.app_put(message)

    async def _end(self, event: CloseConnection) -> None:
        """The caller closes, answers our close, or breaks the protocol."""
        if self.connection.state is ConnectionState.OPEN:
            await self._fail(event.code)
            return
        if self.connection.state is ConnectionState.REMOTE_CLOSING:
            await self._send_wsproto_event(event.response())
        await self.send(StreamClosed(stream_id=self.stream_id))

    async def _fail(self, code: int) -> None:
        self._failed = True
        if self.app_put is not None:
            await self.app_put({"type": "websocket.disconnect", "code": int(code)})
        self.task_group.spawn(self._close_failed, code)

    async def _close_failed(self, code: int) -> None:
        """In a task of its own: sending may have to wait for the caller, who may wait for us to read."""
        await self._send_wsproto_event(CloseConnection(code=code))
        if (connection := self._own_connection()) is not None:
            connection.end_writing()
        await self._linger()

    async def _linger(self) -> None:
        """A socket that is closed with something unread takes back what was sent."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), LINGER)
        if not self.closed:
            await self.send(StreamClosed(stream_id=self.stream_id))

    async def app_send(self, message: Any) -> None:  # an ASGI message
        if message is None:  # it has ended: what its caller has not read is not worth as much any more
            self._grant(self.config.send_timeout)
        if self._failed:
            return
        if message is None and self.state is ASGIWebsocketState.CLOSED and not self.closed:
            await self._linger()
            return
        await super().app_send(message)

    async def _send_pings(self) -> None:
        while not self.closed:
            await self._send_wsproto_event(Ping())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), self.config.websocket_ping_interval)
