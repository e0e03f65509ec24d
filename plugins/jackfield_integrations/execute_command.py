"""Execute Command: runs a command of this machine in a shell, with the daemon's rights. Off by default.

The command sees none of the daemon's own environment beyond what a shell needs: encryption keys and tokens may be
there. The end of the run, however it comes, ends every process that the command has started.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from jackfield.api.auth import MACHINE_WRITE
from jackfield.api.context import PluginContext
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun, NodeUnavailable, Parameters, needed
from jackfield.api.nodes.items import new_items
from jackfield.api.nodes.running import made_per_item
from jackfield.api.nodes.ui import UiFields
from jackfield.api.nodes.unresolved import first_resolved
from jackfield.api.process_containers import ProcessContainer, ProcessContainers
from jackfield.api.records import record
from jackfield.api.workflows import Items
from jackfield_integrations.form import COMMAND
from jackfield_integrations.node import IntegrationNode
from jackfield_integrations.parameters import Text

SHELL = "/bin/sh"
_PASSED_ON = ("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
_CHUNK = 64 * 1024


class ExecuteCommand(Parameters):
    ui_fields: ClassVar[UiFields] = COMMAND

    execute_once: Annotated[bool, BeforeValidator(lambda value: True if value is None else value)] = Field(
        True, description="Run once for all items, with the first one's command."
    )
    command: Text = Field("", description="The command for the shell.", json_schema_extra=needed())


@record
class EndedCommand:
    """How a command ended. code: negative for a signal's number."""

    code: int
    stdout: str
    stderr: str


class CommandOutputTooLarge(Exception):
    """More than `integrations.command_output_bytes`."""


def environment() -> dict[str, str]:
    """The part of the daemon's environment that a command sees."""
    return {name: value for name, value in os.environ.items() if name in _PASSED_ON or name.startswith("LC_")}


async def _start(command: str, container: ProcessContainer) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *container.command((SHELL, "-c", command)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(container.environment(environment())),
        start_new_session=True,
    )
    container.started(process.pid)
    return process


async def _end(process: asyncio.subprocess.Process, container: ProcessContainer) -> None:
    """Nothing of the container is left."""
    try:
        await container.end()
    finally:
        # Pipes that were not read to their end would keep wait() waiting.
        process._transport.close()  # type: ignore[attr-defined]  # asyncio has no public way to its pipes
        await asyncio.shield(process.wait())


@contextlib.asynccontextmanager
async def started(command: str, container: ProcessContainer) -> AsyncIterator[asyncio.subprocess.Process]:
    """The command in the container, of which nothing is left afterwards.

    Starting is not cancelled half-way: asyncio would then end the shell and leave what the shell has started.
    """
    starting = asyncio.create_task(_start(command, container))
    try:
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _end(await starting, container)
        raise
    except BaseException:
        await container.end()
        raise
    try:
        yield process
    finally:
        await _end(process, container)


async def bounded(stream: asyncio.StreamReader | None, most: int) -> str:
    """All that comes, as text without the last line end. Raises `CommandOutputTooLarge`."""
    if stream is None:
        return ""
    found = bytearray()
    while chunk := await stream.read(_CHUNK):
        found += chunk
        if len(found) > most:
            raise CommandOutputTooLarge
    return found.decode("utf-8", "replace").strip()


async def run_command(command: str, container: ProcessContainer, *, timeout: float, most: int) -> EndedCommand:
    """Run to the end, and end whatever it leaves in the container. timeout: seconds; most: bytes of each output. Raises
    TimeoutError, `CommandOutputTooLarge` and OSError."""
    async with asyncio.timeout(timeout), started(command, container) as process:
        try:
            async with asyncio.TaskGroup() as group:
                stdout = group.create_task(bounded(process.stdout, most))
                stderr = group.create_task(bounded(process.stderr, most))
        except* CommandOutputTooLarge:
            raise CommandOutputTooLarge from None
        return EndedCommand(await process.wait(), stdout.result(), stderr.result())


class ExecuteCommandNode(IntegrationNode):
    """An exit code other than 0 fails the item, as in n8n."""

    kind = "executeCommand"
    versions: Sequence[float] = (1,)
    description = NodeDescription(
        "Execute Command",
        "Runs a command of this machine.",
        "code",
        scopes=(MACHINE_WRITE,),
        help="integrations",
        reads_items=False,
    )
    model = ExecuteCommand

    async def execute(self, run: NodeRun) -> NodeResult:
        if not self.settings.execute_command:
            raise NodeUnavailable(
                "Execute Command nodes are off; an administrator can turn them on with integrations.execute_command."
            )
        resolved: list[ExecuteCommand] = await run.resolve()
        first = first_resolved(resolved)
        if first is not None and first.execute_once:
            resolved = resolved[:1]
        return [await made_per_item(run, resolved, self._one)]

    async def _one(self, index: int, parameters: ExecuteCommand) -> Items:
        if not parameters.command.strip():
            raise NodeError("The parameter command is empty.")
        if "\0" in parameters.command:
            raise NodeError("The parameter command has a zero byte; remove it.")
        ended = await self._run(parameters.command)
        if ended.code:
            how = f"exit code {ended.code}" if ended.code > 0 else f"signal {-ended.code}"
            said = (ended.stderr or ended.stdout)[-500:]
            raise NodeError(f"The command ended with {how}{': ' + said if said else '.'}")
        return new_items([{"exitCode": ended.code, "stderr": ended.stderr, "stdout": ended.stdout}], index)

    async def _run(self, command: str) -> EndedCommand:
        limit, most = self.settings.command_timeout, self.settings.command_output_bytes
        try:
            container = await self._context.port(ProcessContainers).open(f"command-{new_id()}")
            return await run_command(command, container, timeout=limit, most=most)
        except TimeoutError:
            raise NodeError(
                f"The command took longer than {limit:g} seconds (integrations.command_timeout) and was ended."
            ) from None
        except CommandOutputTooLarge:
            raise NodeError(
                f"The command wrote more than {most} bytes (integrations.command_output_bytes) and was ended."
            ) from None
        except OSError as exc:
            raise NodeError(f"The command could not be started: {exc.strerror or exc}.") from None


def node(context: PluginContext) -> ExecuteCommandNode:
    return ExecuteCommandNode(context)
