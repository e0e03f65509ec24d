"""The turns of a session: a message has its answer before the next one is typed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jackfield.api.errors import Conflict
from jackfield_terminal.settings import TerminalSettings


class MessageTurns:
    """Of one session; first come, first served."""

    def __init__(self, settings: TerminalSettings) -> None:
        self._most, self._seconds = settings.waiting_messages, settings.ready_timeout
        self._waiting = 0
        self._taken = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Raises `Conflict`: too many wait already, or those before it take longer than `terminal.ready_timeout`."""
        if self._taken.locked() and self._waiting >= self._most:
            raise Conflict(f"{self._waiting} messages to this session wait already.", code="MESSAGES_WAITING")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                await self._taken.acquire()
        except TimeoutError:
            told = f"The agent has been answering other messages for {self._seconds:g} seconds."
            raise Conflict(told, code="AGENT_BUSY") from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._taken.release()
