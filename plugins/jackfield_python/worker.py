"""The daemon's end of one worker: a process that forks a confined child for every run.

The worker itself never sees the data of a run, so that a child, which is a copy of it, finds none of earlier ones. It
hands the socket of a run through to the child.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from jackfield.api.records import record
from jackfield.api.script_workers import API_FOLDER
from jackfield.api.scripting.frames import LAST, Body, Frame, FrameTooLong
from jackfield.api.scripting.stream import FrameStream
from jackfield.api.scripts import ScriptError
from jackfield_python.settings import PythonSettings

MIB = 1 << 20
LONGEST_ZONE = 100
"""Characters of a time zone's name; a longer one is none."""
CHILD = Path(__file__).with_name("child") / "main.py"
CONFINED = b"r"
UNCONFINED = "Programs in Python are not run here: this system has no seccomp filter that would confine them."
ENDED = "The program's process ended without an answer."


@record
class PythonRun:
    """`parts`: frames for the child, which go away as they are sent. `take`: gets the frames of the answer that come
    before its last one. `seconds`: of processor time that it may take. `memory`: bytes beyond the bare interpreter.
    """

    parts: deque[bytes]
    take: Callable[[Frame], Awaitable[None]]
    timezone: str
    seconds: int
    memory: int


def command(settings: PythonSettings) -> Sequence[str]:
    """Isolated, without site packages, in its own memory."""
    limits = {
        "result": settings.max_result * MIB,
        "logLines": settings.log_lines,
        "logLength": settings.log_length,
        "modules": settings.modules,
    }
    python = [sys.executable, "-I", "-S", "-B", "-X", "utf8"]
    return [*python, str(CHILD), str(API_FOLDER), str(os.getpid()), json.dumps(limits)]


def environment() -> Mapping[str, str]:
    """Nothing of the daemon's, where secrets may be, but what the interpreter may need to be found."""
    return {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}


class PythonWorker:
    """`ScriptWorker`: one run at a time. When `request` raises, the process is gone, or the run failed by itself and
    `usable` says so."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, largest: int) -> None:
        self._process = process
        self._control = control
        self._largest = largest
        self.usable = True
        self.uses = 0

    @classmethod
    async def start(cls, settings: PythonSettings) -> PythonWorker:
        """Return once it is ready. From the event loop's thread: the process dies with the thread that started it.
        Raises `ScriptError`."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: ASYNC220, S603 - a spawn takes a millisecond; our own file, no shell
                command(settings),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment(),
                cwd="/",
                start_new_session=True,  # an interrupt from the terminal ends no run; and one kill ends the children
            )
        ours.setblocking(False)
        worker = cls(process, ours, settings.max_result * MIB)
        ready = b""
        try:
            with contextlib.suppress(TimeoutError, OSError):
                async with asyncio.timeout(settings.start_timeout):
                    ready = await asyncio.get_running_loop().sock_recv(ours, 1)
        finally:
            if ready != CONFINED:
                worker.kill()
                await worker.ended()
        if ready != CONFINED:
            raise ScriptError(UNCONFINED if ready else "The process for Python could not be started.", kind="crash")
        return worker

    async def request(self, request: PythonRun, timeout: float) -> Body:
        """The child's answer. Raises `ScriptError`; also when this is cancelled, the program has ended."""
        done = False
        self.uses += 1
        try:
            async with asyncio.timeout(timeout):
                answer, status = await self._exchange(request)
            done = True
        except TimeoutError:
            raise ScriptError(f"The program did not finish within {timeout:g} seconds.", kind="timeout") from None
        except OSError:
            raise ScriptError(ENDED, kind="crash") from None
        except FrameTooLong:
            raise ScriptError(
                f"The program returned more than the {self._largest >> 20} MiB of data that it may; let it return "
                "less, or raise scripts.python.max_result.",
                kind="memory",
            ) from None
        finally:
            if not done:
                self.kill()
        if status != 0:
            raise _ended(status)
        return answer

    async def _exchange(self, run: PythonRun) -> tuple[Body, int]:
        """The answer and how the child ended."""
        ours, theirs = socket.socketpair()
        head = json.dumps(
            {"timezone": run.timezone[:LONGEST_ZONE], "seconds": run.seconds, "memory": run.memory}
        ).encode()
        try:
            with theirs:
                socket.send_fds(self._control, [head], [theirs.fileno()])
            ours.setblocking(False)
            stream = FrameStream(ours, self._largest)
        except BaseException:
            ours.close()
            raise
        try:
            answer = await self._answer(stream, run)
        finally:
            stream.close()
        status = await asyncio.get_running_loop().sock_recv(self._control, 4)
        if len(status) != 4:
            raise ConnectionResetError
        return answer, int.from_bytes(status, "big")

    async def _answer(self, stream: FrameStream, run: PythonRun) -> Body:
        """Empty where the child ended without one; its status says why."""
        sending = None
        try:
            sending = stream.begin(run.parts)
            while (frame := await stream.frame()).number != LAST:
                await run.take(frame)
        except ConnectionError:
            return b""
        finally:
            if sending is not None:
                sending.cancel()
                await asyncio.gather(sending, return_exceptions=True)
        return frame.body

    def lives(self) -> bool:
        return self.usable and self._process.poll() is None

    def kill(self) -> None:
        """End the process and its child at once."""
        self.usable = False
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def ended(self) -> None:
        """Return once the killed process has been reaped."""
        self._control.close()
        await asyncio.shield(asyncio.to_thread(self._process.wait))


def _ended(status: int) -> ScriptError:
    """status: an exit code, or 256 and the signal's number."""
    if status == 256 + signal.SIGKILL:
        return ScriptError("The program was ended: it took too much processor time or memory.", kind="timeout")
    if status == 256 + signal.SIGSEGV:
        return ScriptError("The program crashed the interpreter.", kind="crash")
    return ScriptError(ENDED, kind="crash")
