"""One agent session: what is said in it, in which state it is, and what follows from the dialogue's steps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from jackfield.api import jsontext
from jackfield.api.agent_protocols import (
    AgentDialogue,
    AgentFault,
    AgentMessage,
    AgentReady,
    DialogueSteps,
    MessageKept,
    PermissionAsked,
    ProcessEnded,
    SendFrame,
    StartRefused,
    TextAdded,
    ToolAnswered,
    ToolCalled,
    TurnEnded,
    UserSaid,
)
from jackfield.api.agent_sessions import SessionState
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.process_containers import ProcessContainer
from jackfield.api.profiles import Launch
from jackfield.api.records import record
from jackfield_agent_sessions.session.frames import FrameReader
from jackfield_agent_sessions.session.history import MessageHistory
from jackfield_agent_sessions.session.inbox import SessionInbox
from jackfield_agent_sessions.session.pipes import AgentPipes
from jackfield_agent_sessions.session.telling import SessionTeller
from jackfield_agent_sessions.settings import AgentSessionSettings

_MOST_CALLS = 1_000
"""Calls whose results are awaited."""
_MOST_ERRORS = 2_000
"""Characters of an agent's errors that the session gives as the reason of its end."""


@record
class SessionAbout:
    """The facts of a session that do not change. `agent`: id of the agent's manifest. `protocol`: that it is spoken to
    in."""

    id: str
    launch: Launch
    container: ProcessContainer
    agent: str
    protocol: str
    created_ms: int


class AgentSession:
    """Its methods belong to the event loop."""

    def __init__(
        self,
        about: SessionAbout,
        dialogue: AgentDialogue,
        history: MessageHistory,
        teller: SessionTeller,
        settings: AgentSessionSettings,
        inbox: SessionInbox,
    ) -> None:
        self.about = about
        self.history = history
        self.frames = FrameReader(self._heard, lambda: self.pipes.pause(), lambda: self.pipes.resume())
        self.pipes = AgentPipes(settings.line_limit, settings.errors_kept, self.frames.feed)
        self.name: str | None = about.launch.session
        """The agent's own name of the session."""
        self.exit_code: int | None = None
        self.reason: str | None = None
        """Why it cannot go on, where that is known."""
        self.opened = asyncio.Event()
        """The agent is ready, has refused, or has ended."""
        self.over = asyncio.Event()
        """No process is left, and the books are closed."""
        self.stopping: asyncio.Future[None] | None = None
        self.failed: Callable[[], None] = lambda: None
        """Called when the agent does not keep to its protocol."""
        self._dialogue = dialogue
        self._settings = settings
        self._teller = teller
        self._inbox = inbox
        self._is_ready = False
        self._is_working = False
        self._asking: set[str] = set()
        self._unseen: dict[str, frozenset[str]] = {}
        """Of open permissions that are shown cut: the options that allow."""
        self._calls: dict[str, None] = {}
        self._told: SessionState = "starting"
        self._said = 0
        self._lost = 0
        self._changed = asyncio.Event()

    @property
    def id(self) -> str:
        return self.about.id

    @property
    def alias(self) -> str:
        return self.about.launch.profile.alias

    @property
    def state(self) -> SessionState:
        if self.exit_code is not None:
            return "ended"
        if not self._is_ready:
            return "starting"
        return "asking" if self._asking else "working" if self._is_working else "idle"

    @property
    def revision(self) -> int:
        return self.history.revision

    def messages(self, since: int) -> Sequence[AgentMessage]:
        return [one.message for one in self.history.since(since)]

    # -- to the agent

    def begin(self) -> None:
        """The process runs."""
        self._take(self._dialogue.begin())

    def say(self, text: str) -> None:
        """Raises `Conflict` when the agent works on another message, does not read or has ended; `InvalidInput` when
        the text is too long."""
        if len(text.encode("utf-8", "replace")) > self._settings.message_limit:
            limit = self._settings.message_limit
            raise InvalidInput(f"A message may have at most {limit} bytes.", details={"text": "send less at a time"})
        self._require_open()
        if self.state != "idle":
            raise Conflict(
                "The agent works on a message; wait until the state is idle, or interrupt it.", code="AGENT_BUSY"
            )
        self._said += 1
        self._is_working = True
        self._take([MessageKept(f"said-{self._said}", UserSaid(text=text)), *self._dialogue.say(text)])

    def answer(self, permission: str, option: str, note: str) -> None:
        """Raises what `AgentDialogue.answer` raises, and `Conflict` when the session has ended, or when a permission
        is to be given of which nobody could see all."""
        self._require_open()
        if option in self._unseen.get(permission, ()):
            limit = self._settings.message_limit
            raise Conflict(
                f"The request is longer than agent_sessions.message_limit ({limit} bytes) and was not shown whole, so "
                "nobody can allow it. Reject it, or raise that limit and let the agent ask again in a new session.",
                code="PERMISSION_CUT",
            )
        self._take(self._dialogue.answer(permission, option, note))

    def interrupt(self) -> None:
        """Nothing happens while the agent is idle. Raises `Conflict` when the session has ended."""
        self._require_open()
        if self._is_working:
            self._take(self._dialogue.interrupt())

    def _require_open(self) -> None:
        if self.exit_code is not None or self.stopping is not None:
            raise Conflict("The session has ended.", code="SESSION_ENDED")
        if self.pipes.unsent > self._settings.unsent_limit:
            raise Conflict("The agent does not read what it is sent.", code="AGENT_BUSY")

    # -- from the agent

    def _heard(self, frame: Mapping[str, Json]) -> None:
        if self.exit_code is not None:
            return
        try:
            self._take(self._dialogue.received(frame))
        except Exception as exc:  # an agent's frame must not end the daemon's reading of others
            self._give_up(f"The agent does not keep to the protocol {self.about.protocol}: {type(exc).__name__}.")

    def _give_up(self, reason: str) -> None:
        self.reason = self.reason or reason
        self._take([MessageKept("protocol", AgentFault(text=reason))])
        self.opened.set()
        self.failed()

    def errors(self) -> str:
        """The end of what the agent has written as errors, without secrets."""
        return self.history.without_secrets(self.pipes.errors)[-_MOST_ERRORS:]

    def ended(self, exit_code: int) -> None:
        """The process is gone, and all that it has written has been heard."""
        if self.exit_code is not None:
            return
        if self.reason is None and exit_code != 0 and self.stopping is None:
            self.reason = self.errors() or None
        self.exit_code = exit_code
        self._asking.clear()
        self._unseen.clear()
        self._inbox.close()
        self._take([MessageKept("end", ProcessEnded(exit_code=exit_code, text=self.reason or ""))])
        self.opened.set()

    def _take(self, steps: DialogueSteps) -> None:
        for step in steps:
            if isinstance(step, SendFrame):
                self.pipes.send(jsontext.dumps(dict(step.frame)))
            elif isinstance(step, AgentReady):
                self.name = step.session or self.name
                self._is_ready = True
                self.opened.set()
            elif isinstance(step, StartRefused):
                self.reason = self.history.without_secrets(step.reason)
                self.opened.set()
            elif isinstance(step, TextAdded):
                self._finish(step.key)
                self._teller.added(*self.history.add(step))
            else:
                self._finish(step.key)
                if isinstance(step.message, TurnEnded | ProcessEnded):
                    self._close_calls()
                kept = self.history.keep(step.key, step.message)
                self._noted(step, is_cut=kept.message.cut)
                if isinstance(kept.message, PermissionAsked):
                    self._inbox.noted(kept.message, self.answer)
                self._teller.kept(kept)
        self._count_lost()
        if steps:
            self._wake()

    def _noted(self, step: MessageKept, *, is_cut: bool) -> None:
        message = step.message
        if isinstance(message, TurnEnded):
            self._is_working = False
        elif isinstance(message, ToolCalled):
            self._calls[message.call] = None
            while len(self._calls) > _MOST_CALLS:
                del self._calls[next(iter(self._calls))]
        elif isinstance(message, ToolAnswered):
            self._calls.pop(message.call, None)
        elif isinstance(message, PermissionAsked):
            (self._asking.add if message.state == "open" else self._asking.discard)(message.id)
            self._unseen.pop(message.id, None)
            if is_cut and message.state == "open":
                allowing = (one.id for one in message.options if one.kind.startswith("allow"))
                self._unseen[message.id] = frozenset(allowing)

    def _close_calls(self) -> None:
        """Some agents tell nothing of a call that was refused or broken off."""
        for call in self._calls:
            answered = ToolAnswered(call=call, output="", failed=True)
            self._teller.kept(self.history.keep(f"unanswered:{call}", answered))
        self._calls.clear()

    def _finish(self, but: str) -> None:
        found = self.history.finish(but)
        if found is not None:
            self._teller.kept(found)

    def _count_lost(self) -> None:
        lost = self.pipes.lines.lost
        if lost > self._lost:
            self._lost = lost
            text = f"A line of more than {self._settings.line_limit} bytes was left out; see agent_sessions.line_limit."
            self._teller.kept(self.history.keep(f"lost-{lost}", AgentFault(text=text)))

    # -- for those who wait

    def _wake(self) -> None:
        if self.state != self._told:
            self._told = self.state
            self._teller.state(self.state)
        self._changed.set()
        self._changed = asyncio.Event()

    async def changed(self, revision: int, timeout: float) -> None:
        """Return when there is a later revision, the session has ended, or after that many seconds."""
        try:
            async with asyncio.timeout(timeout):
                while self.history.revision <= revision and self.exit_code is None:
                    await self._changed.wait()
        except TimeoutError:
            return
