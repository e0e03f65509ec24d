"""The daemon's end of one worker process."""

from __future__ import annotations

import asyncio
import math
import os
import socket
import struct
import subprocess
from collections.abc import Mapping, Sequence

from jackfield.api.scripts import ScriptError

HEADER = 8
_HEAD = struct.Struct(">II")
PIECE = 64 * 1024
"""Bytes that are received at a time, into memory of the worker's own: a new piece of the 256 KiB that asyncio asks for
otherwise costs more than the whole way there and back."""
NEEDS = b"?"
"""Begins the answer of a worker that lacks a part of its host, which it names. It has ended then."""
READY = b"ready"
UNCONFINED = "JavaScript is not run here: this system has no seccomp filter that would confine it."
INHERITED = ("PATH", "LANG", "LC_ALL", "TZ")


def environment() -> Mapping[str, str]:
    """What a worker gets of the daemon's environment: never a secret."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


def _spawn(command: Sequence[str], stream: socket.socket) -> subprocess.Popen[bytes]:
    """From the event loop's thread: a worker dies with the thread that started it. In a session of its own, so that an
    interrupt from the terminal does not end runs that the daemon lets finish."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter and file, no shell
        command,
        stdin=stream.fileno(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        cwd="/",
        start_new_session=True,
    )


class JavaScriptWorker(asyncio.BufferedProtocol):
    """`ScriptWorker`: one request at a time. A worker that failed to answer is of no further use: kill it."""

    def __init__(self, process: subprocess.Popen[bytes], largest: int) -> None:
        """largest: bytes of an answer; one that is longer ends the process."""
        self._process = process
        self._largest = largest
        self._transport: asyncio.WriteTransport | None = None
        self._piece = memoryview(bytearray(PIECE))
        self._head = b""
        """What came of an answer's head so far, of one that does not come in one piece."""
        self._long: bytearray | None = None
        """A long answer, as it comes; `_filled` bytes of it are there."""
        self._filled = 0
        self._answer: asyncio.Future[bytes] | None = None
        self.uses = 0
        self.usable = True

    @classmethod
    async def start(cls, command: Sequence[str], *, largest: int, timeout: float) -> JavaScriptWorker:
        """Start a process and wait until it is ready. Raises `ScriptError`."""
        ours, theirs = socket.socketpair()
        with theirs:
            worker = cls(_spawn(command, theirs), largest)
        ready = b""
        try:
            ours.setblocking(False)
            await asyncio.get_running_loop().create_unix_connection(lambda: worker, sock=ours)
            ready = await worker._receive(timeout)
        except ScriptError:
            raise ScriptError("The worker process for scripts could not be started.", kind="crash") from None
        finally:
            if ready != READY:
                worker.kill()
                ours.close()
                await asyncio.shield(worker.ended())
        if ready != READY:
            raise ScriptError(UNCONFINED, kind="crash")
        return worker

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._piece if self._long is None else memoryview(self._long)[self._filled :]

    def buffer_updated(self, nbytes: int) -> None:
        if self._long is not None:
            self._filled += nbytes
        elif not self._head and nbytes >= HEADER and int.from_bytes(self._piece[:4], "big") == nbytes - HEADER:
            self._answered(bytes(self._piece[HEADER:nbytes]))  # most come in one piece
            return
        else:
            self._begin(self._head + self._piece[:nbytes])
        if self._long is not None and self._filled >= len(self._long):
            answer, self._long = bytes(self._long), None
            self._answered(answer)

    def _begin(self, given: bytes) -> None:
        """The beginning of an answer that comes in several pieces."""
        if len(given) < HEADER:
            self._head = given
            return
        size = int.from_bytes(given[:4], "big")
        if size > self._largest:
            self._fail(ScriptError("The script gave more data than it may.", kind="memory"))
            return
        self._head, self._long = b"", bytearray(size)
        begun = given[HEADER : HEADER + size]
        self._filled = len(begun)
        self._long[: self._filled] = begun

    def _answered(self, answer: bytes) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(answer)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(ScriptError("The script's worker process ended without an answer.", kind="crash"))

    def _fail(self, error: ScriptError) -> None:
        self.kill()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)

    async def _receive(self, timeout: float) -> bytes:
        loop = asyncio.get_running_loop()
        self._answer = loop.create_future()
        timer = loop.call_later(timeout, self._late, timeout)
        try:
            return await self._answer
        except asyncio.CancelledError:
            self.kill()
            raise
        finally:
            timer.cancel()

    def _late(self, timeout: float) -> None:
        self._fail(ScriptError(f"The script did not finish within {timeout:g} seconds.", kind="timeout"))

    async def request(self, request: bytes, timeout: float) -> bytes:
        """The answer to a request. When this raises (`ScriptError`, or because it is cancelled) the process is gone."""
        if not self.usable or self._transport is None:
            raise ScriptError("The script's worker process has ended.", kind="crash")
        self.uses += 1
        head = _HEAD.pack(len(request), math.ceil(timeout))
        if len(request) > PIECE:
            self._transport.writelines([head, request])  # without a copy
        else:
            self._transport.write(head + request)
        del request
        answer = await self._receive(timeout)
        if answer.startswith(NEEDS):
            self.kill()
        return answer

    def kill(self) -> None:
        """End the process at once."""
        self.usable = False
        self._process.kill()
        if self._transport is not None:
            self._transport.abort()

    def lives(self) -> bool:
        """Whether the process has not ended, also when the event loop did not hear of it yet."""
        return self._process.poll() is None

    async def ended(self) -> None:
        """Return once the process has been reaped."""
        await asyncio.to_thread(self._process.wait)

    @property
    def pid(self) -> int:
        return self._process.pid
