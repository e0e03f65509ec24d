"""Hypercorn's connections: admitted and timed, and a caller who has gone is noticed at once.

- The application is told although its queue is full, and the socket is closed although the application or the task that
  sends pings still runs.
- A stop cuts off WebSockets that take nothing.
- `jackfield.api.admission` hears how far each request has come.
- HTTP/1.1 is spoken alone, and strictly:
  - Hypercorn speaks HTTP/2 with whoever asks for it, on a connection without TLS as well. HTTP/2 would be a second way
    in, past what is bounded here for a connection: its head, its times, its WebSockets. No browser speaks it without
    TLS, and a web server in front of the daemon that gives its callers HTTP/2 asks the daemon in HTTP/1.1.
  - h11 takes what a program in front may read otherwise, and so lets a caller hide one request in another:
    `Transfer-Encoding` beside `Content-Length`, or in HTTP/1.0; lines that end in a bare LF; folded header lines. These
    are refused, and the connection is closed.

A connection, its protocol and its application's queue pass every piece of a request to each other, so they stand in one
file.

Source: RFC 9110 sections 7.8 and 15.6.6; RFC 9112 sections 2.2, 2.3, 5.2, 6.1 and 6.3; RFC 9113 section 3.4.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, cast
from weakref import WeakSet

import h11
from h11._receivebuffer import ReceiveBuffer
from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.tcp_server import MAX_RECV, TCPServer
from hypercorn.asyncio.worker_context import AsyncioSingleTask
from hypercorn.config import Config, Sockets
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h11 import H11Protocol, H11WSConnection

from jackfield.api.admission.connections import IDLE, SILENT, Admission, AdmittedConnection, ConnectionMover, Overdue
from jackfield.api.admission.moving import move
from jackfield.api.asgi import AsgiApp

from .http1.exchange import HttpExchange, whole_exchange
from .http1.plain import plain_request
from .http1.refusals import MALFORMED, TOO_LARGE, body_of, code_of, too_late
from .websocket_shortcut import Upgraded, WebSocketShortcut

STALLED = 2.0
"""Seconds without progress after which a stop cuts a WebSocket off."""
LOOK = 0.25
"""Seconds between two looks at that."""


BAD_REQUEST = 400
VERSION_NOT_SUPPORTED = 505
_REFUSALS: dict[int, str] = {HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: TOO_LARGE}
_MAJOR = b"1."
_BARE_LF = re.compile(rb"(?<!\r)\n")
_CODING = b"transfer-encoding"
_FRAMING = frozenset({_CODING, b"content-length"})


class ReceiveQueue:
    """Data wait for room, as ever; the end does not: an application that is busy with the first message would never
    hear that its caller has gone."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: deque[Any] = deque()  # ASGI's messages
        self._room: deque[asyncio.Future[None]] = deque()
        self._more = asyncio.Event()
        self._over = False
        self._asked = False

    @property
    def is_asked(self) -> bool:
        """Whether the application waits for the next message, and so has dealt with all that came before."""
        return self._asked and not self._kept and not self._over

    async def put(self, message: Any) -> None:  # Any: an ASGI message
        if self._kept and is_end(message) and self._kept[-1].get("more_body"):
            self._kept[-1]["more_body"] = False  # the server tells the end of a body apart from its last piece
            return
        while not self._over and not message["type"].endswith(".disconnect") and len(self._kept) >= self._size:
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._room.append(waiting)
            await waiting
        if not self._over:
            self._kept.append(message)
            self._more.set()

    async def get(self) -> Any:  # an ASGI message
        try:
            while not self._kept:
                self._asked = True
                self._more.clear()
                await self._more.wait()
        finally:
            self._asked = False
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


def is_end(message: Any) -> bool:  # Any: an ASGI message
    """Whether it tells nothing but that the body is over."""
    return message["type"] == "http.request" and not (message["body"] or message["more_body"])


def malformed(message: str, status: int = BAD_REQUEST) -> h11.RemoteProtocolError:
    return h11.RemoteProtocolError(message, error_status_hint=status)


class StrictBuffer(ReceiveBuffer):
    """What has come. Heads, and trailers of bodies, are read by lines. has_length, has_coding: of the last lines, also
    where a header's name only begins so."""

    has_length = has_coding = False

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Up to the first blank line. Raises `h11.RemoteProtocolError`."""
        data = self._data
        if data[:2] == b"\r\n":
            self._extract(2)
            return []
        end = data.find(b"\r\n\r\n", self._multiple_lines_search)
        if end < 0:
            if _BARE_LF.search(data, max(0, self._multiple_lines_search)):
                raise malformed("A line of the head ends in LF; end it in CR LF.")
            self._multiple_lines_search = max(0, len(data) - 3)
            return None
        head = self._extract(end + 4)
        if head.count(b"\n") != head.count(b"\r\n"):
            raise malformed("A line of the head ends in LF; end it in CR LF.")
        if b"\r\n " in head or b"\r\n\t" in head:
            raise malformed("A header is folded over two lines; write it on one.")
        lower = head.lower()
        self.has_length = b"\ncontent-length" in lower
        self.has_coding = b"\ntransfer-encoding" in lower
        return head[:-4].split(b"\r\n")

    def maybe_extract_next_line(self) -> bytearray | None:
        """A chunk's size and extensions. Raises `h11.RemoteProtocolError`."""
        line = super().maybe_extract_next_line()
        if line is not None and b"\r" in line[:-2]:
            raise malformed("A line of a chunk has a CR in its middle; end it in CR LF.")
        return line


class Http1Connection(h11.Connection):
    """One that takes requests of HTTP/1 alone; h11 takes any number for the version, and so the preface of HTTP/2.
    admitted: is told how far a request has come."""

    problem = ""
    """A sentence about what was refused."""

    def __init__(self, longest_head: int, admission: Admission, admitted: AdmittedConnection | None) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size=longest_head)
        self._receive_buffer = self._strict = StrictBuffer()
        self._admission = admission
        self._admitted = admitted

    @property
    def is_fresh(self) -> bool:
        """Whether it waits for the first byte of a request."""
        return self.our_state is h11.IDLE and self.their_state is h11.IDLE and not self.has_more

    @property
    def has_more(self) -> bool:
        """Whether something has come that was not taken yet."""
        return len(self._strict) > 0

    def next_event(self) -> type[h11.NEED_DATA | h11.PAUSED] | h11.Event:
        """Raises `h11.RemoteProtocolError`, 505 for another version."""
        try:
            event = super().next_event()
            kind = type(event)
            if kind is h11.Request:
                self._take(cast("h11.Request", event))
            elif kind is h11.EndOfMessage and self._admitted is not None:
                self._admitted.request_is_whole()
        except h11.RemoteProtocolError as exc:
            self._admission.malformed += 1
            self.problem = str(exc)
            raise
        return event

    def _take(self, event: h11.Request) -> None:
        if self._strict.has_coding:
            names = {name for name, _ in event.headers}
            if names >= _FRAMING:
                raise malformed("Transfer-Encoding and Content-Length exclude each other; send one of them.")
            if _CODING in names and event.http_version == b"1.0":
                raise malformed("HTTP/1.0 has no Transfer-Encoding; send Content-Length.")
        if not event.http_version.startswith(_MAJOR):
            raise malformed("not HTTP/1", VERSION_NOT_SUPPORTED)
        if self._admitted is not None:
            self._admitted.head_is_whole(has_body=self._strict.has_length or self._strict.has_coding)


class Head(RawData):
    """The head of an answer, whose body mostly follows at once."""


class Http1Protocol(H11Protocol):
    """Never changes to HTTP/2: neither by `Upgrade: h2c`, which a server may ignore, nor by its preface."""

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        config = cast("OwnConfig", self.config)
        owner = getattr(self.send, "__self__", None)
        self.connection = Http1Connection(
            config.h11_max_incomplete_size, config.admission, getattr(owner, "admitted", None)
        )

    @property
    def has_answered(self) -> bool:
        """Whether an answer has begun."""
        return self.connection.our_state not in (h11.IDLE, h11.SEND_RESPONSE)

    @property
    def has_more(self) -> bool:
        """Whether bytes of the next request have come."""
        return isinstance(self.connection, Http1Connection) and self.connection.has_more

    @property
    def is_fresh(self) -> bool:
        """Whether nothing of a request has come, and no answer is under way."""
        connection = self.connection
        return isinstance(connection, Http1Connection) and connection.is_fresh

    async def _check_protocol(self, event: h11.Request) -> None:
        """Hypercorn raises from here what makes it change."""

    async def _send_h11_event(self, event: Any) -> None:  # Any: what h11 sends
        try:
            data = cast("bytes", self.connection.send(event))
        except h11.LocalProtocolError:
            if self.connection.their_state is not h11.ERROR:
                raise
        else:
            await self.send(Head(data) if type(event) is h11.Response else RawData(data))

    async def _send_error_response(self, status_code: int) -> None:
        """Hypercorn's has no body."""
        known = status_code == BAD_REQUEST and getattr(self.connection, "problem", "").endswith(".")
        message = getattr(self.connection, "problem", "") if known else _REFUSALS.get(status_code, MALFORMED)
        body = body_of(message, code_of(status_code))
        fields = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await self._send_h11_event(
            h11.Response(status_code=status_code, headers=[*fields, *self.config.response_headers("h11")])
        )
        await self._send_h11_event(h11.Data(data=body))
        await self._send_h11_event(h11.EndOfMessage())


class OwnConfig(Config):
    """Hypercorn's own sockets are inherited by programs that are started, for workers that we have none of. An agent
    could take our callers' requests with one, and would keep the port from a new daemon.

    connections: those that are open. admission: of the port."""

    application: AsgiApp | None = None
    """Asked without Hypercorn's queue and tasks for requests that can be read at a glance; None: none are."""
    websocket_compression = False
    send_timeout = 0.0
    websocket_send_timeout = 0.0
    """Seconds that a caller may leave unread what it was sent, and a WebSocket's. 0: as the socket has it."""

    def __init__(self, admission: Admission) -> None:
        super().__init__()
        self.admission = admission
        self.connections: WeakSet[HypercornConnection] = WeakSet()
        self._headers: list[tuple[bytes, bytes]] = []
        self._headers_at = -1.0

    def default_headers(self, now: float) -> list[tuple[bytes, bytes]]:
        """Of every answer. now: monotonic seconds."""
        if now - self._headers_at >= 1 or not self._headers:
            self._headers, self._headers_at = self.response_headers("h11"), now
        return self._headers

    def create_sockets(self) -> Sockets:
        made = super().create_sockets()
        for each in made.insecure_sockets:
            each.set_inheritable(False)
        return made


class ConnectionTasks(TaskGroup):
    """The tasks of one connection; its applications have a queue of ours."""

    async def spawn_app(self, app: Any, config: Config, scope: Any, send: Any) -> Callable[[Any], Awaitable[None]]:
        queue = ReceiveQueue(config.max_app_queue_size)

        def own(scope: Any, _: Any, *more: Any) -> Any:  # Any: as Hypercorn wraps applications
            return app(scope, queue.get, *more)

        async def closing(message: Any) -> None:  # an ASGI message; None once the application is over
            if message is None:
                queue.close()
            await send(message)

        shorten = getattr(getattr(send, "__self__", None), "shorten", None)
        if shorten is not None:  # a WebSocket of ours
            shorten(queue)
        await super().spawn_app(cast("Any", own), config, scope, closing)
        return queue.put


class NoTask(AsyncioSingleTask):
    """Hypercorn's limit of an idle connection's time is a task of its own, begun with each answer."""

    async def restart(self, *_: Any) -> None:  # Any: Hypercorn's
        pass

    async def stop(self) -> None:
        pass


class StreamFlow:
    """`jackfield.http.http1.exchange.Flow` over streams, which pause reading by themselves."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    @property
    def write_paused(self) -> bool:
        return self.transport.get_write_buffer_size() > MAX_RECV

    @property
    def transport(self) -> asyncio.WriteTransport:
        return self._writer.transport

    async def drain(self) -> None:
        """Raises `TimeoutError`."""
        with contextlib.suppress(ConnectionError):  # which the reader tells as well
            await self._writer.drain()

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass


class HypercornConnection(TCPServer):
    """One caller's connection."""

    config: OwnConfig

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        self._senders = 0
        self._progress = self.loop.time()
        self._shortcut: WebSocketShortcut | None = None
        self._head = b""
        """Of an answer, held until its body or the next turn of the loop: one system call less."""
        self._waits = False
        """Whether all that has come has been dealt with."""
        self._exchange: HttpExchange | None = None
        """Of a request that was read at a glance."""
        self._held = b""
        """What has come behind it."""
        self._held_back: asyncio.Future[None] | None = None
        """While that is too much to go on reading."""
        self._closing: asyncio.Task[None] | None = None
        """Waits for the connection's end."""
        self._is_over = False
        """Whether the answer was the last one: what comes behind it is no request (RFC 9112 section 9.6)."""
        self.flow = StreamFlow(self.writer)
        self._moved = False
        """Whether another process has it: closing tells the caller nothing then."""
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
        """When the caller has gone, the socket goes: not when the application has finished. Whoever leaves a WebSocket
        without a close frame waits for nothing more; others get what has been written for them."""
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

    # -- requests that can be read at a glance

    @property
    def transport(self) -> asyncio.WriteTransport:
        return self.writer.transport

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        return self.config.default_headers(self.loop.time())

    @property
    def _is_served(self) -> bool:
        return self._exchange is not None and not self._exchange.complete

    async def _hold(self, data: bytes) -> None:
        """What comes while a request is answered waits. The end of a caller is told apart from it, as long as that is
        not too much; then with the connection."""
        self._held += data
        if len(self._held) <= MAX_RECV or self.reader.at_eof():
            return
        self._held_back = self.loop.create_future()
        self._closing = self._closing or self.loop.create_task(self._wait_closed())
        await asyncio.wait((self._held_back, self._closing), return_when=asyncio.FIRST_COMPLETED)
        if self._exchange is not None and not self._exchange.complete:
            self._exchange.lost(None)

    async def _wait_closed(self) -> None:
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()

    def _served(self, data: bytes) -> bool:
        """Whether this is a request that can be read at a glance, on a connection where nothing is under way."""
        inner = self._inner
        application = self.config.application
        if inner is None or self.admitted is None or application is None or not inner.is_fresh:
            return False
        found = plain_request(data, self.config.h11_max_incomplete_size)
        if found is None:
            return False
        self.admitted.head_is_whole(has_body=False)  # all of it has come
        self._held = found.rest
        self._exchange = whole_exchange(self, found, self.protocol.client, self.protocol.server, {})
        self._task_group.spawn(self._exchange.run, application)
        return True

    def _give_held(self) -> None:
        """Back to the reader, before what it has read since."""
        held, self._held = self._held, b""
        newer: bytearray | None = getattr(self.reader, "_buffer", None)  # it has no other way
        if newer and held:
            newer[:0] = held
        elif held and not self.reader.at_eof():
            self.reader.feed_data(held)
        if self._held_back is not None and not self._held_back.done():
            self._held_back.set_result(None)

    def ended(self, exchange: HttpExchange) -> None:
        """Its answer is sent."""
        if self.context.terminated.is_set():
            self.writer.close()
        if self.writer.is_closing():
            self._is_over, self._held = True, b""
        elif self.admitted is not None:
            self.admitted.idles()
        self._give_held()

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
