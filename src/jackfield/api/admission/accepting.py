"""A port that takes connections as `Admission` has it. It closes as an `asyncio.Server` does.

asyncio and uvloop accept all that wait at once, before anybody could refuse one. Without a free descriptor, asyncio
writes a traceback for each try, and uvloop ends the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

from .callers import Callers
from .connections import SETTINGS, Admission, AdmittedConnection, Overdue
from .moving import MovedHere, Sorting

BURST = 16
SHORTEST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
"""Seconds without accepting, after the system had no descriptor for a connection."""
LOOK = 1.0
"""Most seconds between two looks at what has taken too long."""
EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
Factory = Callable[[AdmittedConnection], asyncio.BaseProtocol]
"""Makes the protocol of a connection, and releases it at its end."""


class AdmittingServer:
    """Begins with `start`. refusal: bytes that a caller gets who is not taken."""

    burst = BURST
    """Connections that are accepted before others have their turn."""

    def __init__(
        self, sock: socket.socket, factory: Factory, admission: Admission, callers: Callers, refusal: bytes = b""
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._sock = sock
        self._number = sock.fileno()
        self._factory = factory
        self._admission = admission
        self._callers = callers
        self._refusal = refusal
        self._making: set[asyncio.Task[None]] = set()
        self._pause = SHORTEST_PAUSE
        self._paused: asyncio.TimerHandle | None = None
        self._looking: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def sockets(self) -> tuple[socket.socket, ...]:
        return () if self._closed else (self._sock,)

    def start(self, backlog: int) -> None:
        self._sock.setblocking(False)
        self._sock.listen(backlog)
        self._loop.add_reader(self._number, self._accept)

    def close(self) -> None:
        """Nobody is accepted any more; what is open goes on."""
        if self._closed:
            return
        self._closed = True
        if self._paused is not None:
            self._paused.cancel()
        self._loop.remove_reader(self._number)
        self._sock.close()
        self._callers.close()

    async def wait_closed(self) -> None:
        """Connections that were accepted are made."""
        if self._making:
            await asyncio.wait(self._making)

    def _accept(self) -> None:
        for _ in range(self.burst):
            if self._closed:
                return
            try:
                connection, address = self._sock.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as exc:
                if exc.errno in EXHAUSTED:
                    self._back_off()
                    return
                continue  # Linux tells errors of the connection here (accept(2))
            self._pause = SHORTEST_PAUSE
            self._take(connection, address)

    def take_moved(self, connection: socket.socket, data: bytes) -> None:
        """One that another process has accepted, and what it has read from it."""
        try:
            address = connection.getpeername()[:2]
        except OSError:  # the caller has gone
            address = None
        if address is None or self._closed:
            connection.close()
            return
        self._take(connection, address, data)

    def _take(self, connection: socket.socket, address: tuple[str, int], data: bytes | None = None) -> None:
        connection.setblocking(False)
        found = self._admission.admit(self._callers.of(connection, address), connection.fileno())
        if not isinstance(found, AdmittedConnection):
            _refuse(connection, self._refusal % {b"setting": SETTINGS[found].encode()} if self._refusal else b"")
            return
        self._look()
        task = self._loop.create_task(self._make(connection, found, data))
        self._making.add(task)
        task.add_done_callback(self._making.discard)

    def _protocol(self, admitted: AdmittedConnection, data: bytes | None) -> asyncio.BaseProtocol:
        if data is not None:
            return MovedHere(self._factory(admitted), data)
        if self._admission.mover is not None:
            return Sorting(partial(self._factory, admitted), admitted, self._admission.mover)
        return self._factory(admitted)

    async def _make(self, connection: socket.socket, admitted: AdmittedConnection, data: bytes | None) -> None:
        try:
            transport, _ = await self._loop.connect_accepted_socket(lambda: self._protocol(admitted, data), connection)
        except OSError:
            admitted.release()
            connection.close()
            return
        if not admitted.open:  # it has given way meanwhile
            transport.abort()
        elif admitted.end is None:
            admitted.end = partial(_abort, transport)

    def _back_off(self) -> None:
        """The system has no descriptor: connections that wait for nothing give theirs back."""
        self._admission.refused["files"] += 1
        for _ in range(BURST):
            if not self._admission.shed(SHORTEST_PAUSE):
                break
        self._loop.remove_reader(self._number)
        self._paused = self._loop.call_later(self._pause, self._go_on)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _go_on(self) -> None:
        if not self._closed:
            self._loop.add_reader(self._number, self._accept)

    def _look(self) -> None:
        if self._looking is None:
            limits = self._admission.limits
            shortest = min(limits.first_byte_timeout, limits.head_timeout, limits.request_timeout)
            self._looking = self._loop.call_later(min(LOOK, shortest / 4), self._look_now)

    def _look_now(self) -> None:
        self._looking = None
        self._admission.end_overdue()
        if self._admission.number:
            self._look()


def _abort(transport: asyncio.WriteTransport, reason: Overdue | None) -> bool:
    transport.abort()
    return True


def _refuse(connection: socket.socket, answer: bytes) -> None:
    """Without waiting. It reads the received bytes first: closing with unread ones would take the answer back."""
    with contextlib.suppress(OSError), connection:
        if answer:
            with contextlib.suppress(BlockingIOError):
                connection.recv(65536)
            connection.send(answer)
            connection.shutdown(socket.SHUT_WR)


def watched(factory: Callable[[], asyncio.BaseProtocol]) -> Factory:
    """A protocol of a library's that releases its connection at its end, and knows no more of it."""

    def made(admitted: AdmittedConnection) -> asyncio.BaseProtocol:
        protocol = factory()
        lost = protocol.connection_lost

        def connection_lost(exc: Exception | None) -> None:
            admitted.release()
            lost(exc)

        protocol.connection_lost = connection_lost  # type: ignore[method-assign]
        return protocol

    return made


Watch = Callable[[Callable[[], asyncio.BaseProtocol]], Factory]
"""Such as `watched`: makes a library's factory one that knows of admission."""


def admit_through(
    loop: asyncio.AbstractEventLoop,
    sock: socket.socket,
    serve: Callable[[socket.socket, Factory], AdmittingServer],
    watch: Watch,
) -> None:
    """From now on a server that asks the loop to listen on this socket gets ours. Libraries that make their server by
    themselves know no other way."""
    number, usual = sock.fileno(), loop.create_server

    # Any: whatever the loop takes.
    async def create_server(
        factory: Callable[[], asyncio.BaseProtocol], *places: Any, sock: socket.socket | None = None, **options: Any
    ) -> Any:
        if sock is None or sock.fileno() != number:
            return await usual(factory, *places, sock=sock, **options)
        made = serve(sock, watch(factory))
        made.start(options.get("backlog", 100))
        return made

    loop.create_server = create_server  # type: ignore[method-assign,assignment]
