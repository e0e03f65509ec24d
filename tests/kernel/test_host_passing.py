"""Requests that go on to another host, where it answers otherwise than it should."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from types import SimpleNamespace
from typing import cast

import pytest
from aiohttp import ClientPayloadError, ClientResponse

from jackfield.api.asgi import Message, Scope
from jackfield.api.auth import OWNER
from jackfield.api.hosts import Host, HostUnavailable
from jackfield.http.hosts import client
from jackfield.http.hosts.client import HostClient
from jackfield.http.hosts.passing import pass_request
from jackfield.http.hosts.tokens import ForwardingTokens

SCOPE: Scope = {
    "type": "http",
    "method": "GET",
    "path": "/api/profiles/a",
    "raw_path": b"/api/profiles/a",
    "query_string": b"",
    "headers": [],
    "jackfield.principal": OWNER,
}


async def stays() -> Message:
    """Of a caller who waits."""
    await asyncio.Event().wait()
    raise AssertionError


class Refusing:
    """A host whose clock is wrong."""

    @contextlib.asynccontextmanager
    async def request(self, *_: object) -> AsyncIterator[SimpleNamespace]:
        yield SimpleNamespace(status=401, raw_headers=())


async def test_a_refused_token_is_no_logout_of_the_caller() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    with pytest.raises(HostUnavailable, match="clocks"):
        await pass_request(cast("HostClient", Refusing()), Host("b", "http://b", ()), SCOPE, stays, send)
    assert sent == []


async def nothing() -> bytes:
    await asyncio.Event().wait()
    raise AssertionError


async def cut_off() -> bytes:
    raise ClientPayloadError


class Streaming(HostClient):
    """To a host that gives the beginning of an answer."""

    def __init__(self, then: Callable[[], Awaitable[bytes]], lives: Callable[[str], bool]) -> None:
        super().__init__(cast("ForwardingTokens", None), lives)
        self._pieces = iter([b"begun"])
        self._then = then

    @contextlib.asynccontextmanager
    async def request(self, *_: object, **__: object) -> AsyncIterator[ClientResponse]:
        answer = SimpleNamespace(status=200, raw_headers=(), content=SimpleNamespace(readany=self._next))
        yield cast("ClientResponse", answer)

    async def _next(self) -> bytes:
        return next(self._pieces, b"") or await self._then()


@pytest.mark.parametrize(("then", "lives"), [(nothing, False), (cut_off, True)])
async def test_a_stream_ends_with_its_host(
    monkeypatch: pytest.MonkeyPatch, then: Callable[[], Awaitable[bytes]], lives: bool
) -> None:
    """A machine that is off closes no connection."""
    monkeypatch.setattr(client, "_LOOK_S", 0.01)
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    streaming = Streaming(then, lambda name: lives)
    async with asyncio.timeout(10):
        with pytest.raises(HostUnavailable, match="b "):
            await pass_request(streaming, Host("b", "http://b", ()), SCOPE, stays, send)
    assert [message.get("body") for message in sent] == [None, b"begun"]
    assert sent[-1]["more_body"]
