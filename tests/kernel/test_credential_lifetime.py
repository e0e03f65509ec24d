"""A WebSocket of a browser's session: it ends with the session, on every way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jackfield.api.asgi import SHORTCUT
from jackfield.api.errors import AuthRequired
from jackfield.http import credential_lifetime
from jackfield.http.credential_lifetime import ENDED, CredentialBoundSocket
from jackfield.http.hypercorn_connections.receiving import ReceiveQueue
from jackfield.http.websocket_shortcut import WebSocketShortcut


async def test_the_short_way_is_shut_when_the_session_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credential_lifetime, "INTERVAL", 0)
    sent: list[Any] = []
    queue = ReceiveQueue(1)
    shortcut = WebSocketShortcut(queue, lambda: True, lambda data: True)
    looks = iter((None, AuthRequired()))

    async def send(message: Any) -> None:
        sent.append(message)

    async def check() -> None:
        if (error := next(looks)) is not None:
            raise error

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert shortcut.send(b"x")
        assert (await receive())["code"] == ENDED
        assert not shortcut.send(b"x")

    async with asyncio.timeout(10):
        await CredentialBoundSocket(queue.get, send, check).run(
            app, {"type": "websocket", "extensions": {SHORTCUT: shortcut}}
        )
    assert [message["type"] for message in sent] == ["websocket.close"]


async def test_a_connection_that_cannot_be_looked_at_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credential_lifetime, "INTERVAL", 0)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def check() -> None:
        raise OSError(24, "too many open files")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["code"] == ENDED

    async with asyncio.timeout(10):
        await CredentialBoundSocket(ReceiveQueue(1).get, send, check).run(app, {"type": "websocket"})
    assert [message["code"] for message in sent] == [ENDED]


async def test_a_message_on_its_way_through_is_not_overtaken() -> None:
    """The application is asked for only once it waits again: there is a task in between."""
    queue = ReceiveQueue(1)
    overtaken: list[bool] = []

    async def nothing(_: Any = None) -> None:
        return None

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        overtaken.append(queue.is_asked)

    running = asyncio.ensure_future(CredentialBoundSocket(queue.get, nothing, nothing).run(app, {"type": "websocket"}))
    while not queue.is_asked:
        await asyncio.sleep(0)
    await queue.put({"type": "websocket.receive", "bytes": b"x"})
    while not running.done():
        overtaken.append(queue.is_asked)
        await asyncio.sleep(0)
    assert len(overtaken) > 2
    assert not any(overtaken)
