"""What lasts and was opened by a browser's session ends with it: a logout leaves no terminal and no log open."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

from jackfield.api.asgi import AsgiApp, DirectWebSocket, Message, Receive, Scope, Send, direct_of
from jackfield.api.errors import AuthRequired, JackfieldError

INTERVAL = 1.0
"""Seconds between two looks at the session."""
ENDED = 4401
"""Close code: the credential does not count any more."""
GRACE = 5.0
"""Seconds that the client is given to take the close."""


class Held:
    """One connection. check: raises `AuthRequired` once the session has ended."""

    def __init__(self, receive: Receive, send: Send, check: Callable[[], Awaitable[object]]) -> None:
        self._receive = receive
        self._send = send
        self._check = check
        self._over = asyncio.Event()
        self._pending: asyncio.Future[Message] | None = None
        self._direct: DirectWebSocket | None = None

    async def run(self, app: AsgiApp, scope: Scope) -> None:
        self._direct = direct_of(scope)
        watch = asyncio.ensure_future(self._watch())
        try:
            await app(scope, self._next, self._say)
        finally:
            watch.cancel()
            if self._pending is not None:
                self._pending.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL)
            try:
                await self._check()
            except AuthRequired:
                break
            except JackfieldError:  # the store does not answer: that says nothing of the session
                continue
        self._over.set()
        if self._direct is not None:
            self._direct.close()
        with contextlib.suppress(OSError):  # a time-out is one of them
            async with asyncio.timeout(GRACE):
                await self._send({"type": "websocket.close", "code": ENDED, "reason": "The session has ended."})

    async def _next(self) -> Message:
        """The client's next message; the client has left when the session has ended. A message outlives a caller that
        is cancelled."""
        self._pending = self._pending or asyncio.ensure_future(self._receive())
        over = asyncio.ensure_future(self._over.wait())
        first: set[asyncio.Future[Any]] = {self._pending, over}  # of two types
        try:
            await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
        if self._over.is_set():
            return {"type": "websocket.disconnect", "code": ENDED}
        message, self._pending = self._pending.result(), None
        return message

    async def _say(self, message: Message) -> None:
        if not self._over.is_set():
            await self._send(message)


async def while_it_counts(answer: Awaitable[None], check: Callable[[], Awaitable[object]]) -> None:
    """An answer that may last, cut off where the session ends. check: as of `Held`. Raises what the answer raises, and
    the `AuthRequired` with which it was cut off."""
    task = asyncio.ensure_future(answer)
    try:
        while not (await asyncio.wait({task}, timeout=INTERVAL))[0]:
            try:
                await check()
            except AuthRequired:
                raise
            except JackfieldError:  # the store does not answer: that says nothing of the session
                continue
        task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
