"""From a profile to an agent that takes messages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.agent_protocols import AGENT_PROTOCOLS, AgentDialogue, AgentProtocol, DialogueStart
from jackfield.api.agent_sessions import AgentSessionRequest
from jackfield.api.agents import Agent, Agents, OwnProtocol
from jackfield.api.approvals import AgentApprovals
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.process_containers import ProcessContainer, ProcessContainers
from jackfield.api.profile_tools import TOOLS_SERVER
from jackfield.api.profiles import Launch, LaunchRequest, Profiles, starting, with_least_sandbox
from jackfield.api.records import replace
from jackfield.api.terminals import confined_launch
from jackfield_agent_sessions.session.hiding import SecretsHidden
from jackfield_agent_sessions.session.history import MessageHistory
from jackfield_agent_sessions.session.inbox import SessionInbox
from jackfield_agent_sessions.session.session import AgentSession, SessionAbout
from jackfield_agent_sessions.session.telling import SessionTeller
from jackfield_agent_sessions.settings import AgentSessionSettings

_SESSION, _SERVER = "{session}", "{server}"


class SessionOpener:
    """Prepares, confines and starts."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(AgentSessionSettings)

    async def open(self, request: AgentSessionRequest, id: str) -> AgentSession:
        """A session whose agent gets the order to begin. Raises what `Profiles.prepare` raises, and `InvalidInput` when
        the agent has no protocol. Raises `InvalidInput` also when there is no sandbox for a profile that wants one, and
        `JackfieldError` when the system cannot start the agent."""
        profiles = self._context.port(Profiles)
        profile = await profiles.find(request.alias)
        agent = await self._context.port(Agents).find(profile.agent_id)
        way = _way(agent)
        protocol = await self._protocol(agent, way)
        asked = LaunchRequest(
            "agent_session",
            args=request.args,
            leading=_arguments(way, request),
            working_dir=request.working_dir,
            resume=request.resume,
            tools=request.tools,
        )
        launch = await profiles.prepare(request.alias, asked)
        if request.remote:
            launch = with_least_sandbox(launch, self._settings.network_sandbox)
        async with starting(profiles, launch) as undo:
            confined = await confined_launch(self._context, launch)
            containers = self._context.port(ProcessContainers)
            container = await containers.open(f"agent-session-{id}", launch.profile.limits)
            undo.push_async_callback(container.end)
            start = DialogueStart(str(launch.cwd), request.resume, self._context.service.version, way.options)
            session = self._session(id, launch, container, agent, protocol.dialogue(start))
            await _start(session, confined)
            return session

    async def _protocol(self, agent: Agent, way: OwnProtocol) -> AgentProtocol:
        known = await asyncio.to_thread(self._context.extensions, AGENT_PROTOCOLS)
        found = known.get(way.name)
        if found is None:
            raise InvalidInput(
                f"The manifest of {agent.title} names the protocol {way.name}, which no plugin gives; known are: "
                f"{', '.join(sorted(known))}.",
                code="NO_PROTOCOL",
            )
        return found

    def _session(
        self,
        id: str,
        launch: Launch,
        container: ProcessContainer,
        agent: Agent,
        dialogue: AgentDialogue,
    ) -> AgentSession:
        clock = self._context.clock
        about = SessionAbout(id, launch, container, agent.id, _way(agent).name, clock.now_ms())
        hidden = SecretsHidden(launch.secrets, self._context.secrets.hide)
        return AgentSession(
            about,
            dialogue,
            MessageHistory(self._settings, hidden, clock.now_ms),
            SessionTeller(self._context.events, id, launch.profile.alias),
            self._settings,
            SessionInbox(self._context.find_port(AgentApprovals), id, launch.profile, self._settings, clock.now_ms),
        )


def _way(agent: Agent) -> OwnProtocol:
    if agent.protocol is None:
        raise InvalidInput(
            f"The manifest of {agent.title} names no protocol ([protocol]); use a terminal session.",
            code="NO_PROTOCOL",
        )
    return agent.protocol


def _arguments(way: OwnProtocol, request: AgentSessionRequest) -> Sequence[str]:
    resume = request.resume
    more = () if resume is None else tuple(argument.replace(_SESSION, resume) for argument in way.resume_args)
    trust = (
        tuple(argument.replace(_SERVER, TOOLS_SERVER) for argument in way.trust_args) if request.trusts_tools else ()
    )
    return (*way.args, *more, *trust)


async def _start(session: AgentSession, launch: Launch) -> None:
    """Raises `OSError`, `ValueError`."""
    container = session.about.container
    transport, _ = await asyncio.get_running_loop().subprocess_exec(
        lambda: session.pipes,
        *container.command(launch.argv),
        cwd=launch.cwd,
        env=dict(container.environment(launch.env)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    container.started(transport.get_pid())
    session.begin()


def named(launch: Launch, session: str | None) -> Launch:
    """With the agent's own name of the session, which separates its usage from that of others."""
    return launch if session is None else replace(launch, session=session)
