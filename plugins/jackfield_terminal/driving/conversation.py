"""A session as a conversation: what was said to the agent, and what its screen has shown since.

Source: the message API of coder/agentapi (version 0.12), which this follows in names and forms.
"""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from operator import ne
from typing import Literal

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.records import record, state
from jackfield_terminal.driving.answering import DialogAnswerer
from jackfield_terminal.driving.answers import Turn, answer_in, said_since
from jackfield_terminal.driving.looks import Look, ScreenJudge, ShownDialog
from jackfield_terminal.driving.quiet import QUIET
from jackfield_terminal.driving.sending import MessageSender, typed_as
from jackfield_terminal.driving.turns import MessageTurns
from jackfield_terminal.driving.view import AgentStatus, AgentView, JudgedBy, Status, status_of
from jackfield_terminal.driving.waiting import until_idle
from jackfield_terminal.settings import TerminalSettings

KEPT = 500
"""Messages of one conversation; the oldest are forgotten."""
_SETTLE = 0.05
_SHORTEST = 0.2


@state
class SaidMessage:
    """time: Unix ms."""

    id: int
    role: Literal["user", "agent"]
    content: str
    time: int


@record
class SaidReply:
    """After a message was taken.

    `answer`: the agent's words to it, None where nobody knows where its words begin and end. `status`: of the agent
    now.
    """

    judged_by: JudgedBy
    status: Status
    answer: str | None = None
    dialog: ShownDialog | None = None


class Conversation:
    """The messages of one session."""

    def __init__(self, view: AgentView, answerer: DialogAnswerer, context: PluginContext) -> None:
        self._view = view
        self._session = view.session
        self._screen = view.screen
        self._clock = context.clock
        self._settings = context.settings(TerminalSettings)
        self._sender = MessageSender(view, answerer, self._settings)
        self._answerer = answerer
        self._messages: deque[SaidMessage] = deque(maxlen=KEPT)
        self._next = 0
        self._turn = Turn()
        self._turns = MessageTurns(self._settings)
        self._speaking = asyncio.Lock()

    async def status(self) -> AgentStatus:
        """From the screen as it is now, where the manifest says how that looks. Else the agent counts as waiting after
        a second without a change."""
        look = None if self._session.ended.is_set() else await self._view.look()
        if look is not None:
            return AgentStatus(status_of(look), "manifest", look.dialog)
        judged_by: JudgedBy = "quiet" if await self._view.judge() is None else "manifest"
        return AgentStatus("stable" if await self._is_quiet() else "running", judged_by)

    async def _is_quiet(self) -> bool:
        if self._session.ended.is_set() or self._clock.monotonic() - self._session.printed_at >= QUIET:
            return True
        return await until_idle(self._session, self._screen, QUIET, QUIET + _SETTLE, self._clock)

    async def messages(self) -> list[SaidMessage]:
        """Everything said so far; the agent's last message is what its screen shows now."""
        judge = await self._view.judge()
        screen = await self._screen.snapshot()
        if judge is None:
            self._update(said_since(self._turn, screen.lines))
        else:
            self._update(answer_in(judge, judge.look(screen), self._turn))
        return list(self._messages)

    async def say(self, content: str, wait: float | None = None) -> SaidReply:
        """Type a message and send it off, once those before it are answered and the agent waits for input.

        Returns when the agent has answered, asks something, or `wait` seconds (default: `terminal.answer_wait`) after
        it has taken the message. Raises `Conflict` while it is busy or asks something, while too many messages wait,
        and when it does not take the message. Raises `InvalidInput` for an empty one.
        """
        if not content.strip():
            raise InvalidInput("The message is empty.", details={"content": "give some text"})
        async with self._turns.turn():
            # A caller that goes away meanwhile must not leave half a message in the input.
            speaking = asyncio.ensure_future(self._spoken(content))
            speaking.add_done_callback(_retrieved)
            turn = await asyncio.shield(speaking)
            judge = await self._view.judge()
            if judge is None:
                return SaidReply("quiet", "stable" if self._session.ended.is_set() else "running")
            return await self._reply(judge, turn, self._settings.answer_wait if wait is None else wait)

    async def _spoken(self, content: str) -> Turn:
        async with self._speaking:
            if self._session.ended.is_set():
                raise Conflict("The session has ended.", code="SESSION_ENDED")
            judge = await self._view.judge()
            return await (self._say_when_quiet(content) if judge is None else self._say_when_ready(judge, content))

    # -- by the manifest

    async def _say_when_ready(self, judge: ScreenJudge, content: str) -> Turn:
        before = await self._sender.ready(judge)
        await self.messages()
        typed = self._session.keystrokes.count
        await self._sender.send(judge, content)
        self._add("user", content)
        turn = self._turn = Turn(tuple(before.said), content, typed)
        # Some agents show for a moment neither the message nor that they work on it.
        await self._view.until(judge, lambda look: _has_begun(judge, look, turn), self._settings.reaction_timeout)
        return turn

    async def _reply(self, judge: ScreenJudge, turn: Turn, wait: float) -> SaidReply:
        look = await self._answered(judge, wait)
        others = self._session.keystrokes.lines_since(turn.typed)
        return SaidReply("manifest", status_of(look), answer_in(judge, look, turn, others), look.dialog)

    async def _answered(self, judge: ScreenJudge, wait: float) -> Look:
        """The look in which the agent waits again: unchanged for a moment, as programs redraw between two steps."""
        deadline = self._clock.monotonic() + wait
        while True:
            left = max(0.0, deadline - self._clock.monotonic())
            look, waits = await self._view.until(judge, self._waits_for_somebody, left)
            if not waits or look.dialog is not None:
                return look
            moment = max(0.0, min(QUIET, deadline - self._clock.monotonic()))
            changed, goes_on = await self._view.until(judge, partial(ne, look), moment)
            if not goes_on:
                return changed

    def _waits_for_somebody(self, look: Look) -> bool:
        return look.shows == "ready" or (look.dialog is not None and not self._answerer.answers_to(look))

    # -- by quiet

    async def _say_when_quiet(self, content: str) -> Turn:
        if not await self._is_quiet():
            raise Conflict("The agent is busy; wait until its status is `stable`.", code="AGENT_BUSY")
        await self.messages()
        before = (await self._screen.snapshot()).lines
        # Said before it is typed: what the agent's screen shows of it is not what the agent says.
        said, last_turn = self._add("user", content), self._turn
        self._turn = Turn(before, content)
        try:
            await self._session.write(typed_as(content, paste=self._session.bracketed_paste))
        except Conflict:
            self._messages.remove(said)
            self._turn = last_turn
            raise
        # Agents treat a return that comes with the text as part of it.
        await self._clock.sleep(_SHORTEST)
        typed = (await self._screen.snapshot()).lines
        await self._session.write(b"\r")
        await self._reaction(typed)
        return self._turn

    async def _reaction(self, typed: tuple[str, ...]) -> None:
        deadline = self._clock.monotonic() + self._settings.reaction_timeout
        while self._clock.monotonic() < deadline and not self._session.ended.is_set():
            if (await self._screen.snapshot()).lines != typed:
                return
            await self._clock.sleep(_SETTLE)

    def _update(self, content: str) -> None:
        last = self._messages[-1] if self._messages else None
        if last is not None and last.role == "agent":
            if last.content != content:
                last.content, last.time = content, self._clock.now_ms()
        elif content:
            self._add("agent", content)

    def _add(self, role: Literal["user", "agent"], content: str) -> SaidMessage:
        made = SaidMessage(self._next, role, content, self._clock.now_ms())
        self._messages.append(made)
        self._next += 1
        return made


def _has_begun(judge: ScreenJudge, look: Look, turn: Turn) -> bool:
    return look.shows not in ("ready", "unknown") or bool(answer_in(judge, look, turn))


def _retrieved(task: asyncio.Future[Turn]) -> None:
    if not task.cancelled():
        task.exception()  # known to the caller, if there is still one
