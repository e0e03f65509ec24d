"""One caller's connection."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any, cast

from hypercorn.asyncio.tcp_server import MAX_RECV
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h11 import H11WSConnection

from jackfield.api.admission.connections import IDLE, SILENT, ConnectionMover, Overdue
from jackfield.api.admission.moving import move

from ..http1.refusals import too_late
from ..websocket_shortcut import Upgraded, WebSocketShortcut
from .http1 import Head
from .settings import OwnConfig
from .tasks import NoTask
from .whole_requests import WholeRequests

STALLED = 2.0
"""Seconds without progress after which a stop cuts a WebSocket off."""
LOOK = 0.25
"""Seconds between two looks at that."""


class HypercornConnection(WholeRequests):
    """One caller's connection."""

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        self._senders = 0
        self._progress = self.loop.time()
        self._shortcut: WebSocketShortcut | None = None
        self._head = b""
        """Of an answer, held until its body or the next turn of the loop: one system call less."""
        self._waits = False
        """Whether all that has come has been dealt with."""
        self._moved = False
        """Whether another process has it: closing tells the caller nothing then."""
        self.config.connections.add(self)
        self.idle_task = NoTask()  # a task for each request costs more than most of the rest; `admitted` knows as much
        if self.admitted is not None:
            self.admitted.end = self._end

    @property
    def is_websocket(self) -> bool:
        return self._inner is not None and isinstance(self._inner.connection, H11WSConnection)

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
                self._flush()
                await super().protocol_send(event)
            elif event.idle and self.admitted is not None:
                self.admitted.idles()
                if self._inner is not None and self._inner.has_more:
                    self.admitted.receives()
            return
        if type(event) is Head:
            self._head = event.data
            self.loop.call_soon(self._flush)
            return
        if self._head:
            event, self._head = RawData(self._head + event.data), b""
        if not event.data:
            return
        if self._senders == 0:
            self._progress = self.loop.time()
        self._senders += 1
        try:
            await super().protocol_send(event)
        finally:
            self._senders -= 1
            self._progress = self.loop.time()

    def _flush(self) -> None:
        if self._head and not self.writer.is_closing():
            self.writer.write(self._head)
        self._head = b""

    async def _read_data(self) -> None:
        """When the caller has gone, the socket goes: not when the application has finished.

        A caller who leaves a WebSocket without a close frame waits for nothing more; others get all that was written
        for them.
        """
        failure: Exception | None = None
        while not self.reader.at_eof():
            self._waits = True
            try:
                data = await self.reader.read(MAX_RECV)
            except OSError as exc:  # a time-out is one of them
                failure = exc
                break
            finally:
                self._waits = False
            if self._is_served:
                await self._hold(data)
                continue
            if self._is_over:
                break
            if data and self.admitted is not None and self.admitted.phase in (SILENT, IDLE):
                if self.config.admission.mover is not None and self._moves(data, self.config.admission.mover):
                    break
                self.admitted.receives()
            if not self._served(data):
                await self.protocol.handle(RawData(data))
        if self._exchange is not None and not self._exchange.complete:
            self._exchange.lost(failure)
        await self.protocol.handle(Closed())
        if self.is_websocket:
            self.writer.transport.abort()
        else:
            self.writer.close()

    def _moves(self, data: bytes, mover: ConnectionMover) -> bool:
        """Whether the connection goes on in another process, with this request."""
        if self.admitted is None or self.admitted.phase != IDLE or not mover.is_elsewhere(data):
            return False
        transport = cast("asyncio.Transport", self.writer.transport)
        if not transport.is_closing():
            transport.pause_reading()
        self._moved = True
        move(mover, transport, data + bytes(getattr(self.reader, "_buffer", b"")))  # the reader does not say it
        return True

    def shorten(self, shortcut: WebSocketShortcut) -> None:
        """From now on what comes and can be given to the application at once is."""
        self._shortcut = shortcut
        transport = self.writer.transport
        streams = cast("asyncio.Protocol", transport.get_protocol())
        transport.set_protocol(Upgraded(streams, self._received))

    def _received(self, data: bytes) -> bytes:
        if self._shortcut is None or not self._waits:
            return data
        left = self._shortcut.received(data)
        self._waits = not left  # whatever comes from now on is behind it
        return left

    @property
    def is_clear(self) -> bool:
        """Whether nothing waits to be sent."""
        transport = self.writer.transport
        return not (self.send_lock.locked() or transport.is_closing() or transport.get_write_buffer_size())

    async def _close(self) -> None:
        if self._moved:
            return
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
