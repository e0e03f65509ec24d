"""Hypercorn's connections, with what it leaves open in a daemon whose WebSockets live for days.

- A caller who has gone is noticed at once: the application is told although its queue is full, and the socket is closed
  although the application or the task that sends pings still runs.
- A WebSocket is closed as RFC 6455 has it: a protocol error and a message that is too large are answered with their
  code, what comes behind is read and thrown away, and the caller has a moment to take the last frames.
- Frames are compressed only where `server.websocket_compression` says so.
- A stop cuts off WebSockets that take nothing.
- HTTP/2 is not spoken (`http1`).

Source: RFC 6455 sections 5.5.1, 7.1.1, 7.1.7 and 7.4.1.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast
from weakref import WeakSet

import hypercorn.asyncio.run as hypercorn_run
import hypercorn.asyncio.tcp_server as hypercorn_tcp
import hypercorn.protocol as hypercorn_protocol
import hypercorn.protocol.h11 as hypercorn_h11
from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.tcp_server import MAX_RECV, TCPServer
from hypercorn.asyncio.worker_context import AsyncioSingleTask
from hypercorn.config import Config, Sockets
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.events import Body, Data, Request, StreamClosed
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.h11 import H11WSConnection
from hypercorn.protocol.ws_stream import ASGIWebsocketState, FrameTooLargeError, WSStream
from wsproto.connection import ConnectionState
from wsproto.events import BytesMessage, CloseConnection, Message, Ping
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import LocalProtocolError

from jackfield.api.admission.connections import IDLE, SILENT, Admission, AdmittedConnection, Overdue
from jackfield.api.asgi import SHORTCUT

from .http1 import Http1Protocol
from .receive_queue import ReceiveQueue
from .refusals import too_late
from .websocket_shortcut import Upgraded, WebSocketShortcut, head

LINGER = 1.0
"""Seconds that a caller has to take the close frame and to answer it."""
TURN = 0.005
"""Seconds of frames of one caller, after which others have their turn."""
INFLATED = 1024
"""Bytes of compressed frames that are inflated at once: to a thousand times as much at most."""
STALLED = 2.0
"""Seconds without progress after which a stop cuts a WebSocket off."""
LOOK = 0.25
"""Seconds between two looks at that."""
_EXTENSIONS = b"sec-websocket-extensions"


class OwnConfig(Config):
    """Hypercorn's own sockets are inherited by programs that are started, for workers that we have none of. An agent
    could take our callers' requests with one, and would keep the port from a new daemon.

    connections: those that are open. admission: of the port."""

    websocket_compression = False
    send_timeout = 0.0
    websocket_send_timeout = 0.0
    """Seconds that a caller may leave unread what it was sent, and a WebSocket's. 0: as the socket has it."""

    def __init__(self, admission: Admission) -> None:
        super().__init__()
        self.admission = admission
        self.connections: WeakSet[HypercornConnection] = WeakSet()

    def create_sockets(self) -> Sockets:
        made = super().create_sockets()
        for each in made.insecure_sockets:
            each.set_inheritable(False)
        return made


def install() -> None:
    """Hypercorn has no other way to be told of these."""
    hypercorn_run.TCPServer = HypercornConnection  # type: ignore[attr-defined,assignment]
    hypercorn_tcp.TaskGroup = Tasks  # type: ignore[attr-defined]
    hypercorn_h11.WSStream = HypercornStream  # type: ignore[attr-defined,assignment]
    hypercorn_protocol.H11Protocol = Http1Protocol  # type: ignore[attr-defined,assignment]


class Tasks(TaskGroup):
    """The tasks of one connection; its applications have an inbox of ours."""

    async def spawn_app(self, app: Any, config: Config, scope: Any, send: Any) -> Callable[[Any], Awaitable[None]]:
        inbox = ReceiveQueue(config.max_app_queue_size)

        async def own(scope: Any, _: Any, send: Any, *more: Any) -> None:  # Any: as Hypercorn wraps applications
            try:
                await app(scope, inbox.get, send, *more)
            finally:
                inbox.close()

        stream = getattr(send, "__self__", None)
        if isinstance(stream, HypercornStream):
            stream.shorten(inbox)
        await super().spawn_app(cast("Any", own), config, scope, send)
        return inbox.put


class NoTask(AsyncioSingleTask):
    """Hypercorn's limit of an idle connection's time is a task of its own, begun with each answer."""

    async def restart(self, *_: Any) -> None:  # Any: Hypercorn's
        pass

    async def stop(self) -> None:
        pass


class HypercornConnection(TCPServer):
    """One caller's connection."""

    config: OwnConfig

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        self._senders = 0
        self._progress = self.loop.time()
        self._direct: WebSocketShortcut | None = None
        self._waits = False
        """Whether all that has come has been dealt with."""
        self.config.connections.add(self)
        self.idle_task = NoTask()  # a task for each request costs more than most of the rest; `admitted` knows as much
        sock = self.writer.get_extra_info("socket")
        self.admitted: AdmittedConnection | None = self.config.admission.at(sock.fileno()) if sock else None
        """None: it is gone already."""
        if self.admitted is not None:
            self.admitted.end = self._end

    @property
    def is_websocket(self) -> bool:
        return self._inner is not None and isinstance(self._inner.connection, H11WSConnection)

    @property
    def _inner(self) -> Http1Protocol | None:
        """None: nothing has come yet."""
        found = getattr(getattr(self, "protocol", None), "protocol", None)
        return found if isinstance(found, Http1Protocol) else None

    def _end(self, reason: Overdue | None) -> bool:
        """As `AdmittedConnection.end`. An application that is slow to read is none of its caller's faults."""
        if reason == "request" and not self._waits:
            return False
        inner = self._inner
        if reason in ("head", "request") and inner is not None and not inner.has_answered:
            self.writer.write(too_late(reason))
        self.writer.close()
        return True

    async def protocol_send(self, event: Event) -> None:
        if not isinstance(event, RawData):
            if not isinstance(event, Updated):
                await super().protocol_send(event)
            elif event.idle and self.admitted is not None:
                self.admitted.idles()
                if self._inner is not None and self._inner.has_more:
                    self.admitted.receives()
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
        while not self.reader.at_eof():
            self._waits = True
            try:
                data = await self.reader.read(MAX_RECV)
            except OSError:  # a time-out is one of them
                break
            finally:
                self._waits = False
            if data and self.admitted is not None:
                self.admitted.receives()
            await self.protocol.handle(RawData(data))
        await self.protocol.handle(Closed())
        if self.is_websocket:
            self.writer.transport.abort()
        else:
            self.writer.close()

    def shorten(self, direct: WebSocketShortcut) -> None:
        """From now on what comes and can be given to the application at once is."""
        self._direct = direct
        transport = self.writer.transport
        streams = cast("asyncio.Protocol", transport.get_protocol())
        transport.set_protocol(Upgraded(streams, self._received))

    def _received(self, data: bytes) -> bytes:
        if self._direct is None or not self._waits:
            return data
        left = self._direct.received(data)
        self._waits = not left  # whatever comes from now on is behind it
        return left

    @property
    def is_clear(self) -> bool:
        """Whether nothing waits to be sent."""
        transport = self.writer.transport
        return not (self.send_lock.locked() or transport.is_closing() or transport.get_write_buffer_size())

    async def _close(self) -> None:
        self._senders += 1
        self._progress = self.loop.time()
        try:
            with contextlib.suppress(OSError):  # ENOTCONN: the caller went before the end of writing was told
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

    def close_if_idle(self) -> None:
        if self.admitted is not None and self.admitted.phase in (SILENT, IDLE):
            self.writer.close()

    def cut_off_if_stalled(self) -> None:
        if self._senders and self.is_websocket and self.loop.time() - self._progress > STALLED:
            self.writer.transport.abort()


async def cut_off_stalled(config: OwnConfig) -> None:
    """For the time of a stop: callers who ask or take nothing would hold it up as long as it may last."""
    while True:
        for connection in list(config.connections):
            connection.close_if_idle()
            connection.cut_off_if_stalled()
        await asyncio.sleep(LOOK)


class HypercornStream(WSStream):
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
        elif isinstance(event, (Body, Data)) and not (self.handshake.accepted or self.closed):
            await self._refuse_early()
            return
        try:
            await self._handle(event)
        except LocalProtocolError:  # something behind the caller's close frame
            pass
        finally:
            if self.closed:
                self._over.set()

    async def _handle(self, event: StreamEvent) -> None:
        if isinstance(event, Data) and self.config.websocket_compression:
            # What a piece grows to is bounded, and one that is too large is noticed after the first.
            for start in range(0, len(event.data), INFLATED):
                await super().handle(replace(event, data=event.data[start : start + INFLATED]))
                if self._failed:
                    return
            return
        await super().handle(event)
        if isinstance(event, Request) and self.closed:  # it is no handshake, and has been told so
            await self.send(StreamClosed(stream_id=self.stream_id))

    async def _refuse_early(self) -> None:
        """The caller has not waited for the answer to its handshake (RFC 6455 section 4.1)."""
        self._failed = True
        await self._send_error_response(400)
        if self.app_put is not None:
            await self.app_put({"type": "websocket.disconnect", "code": int(CloseReason.ABNORMAL_CLOSURE)})
        self.task_group.spawn(self._close_refused)

    async def _close_refused(self) -> None:
        if (connection := self._own_connection()) is not None:
            connection.end_writing()
        await self._linger()

    def _prepared(self, event: Request) -> Request:
        self._grant(self.config.websocket_send_timeout)
        if self.config.websocket_compression:
            return event
        return replace(event, headers=[pair for pair in event.headers if pair[0] != _EXTENSIONS])

    def _grant(self, seconds: float) -> None:
        if (connection := self._own_connection()) is not None:
            connection.grant(seconds)

    def shorten(self, inbox: ReceiveQueue) -> None:
        """Give the application a short cut."""
        connection = self._own_connection()
        if connection is None or not connection.is_websocket:
            return
        direct = WebSocketShortcut(inbox, self._is_between_messages, partial(self._write, connection))
        self.scope["extensions"][SHORTCUT] = direct  # type: ignore[assignment]
        connection.shorten(direct)

    def _is_open(self) -> bool:
        is_connected = self.state is ASGIWebsocketState.CONNECTED and not self._failed and not self.closed
        return is_connected and self.connection.state is ConnectionState.OPEN

    def _is_between_messages(self) -> bool:
        if not self._is_open() or self.buffer.value is not None:
            return False
        frames = getattr(getattr(self.connection, "_proto", None), "_frame_decoder", None)  # wsproto does not say it
        return frames is not None and frames.header is None and not len(frames.buffer)

    def _write(self, connection: HypercornConnection, data: bytes) -> bool:
        if not self._is_open() or not connection.is_clear:
            return False
        if self.config.websocket_compression:
            connection.writer.write(self.connection.send(BytesMessage(data=data)))
        else:
            connection.writer.write(head(len(data)) + data)
        return True

    def _own_connection(self) -> HypercornConnection | None:
        """We send by a method of the protocol, and that by one of the connection."""
        sending = getattr(getattr(self.send, "__self__", None), "send", None)
        found = getattr(sending, "__self__", None)
        return found if isinstance(found, HypercornConnection) else None

    async def _handle_events(self) -> None:
        begun = time.monotonic()
        for event in self.connection.events():
            if self._failed:
                return
            if time.monotonic() - begun > TURN:  # a flood of small frames is there at once: others want their turn
                await asyncio.sleep(0)
                begun = time.monotonic()
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
