"""Hypercorn's connections: HTTP/1.1 and nothing else, and a caller who has gone is noticed at once.

- The application is told although its queue is full, and the socket is closed although the application or the task that
  sends pings still runs.
- A stop cuts off WebSockets that take nothing.
- HTTP/2 is not spoken. It would be a second way in, past what is bounded here for a connection: its head, its times,
  its WebSockets. No browser speaks it without TLS, and a web server in front of the daemon that gives its callers
  HTTP/2 asks the daemon in HTTP/1.1.

Source: RFC 9110 sections 7.8 and 15.6.6; RFC 9112 section 2.3; RFC 9113 section 3.4.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from typing import Any, cast
from weakref import WeakSet

import h11
from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.tcp_server import MAX_RECV, TCPServer
from hypercorn.config import Config, Sockets
from hypercorn.events import Closed, Event, RawData
from hypercorn.protocol.h11 import H11Protocol, H11WSConnection

from .receive_queue import ReceiveQueue
from .websocket_shortcut import Upgraded, WebSocketShortcut

STALLED = 2.0
"""Seconds without progress after which a stop cuts a WebSocket off."""
LOOK = 0.25
"""Seconds between two looks at that."""
VERSION_NOT_SUPPORTED = 505
_MAJOR = b"1."


class OwnConfig(Config):
    """Hypercorn's own sockets are inherited by programs that are started, for workers that we have none of. An agent
    could take our callers' requests with one, and would keep the port from a new daemon.

    connections: those that are open."""

    websocket_compression = False
    send_timeout = 0.0
    websocket_send_timeout = 0.0
    """Seconds that a caller may leave unread what it was sent, and a WebSocket's. 0: as the socket has it."""

    def __init__(self) -> None:
        super().__init__()
        self.connections: WeakSet[HypercornConnection] = WeakSet()

    def create_sockets(self) -> Sockets:
        made = super().create_sockets()
        for each in made.insecure_sockets:
            each.set_inheritable(False)
        return made


class Tasks(TaskGroup):
    """The tasks of one connection; its applications have an inbox of ours."""

    async def spawn_app(self, app: Any, config: Config, scope: Any, send: Any) -> Callable[[Any], Awaitable[None]]:
        inbox = ReceiveQueue(config.max_app_queue_size)

        def own(scope: Any, _: Any, *more: Any) -> Any:  # Any: as Hypercorn wraps applications
            return app(scope, inbox.get, *more)

        async def closing(message: Any) -> None:  # an ASGI message; None once the application is over
            if message is None:
                inbox.close()
            await send(message)

        shorten = getattr(getattr(send, "__self__", None), "shorten", None)
        if shorten is not None:  # a WebSocket of ours
            shorten(inbox)
        await super().spawn_app(cast("Any", own), config, scope, closing)
        return inbox.put


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
        while not self.reader.at_eof():
            self._waits = True
            try:
                data = await self.reader.read(MAX_RECV)
            except OSError:  # a time-out is one of them
                break
            finally:
                self._waits = False
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

    def cut_off_if_stalled(self) -> None:
        if self._senders and self.is_websocket and self.loop.time() - self._progress > STALLED:
            self.writer.transport.abort()


async def cut_off_stalled(config: OwnConfig) -> None:
    """For the time of a stop: callers who take nothing would hold it up as long as it may last."""
    while True:
        for connection in list(config.connections):
            connection.cut_off_if_stalled()
        await asyncio.sleep(LOOK)


class Http1Connection(h11.Connection):
    """One that takes requests of HTTP/1 alone; h11 takes any number for the version, and so the preface of HTTP/2."""

    def next_event(self) -> type[h11.NEED_DATA | h11.PAUSED] | h11.Event:
        """Raises `h11.RemoteProtocolError` 505."""
        event = super().next_event()
        if isinstance(event, h11.Request) and not event.http_version.startswith(_MAJOR):
            raise h11.RemoteProtocolError("not HTTP/1", error_status_hint=VERSION_NOT_SUPPORTED)
        return event


class Http1Protocol(H11Protocol):
    """Never changes to HTTP/2: neither by `Upgrade: h2c`, which a server may ignore, nor by its preface."""

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        self.connection = Http1Connection(h11.SERVER, max_incomplete_event_size=self.config.h11_max_incomplete_size)

    async def _check_protocol(self, event: h11.Request) -> None:
        """Hypercorn raises from here what makes it change."""
