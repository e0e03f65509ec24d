"""A connection that was opened with a credential ends with it: a logout and a revoked key leave no terminal and no log
open.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from jackfield.api.asgi import AsgiApp, Message, Receive, Scope, Send, ShortcutSocket, shortcut_of
from jackfield.api.errors import AuthRequired, JackfieldError

log = logging.getLogger("jackfield.http")
INTERVAL = 1.0
"""Seconds between two looks at the credential."""
ENDED = 4401
"""Close code: the credential does not count any more."""
GRACE = 5.0
"""Seconds that the client is given to take the close, and an application to end."""


class CredentialBoundReceive:
    """The messages of a caller, until the caller's credential ends.

    From then on, the caller has left, and `left` is all that the application hears.
    """

    def __init__(self, receive: Receive, left: Message) -> None:
        self._receive = receive
        self._left = left
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending: asyncio.Future[Message] | None = None

    @property
    def is_over(self) -> bool:
        return self._over.done()

    def end(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    def close(self) -> None:
        """Nobody listens any more."""
        if self._pending is not None:
            self._pending.cancel()

    async def __call__(self) -> Message:
        """The next message. One outlives a caller of this that is cancelled."""
        self._pending = self._pending or asyncio.ensure_future(self._receive())
        first: set[asyncio.Future[Any]] = {self._pending, self._over}  # of two types
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        if self._over.done():
            return self._left
        message, self._pending = self._pending.result(), None
        return message


class CredentialBoundSocket:
    """One WebSocket. check: raises `AuthRequired` once the credential has ended."""

    def __init__(self, receive: Receive, send: Send, check: Callable[[], Awaitable[object]]) -> None:
        self._hearing = CredentialBoundReceive(receive, {"type": "websocket.disconnect", "code": ENDED})
        self._send = send
        self._check = check
        self._shortcut: ShortcutSocket | None = None

    async def run(self, app: AsgiApp, scope: Scope) -> None:
        self._shortcut = shortcut_of(scope)
        watch = asyncio.ensure_future(self._watch())
        try:
            await app(scope, self._hearing, self._say)
        finally:
            watch.cancel()
            self._hearing.close()
            await asyncio.gather(watch, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(INTERVAL)
            try:
                await self._check()
            except AuthRequired:
                break
            except JackfieldError:  # the store does not answer: that says nothing of the credential
                continue
            except Exception:  # a connection that nobody watches would last for ever
                log.exception("A connection's credential could not be looked at; it is closed.")
                break
        self._hearing.end()
        if self._shortcut is not None:
            self._shortcut.close()
        with contextlib.suppress(OSError):  # a time-out is one of them
            async with asyncio.timeout(GRACE):
                await self._send({"type": "websocket.close", "code": ENDED, "reason": "The credential has ended."})

    async def _say(self, message: Message) -> None:
        if not self._hearing.is_over:
            await self._send(message)


async def while_credential_counts(
    app: AsgiApp, scope: Scope, receive: Receive, send: Send, check: Callable[[], Awaitable[object]]
) -> None:
    """An answer that may last, cut off where its credential ends. check: as of `CredentialBoundSocket`. Raises what the
    application raises, and the `AuthRequired` with which it was cut off."""
    hearing = CredentialBoundReceive(receive, {"type": "http.disconnect"})
    task = asyncio.ensure_future(app(scope, hearing, send))
    try:
        while not (await asyncio.wait({task}, timeout=INTERVAL))[0]:
            try:
                await check()
            except AuthRequired:
                raise
            except JackfieldError:  # the store does not answer: that says nothing of the credential
                continue
        task.result()
    finally:
        # Quart does not hand a cancellation on to its view, which would go on for nobody: it does so for a caller who
        # has left.
        hearing.end()
        await asyncio.wait({task}, timeout=GRACE)
        task.cancel()
        hearing.close()
        await asyncio.gather(task, return_exceptions=True)
