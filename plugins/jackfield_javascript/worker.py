"""The daemon's end of the worker processes: one that evaluates expressions, and one that runs Code nodes."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence

from jackfield.api.records import record
from jackfield.api.scripting.frames import LAST, Body, Frame, FrameTooLong
from jackfield.api.scripting.rows import UNREADABLE
from jackfield.api.scripting.stream import FrameStream
from jackfield.api.scripts import ScriptError
from jackfield_javascript.patience import Patience

NEEDS = b"?"
"""Begins the answer of a worker that lacks a part of its host, which it names. It has ended then."""
READY = b"ready"
UNCONFINED = "JavaScript is not run here: this system has no seccomp filter that would confine it."
INHERITED = ("PATH", "LANG", "LC_ALL", "TZ")


@record
class ScriptRequest:
    """`parts`: frames, which go away as they are sent. `take`: gets the frames of the answer that come before its last
    one, None: there are none. `patience`: how long the event loop looks out for the answer itself, None: not at all."""

    parts: deque[bytes]
    take: Callable[[Frame], Awaitable[None]] | None = None
    patience: Patience | None = None


@record
class WorkerStart:
    """How a worker is started. `largest`: bytes of an answer, one that is longer ends the process. `setting`: the one
    that says so. `timeout`: seconds until the worker is ready."""

    command: Sequence[str]
    largest: int
    setting: str
    timeout: float


def environment() -> Mapping[str, str]:
    """The part of the daemon's environment that a worker gets: never a secret."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ}


def _spawn(command: Sequence[str], stream: socket.socket) -> subprocess.Popen[bytes]:
    """From the event loop's thread: a worker dies with the thread that started it. In its own session, so that an
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


class JavaScriptWorker:
    """`ScriptWorker`: one request at a time. A worker that failed to answer is of no further use: kill it."""

    def __init__(self, process: subprocess.Popen[bytes], ours: socket.socket, start: WorkerStart) -> None:
        self._process = process
        self._stream = FrameStream(ours, start.largest)
        self._start = start
        self.uses = 0
        self.usable = True

    @classmethod
    async def start(cls, start: WorkerStart) -> JavaScriptWorker:
        """Start a process and wait until it is ready. Raises `ScriptError`."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs:
            worker = cls(_spawn(start.command, theirs), ours, start)
        await worker._ready()
        return worker

    async def _ready(self) -> None:
        """Raises `ScriptError`, and it has ended then."""
        ready: Body = b""
        try:
            async with asyncio.timeout(self._start.timeout):
                ready = (await self._stream.frame()).body
        except (TimeoutError, OSError):
            raise ScriptError("The worker process for scripts could not be started.", kind="crash") from None
        finally:
            if ready != READY:
                self.kill()
                await asyncio.shield(self.ended())
        if ready != READY:
            raise ScriptError(UNCONFINED, kind="crash")

    async def request(self, request: ScriptRequest, timeout: float) -> Body:
        """The answer to a request. When this raises (`ScriptError`, or because it is cancelled) the process is gone."""
        if not self.usable:
            raise ScriptError("The script's worker process has ended.", kind="crash")
        self.uses += 1
        answer: Body = NEEDS
        self._stream.expect()
        try:
            answer = await self._answer(request, timeout)
        except TimeoutError:
            raise ScriptError(f"The script did not finish within {timeout:g} seconds.", kind="timeout") from None
        except OSError:
            raise ScriptError("The script's worker process ended without an answer.", kind="crash") from None
        except FrameTooLong:
            raise self._too_long() from None
        finally:
            if answer.startswith(NEEDS) or self._stream.has_ended or not self._stream.is_clear:
                self.kill()
        return answer

    async def _answer(self, request: ScriptRequest, timeout: float) -> Body:
        """Most answers to expressions are there sooner than the event loop would come to them. A script may answer
        before it has read all that it was given."""
        sending = self._stream.begin(request.parts)
        if request.patience is not None and sending is None:
            found = request.patience.found(self._stream.frame_now)
            if found is not None:
                return found.body
        timer = asyncio.get_running_loop().call_later(timeout, self._stream.end, TimeoutError())
        try:
            while (frame := await self._stream.frame()).number != LAST:
                if request.take is None:
                    raise ScriptError(UNREADABLE, kind="crash")
                await request.take(frame)
            if sending is not None and not frame.body.startswith(NEEDS):
                await self._rest_is_sent(sending)
        finally:
            timer.cancel()
            if sending is not None:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
        return frame.body

    async def _rest_is_sent(self, sending: asyncio.Task[None]) -> None:
        """Behind the answer. A worker that has no memory for what comes says so and ends: its answer counts."""
        try:
            await self._stream.until_end(sending)
        except OSError as exc:  # a TimeoutError is one
            self._stream.end(exc)  # it is killed once nothing is sent any more

    def _too_long(self) -> ScriptError:
        return ScriptError(
            f"The script gave more than the {self._start.largest >> 20} MiB of data that it may; let it give less, or "
            f"raise {self._start.setting}.",
            kind="memory",
        )

    def kill(self) -> None:
        """End the process at once."""
        self.usable = False
        self._process.kill()
        self._stream.close()

    def lives(self) -> bool:
        """Whether the process has not ended, also when the event loop did not hear of it yet, and has said nothing
        unasked. That would be taken for the next answer."""
        return self._stream.is_clear and self._process.poll() is None

    async def ended(self) -> None:
        """Return once the process has been reaped."""
        await asyncio.to_thread(self._process.wait)

    @property
    def pid(self) -> int:
        return self._process.pid
