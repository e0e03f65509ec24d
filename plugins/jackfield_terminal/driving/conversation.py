"""A session as a conversation: what was said to the agent, and what its screen has shown since.

Source: the message API of coder/agentapi (version 0.12), which this follows in names and forms.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Literal

from jackfield.api.clock import Clock
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.records import state
from jackfield_terminal.driving.quiet import QUIET
from jackfield_terminal.driving.waiting import until_idle
from jackfield_terminal.screen.reader import ScreenReader
from jackfield_terminal.session.session import Session

KEPT = 500
"""Messages of one conversation; the oldest are forgotten."""
REACTION = 15.0
"""Seconds within which the agent must show that it has taken a message."""
PASTE = (b"\x1b[200~", b"\x1b[201~")
_DECORATION = "│┃|❯›»>$#%*•▌▎─━╭╮╰╯┌┐└┘⏵"
"""What stands around a line of input: prompts and frames."""
_SETTLE = 0.05
_SHORTEST = 0.2


@state
class SaidMessage:
    """time: Unix ms."""

    id: int
    role: Literal["user", "agent"]
    content: str
    time: int


@state
class _Turn:
    """What the screen showed when the user spoke."""

    before: tuple[str, ...] = ()
    said: str = ""


class Conversation:
    """The messages of one session."""

    def __init__(self, session: Session, screen: ScreenReader, clock: Clock) -> None:
        self._session = session
        self._screen = screen
        self._clock = clock
        self._messages: deque[SaidMessage] = deque(maxlen=KEPT)
        self._next = 0
        self._turn = _Turn()
        self._speaking = asyncio.Lock()

    async def status(self) -> Literal["stable", "running"]:
        """`stable`: the agent waits for input, or has ended."""
        idle = await until_idle(self._session, self._screen, QUIET, QUIET + _SETTLE, self._clock)
        return "stable" if idle else "running"

    async def messages(self) -> list[SaidMessage]:
        """Everything said so far; the agent's last message is what its screen shows now."""
        shown = (await self._screen.snapshot()).lines
        self._update(_said(self._turn, shown))
        return list(self._messages)

    async def say(self, content: str) -> None:
        """Type a message and send it off, once the agent waits for input. Returns when the agent reacts. Raises
        `Conflict` while it is busy, `InvalidInput` for an empty message."""
        if not content.strip():
            raise InvalidInput("The message is empty.", details={"content": "give some text"})
        async with self._speaking:
            if self._session.ended.is_set():
                raise Conflict("The session has ended.", code="SESSION_ENDED")
            if await self.status() != "stable":
                raise Conflict("The agent is busy; wait until its status is `stable`.", code="AGENT_BUSY")
            await self.messages()
            before = (await self._screen.snapshot()).lines
            # Said before it is typed: what the agent's screen shows of it is not what the agent says.
            said, last_turn = self._add("user", content), self._turn
            self._turn = _Turn(before, content)
            try:
                await self._session.write(self._typed(content))
            except Conflict:
                self._messages.remove(said)
                self._turn = last_turn
                raise
            # Agents treat a return that comes with the text as part of it.
            await self._clock.sleep(_SHORTEST)
            typed = (await self._screen.snapshot()).lines
            await self._session.write(b"\r")
            await self._reaction(typed)

    def _typed(self, content: str) -> bytes:
        """As a paste where the agent knows what that is. An escape character could end the paste early."""
        data = content.encode()
        return PASTE[0] + data.replace(b"\x1b", b"") + PASTE[1] if self._session.bracketed_paste else data

    async def _reaction(self, typed: tuple[str, ...]) -> None:
        deadline = self._clock.monotonic() + REACTION
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


def _said(turn: _Turn, shown: tuple[str, ...]) -> str:
    """The part of the screen that is new since the user spoke, without the user's own words at its beginning."""
    old = set(turn.before)
    first = next((place for place, line in enumerate(shown) if line.strip() and line not in old), len(shown))
    lines = list(shown[first:])
    del lines[: _echoed(lines, turn.said)]
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines).rstrip()


def _echoed(lines: list[str], said: str) -> int:
    """How many lines at the beginning show what the user said: wrapped anywhere, in a frame, after a prompt."""
    opening = _compact(next((line for line in said.splitlines() if line.strip()), ""))
    rest, taken = _compact(said), 0
    for place, line in enumerate(lines):
        text, rest = _compact(line).strip(_DECORATION), rest.lstrip(_DECORATION)
        if not rest:
            break
        if rest.startswith(text):
            rest = rest[len(text) :]
        elif taken == 0 and text.endswith(opening):
            rest = rest[len(opening) :]
        else:
            break
        if text:
            taken = place + 1
    return taken


def _compact(text: str) -> str:
    return "".join(text.split())
