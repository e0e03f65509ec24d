"""From a profile to an agent that runs in a terminal, or to a shell without one."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.process_containers import ProcessContainer, ProcessContainers
from jackfield.api.profiles import (
    Launch,
    LaunchRequest,
    Profiles,
    ShellRequest,
    Shells,
    starting,
    stricter,
    with_least_sandbox,
)
from jackfield.api.records import record, replace
from jackfield_terminal.persistent.starting import PersistentStarter, StartedSession
from jackfield_terminal.ports import SessionRequest, ShellChoice
from jackfield_terminal.pty.ptyprocess_spawning import spawn_with_ptyprocess
from jackfield_terminal.pty.spawning import spawn_in_terminal
from jackfield_terminal.pty.terminal import Spawned, spawn
from jackfield_terminal.sandbox.bubblewrap import Sandbox
from jackfield_terminal.settings import TerminalSettings
from jackfield_terminal.supervisor.handover import SessionMemo

TERMINAL = "xterm-256color"
"""`TERM` of agents: what clients draw with, and our emulator, whatever the daemon itself was started in."""
NO_PTYPROCESS = (
    "`terminal.spawner` is ptyprocess, which is not installed. Install it with: pip install 'jackfield[ptyprocess]'"
)


@record
class AgentStarted:
    """An agent that runs in a terminal, and the container that it is in."""

    launch: Launch
    running: Spawned | StartedSession
    container: ProcessContainer


class SessionStarter:
    """Prepares, confines and spawns."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.sandbox = Sandbox(context)
        self._persistence = PersistentStarter(context)
        settings = context.settings(TerminalSettings)
        self._network_sandbox = settings.network_sandbox
        self._by_ptyprocess = settings.spawner == "ptyprocess"
        self._spawner = spawn_with_ptyprocess if self._by_ptyprocess else spawn_in_terminal

    async def start(self, request: SessionRequest, id: str) -> AgentStarted:
        """Raises the errors of `Profiles.prepare`, and `JackfieldError` when the system cannot start the agent.

        Raises `InvalidInput` when there is no sandbox for a profile that wants one, the session is to persist and
        cannot, or `terminal.spawner` is not installed.
        """
        if self._by_ptyprocess:
            directory_of_ptyprocess()
        prepared = self._agent(request) if request.shell is None else self._shell(request, request.shell)
        launch = in_terminal(await prepared)
        async with starting(self._context.port(Profiles), launch) as undo:
            confined = await self.sandbox.confined(launch)
            persists = self._persistence.wanted(request.persist, launch.profile)
            containers = self._context.port(ProcessContainers)
            container = await containers.open(container_name(id), launch.profile.limits, outlives=persists)
            undo.push_async_callback(container.end)
            running = await self._run(
                request, SessionMemo(id, self._context.clock.now_ms(), launch), confined, container
            )
            return AgentStarted(launch, running, container)

    async def _agent(self, request: SessionRequest) -> Launch:
        asked = LaunchRequest("terminal_session", args=request.args, working_dir=request.working_dir)
        launch = await self._context.port(Profiles).prepare(request.alias, asked)
        return with_least_sandbox(launch, self._network_sandbox) if request.remote else launch

    async def _shell(self, request: SessionRequest, choice: ShellChoice) -> Launch:
        sandbox = stricter(choice.sandbox, self._network_sandbox) if request.remote else choice.sandbox
        asked = ShellRequest(choice.program, request.working_dir, sandbox)
        return await self._context.port(Shells).prepare(asked)

    async def _run(
        self, request: SessionRequest, memo: SessionMemo, confined: Launch, container: ProcessContainer
    ) -> Spawned | StartedSession:
        """Raises `OSError`, `ValueError`, `InvalidInput`."""
        inside = replace(confined, argv=container.command(confined.argv), env=container.environment(confined.env))
        if self._persistence.wanted(request.persist, confined.profile):
            ptyprocess = directory_of_ptyprocess() if self._by_ptyprocess else ""
            started = await asyncio.to_thread(
                self._persistence.start, memo, inside, request.size, ptyprocess, container.kill_file()
            )
            container.started(started.supervised.handover.pid)
            return started
        spawned = await asyncio.to_thread(
            spawn, self._spawner, inside.argv, inside.env, inside.cwd, request.cols, request.rows
        )
        container.started(spawned.pid)
        return spawned


def container_name(session: str) -> str:
    """Of the container that has the processes of a session."""
    return f"session-{session}"


def directory_of_ptyprocess() -> str:
    """The directory that has the package. Raises `InvalidInput` when it is not installed."""
    found = find_spec("ptyprocess")
    if found is None or found.origin is None:
        raise InvalidInput(NO_PTYPROCESS, code="SPAWNER_UNAVAILABLE")
    return str(Path(found.origin).parents[1])


def in_terminal(launch: Launch) -> Launch:
    """The same with the terminal's name, unless the profile gives one."""
    return replace(launch, env={**launch.env, "TERM": launch.profile.env.get("TERM") or TERMINAL})
