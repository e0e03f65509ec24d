"""The socket that a proxy listens on.

It belongs to the daemon, which hands it to one process after another. So nobody else can take the port between two of
them, and connections wait meanwhile. Where no process comes soon the daemon answers them itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Coroutine

from jackfield.api.dialects.model import DialectError
from jackfield_proxy import final_answers
from jackfield_proxy.daemon.closing import close_with
from jackfield_proxy.plan import BACKLOG, HOST

MOST = 64
"""Connections that are answered at the same time; others wait."""
HEAD_SECONDS = 5.0
"""Until the first line of a request must be there."""
LONGEST_LINE = 8192
"""Bytes of it; no more of the head is looked at."""
_BURST = 16
_PAUSE = 1.0  # seconds, after the system had no descriptor for a connection


class ProxyListener:
    """port: 0 while it is closed. spawn: how a task is begun that nobody waits for. host: an address of this machine,
    of either version."""

    def __init__(
        self, spawn: Callable[[str, Coroutine[object, object, None]], asyncio.Task[None]], host: str = HOST
    ) -> None:
        self._host = host
        self.port = 0
        self._spawn = spawn
        self._socket: socket.socket | None = None
        self._error: Callable[[], DialectError] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self, port: int) -> None:
        """port: 0 for any free one. Raises OSError; whatever was open is closed nevertheless."""
        self.close()
        made = socket.socket(socket.AF_INET6 if ":" in self._host else socket.AF_INET, socket.SOCK_STREAM)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of before may still be closing
            made.setblocking(False)
            made.bind((self._host, port))
            made.listen(BACKLOG)
        except OSError:
            made.close()
            raise
        self._socket, self.port = made, made.getsockname()[1]

    def fileno(self) -> int:
        """-1 while it is closed."""
        return self._socket.fileno() if self._socket is not None else -1

    def close(self) -> None:
        """Connections are refused from the moment on at which no process has the socket either."""
        self.let_wait()
        for task in self._tasks:
            task.cancel()
        if self._socket is not None:
            self._socket.close()
        self._socket, self.port = None, 0

    def let_wait(self) -> None:
        """Until a process accepts them."""
        self._error = None
        self._look_away()

    def answer(self, error: Callable[[], DialectError]) -> None:
        """Every request, until `let_wait`."""
        self._error = error
        self._look()

    def _look(self) -> None:
        if self._socket is not None and self._error is not None:
            asyncio.get_running_loop().add_reader(self._socket, self._accept)

    def _look_away(self) -> None:
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)

    def _accept(self) -> None:
        for _ in range(_BURST):
            if self._socket is None or self._error is None:
                return
            if len(self._tasks) >= MOST:
                self._look_away()
                return
            try:
                connection, _ = self._socket.accept()
            except (BlockingIOError, ConnectionAbortedError):
                return
            except OSError:
                self._look_away()
                asyncio.get_running_loop().call_later(_PAUSE, self._look)
                return
            task = self._spawn("answer for a proxy", _refuse(connection, self._error))
            self._tasks.add(task)
            task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._look()


async def _refuse(connection: socket.socket, error: Callable[[], DialectError]) -> None:
    with connection:
        connection.setblocking(False)
        start = await _first_line(connection)
        if start:
            method, dialect = final_answers.asked(start)
            await close_with(connection, final_answers.answer(dialect, error(), body=method != "HEAD"))


async def _first_line(connection: socket.socket) -> bytes:
    """Empty: nothing has come."""
    found = b""
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(HEAD_SECONDS):
            while b"\n" not in found and len(found) < LONGEST_LINE:
                piece = await asyncio.get_running_loop().sock_recv(connection, LONGEST_LINE - len(found))
                if not piece:
                    return b""
                found += piece
    return found
