"""Child processes without a terminal: a container, bounded output, and an end that leaves nothing."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from jackfield.api.errors import InvalidInput
from jackfield.api.process_containers import EndStep, ProcessContainer, ProcessEnds
from jackfield.api.records import record

_DRAIN = 0.5
"""Seconds for what is left in the pipes when the process has ended and something else holds them open."""
_KILLED = 2.0
"""Seconds until the end of a killed process is known here."""


@record
class ProcessStart:
    """The process to start.

    `limit`: bytes of the end of each output that are kept. `timeout`, `grace`: seconds. `heard`: gets the output as it
    comes.
    """

    argv: Sequence[str]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes | None
    timeout: float
    grace: float
    limit: int
    heard: Callable[[bytes], None] | None = None


@record
class Finished:
    """exit_code: 128+n for a signal. written_out, written_err: bytes that it wrote in all."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    written_out: int = 0
    written_err: int = 0


class OutputTail:
    """The last bytes of a stream. written: how many there were in all."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: deque[bytes] = deque()
        self._kept = 0
        self.written = 0

    def add(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._kept += len(chunk)
        self.written += len(chunk)
        while self._kept - len(self._chunks[0]) >= self._limit:
            self._kept -= len(self._chunks.popleft())

    def content(self) -> bytes:
        return b"".join(self._chunks)[-self._limit :]


class _Watched(ProcessEnds):
    """The ends of its output are kept."""

    def __init__(self, limit: int, heard: Callable[[bytes], None] | None) -> None:
        super().__init__()
        self._heard = heard
        self.tails = {1: OutputTail(limit), 2: OutputTail(limit)}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.tails[fd].add(data)
        if fd == 1 and self._heard is not None:
            self._heard(data)


async def run_process(
    start: ProcessStart, container: ProcessContainer, started: Callable[[int], None] = lambda pid: None
) -> Finished:
    """Run it to its end in its own container. started: told the process id. At the end, at the timeout and when it
    is cancelled, all that is left in the container is ended: TERM, after `grace` KILL. Raises `InvalidInput` when it
    cannot be started, `JackfieldError` when the system does not end what was killed."""
    ending = EndStep(signal.SIGTERM, start.grace)
    transport: asyncio.SubprocessTransport | None = None
    feeding: _Feeding | None = None
    timed_out = False
    try:
        transport, watched, mouth = await _spawned(start, container)
        container.started(transport.get_pid())
        if mouth is not None:
            feeding = await _feed(mouth, start.stdin or b"")
        started(transport.get_pid())
        try:
            async with asyncio.timeout(start.timeout):
                await watched.exited.wait()
        except TimeoutError:
            timed_out = True
            await container.end(ending)
        await _until(watched.drained, _DRAIN)
    finally:
        if feeding is not None:
            feeding.give_up()  # it does not read the rest any more
        try:
            await container.end(ending)
        finally:
            if transport is not None:
                transport.close()
    await _until(watched.exited, _KILLED)
    code = exit_code(transport.get_returncode())
    out, err = watched.tails[1], watched.tails[2]
    return Finished(code, out.content(), err.content(), timed_out, out.written, err.written)


async def _until(event: asyncio.Event, seconds: float) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def exit_code(returncode: int | None) -> int:
    """As a shell gives it."""
    code = returncode if returncode is not None else -signal.SIGKILL
    return code if code >= 0 else 128 - code


async def _spawned(
    start: ProcessStart, container: ProcessContainer
) -> tuple[asyncio.SubprocessTransport, _Watched, int | None]:
    """With the end of its standard input that is to be written to. asyncio's own is a socket, which a program cannot
    open as `/dev/stdin`."""
    source, mouth = (None, None) if start.stdin is None else os.pipe()
    try:
        transport, watched = await _executed(start, container, asyncio.subprocess.DEVNULL if source is None else source)
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
        """Input that is not written yet is not written any more."""
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


async def _executed(
    start: ProcessStart, container: ProcessContainer, stdin: int
) -> tuple[asyncio.SubprocessTransport, _Watched]:
    try:
        return await asyncio.get_running_loop().subprocess_exec(
            lambda: _Watched(start.limit, start.heard),
            *container.command(start.argv),
            cwd=start.cwd,
            env=dict(container.environment(start.env)),
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
