"""Requests that go on to another host, where it answers otherwise than it should."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import cast

import pytest

from jackfield.api.asgi import Message, Scope
from jackfield.api.auth import OWNER
from jackfield.api.hosts import Host, HostUnavailable
from jackfield.http.hosts.client import HostClient
from jackfield.http.hosts.passing import pass_request


class Refusing:
    """A host whose clock is wrong."""

    @contextlib.asynccontextmanager
    async def request(self, *_: object) -> AsyncIterator[SimpleNamespace]:
        yield SimpleNamespace(status=401, raw_headers=())


async def test_a_refused_token_is_no_logout_of_the_caller() -> None:
    scope: Scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/profiles/a",
        "raw_path": b"/api/profiles/a",
        "query_string": b"",
        "headers": [],
        "jackfield.principal": OWNER,
    }
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        """The caller stays."""
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(HostUnavailable, match="clocks"):
        await pass_request(cast("HostClient", Refusing()), Host("b", "http://b", ()), scope, receive, send)
    assert sent == []
