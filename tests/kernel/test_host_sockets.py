"""How a WebSocket through another host ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from jackfield.api.asgi import Message, Scope
from jackfield.api.auth import OWNER
from jackfield.api.hosts import Host
from jackfield.core.redaction import Redactor
from jackfield.core.secrets import FileSecrets
from jackfield.http.hosts.client import HostClient
from jackfield.http.hosts.passing import pass_websocket
from jackfield.http.hosts.tokens import ForwardingTokens
from jackfield.testing.clock import FakeClock

End = Callable[[web.Request, web.WebSocketResponse], Awaitable[object]]


async def lost(request: web.Request, socket: web.WebSocketResponse) -> None:
    """As where the daemon is killed."""
    assert request.transport is not None
    request.transport.close()


async def reset(request: web.Request, socket: web.WebSocketResponse) -> None:
    assert isinstance(request.transport, asyncio.Transport)
    request.transport.abort()


async def nonsense(request: web.Request, socket: web.WebSocketResponse) -> None:
    assert isinstance(request.transport, asyncio.Transport)
    request.transport.write(b"\xff\xff")


async def ended(request: web.Request, socket: web.WebSocketResponse) -> None:
    await socket.close(code=1000)


async def refused(request: web.Request, socket: web.WebSocketResponse) -> None:
    await socket.close(code=4401)


async def mute(request: web.Request, socket: web.WebSocketResponse) -> None:
    """A close frame without a code."""
    assert isinstance(request.transport, asyncio.Transport)
    request.transport.write(b"\x88\x00")


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[HostClient]:
    secrets = FileSecrets(tmp_path, Redactor(), {"JACKFIELD_ENCRYPTION_KEY": "k" * 32})
    made = HostClient(ForwardingTokens(secrets, FakeClock(), "alpha"), lambda name: True)
    yield made
    await made.close()


@pytest.mark.parametrize(
    ("end", "code"), [(lost, 1012), (reset, 1012), (nonsense, 1012), (ended, 1000), (refused, 4401), (mute, 1000)]
)
async def test_only_a_close_frame_is_an_end(client: HostClient, end: End, code: int) -> None:
    async def served(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str("last words")
        await end(request, socket)
        return socket

    app = web.Application()
    app.router.add_get("/ws/a", served)
    asked: asyncio.Queue[Message] = asyncio.Queue()
    asked.put_nowait({"type": "websocket.connect"})
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"path": "/ws/a", "raw_path": b"/ws/a", "headers": [], "jackfield.principal": OWNER}
    async with TestServer(app) as server, asyncio.timeout(10):
        host = Host("beta", str(server.make_url("/").origin()), ())
        await pass_websocket(client, host, scope, asked.get, send)
    assert [message["type"] for message in sent] == ["websocket.accept", "websocket.send", "websocket.close"]
    assert sent[1]["text"] == "last words"
    assert sent[-1]["code"] == code
