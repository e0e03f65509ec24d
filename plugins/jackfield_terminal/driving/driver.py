"""The parts that drive a session, made when somebody first does."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput, JackfieldError
from jackfield.api.scripts import SCRIPT_ENGINES, ExpressionError, ScriptData, ScriptError
from jackfield_terminal.driving.answering import DialogAnswerer
from jackfield_terminal.driving.conversation import Conversation
from jackfield_terminal.driving.idling import until_waiting
from jackfield_terminal.driving.view import AgentView
from jackfield_terminal.driving.waiting import until_exit, until_shown
from jackfield_terminal.screen.reader import ScreenReader
from jackfield_terminal.session.session import Session

_TEST = "new RegExp($json.pattern, 'mu').test($json.text)"


class Driver:
    """One session's screen, what it shows, and its conversation."""

    def __init__(self, session: Session, context: PluginContext) -> None:
        self.session = session
        self.screen = ScreenReader(session)
        self.view = AgentView(session, self.screen, context)
        self.answerer = DialogAnswerer(self.view)
        self._context = context

    @cached_property
    def conversation(self) -> Conversation:
        return Conversation(self.view, self.answerer, self._context)

    async def wait(
        self, what: Literal["idle", "regex", "exit"], *, quiet: float, timeout: float, pattern: str | None = None
    ) -> bool:
        """Whether it came within `timeout` seconds. Raises `InvalidInput` for a pattern that is none."""
        clock = self._context.clock
        if what == "exit":
            return await until_exit(self.session, timeout)
        if what == "idle":
            return await until_waiting(self.view, quiet, timeout)
        if not pattern:
            raise InvalidInput("Waiting for a text needs a pattern.", details={"pattern": "give a regular expression"})
        wanted = pattern

        async def matches(text: str) -> bool:
            return await self._matches(wanted, text)

        return await until_shown(self.session, self.screen, matches, timeout, clock)

    async def _matches(self, pattern: str, text: str) -> bool:
        """A hostile pattern can run forever: a script engine tests it, off the event loop and within its limits."""
        engine = self._context.extensions(SCRIPT_ENGINES).get("javaScript")
        if engine is None:
            raise JackfieldError("Regular expressions need the plugin jackfield_javascript, which is not loaded.")
        data = ScriptData(input=[{"json": {"pattern": pattern, "text": text}}])
        try:
            [[found]] = await engine.evaluate([_TEST], data, [0])
        except ScriptError as exc:
            raise InvalidInput(
                f"The pattern cannot be tested: {exc.message}", details={"pattern": "give a simpler one"}
            ) from exc
        if not isinstance(found, bool) or isinstance(found, ExpressionError):
            raise InvalidInput("The pattern is not a regular expression.", details={"pattern": "see its syntax"})
        return found
