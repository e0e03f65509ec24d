"""Waiting for a session: until its screen is quiet, shows a text, or its agent has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jackfield.api.clock import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jackfield_terminal.screen.reader import ScreenReader
    from jackfield_terminal.session.session import Session

STEP = 0.1
"""Seconds between two looks at a screen that changes."""


class ScreenWatch:
    """Wakes a waiter on every output and at the end."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._changed = asyncio.Event()

    @contextmanager
    def open(self) -> Iterator[ScreenWatch]:
        self._session.listeners.add(self._changed.set)
        try:
            yield self
        finally:
            self._session.listeners.discard(self._changed.set)

    async def change(self, seconds: float) -> bool:
        """False when nothing happened for so long."""
        try:
            await asyncio.wait_for(self._changed.wait(), max(0.0, seconds))
        except TimeoutError:
            return False
        self._changed.clear()
        return True


async def until_exit(session: Session, timeout: float) -> bool:
    """Whether the agent has ended within that many seconds."""
    waits = [asyncio.ensure_future(event.wait()) for event in (session.ended, session.left)]
    try:
        await asyncio.wait(waits, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    return session.ended.is_set()


async def until_idle(session: Session, screen: ScreenReader, quiet: float, timeout: float, clock: Clock) -> bool:
    """Whether the screen has not changed for `quiet` seconds within `timeout`. Output that changes nothing that can be
    seen, such as a blinking cursor, does not count. An ended session is idle."""
    deadline = clock.monotonic() + timeout
    shown = (await screen.snapshot()).lines
    since = clock.monotonic()
    with ScreenWatch(session).open() as watch:
        while not session.ended.is_set():
            if session.left.is_set():
                return False
            now = clock.monotonic()
            if now - since >= quiet:
                return True
            if now >= deadline:
                return False
            if await watch.change(min(since + quiet, deadline) - now):
                await clock.sleep(min(STEP, max(0.0, deadline - clock.monotonic())))
                lines = (await screen.snapshot()).lines
                if lines != shown:
                    shown, since = lines, clock.monotonic()
    return True


async def until_shown(
    session: Session,
    screen: ScreenReader,
    matches: Callable[[str], Awaitable[bool]],
    timeout: float,
    clock: Clock,
) -> bool:
    """Whether the screen's text matches within that many seconds."""
    deadline = clock.monotonic() + timeout
    with ScreenWatch(session).open() as watch:
        while True:
            if await matches((await screen.snapshot()).text):
                return True
            left = deadline - clock.monotonic()
            if left <= 0 or session.ended.is_set() or session.left.is_set():
                return False
            if await watch.change(left):
                await clock.sleep(min(STEP, max(0.0, deadline - clock.monotonic())))
