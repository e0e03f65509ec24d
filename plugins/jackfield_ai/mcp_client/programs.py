"""MCP servers that are programs of this machine: the operator's commands, over their standard input and output.

Each runs in a container of processes (docs/containment.md), of which nothing is left when the session ends. Source:
Model Context Protocol 2025-11-25, Transports, stdio.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import TypeAlias, cast

import anyio
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeError
from jackfield.api.process_containers import ProcessContainer, ProcessContainers
from jackfield_ai.settings import McpCommand

_PASSED_ON = ("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
_LAST_LINES = 5
"""Lines of the program's errors that a message quotes."""
_LEAVING = 2.0
"""Seconds that a program may take to end by itself once its input is closed, as the protocol asks."""
_LINE = 64 * 1024
Streams: TypeAlias = (
    "tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]"
)


def environment(command: McpCommand) -> Mapping[str, str]:
    """The part of the daemon's environment that the program sees: what every program needs, and what the operator
    names."""
    wanted = {*_PASSED_ON, *command.pass_environment}
    return {name: value for name, value in os.environ.items() if name in wanted or name.startswith("LC_")}


class Program:
    """A running command. errors: the last lines that it wrote there; leaving: whether the session is over."""

    def __init__(self, process: asyncio.subprocess.Process, limit: int) -> None:
        self._process = process
        # All three are pipes, which asyncio's types do not know.
        self._stdin = cast("asyncio.StreamWriter", process.stdin)
        self._stdout = cast("asyncio.StreamReader", process.stdout)
        self._stderr = cast("asyncio.StreamReader", process.stderr)
        self._limit = limit
        self.errors: deque[str] = deque(maxlen=_LAST_LINES)
        self.problem = ""
        self.leaving = False
        self.gone = False
        self._told = asyncio.Event()
        """Whether it ended before the session did."""

    async def read(self, given: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        """Hand on its messages, a line each. Raises ConnectionError when it ends before the session does."""
        with contextlib.suppress(anyio.BrokenResourceError):  # nobody listens any more
            await self._read(given)
        if not self.leaving:
            self.gone = True
            await self._told.wait()
            raise ConnectionError("The program has ended.")

    async def _read(self, given: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
        async with given:
            while True:
                try:
                    line = await self._stdout.readline()
                except ValueError:
                    self.problem = f"It wrote a message of more than {self._limit} bytes (ai.mcp_message_bytes)."
                    return
                if not line:
                    return
                try:
                    message = mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError:
                    continue  # programs also print what is no message
                await given.send(SessionMessage(message))

    async def write(self, taken: MemoryObjectReceiveStream[SessionMessage]) -> None:
        with contextlib.suppress(ConnectionError):
            async with taken:
                async for one in taken:
                    text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                    self._stdin.write(text.encode() + b"\n")
                    await self._stdin.drain()

    async def note_errors(self) -> None:
        try:
            while piece := await self._stderr.read(_LINE):
                self.errors.extend(line[:500] for line in piece.decode("utf-8", "replace").splitlines() if line.strip())
        finally:
            self._told.set()

    async def leave(self) -> None:
        """Close its input, and give it the time to end by itself."""
        self.leaving = True
        self._stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._process.wait()), _LEAVING)


async def _started(command: McpCommand, container: ProcessContainer, limit: int) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *container.command(command.command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(container.environment(environment(command))),
        cwd=command.directory or None,
        start_new_session=True,
        limit=limit,
    )
    container.started(process.pid)
    return process


@contextlib.asynccontextmanager
async def running(context: PluginContext, command: McpCommand, limit: int) -> AsyncIterator[tuple[Program, Streams]]:
    """The command and the streams of its messages. limit: bytes of one. Raises `NodeError` when it cannot start."""
    container = await context.port(ProcessContainers).open(f"mcp-{new_id()}")
    try:
        process = await _start_whole(command, container, limit)
        try:
            async with _spoken_to(process, limit) as found:
                yield found
        finally:
            await container.end()
            # Pipes that were not read to their end would keep wait() waiting.
            process._transport.close()  # type: ignore[attr-defined]  # asyncio has no public way to its pipes
            await asyncio.shield(process.wait())
    finally:
        await container.end()


async def _start_whole(command: McpCommand, container: ProcessContainer, limit: int) -> asyncio.subprocess.Process:
    """Starting is not cancelled half-way: asyncio would then leave what the program has started."""
    starting = asyncio.ensure_future(_started(command, container, limit))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        with contextlib.suppress(OSError):
            (await starting)._transport.close()  # type: ignore[attr-defined]  # as above
        raise
    except OSError as exc:
        raise NodeError(f"The command cannot be started: {exc.strerror or exc}.") from None


@contextlib.asynccontextmanager
async def _spoken_to(process: asyncio.subprocess.Process, limit: int) -> AsyncIterator[tuple[Program, Streams]]:
    program = Program(process, limit)
    given, read_stream = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write_stream, taken = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(program.read, given)
        group.start_soon(program.write, taken)
        group.start_soon(program.note_errors)
        try:
            async with read_stream, write_stream:
                yield program, (read_stream, write_stream)
                program.leaving = True
            await program.leave()
        finally:
            group.cancel_scope.cancel()
