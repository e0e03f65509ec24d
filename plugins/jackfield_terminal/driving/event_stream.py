"""A session's conversation as server-sent events: the current state, then every change.

Source: `/events` of coder/agentapi (version 0.12), whose names and forms these are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Protocol

from jackfield.api import jsontext
from jackfield.api.clock import Clock, iso
from jackfield_terminal.driving.quiet import QUIET
from jackfield_terminal.driving.view import Status, dialog_out, status_of

if TYPE_CHECKING:
    from jackfield_terminal.driving.conversation import SaidMessage
    from jackfield_terminal.driving.driver import Driver
    from jackfield_terminal.driving.looks import Look

BEAT = 15.0
"""Seconds between two signs of life on a quiet stream."""
LOOK = 0.5
"""Seconds between two looks at the screen."""


class StreamEnd(Protocol):
    """The event that ends every stream."""

    clock: Clock
    closing: bool


async def event_stream(driver: Driver, daemon: StreamEnd) -> AsyncIterator[bytes]:
    """Until the session has ended or the daemon stops."""
    told = _Told(daemon.clock.monotonic())
    silent = 0.0
    while True:
        # Asked before the screen is: what is shown last is still told.
        over = driver.session.ended.is_set()
        screen = (await driver.screen.snapshot()).text
        messages = await driver.conversation.messages()
        look = None if over else await driver.view.look()
        frames = list(told.changes(messages, screen, daemon.clock.monotonic(), look, over=over))
        for frame in frames:
            yield frame
        if over or daemon.closing:
            return
        silent = 0.0 if frames else silent + LOOK
        if silent >= BEAT:
            silent = 0.0
            yield b": alive\n\n"
        await daemon.clock.sleep(LOOK)


class _Told:
    """The state that a client knows already."""

    def __init__(self, now: float) -> None:
        self._messages: dict[int, str] = {}
        self._status = ""
        self._screen = ""
        self._changed = now
        """When the screen changed last."""

    def changes(
        self, messages: list[SaidMessage], screen: str, now: float, look: Look | None, *, over: bool
    ) -> Iterator[bytes]:
        for message in messages:
            if self._messages.get(message.id) != message.content:
                yield _frame("message_update", message_out(message))
        self._messages = {message.id: message.content for message in messages}
        if screen != self._screen:
            self._changed = now
        quiet: Status = "stable" if over or now - self._changed >= QUIET else "running"
        status = quiet if look is None else status_of(look)
        if status != self._status:
            self._status = status
            yield _frame("status_change", {"status": status, **dialog_out(None if look is None else look.dialog)})
        if screen != self._screen:
            self._screen = screen
            yield _frame("screen", {"screen": screen})


def message_out(message: SaidMessage) -> dict[str, object]:
    return {"id": message.id, "role": message.role, "content": message.content, "time": iso(message.time)}


def _frame(event: str, data: dict[str, object]) -> bytes:
    return b"event: " + event.encode() + b"\ndata: " + jsontext.dumps(data) + b"\n\n"
