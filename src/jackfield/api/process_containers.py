"""Containers of processes: everything that a program starts, whatever session or group it moves to, and its end.

A plugin that starts programs for others opens a container. It starts the command of `ProcessContainer.command` in the
environment of `ProcessContainer.environment`, and ends the container when the program's work is over:

    container = await context.port(ProcessContainers).open("command-1")
    try:
        process = await asyncio.create_subprocess_exec(
            *container.command(argv), env=container.environment(env), start_new_session=True
        )
        container.started(process.pid)
        await process.wait()
    finally:
        await container.end()

Source: docs/containment.md.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from .records import record


@record
class ProcessLimits:
    """memory: bytes; processes: how many, threads among them where a control group enforces it; cpu: processors, a
    fraction where a control group enforces it. None: as the table `[containers]` says."""

    memory: int | None = None
    processes: int | None = None
    cpu: float | None = None


@record
class EndStep:
    """A signal to every process of a container, and the seconds after it until the next step. SIGKILL ends the
    steps."""

    signal: signal.Signals
    seconds: float


class ProcessEnds(asyncio.SubprocessProtocol):
    """Both ends of a process with pipes: its exit, and the end of its output, which others may hold open for longer.

    `Process.wait` of asyncio waits for both.
    """

    def __init__(self) -> None:
        self.exited = asyncio.Event()
        self.drained = asyncio.Event()
        self._open = {1, 2}

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.drained.set()

    def process_exited(self) -> None:
        self.exited.set()


class ProcessContainer(Protocol):
    """The processes of one run. Linux; elsewhere it is the process group that the program leads."""

    name: str
    reason: str | None
    """Why the daemon has killed all of it, in a sentence; None unless it broke a limit that the daemon watches."""

    def command(self, argv: Sequence[str]) -> Sequence[str]:
        """The command to execute instead of argv, whose program the container then starts.

        Raises `OSError` when there is no such program.
        """

    def environment(self, env: Mapping[str, str]) -> Mapping[str, str]:
        """The environment with the container's mark."""

    def started(self, pid: int) -> None:
        """The command has been started under this pid, as the leader of a session or a process group."""

    async def members(self) -> Sequence[int]:
        """Pids of processes of the container that have not ended."""

    async def end(self, *steps: EndStep) -> None:
        """Take the steps until no process is left, then kill until none is left. Default: SIGTERM and
        `containers.grace`. Returns when none is left; a cancellation skips what is left of the steps, and still waits.
        Can be called again. Raises `JackfieldError` (code `PROCESSES_LEFT`) when the system does not end them within
        `containers.kill_timeout`."""

    def kill_file(self) -> str | None:
        """A file that kills all the container when `1` is written to it; None where the system has none."""


class ProcessContainers(Protocol):
    """The port of the kernel."""

    async def open(self, name: str, limits: ProcessLimits | None = None, *, outlives: bool = False) -> ProcessContainer:
        """A new container.

        `name`: unique in the daemon; letters, digits, `_` and `-`, at most 80. `outlives`: its processes go on when the
        daemon ends, and `unowned` gives the container then. Raises `JackfieldError` when `containers.method` cannot be
        had.
        """

    async def unowned(self) -> Sequence[ProcessContainer]:
        """Containers that outlive the daemon and in which processes live, also of earlier daemons."""

    async def end_leftovers(self) -> int:
        """End all that processes of this configuration directory have left which are no more; how many containers."""


class ContainerSettings(BaseModel):
    """The containers of the processes of agents, terminals and commands, and their bounds."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    method: Literal["auto", "cgroup", "subreaper"] = Field(
        "auto",
        description="`cgroup` is a control group (version 2) for each run, `subreaper` a small process above each. "
        "`auto` takes the first where the daemon may make one.",
    )
    grace: float = Field(
        5.0, ge=0, le=300, description="Time between SIGTERM and SIGKILL where no other setting says it, in seconds."
    )
    kill_timeout: float = Field(
        10.0,
        ge=1,
        le=300,
        description="How long killed processes may take to be gone, in seconds; then it is an error.",
    )
    processes: int = Field(4096, ge=0, le=1_000_000, description="Processes that may be in a container; 0: no limit.")
    memory: int = Field(
        0,
        ge=0,
        le=1 << 50,
        description="Memory that a container may have, in bytes; without a memory controller, each process for its "
        "data; 0: no limit.",
    )
    cpu: float = Field(
        0.0,
        ge=0,
        le=4096,
        description="Processors that a container may use; without a cpu controller a whole number; 0: no limit.",
    )
    watch_interval: float = Field(
        0.25,
        ge=0.05,
        le=60,
        description="Time between two counts of processes where no controller bounds them, in seconds.",
    )
