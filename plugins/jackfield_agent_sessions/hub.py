"""All agent sessions of the daemon: how they begin, are found, and end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import uuid
from collections.abc import Mapping, Sequence

from jackfield.api.agent_sessions import AgentSessionRequest, LiveAgentSession
from jackfield.api.asgi import Scope
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.http import comes_from_network
from jackfield.api.json_values import Json
from jackfield.api.placed_things import PlacedThings
from jackfield.api.process_containers import EndStep
from jackfield.api.profiles import Profiles, require_sandbox
from jackfield.api.projects import Right
from jackfield_agent_sessions.session.session import AgentSession
from jackfield_agent_sessions.session.telling import SessionTeller
from jackfield_agent_sessions.session.views import session_view
from jackfield_agent_sessions.settings import AgentSessionSettings
from jackfield_agent_sessions.starting import SessionOpener, named

_DRAIN = 0.5
"""Seconds for what is left in the pipes when the process has ended and something else holds them open."""
_KILLED = 128 + signal.SIGKILL


class AgentSessionHub:
    """`AgentSessions` and `SessionKeeper`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(AgentSessionSettings)
        self._opener = SessionOpener(context)
        self._profiles = PlacedThings(context, "profile")
        self._sessions: dict[str, AgentSession] = {}
        self._tasks: set[asyncio.Task[AgentSession] | asyncio.Task[None]] = set()
        self._starting = 0
        self._is_closing = False

    # -- the port

    def live(self, alias: str) -> Sequence[str]:
        return [session.id for session in self._running() if session.alias == alias]

    async def end(self, alias: str) -> None:
        await asyncio.gather(*(self.stop(name) for name in self.live(alias)))

    async def begin(self, request: AgentSessionRequest) -> LiveAgentSession:
        return await self.create(request)

    def shown(self, id: str) -> Mapping[str, Json]:
        return session_view(self.find(id))

    # -- sessions

    def all(self) -> Sequence[AgentSession]:
        """Whichever caller asks."""
        return list(self._sessions.values())

    async def seen(self) -> Sequence[AgentSession]:
        every = self.all()
        aliases = await self._profiles.seen([session.alias for session in every])
        return [session for session in every if session.alias in aliases]

    async def require(self, id: str, right: Right) -> None:
        if not await self._profiles.may(self.find(id).alias, right):
            raise _absent(id)

    def find(self, id: str) -> AgentSession:
        found = self._sessions.get(id)
        if found is None:
            raise _absent(id)
        return found

    def driven(self, id: str, scope: Scope) -> AgentSession:
        session = self.find(id)
        if comes_from_network(scope):
            require_sandbox(
                session.about.launch.profile.sandbox, self._settings.network_sandbox, "agent_sessions.network_sandbox"
            )
        return session

    def _running(self) -> list[AgentSession]:
        return [session for session in self._sessions.values() if not session.over.is_set()]

    async def create(self, request: AgentSessionRequest) -> AgentSession:
        if self._is_closing:
            raise Conflict("The daemon is stopping.", code="STOPPING")
        if len(self._running()) + self._starting >= self._settings.max_sessions:
            raise Conflict(
                f"There are {self._settings.max_sessions} agent sessions already; end one or raise "
                "agent_sessions.max_sessions.",
                code="TOO_MANY_SESSIONS",
            )
        self._starting += 1
        # A caller who goes away meanwhile would leave a process that belongs to nobody.
        task = asyncio.ensure_future(self._create(request))
        self._hold(task)
        return await asyncio.shield(task)

    def _hold(self, task: asyncio.Task[AgentSession] | asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[AgentSession] | asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # known to the caller, if there is still one

    async def _create(self, request: AgentSessionRequest) -> AgentSession:
        try:
            session = await self._opener.open(request, str(uuid.uuid4()))
            self._sessions[session.id] = session
        finally:
            self._starting -= 1
        session.failed = lambda: self._hold(asyncio.ensure_future(self.stop(session.id)))
        self._hold(asyncio.ensure_future(self._watch(session)))
        self._teller(session).created(session.about.agent)
        await self._opened(session)
        self._forget_oldest()
        return session

    async def _opened(self, session: AgentSession) -> None:
        """Raises `JackfieldError` with the agent's own words when it is not ready; then there is no session."""
        late = f"The agent was not ready for messages within {self._settings.start_timeout:g} seconds."
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.start_timeout):
                await session.opened.wait()
                late = "The agent has ended."
        if session.state not in ("starting", "ended") and session.reason is None:
            return
        await self.stop(session.id)
        self._sessions.pop(session.id, None)
        told = session.reason or session.errors()
        raise JackfieldError(
            self._context.secrets.hide(f"The agent has not begun: {told or late}"), code="START_FAILED"
        )

    # -- the end

    async def _watch(self, session: AgentSession) -> None:
        """Until no process of it is left and the books are closed."""
        await session.pipes.exited.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN):
                await session.pipes.drained.wait()
        try:
            await session.about.container.end(EndStep(signal.SIGTERM, self._settings.kill_grace))
        except JackfieldError as exc:
            self._context.log.error("After an agent session of %s: %s", session.alias, exc.message)
        except Exception:  # whoever stops the session waits for what follows
            self._context.log.exception("The processes of an agent session of %s were not ended.", session.alias)
        await session.frames.settled()
        code = session.pipes.exit_code
        session.reason = session.reason or session.about.container.reason
        session.ended(_KILLED if code is None else code)
        session.pipes.close()
        await self._account(session)
        session.over.set()
        self._teller(session).ended(session.exit_code or 0, session.reason)
        self._forget_oldest()

    async def _account(self, session: AgentSession) -> None:
        try:
            launch = named(session.about.launch, session.name)
            await self._context.port(Profiles).ended(launch, session.exit_code or 0)
        except Exception:
            self._context.log.exception("The end of an agent session of %s was not recorded.", session.alias)

    def _teller(self, session: AgentSession) -> SessionTeller:
        return SessionTeller(self._context.events, session.id, session.alias)

    async def stop(self, id: str) -> None:
        session = self.find(id)
        if session.stopping is None:
            session.stopping = asyncio.ensure_future(self._end(session))
        await asyncio.shield(session.stopping)

    async def _end(self, session: AgentSession) -> None:
        session.pipes.close_input()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.leave_grace):
                await session.pipes.exited.wait()
        await session.about.container.end(EndStep(signal.SIGTERM, self._settings.kill_grace))
        await session.over.wait()

    def forget(self, id: str) -> None:
        if not self.find(id).over.is_set():
            raise Conflict("The session has not ended.", code="SESSION_LIVE")
        del self._sessions[id]

    def _forget_oldest(self) -> None:
        ended = [session.id for session in self._sessions.values() if session.over.is_set()]
        for name in ended[: max(0, len(ended) - self._settings.keep_ended)]:
            del self._sessions[name]

    async def close(self) -> None:
        """At the daemon's stop."""
        self._is_closing = True
        while self._starting:
            await asyncio.wait(list(self._tasks), return_when=asyncio.FIRST_COMPLETED)
        await asyncio.gather(*(self.stop(session.id) for session in self._running()), return_exceptions=True)


def _absent(id: str) -> NotFound:
    return NotFound(f"There is no agent session {id}.", code="SESSION_NOT_FOUND")


def hub(context: PluginContext) -> AgentSessionHub:
    """The one of the daemon."""
    return context.port(AgentSessionHub)


async def close(context: PluginContext) -> None:
    """End every session."""
    await hub(context).close()
