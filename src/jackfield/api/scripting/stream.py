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

    def _send_now(self, data: bytes) -> memoryview:
        """What is left of the data when the socket takes no more."""
        try:
            return memoryview(data)[self._socket.send(data) :]
        except BlockingIOError:
            return memoryview(data)

    def frame_now(self, milliseconds: int) -> tuple[Frame | None, float]:
        """The next frame, for which the calling thread itself waits so long at most, and the seconds that it took. An
        answer that is there in 0.05 ms costs less than the event loop's way to it. Raises as `frame`."""
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(self._socket, select.POLLIN)
        begun = perf_counter()
        while (frame := self._parser.take()) is None:
            left = milliseconds - (perf_counter() - begun) * 1000
            if left <= 0 or not self._poll.poll(left):
                break
            self._receive()
            if self._error is not None:
                raise self._error
        return frame, perf_counter() - begun

    async def frame(self) -> Frame:
        """The next frame. Raises OSError when the worker has ended, `FrameTooLong` when it sends too much."""
        while (frame := self._parser.take()) is None:
            if self._error is not None:
                raise self._error
            self._watch()
            self._waiting = self._loop.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        return frame

    def close(self) -> None:
        """More than once does no harm."""
        self._end(ConnectionAbortedError())
        self._socket.close()

    def _watch(self) -> None:
        if not self._watched and self._error is None:
            self._loop.add_reader(self._socket, self._receive)
            self._watched = True

    def _unwatch(self) -> None:
        if self._watched:
            self._loop.remove_reader(self._socket)
            self._watched = False

    def _receive(self) -> None:
        """What is there; called where something is."""
        try:
            count = self._socket.recv_into(self._parser.room())
            if not count:
                raise ConnectionResetError
            self._parser.received(count)
        except (BlockingIOError, InterruptedError):
            return
        except Exception as exc:
            self._end(exc)
            return
        if self._parser.held > MOST_HELD:
            self._unwatch()
        self._wake()

    def _end(self, error: Exception) -> None:
        self._unwatch()
        self._error = self._error or error
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def _joined(parts: deque[bytes]) -> bytes:
    """The first part, with those after it that are short."""
    taken = [parts.popleft()]
    size = len(taken[0])
    while parts and size + len(parts[0]) <= JOINED:
        taken.append(parts.popleft())
        size += len(taken[-1])
    return taken[0] if len(taken) == 1 else b"".join(taken)
