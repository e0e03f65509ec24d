"""Saying something to an agent whose screen is known.

The sender waits until it is ready, types, sees the text in the input, sends it, and sees it taken.
"""

from __future__ import annotations

from functools import partial

from jackfield.api.errors import Conflict
from jackfield_terminal.driving.answering import DialogAnswerer
from jackfield_terminal.driving.looks import Look, ScreenJudge, ShownDialog
from jackfield_terminal.driving.texts import key
from jackfield_terminal.driving.view import AgentView
from jackfield_terminal.screen.keys import sequence
from jackfield_terminal.settings import TerminalSettings

PASTE = (b"\x1b[200~", b"\x1b[201~")
TRIES = 2
"""Times that a text is typed, the input emptied in between."""
PRESS_AGAIN = 2.0
"""Seconds after which a return is pressed once more, when the text is still in the input."""
GOING = 1.0
"""Seconds that a dialog is given to go, where it was answered just before."""
PRESSED = 0.5
"""Seconds within which the input is seen to be empty after a key that empties it."""
ENDING = ("ctrl-c", "ctrl-d")
"""Keys that end many an agent when its input is empty."""
COMPLETED = ("@", "/", "#", "$")
"""Of the last word: agents offer names of files or commands then, and a return chooses one in place of sending."""
SCROLLED = 60
"""Characters that an input must show of a text of which it shows the end alone."""


class MessageSender:
    """Sends messages to one session's agent, one after the other."""

    def __init__(self, view: AgentView, answerer: DialogAnswerer, settings: TerminalSettings) -> None:
        self._view = view
        self._answerer = answerer
        self._settings = settings

    async def ready(self, judge: ScreenJudge) -> Look:
        """Raises `Conflict`: the agent asks something, is busy for too long, or shows what its manifest does not know,
        for `terminal.ready_timeout`."""
        seconds = self._settings.ready_timeout
        deadline = self._view.clock.monotonic() + seconds
        while True:
            left = max(0.0, deadline - self._view.clock.monotonic())
            look, over = await self._view.until(judge, self._is_over, left)
            if look.shows == "ready":
                return look
            # One that has just been answered goes in a moment.
            if not over or not (await self._view.until(judge, partial(_is_another, look.dialog), GOING))[1]:
                raise refusal(look, seconds)

    def _is_over(self, look: Look) -> bool:
        return look.shows == "ready" or (look.dialog is not None and not self._answerer.answers_to(look))

    async def send(self, judge: ScreenJudge, content: str) -> None:
        """Returns when the input is empty again. Raises `Conflict` when the agent has not taken the text; then the
        input is emptied, or the error says that it is not."""
        if judge.look(await self._view.screen.snapshot()).mode:  # somebody has left it so
            await self._clear(judge, None)
        before = await self._type(judge, content)
        pressed_until = self._view.clock.monotonic() + self._settings.reaction_timeout
        while self._view.clock.monotonic() < pressed_until:
            await self._view.session.write(b"\r")
            look, taken = await self._view.until(judge, lambda look: self._is_taken(judge, look, content), PRESS_AGAIN)
            if taken:
                return
            if not holds(judge, look, content):  # nothing is known: a return now could answer a question
                break
        emptied = await self._clear(judge, before)
        told = "The agent does not take the message; it was not sent."
        raise _unsent("MESSAGE_NOT_SENT", told, emptied=emptied)

    async def _type(self, judge: ScreenJudge, content: str) -> str | None:
        """The content that the input showed before. Raises `Conflict`."""
        emptied = False
        for _ in range(TRIES):
            before = judge.look(await self._view.screen.snapshot()).typed
            await self._view.session.write(self._typed(content))
            look, shown = await self._view.until(
                judge,
                lambda look: holds(judge, look, content) or look.dialog is not None,
                self._settings.typing_timeout,
            )
            if look.dialog is not None:
                raise refusal(look, self._settings.ready_timeout)
            if shown:
                return before
            emptied = await self._clear(judge, before)
        told = "The agent does not show in its input what was typed; the message was not sent."
        raise _unsent("MESSAGE_NOT_TYPED", told, emptied=emptied)

    def _typed(self, content: str) -> bytes:
        """As a paste where the agent knows what that is. An escape character could end the paste early."""
        return typed_as(content, paste=self._view.session.bracketed_paste)

    async def _clear(self, judge: ScreenJudge, before: str | None) -> bool:
        """Whether the input is empty again.

        Each key is drawn before the next: together some have no effect. Of those that an empty input does not need one
        may end the agent. `before`: the content of the input before anything was typed: a placeholder that the manifest
        does not know, or a draft of somebody.
        """
        look = judge.look(await self._view.screen.snapshot())
        for pressed in judge.looks.clear:
            if look.dialog is not None:
                return False
            if pressed.lower() in ENDING and (look.untyped or look.typed in (None, before)):
                continue
            last = look
            await self._view.session.write(sequence(pressed))
            look, emptied = await self._view.until(judge, is_empty, PRESSED)
            if emptied:
                return True
            if (look.typed, look.mode) == (last.typed, last.mode) and not look.mode:
                break
        return (await self._view.until(judge, is_empty, self._settings.typing_timeout))[1]

    def _is_typed(self, judge: ScreenJudge, look: Look, content: str) -> bool:
        return look.dialog is not None or holds(judge, look, content)

    def _is_taken(self, judge: ScreenJudge, look: Look, content: str) -> bool:
        if look.shows == "ready" and may_complete(content) and key(look.typed or "").startswith(key(content)):
            return False  # the return has completed a name
        return (look.typed is not None or look.dialog is not None) and not holds(judge, look, content)


def typed_as(content: str, *, paste: bool) -> bytes:
    data = (f"{content} " if may_complete(content) else content).encode()
    return PASTE[0] + data.replace(b"\x1b", b"") + PASTE[1] if paste else data


def may_complete(content: str) -> bool:
    """Whether a return behind it could choose a name that the agent offers. A blank behind it closes the list."""
    return content.split(" ")[-1].rpartition("\n")[2].startswith(COMPLETED)


def is_empty(look: Look) -> bool:
    """Whether nothing is in the input, of whomever; what an agent shows in an empty one counts as nothing."""
    return look.typed is not None and look.untyped and not look.mode


def holds(judge: ScreenJudge, look: Look, content: str) -> bool:
    """Whether the input shows the text: whole, its end, or what stands for a long one. In another mode of the input it
    would be something else, unless it asks for that mode."""
    if look.typed is None or not content.lstrip().startswith(look.mode):
        return False
    shown, said = key(look.typed), key(content)
    if shown == said or judge.pasted.last(look.typed.splitlines()) is not None:
        return True
    if not any(character.isalnum() for character in said):
        return shown.endswith(said)
    return len(shown) >= SCROLLED and said.endswith(shown)


def _unsent(code: str, told: str, *, emptied: bool) -> Conflict:
    left = {} if emptied else {"input": "it is not empty; look at the screen, and empty it with /input"}
    return Conflict(told, code=code, details=left)


def _is_another(dialog: ShownDialog | None, look: Look) -> bool:
    return look.dialog != dialog


def refusal(look: Look, seconds: float) -> Conflict:
    """Why nothing can be said now."""
    if look.dialog is not None:
        options = "; ".join(f"{option.number}. {option.text}" for option in look.dialog.options)
        return Conflict(
            "The agent asks something; answer that first.",
            code="AGENT_ASKING" if look.dialog.kind == "asking" else "AGENT_TRUSTING",
            details={"dialog": look.dialog.text, "options": options},
        )
    if look.shows == "busy":
        return Conflict(f"The agent has been busy for {seconds:g} seconds.", code="AGENT_BUSY")
    return Conflict(
        f"For {seconds:g} seconds the agent's screen has shown nothing that its manifest knows.",
        code="AGENT_NOT_READY",
        details={"screen": "look at the screen; type with /input, or correct the table [screen] of the manifest"},
    )
