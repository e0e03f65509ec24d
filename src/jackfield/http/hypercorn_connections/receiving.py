"""The rest of a request, or of a WebSocket, that an application has still to take."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any


class ReceiveQueue:
    """Data wait for room, as ever. The end does not: an application that is busy with the first message would never
    hear that its caller has gone."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: deque[Any] = deque()  # ASGI's messages
        self._room: deque[asyncio.Future[None]] = deque()
        self._more = asyncio.Event()
        self._over = False
        self._asked = False

    @property
    def is_asked(self) -> bool:
        """Whether the application waits for the next message, and so has dealt with all that came before."""
        return self._asked and not self._kept and not self._over

    async def put(self, message: Any) -> None:  # Any: an ASGI message
        if self._kept and is_end(message) and self._kept[-1].get("more_body"):
            self._kept[-1]["more_body"] = False  # the server tells the end of a body apart from its last piece
            return
        while not self._over and not message["type"].endswith(".disconnect") and len(self._kept) >= self._size:
            waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._room.append(waiting)
            await waiting
        if not self._over:
            self._kept.append(message)
            self._more.set()

    async def get(self) -> Any:  # an ASGI message
        try:
            while not self._kept:
                self._asked = True
                self._more.clear()
                await self._more.wait()
        finally:
            self._asked = False
        found = self._kept.popleft()
        while self._room:
            waiting = self._room.popleft()
            if not waiting.done():
                waiting.set_result(None)
                break
        return found

    def close(self) -> None:
        """The application has ended: nobody waits for it any more, and what comes is forgotten."""
        self._over = True
        self._kept.clear()
        for waiting in self._room:
            if not waiting.done():
                waiting.set_result(None)
        self._room.clear()


def is_end(message: Any) -> bool:  # Any: an ASGI message
    """Whether it tells nothing but that the body is over."""
    return message["type"] == "http.request" and not (message["body"] or message["more_body"])
