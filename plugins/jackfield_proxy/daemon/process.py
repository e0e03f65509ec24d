"""One process of a proxy: started without any secret, it gets its plan over the pipe."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import jackfield
import jackfield_proxy
from jackfield_proxy.messages import LONGEST_LINE, FromChild, ToChild, packed, unpacked
from jackfield_proxy.plan import ProxyPlan
from jackfield_proxy.takeover import InheritedDescriptors

_INHERITED = ("PATH", "LANG", "LC_ALL", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT", "TMPDIR")
_POLL = 0.005
"""Seconds."""
_LINES = 100
"""Lines of the log that are written at once."""
_NOTHING = InheritedDescriptors()


class ProxyProcess:
    """`started` is how it is made; `wait` tells how it ended."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._applied: dict[int, asyncio.Future[None]] = {}
        self._number = 0

    @classmethod
    async def started(cls, inherited: InheritedDescriptors = _NOTHING) -> ProxyProcess:
        """inherited: descriptors that it gets. Raises OSError."""
        roots = [str(Path(module.__file__ or "").parents[1]) for module in (jackfield, jackfield_proxy)]
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        environment |= {"PYTHONPATH": os.pathsep.join(dict.fromkeys(roots)), "PYTHONUNBUFFERED": "1"}
        return cls(
            await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # the working directory may hold anything
                "-m",
                "jackfield_proxy.child",
                *inherited.arguments(),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                limit=LONGEST_LINE,
                pass_fds=inherited.numbers,
                # A new group: keys that are typed in the daemon's terminal do not reach it.
                start_new_session=True,
            )
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def ended(self) -> bool:
        return self._process.returncode is not None

    async def send(self, message: ToChild) -> None:
        """A process that is gone hears nothing."""
        pipe = self._process.stdin
        if pipe is None or pipe.is_closing():
            return
        with contextlib.suppress(ConnectionError):
            pipe.write(packed(message))
            await pipe.drain()

    async def apply(self, plan: ProxyPlan, timeout: float) -> bool:
        """Whether the process has taken the plan in time."""
        self._number += 1
        number = self._number
        waiting = self._applied[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout):
                await self.send(ToChild(plan=plan, number=number))
                await waiting
        except TimeoutError:
            return False
        finally:
            self._applied.pop(number, None)
        return True

    async def messages(self) -> AsyncIterator[FromChild]:
        """Until the process ends. Raises ValueError for what is no message."""
        while line := await _open(self._process.stdout).readline():
            message = unpacked(line, FromChild)
            waiting = self._applied.get(message.applied or 0)
            if waiting is not None and not waiting.done():
                waiting.set_result(None)
            elif message.applied is None:
                yield message

    async def log(self, keep: Callable[[list[str]], Awaitable[None]]) -> None:
        """Hands over what it writes to standard error, until it ends."""
        stream = _open(self._process.stderr)
        while line := await stream.readline():
            lines = [line]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.05):
                    while len(lines) < _LINES and (more := await stream.readline()):
                        lines.append(more)
            await keep([one.decode("utf-8", "replace").rstrip() for one in lines])

    async def wait(self) -> int:
        """Its exit code, negative for a signal.

        `wait` of asyncio also waits for the ends of the pipes, which processes that this one has started may hold.
        """
        await _exited(self._process)
        while (code := self._process.returncode) is None:  # noqa: ASYNC110 - asyncio hears of it in a moment
            await asyncio.sleep(_POLL)
        return code

    async def stop(self, grace: float) -> None:
        """Ask, then insist; gone when this returns."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._signal(self._process.terminate)
        try:
            async with asyncio.timeout(grace):
                await self.wait()
        except TimeoutError:
            self.kill()
            await self.wait()

    def kill(self) -> None:
        self._signal(self._process.kill)

    def _signal(self, send: Callable[[], None]) -> None:
        if not self.ended:
            with contextlib.suppress(ProcessLookupError):
                send()


async def _exited(process: asyncio.subprocess.Process) -> None:
    """Where there are descriptors of processes (Linux 5.3), by one."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except ProcessLookupError:  # it is gone already
        return
    except (AttributeError, OSError):
        await process.wait()
        return
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    try:
        loop.add_reader(descriptor, ended.set)
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def _open(stream: asyncio.StreamReader | None) -> asyncio.StreamReader:
    if stream is None:
        raise RuntimeError("the process was started without a pipe")
    return stream
