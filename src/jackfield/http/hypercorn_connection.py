"""Hypercorn's connections: admitted and timed, and a caller who has gone is noticed at once.

- The application is told although its queue is full, and the socket is closed although the application or the task that
  sends pings still runs.
- A stop cuts off WebSockets that take nothing.
- `jackfield.api.admission` hears how far each request has come.
- HTTP/1.1 is spoken alone, and strictly (`http1.protocol`).
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from typing import Any, cast
from weakref import WeakSet

from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.tcp_server import MAX_RECV, TCPServer
from hypercorn.asyncio.worker_context import AsyncioSingleTask
from hypercorn.config import Config, Sockets
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h11 import H11WSConnection

from jackfield.api.admission.connections import IDLE, SILENT, Admission, AdmittedConnection, Overdue

from .http1.protocol import Http1Protocol
from .http1.refusals import too_late
from .receive_queue import ReceiveQueue
from .websocket_shortcut import Upgraded, WebSocketShortcut

STALLED = 2.0
"""Seconds without progress after which a stop cuts a WebSocket off."""
LOOK = 0.25
"""Seconds between two looks at that."""


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
