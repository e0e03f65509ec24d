"""Memory that requests take together beyond what each may take anyway; those that do not fit wait, in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class MemoryRoom:
    """One that wants more than there is in all gets it as the only one."""

    def __init__(self, most: int) -> None:
        """In bytes."""
        self._most = most
        self._held = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @asynccontextmanager
    async def held(self, size: int, wait: float, late: Callable[[], Exception]) -> AsyncIterator[None]:
        """That many bytes, for which it waits `wait` seconds. Raises what `late` makes when they are over."""
        try:
            await self._enter(size, wait)
        except TimeoutError:
            raise late() from None
        try:
            yield
        finally:
            self._leave(size)

    async def _enter(self, size: int, wait: float) -> None:
        if not self._waiting and self._fits(size):
            self._held += size
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (size, turn)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(wait):
                await turn
        except BaseException:
            if entry in self._waiting:
                self._waiting.remove(entry)
                self._admit()
            else:
                self._leave(size)  # its turn came too late
            raise

    def _leave(self, size: int) -> None:
        self._held -= size
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._fits(self._waiting[0][0]):
            size, turn = self._waiting.popleft()
            self._held += size
            if turn.done():  # cancelled: the waiting request gets it next, and gives it back
                continue
            turn.set_result(None)

    def _fits(self, size: int) -> bool:
        return not self._held or self._held + size <= self._most
