"""All sessions of the daemon: how they begin, are found, and end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from jackfield.api.asgi import AsgiApp, Receive, Scope, Send
from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, Conflict, InvalidInput, JackfieldError, NotFound
from jackfield.api.http import comes_from_network
from jackfield.api.placed_things import PlacedThings
from jackfield.api.process_containers import EndStep, ProcessContainer, ProcessContainers
from jackfield.api.profiles import NOT_STARTED, Launch, Profiles, require_sandbox
from jackfield.api.projects import Right
from jackfield_terminal.driving.answering import answers_of
from jackfield_terminal.driving.driver import Driver
from jackfield_terminal.output.reading_budget import ReadingBudget
from jackfield_terminal.persistent.restoring import found_again
from jackfield_terminal.persistent.session import PersistentSession
from jackfield_terminal.persistent.starting import StartedSession
from jackfield_terminal.ports import Act, SessionRequest
from jackfield_terminal.pty.processes import abandon
from jackfield_terminal.session import attachment
from jackfield_terminal.session.ending import end_processes, end_session
from jackfield_terminal.session.recordings import Recordings
from jackfield_terminal.session.session import Session
from jackfield_terminal.settings import TerminalSettings
from jackfield_terminal.starting import AgentStarted, SessionStarter, container_name
from jackfield_terminal.supervisor.handover import was_recording

ANSWERING = 5.0
"""Seconds after which the supervisor of a session that has been killed is not waited for."""
GONE = 4404
"""Close code for a session that is not there."""
REFUSED = 4403
"""Close code for a caller who may not do what it has asked for."""
FULL = 4409
"""Close code for a session with too many clients."""
_NEEDED: Mapping[Act, Right] = {"look": "read", "drive": "start"}
_PROFILE_ENDS = "Its profile was removed."
_DAEMON_STOPS = "The daemon was stopped."


class Hub:
    """`jackfield.api.terminals.Terminals`, and what the routes and the WebSocket use."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self.settings = context.settings(TerminalSettings)
        self.clock = context.clock
        self.recordings = Recordings(context.service.config_dir, self.settings, context.clock)
        self.closing = False
        self._starter = SessionStarter(context)
        self._profiles = PlacedThings(context, "profile")
        self._budget = ReadingBudget(context.clock)
        self._sessions: dict[str, Session] = {}
        self._drivers: dict[str, Driver] = {}
        self._starting: set[asyncio.Task[Session]] = set()
        self._ending: set[asyncio.Task[None]] = set()

    # -- the port

    def live(self, alias: str) -> Sequence[str]:
        return [session.id for session in self._running() if session.alias == alias]

    async def end(self, alias: str) -> None:
        await asyncio.gather(*(self.stop(name, _PROFILE_ENDS) for name in self.live(alias)))

    async def confined(self, launch: Launch) -> Launch:
        return await self._starter.sandbox.confined(launch)

    # -- sessions

    def all(self) -> list[Session]:
        """The oldest first, whoever asks."""
        return list(self._sessions.values())

    async def seen(self) -> list[Session]:
        every = self.all()
        aliases = await self._profiles.seen([session.alias for session in every if session.kind == "agent"])
        return [session for session in every if session.alias in aliases or await self._is_seen_shell(session)]

    async def _is_seen_shell(self, session: Session) -> bool:
        return session.kind == "shell" and await self._profiles.may_in(session.project_id, "read")

    async def require(self, id: str, act: Act) -> None:
        if not await self._profiles.is_limited():
            return
        session, right = self.find(id), _NEEDED[act]
        if session.kind == "shell":
            may = await self._profiles.may_in(session.project_id, right)
        else:
            may = await self._profiles.may(session.alias, right)
        if not may:
            raise _absent(id)

    def find(self, id: str) -> Session:
        """Raises `NotFound`."""
        found = self._sessions.get(id)
        if found is None:
            raise _absent(id)
        return found

    def reached(self, id: str, act: Act, scope: Scope) -> Session:
        """See `SessionHub.reached`."""
        session = self.find(id)
        self._require_reach(session, act, scope)
        return session

    def reached_by_anybody(self, id: str, act: Act) -> Session:
        """See `SessionHub.reached_by_anybody`."""
        session = self.find(id)
        self._require_confined(session, act)
        return session

    def _require_reach(self, session: Session, act: Act, scope: Scope) -> None:
        if comes_from_network(scope):
            self._require_confined(session, act)

    def _require_confined(self, session: Session, act: Act) -> None:
        """An agent answers for what it shows; a shell shows whatever its user looks at."""
        if act != "look" or session.kind != "agent":
            require_sandbox(session.launch.profile.sandbox, self.settings.network_sandbox, "terminal.network_sandbox")

    def _is_reached(self, session: Session, act: Act, scope: Scope) -> bool:
        try:
            self._require_reach(session, act, scope)
        except AccessDenied:
            return False
        return True

    def driver(self, id: str) -> Driver:
        """The driver of the session. Raises `NotFound`."""
        session = self.find(id)
        found = self._drivers.get(id)
        if found is None:
            found = self._drivers[id] = Driver(session, self._context)
        return found

    def _running(self) -> list[Session]:
        return [session for session in self._sessions.values() if session.state != "terminated"]

    async def create(self, request: SessionRequest) -> Session:
        """Raises `NotFound`, `Conflict` when there are too many, and what `SessionStarter.start` raises."""
        if self.closing:
            raise Conflict("The daemon is stopping.", code="STOPPING")
        if len(self._running()) + len(self._starting) >= self.settings.max_sessions:
            raise Conflict(
                f"There are {self.settings.max_sessions} terminal sessions already; end one or raise "
                "terminal.max_sessions.",
                code="TOO_MANY_SESSIONS",
            )
        # A caller who goes away meanwhile would leave a process that belongs to nobody.
        task = asyncio.ensure_future(self._create(request))
        self._starting.add(task)
        task.add_done_callback(self._started)
        return await asyncio.shield(task)

    def _started(self, task: asyncio.Task[Session]) -> None:
        self._starting.discard(task)
        if not task.cancelled():
            task.exception()  # known to the caller, if there is still one

    async def _create(self, request: SessionRequest) -> Session:
        name = str(uuid.uuid4())
        started = await self._starter.start(request, name)
        running = started.running
        try:
            if isinstance(running, StartedSession):
                session: Session = PersistentSession(
                    running.memo, running.supervised, self.settings, self.clock, self._budget
                )
            else:
                session = Session(name, started.launch, running, request.size, self.settings, self.clock, self._budget)
        except OSError as exc:  # no descriptor is left to watch it with
            await self._give_up(started)
            raise JackfieldError(f"The session cannot be kept: {exc.strerror}.", code="START_FAILED") from exc
        session.container = started.container
        self._know(session)
        self._forget_oldest()
        if request.record:
            await self._recorded_or_ended(session)
        self._tell("session_created", session)
        return session

    async def _give_up(self, started: AgentStarted) -> None:
        await started.container.end(EndStep(signal.SIGKILL, 0))
        running = started.running
        await asyncio.to_thread(
            running.abandon if isinstance(running, StartedSession) else partial(abandon, running.pid)
        )
        await self._account(started.launch, NOT_STARTED)

    def _know(self, session: Session) -> None:
        session.on_end(self._ended)
        self._sessions[session.id] = session
        if answers_of(session.launch):
            self._context.spawn(f"terminal.answers.{session.id}", self.driver(session.id).answerer.run())

    async def restore(self) -> None:
        """At the daemon's start: take over the sessions that have survived the last one."""
        left = {one.name: one for one in await self._context.port(ProcessContainers).unowned()}
        for memo, held in await found_again(self._context):
            try:
                session = PersistentSession(memo, held, self.settings, self.clock, self._budget)
            except OSError as exc:
                self._context.log.warning("The session %s cannot be taken over: %s.", memo.id, exc.strerror)
                continue
            session.is_taken_over = True
            session.container = left.pop(container_name(session.id), None)
            if session.container is not None:
                session.container.started(session.pid)
            self._know(session)
            if was_recording(held.handover.kept):
                await self.recordings.end_interrupted(session)

        self._end_lost(left)

    def _end_lost(self, left: Mapping[str, ProcessContainer]) -> None:
        """Of sessions whose supervisor has ended, some processes may go on."""
        for name, container in left.items():
            if name.startswith(container_name("")):
                self._context.spawn(f"terminal.end_lost.{name}", container.end())

    async def _recorded_or_ended(self, session: Session) -> None:
        try:
            await self.recordings.start(session)
        except BaseException:
            await self.stop(session.id)
            raise

    def _forget_oldest(self) -> None:
        ended = [session.id for session in self._sessions.values() if session.state == "terminated"]
        too_many = ended[: max(0, len(ended) - self.settings.keep_ended)]
        self._forget(too_many)
        self.recordings.release(too_many)

    def _forget(self, ids: Iterable[str]) -> None:
        for name in ids:
            self._sessions.pop(name, None)
            self._drivers.pop(name, None)

    def _ended(self, session: Session) -> None:
        self._tell("session_ended", session)
        self._forget_oldest()
        task = asyncio.get_running_loop().create_task(self._close_books(session))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _close_books(self, session: Session) -> None:
        try:
            await end_processes(session, self.settings)
        except JackfieldError as exc:
            self._context.log.error("After a session of %s: %s", session.alias, exc.message)
        if session.account():
            await self._account(session.launch, session.exit_code if session.exit_code is not None else 255)
        else:
            self._context.log.warning(
                "The daemon went while it recorded the end of a run of %s: its line of usage may be missing.",
                session.alias,
            )
        session.release()

    async def _account(self, launch: Launch, exit_code: int) -> None:
        try:
            await self._context.port(Profiles).ended(launch, exit_code)
        except Exception:
            self._context.log.exception("The end of a session of %s was not recorded.", launch.profile.alias)

    def _tell(self, kind: str, session: Session) -> None:
        data: dict[str, object] = {"session_id": session.id, "profile": session.alias or None, "state": session.state}
        if session.exit_code is not None:
            data["exit_code"] = session.exit_code
        self._context.events.publish("terminal", kind, data)

    async def type(self, session: Session, data: bytes) -> None:
        """Raises `Conflict` when the session has ended, or its agent does not read for `terminal.input_timeout`;
        `InvalidInput` for too much at once."""
        if len(data) > self.settings.input_limit:
            raise InvalidInput(f"At most {self.settings.input_limit} bytes may be typed at once.")
        if session.ended.is_set():
            raise Conflict("The session has ended.", code="SESSION_ENDED")
        await session.type(data)

    # -- the end

    async def stop(self, id: str, why: str = "") -> None:
        """End a session, and return when it has ended. One that has ended stays as it is. why: a sentence for those
        who look at it."""
        session = self.find(id)
        if session.stopping is None:
            if session.state == "running":
                session.reason = why or None
            session.stopping = asyncio.ensure_future(self._end(session))
        await asyncio.shield(session.stopping)

    async def _end(self, session: Session) -> None:
        ending = asyncio.ensure_future(end_session(session, self.settings))
        if isinstance(session, PersistentSession):
            await asyncio.wait([ending], timeout=max(self.settings.hang_up_grace, self.settings.kill_grace) + ANSWERING)
            session.end_unless_answered()
        await ending

    async def clean_up(self, scope: Scope) -> None:
        """See `SessionHub.clean_up`."""
        over = [session for session in await self.seen() if session.state == "terminated"]
        ended = [session.id for session in over if self._is_reached(session, "drive", scope)]
        self._forget(ended)
        await self.recordings.forget(ended)

    async def close(self) -> None:
        """At the daemon's stop: hang up everything but the sessions that persist."""
        self.closing = True
        if self._starting:
            await asyncio.wait(set(self._starting))
        staying = [session for session in self._running() if session.stays and session.stopping is None]
        if staying and not all(session.left.is_set() for session in staying):
            self._context.log.info(
                "%d terminal sessions stay without the daemon, for terminal.persist_lifetime (%g s).",
                len(staying),
                self.settings.persist_lifetime,
            )
        for session in staying:
            session.leave()
        with contextlib.suppress(NotFound):
            ending = [session.id for session in self._running() if session not in staying]
            await asyncio.gather(*(self.stop(name, _DAEMON_STOPS) for name in ending))
        if self._ending:
            await asyncio.wait(set(self._ending))
        await self.recordings.close()

    # -- WebSocket

    async def connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI application at `/ws/terminal/{session_id}`."""
        if scope["type"] != "websocket":
            raise NotFound
        principal: Principal | None = scope.get("jackfield.principal")
        if principal is not None and not attachment.is_viewer(scope):
            principal.require_change()
        message = await receive()
        if message["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        name = str(scope["path"]).removeprefix("/ws/terminal/")
        try:
            act: Act = "look" if attachment.is_viewer(scope) else "drive"
            await self.require(name, act)
            self.reached(name, act, scope)
        except NotFound as exc:
            await attachment.refuse(send, exc.message, GONE)
        except AccessDenied as exc:
            await attachment.refuse(send, exc.message, REFUSED)
        else:
            await self.attach(name, scope, receive, send)

    async def attach(self, id: str, scope: Scope, receive: Receive, send: Send) -> None:
        """See `SessionHub.attach`."""
        session = self._sessions.get(id)
        if session is None:
            await attachment.refuse(send, f"There is no terminal session {id[:100]}.", GONE)
        elif len(session.attachments) >= self.settings.max_clients:
            await attachment.refuse(send, "The session has as many clients as terminal.max_clients allows.", FULL)
        else:
            await attachment.serve(session, scope, receive, send, self.settings, self.clock)


def _absent(id: str) -> NotFound:
    return NotFound(f"There is no terminal session {id[:100]}.", code="SESSION_NOT_FOUND")


def hub(context: PluginContext) -> Hub:
    """The daemon's one: both ports."""
    return context.port(Hub)


def application(context: PluginContext) -> AsgiApp:
    """The application that `/ws/terminal` serves."""
    return context.port(Hub).connect


async def restore(context: PluginContext) -> None:
    """See `Hub.restore`."""
    await context.port(Hub).restore()


async def close(context: PluginContext) -> None:
    """See `Hub.close`."""
    await context.port(Hub).close()
