"""Hypercorn's WebSockets, with the parts that it leaves open in a daemon where they live for days.

`hypercorn_connections` has the connections below them.

- A WebSocket closes as RFC 6455 has it. It answers a protocol error and a message that is too large with their code. It
  reads and throws away all that comes behind. The caller has a moment to take the last frames.

- It compresses frames only where `server.websocket_compression` says so.

Source: RFC 6455 sections 5.5.1, 7.1.1, 7.1.7 and 7.4.1.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace
from functools import partial
from typing import Any

import hypercorn.asyncio.run as hypercorn_run
import hypercorn.asyncio.tcp_server as hypercorn_tcp
import hypercorn.protocol as hypercorn_protocol
import hypercorn.protocol.h11 as hypercorn_h11
from hypercorn.protocol.events import Body, Data, Request, StreamClosed
from hypercorn.protocol.events import Event as StreamEvent
from hypercorn.protocol.ws_stream import ASGIWebsocketState, FrameTooLargeError, WSStream
from wsproto.connection import ConnectionState
from wsproto.events import BytesMessage, CloseConnection, Message, Ping
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import LocalProtocolError

from jackfield.api.asgi import SHORTCUT

from .hypercorn_connections.connection import HypercornConnection
from .hypercorn_connections.http1 import Http1Protocol
from .hypercorn_connections.receiving import ReceiveQueue
from .hypercorn_connections.settings import OwnConfig
from .hypercorn_connections.tasks import ConnectionTasks
from .websocket_shortcut import WebSocketShortcut, head

LINGER = 1.0
"""Seconds that a caller has to take the close frame and to answer it."""
TURN = 0.005
"""Seconds of frames of one caller, after which others have their turn."""
INFLATED = 1024
"""Bytes of compressed frames that are inflated at once: to a thousand times as much at most."""
_EXTENSIONS = b"sec-websocket-extensions"


def install() -> None:
    """Hypercorn has no other way to take these."""
    hypercorn_run.TCPServer = HypercornConnection  # type: ignore[attr-defined,assignment]
    hypercorn_tcp.TaskGroup = ConnectionTasks  # type: ignore[attr-defined]
    hypercorn_h11.WSStream = HypercornStream  # type: ignore[attr-defined,assignment]
    hypercorn_protocol.H11Protocol = Http1Protocol  # type: ignore[attr-defined,assignment]


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
            await self._refuse_data_before_answer()
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

    async def _refuse_data_before_answer(self) -> None:
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

    def shorten(self, queue: ReceiveQueue) -> None:
        """Give the application a short cut."""
        connection = self._own_connection()
        if connection is None or not connection.is_websocket:
            return
        shortcut = WebSocketShortcut(queue, self._is_between_messages, partial(self._write, connection))
        self.scope["extensions"][SHORTCUT] = shortcut  # type: ignore[assignment]
        connection.shorten(shortcut)

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
        """In its own task: sending may have to wait for the caller, who may wait for us to read."""
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
