"""A proxy's port takes connections as the daemon's does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from proxy_lab import ASKED, TOKEN, Pipe, Provider_, Proxy, plan, proxy_of, until, upstream

from jackfield.api.admission.callers import AdmittedCaller
from jackfield.api.admission.counts import ConnectionCounts
from jackfield_proxy.child.clients import connections
from jackfield_proxy.messages import FromChild, packed, unpacked
from jackfield_proxy.plan import ConnectionRules, ProxyLimits

STRANGER = AdmittedCaller("user", "user 1001")
HEAD = f"POST /v1/messages HTTP/1.1\r\nHost: x\r\nx-api-key: {TOKEN}\r\n"


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


def ruled(north: Provider_, rules: ConnectionRules, **limits: float) -> AsyncIterator[Proxy]:
    known = ProxyLimits(retries=0, stop_grace=0.0, **limits)  # type: ignore[arg-type]
    return proxy_of(plan({"north": upstream(north)}, limits=known, connections=rules))  # type: ignore[return-value]


async def opened(proxy: Proxy, sent: str = "") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    assert proxy.client._base_url is not None
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.client._base_url.port)
    writer.write(sent.encode())
    return reader, writer


async def everything(proxy: Proxy, sent: str = "") -> bytes:
    reader, writer = await opened(proxy, sent)
    try:
        async with asyncio.timeout(10):
            return await reader.read()
    finally:
        writer.close()


async def test_a_connection_that_says_nothing_ends(north: Provider_) -> None:
    async with ruled(north, ConnectionRules(first_byte_timeout=0.2)) as proxy:
        assert await everything(proxy) == b""
        assert proxy.server._connections.admission.timed_out == {"first_byte": 1}
        assert (await proxy.post(ASKED))[0] == 200


async def test_a_body_that_drips_ends_with_408(north: Provider_) -> None:
    async with ruled(north, ConnectionRules(request_timeout=0.3), idle_timeout=30) as proxy:
        found = await everything(proxy, HEAD + "Content-Length: 1000\r\n\r\n{")
    assert found.startswith(b"HTTP/1.1 408 ")
    assert b"server.connections.request_timeout" in found


async def test_an_answer_may_take_longer_than_a_request(north: Provider_) -> None:
    async def late(request: web.BaseRequest) -> web.StreamResponse:
        await request.read()
        await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.8)
        return web.json_response({"type": "message", "id": "late"})

    north.answer = late
    quick = ConnectionRules(first_byte_timeout=0.1, request_timeout=0.2)
    async with ruled(north, quick, head_timeout=0.1, idle_timeout=30) as proxy:
        status, body = await proxy.post(ASKED)
        assert (status, json.loads(body)["id"]) == (200, "late")


@pytest.mark.parametrize(
    "sent",
    [
        HEAD + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        HEAD + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + "X-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n",
        HEAD + "X-A: a\nX-B: b\r\nContent-Length: 0\r\n\r\n",
        "GET / HTTP/1.1\nHost: x\n\n",
        HEAD + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        HEAD + "Transfer-Encoding: trailers, chunked\r\n\r\n0\r\n\r\n",
        HEAD.replace("1.1", "1.0") + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
)
async def test_a_request_that_may_be_read_in_two_ways_is_refused(north: Provider_, sent: str) -> None:
    async with ruled(north, ConnectionRules()) as proxy:
        found = await everything(proxy, sent + "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert found.split(b" ", 2)[1] == b"400"
    assert b" 200 " not in found, "nothing behind it is answered"


async def test_another_users_connections_have_a_share(north: Provider_, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections.Callers, "of", lambda *_: STRANGER)
    async with ruled(north, ConnectionRules(), max_connections=8) as proxy:
        crowd = [await opened(proxy) for _ in range(20)]
        admission = proxy.server._connections.admission
        await until(lambda: admission.displaced == 16)
        assert admission.open == {"user": 4}
        monkeypatch.undo()
        assert (await proxy.post(ASKED))[0] == 200
        for _, writer in crowd:
            writer.close()


async def test_counts_reach_the_daemon(north: Provider_, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_BETWEEN", 0.05)
    told: list[ConnectionCounts] = []
    monkeypatch.setattr(Pipe, "send", lambda _, message: told.append(message.connections))
    async with ruled(north, ConnectionRules()) as proxy:
        _, writer = await opened(proxy)
        await until(lambda: told and told[-1].open.get("owner") == 1)
        writer.close()
        await until(lambda: told[-1].open.get("owner") == 0)
    message = FromChild(connections=told[-1])
    assert unpacked(packed(message), FromChild) == message
    named = {metric.labels["port"] for metric in told[-1].metrics("proxy of p")}
    assert named == {"proxy of p"}
