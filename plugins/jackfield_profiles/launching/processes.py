"""Child processes without a terminal: a process group of its own, bounded output, and an end that leaves nothing."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from jackfield.api.errors import InvalidInput
from jackfield.api.records import record

_POLL = 0.02
"""Seconds between two looks at a process group that was told to end."""
_DRAIN = 0.5
"""Seconds for what is left in the pipes when the process has ended and something else holds them open."""
_KILLED = 2.0
"""Seconds that a killed group may take to be gone; the kernel needs no more unless a process hangs in it."""


@record
class ProcessStart:
    """What is started. limit: bytes of the end of each output that are kept. timeout, grace: seconds."""

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes | None
    timeout: float
    grace: float
    limit: int


@record
class Finished:
    """exit_code: 128+n for a signal."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool


class OutputTail:
    """The last bytes of a stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._kept = 0

    def add(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._kept += len(chunk)
        while self._kept - len(self._chunks[0]) >= self._limit:
            self._kept -= len(self._chunks.popleft())

    def content(self) -> bytes:
        return b"".join(self._chunks)[-self._limit :]


class _Watched(asyncio.SubprocessProtocol):
    """Its end is seen when it ends; asyncio's own `RunProcess.wait` waits for whatever else holds the pipes open."""

    def __init__(self, limit: int) -> None:
        self.exited = asyncio.Event()
        self.drained = asyncio.Event()
        self.tails = {1: OutputTail(limit), 2: OutputTail(limit)}
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.tails[fd].add(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.drained.set()

    def process_exited(self) -> None:
        self.exited.set()


class _Group:
    """A process and all that it has started and that has stayed in its group."""

    def __init__(self, transport: asyncio.SubprocessTransport, watched: _Watched) -> None:
        self._transport = transport
        self._watched = watched
        self.id = transport.get_pid()

    async def end(self, grace: float) -> None:
        """Returns when none of it lives."""
        if not await self._lives():
            return
        self.signal(signal.SIGTERM)
        if not await self._gone(grace):
            self.signal(signal.SIGKILL)
            await self._gone(_KILLED)

    def signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.id, number)

    async def _gone(self, seconds: float) -> bool:
        clock = asyncio.get_running_loop()
        deadline = clock.time() + seconds
        while await self._lives():
            if clock.time() >= deadline:
                return False
            await asyncio.sleep(_POLL)
        return True

    async def _lives(self) -> bool:
        """A zombie that nobody collects does not."""
        if not self._watched.exited.is_set():
            return True
        try:
            os.killpg(self.id, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return await asyncio.to_thread(has_members, self.id) if sys.platform == "linux" else True


async def run_process(start: ProcessStart, started: Callable[[int], None] = lambda pid: None) -> Finished:
    """Run it to its end. started: told the process id. At the end, at the timeout and when it is cancelled, all that
    is left of the process group is ended: TERM, after `grace` KILL. Raises `InvalidInput` when it cannot be
    started."""
    transport, watched, mouth = await _spawned(start)
    group = _Group(transport, watched)
    timed_out = False
    feeding: _Feeding | None = None
    try:
        if mouth is not None:
            feeding = await _feed(mouth, start.stdin or b"")
        started(group.id)
        try:
            async with asyncio.timeout(start.timeout):
                await watched.exited.wait()
        except TimeoutError:
            timed_out = True
            await group.end(start.grace)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN):
                await watched.drained.wait()
    finally:
        if feeding is not None:
            feeding.give_up()  # what it has not read it will not
        await _cleared(group, start.grace, transport)
    code = exit_code(transport.get_returncode())
    return Finished(code, watched.tails[1].content(), watched.tails[2].content(), timed_out)


def exit_code(returncode: int | None) -> int:
    """As a shell gives it."""
    code = returncode if returncode is not None else -signal.SIGKILL
    return code if code >= 0 else 128 - code


async def _spawned(start: ProcessStart) -> tuple[asyncio.SubprocessTransport, _Watched, int | None]:
    """With the end of its standard input that is to be written to. asyncio's own is a socket, which a program cannot
    open as `/dev/stdin`."""
    source, mouth = (None, None) if start.stdin is None else os.pipe()
    try:
        transport, watched = await _executed(start, asyncio.subprocess.DEVNULL if source is None else source)
    except BaseException:
        if mouth is not None:
            os.close(mouth)
        raise
    finally:
        if source is not None:
            os.close(source)
    return transport, watched, mouth


class _Feeding(asyncio.BaseProtocol):
    """A pipe that is written to."""

    _transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None

    def give_up(self) -> None:
        """What is not written yet is not."""
        if self._transport is not None:
            self._transport.abort()


async def _feed(mouth: int, content: bytes) -> _Feeding:
    """Written as the program takes it, then closed."""
    end = os.fdopen(mouth, "wb", 0)
    try:
        os.set_blocking(mouth, False)
        transport, feeding = await asyncio.get_running_loop().connect_write_pipe(_Feeding, end)
    except BaseException:
        # Not by its number: the loop may close it too, and by then another file may have that.
        with contextlib.suppress(OSError):
            end.close()
        raise
    transport.write(content)
    transport.close()  # once all is written
    return feeding


async def _executed(start: ProcessStart, stdin: int) -> tuple[asyncio.SubprocessTransport, _Watched]:
    try:
        return await asyncio.get_running_loop().subprocess_exec(
            lambda: _Watched(start.limit),
            *start.argv,
            cwd=start.cwd,
            env=dict(start.env),
            stdin=stdin,
            start_new_session=True,
        )
    except OSError as exc:
        raise unstartable(start.argv[0], start.cwd, exc) from None
    except ValueError:  # half surrogates, which expressions can make; NUL
        raise InvalidInput(
            f"{start.argv[0]} cannot be started: an argument or a variable has characters that no program takes.",
            code="START_FAILED",
        ) from None


def unstartable(program: str, cwd: Path, exc: OSError) -> InvalidInput:
    """Why a program cannot be started, and what to do."""
    if exc.errno == errno.E2BIG:
        why = "its arguments are longer than the system accepts; give a shorter prompt"
    elif not cwd.is_dir():
        why = f"its working directory {cwd} is not there"
    else:
        why = exc.strerror or type(exc).__name__
    return InvalidInput(f"{program} cannot be started: {why}.", code="START_FAILED")


async def _cleared(group: _Group, grace: float, transport: asyncio.SubprocessTransport) -> None:
    """End what is left of the group. A second cancellation does not wait any more, but kills."""
    try:
        await asyncio.shield(asyncio.ensure_future(group.end(grace)))
    except asyncio.CancelledError:
        group.signal(signal.SIGKILL)
        raise
    finally:
        transport.close()


def has_members(group: int) -> bool:
    """Whether a process group has processes that are no zombies. Linux alone; blocks."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{entry.name}/stat", "rb") as file:  # noqa: PTH123 - hundreds of them
                state, _, member = file.read().rpartition(b")")[2].split()[:3]
                if int(member) == group and state not in (b"Z", b"X"):
                    return True
    return False
