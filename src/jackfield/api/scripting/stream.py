"""The daemon's end of the socket to a worker process."""

from __future__ import annotations

import asyncio
import select
import socket
from collections import deque
from time import perf_counter

from jackfield.api.scripting.frames import PIECE, Frame, FrameParser

MOST_HELD = 1024 * 1024
"""Bytes of frames that are received before somebody takes them."""
JOINED = 4 * PIECE
"""Bytes of short frames that are sent at once."""


class FrameStream:
    """Frames out, and frames in as somebody asks for them; no more than `MOST_HELD` bytes and a frame wait for that.

    A transport of asyncio would copy what it sends and cost each short turn twice the time. One request at a time."""

    def __init__(self, ours: socket.socket, largest: int) -> None:
        """ours: not blocking; it belongs to this object. largest: see `FrameParser`. On the event loop's thread."""
        self._socket = ours
        self._parser = FrameParser(largest)
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Future[None] | None = None
        self._error: Exception | None = None
        self._poll: select.poll | None = None
        self._watched = False
        self._watch()

    def expect(self) -> None:
        """A new answer begins."""
        self._parser.expect()

    def begin(self, parts: deque[bytes]) -> asyncio.Task[None] | None:
        """Send what the socket takes at once; a task sends the rest, if there is one. Parts go away as they are sent.
        Raises OSError, and so does the task."""
        while parts:
            if rest := self._send_now(_joined(parts)):
                return self._loop.create_task(self._send(rest, parts))
        return None

    async def _send(self, rest: memoryview | bytes, parts: deque[bytes]) -> None:
        while rest:
            await self._loop.sock_sendall(self._socket, rest)
            rest = _joined(parts) if parts else b""

    def _send_now(self, data: bytes) -> memoryview | bytes:
        """The rest of the data when the socket takes no more."""
        try:
            sent = self._socket.send(data)
        except BlockingIOError:
            sent = 0
        return memoryview(data)[sent:] if sent < len(data) else b""

    def frame_now(self, seconds: float) -> Frame | None:
        """The next frame if it comes within that many seconds, for which this thread keeps looking.

        A worker that has a processor answers sooner than this one would have slept and woken up. A long one that keeps
        coming is left to the event loop then. Raises as `frame`.
        """
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(self._socket, select.POLLIN)
        over = perf_counter() + seconds
        while (frame := self._parser.take()) is None:
            if self._poll.poll(0):
                self._receive()
                if self._error is not None:
                    raise self._error
            if perf_counter() > over:
                return self._parser.take()
        return frame

    @property
    def is_clear(self) -> bool:
        """Whether nothing has come that nobody has taken: behind an answer's last frame, nothing may."""
        return self._parser.is_empty

    @property
    def has_ended(self) -> bool:
        """Whether nothing more is received, also where what had come before was still taken."""
        return self._error is not None

    async def frame(self) -> Frame:
        """The next frame. Raises OSError when the worker has ended, `FrameTooLong` when it sends too much."""
        while (frame := self._parser.take()) is None:
            await self._event()
        return frame

    async def until_end(self, sending: asyncio.Task[None]) -> None:
        """Wait until all is sent. Raises what the sending raises, and what `end` was given."""
        sending.add_done_callback(lambda _: self._wake())
        while not sending.done():
            await self._event()
        await sending

    def end(self, error: Exception) -> None:
        """Nothing is received any more: whoever waits gets this error, such as a TimeoutError."""
        self._unwatch()
        self._error = self._error or error
        self._wake()

    def close(self) -> None:
        """More than once does no harm."""
        self.end(ConnectionAbortedError())
        self._socket.close()

    def _event(self) -> asyncio.Future[None]:
        """Done once something has happened. Raises what ended the stream."""
        if self._error is not None:
            raise self._error
        if not self._watched:
            self._watch()
        self._waiting = self._loop.create_future()
        return self._waiting

    def _watch(self) -> None:
        self._loop.add_reader(self._socket, self._receive)
        self._watched = True

    def _unwatch(self) -> None:
        if self._watched:
            self._loop.remove_reader(self._socket)
            self._watched = False

    def _receive(self) -> None:
        """The bytes that are there; called where there are some."""
        try:
            count = self._socket.recv_into(self._parser.room())
            if not count:
                raise ConnectionResetError
            self._parser.received(count)
        except (BlockingIOError, InterruptedError):
            return
        except Exception as exc:
            self.end(exc)
            return
        if self._parser.held > MOST_HELD:
            self._unwatch()
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def _joined(parts: deque[bytes]) -> bytes:
    """The first part, with those after it that are short."""
    if len(parts) == 1:
        return parts.popleft()
    taken = [parts.popleft()]
    size = len(taken[0])
    while parts and size + len(parts[0]) <= JOINED:
        taken.append(parts.popleft())
        size += len(taken[-1])
    return taken[0] if len(taken) == 1 else b"".join(taken)
