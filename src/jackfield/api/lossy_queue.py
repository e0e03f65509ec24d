"""A queue for whoever listens: it never holds up who puts something in."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

ThingT = TypeVar("ThingT")


class LossyQueue(Generic[ThingT]):
    """Keeps the newest of what was not taken yet, and counts what it has lost. For one event loop and one reader."""

    def __init__(self, size: int) -> None:
        """size: that many things are kept."""
        self._size = size
        self._things: deque[ThingT] = deque()
        self._ready = asyncio.Event()
        self._missed = 0

    def offer(self, thing: ThingT) -> None:
        """Put it in, in place of the oldest if there is no room."""
        if len(self._things) >= self._size:
            self._things.popleft()
            self._missed += 1
        self._things.append(thing)
        self._ready.set()

    def miss(self, count: int) -> None:
        """That many were lost before they came here."""
        self._missed += count

    def missed(self) -> int:
        """How many were lost since the last call of this method."""
        count, self._missed = self._missed, 0
        return count

    async def __aiter__(self) -> AsyncIterator[ThingT]:
        while True:
            while self._things:
                yield self._things.popleft()
            self._ready.clear()
            await self._ready.wait()
