"""The port of a proxy while no process serves it, and connections that are too many or too slow."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web
from proxy_lab import ASKED, TOKEN, Profiles, Provider_, Proxy, daemon_of, plan, profile, proxy_of, until, upstream

from jackfield.api.dialects.model import DialectError
from jackfield.api.errors import InvalidInput
from jackfield.api.proxy import ProxyAddress
from jackfield_proxy import final_answers
from jackfield_proxy.child.clients import connections
from jackfield_proxy.daemon import crashes, frontend, health, listener, takeover
from jackfield_proxy.daemon.listener import ProxyListener
from jackfield_proxy.daemon.manager import ProxyManager
from jackfield_proxy.plan import ProxyLimits
from jackfield_proxy.takeover import SLOTS, InheritedDescriptors, left, messages, state_of, taken

PATHS = ["/v1/messages", "/v1/chat/completions", "/v1/responses"]


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


@pytest.fixture
async def manager(tmp_path: Path, north: Provider_) -> AsyncIterator[ProxyManager]:
    made = ProxyManager(daemon_of(tmp_path, profile(), north=north.url))
    await made.start("p")
    yield made
    await made.close()


@pytest.fixture
async def shut() -> AsyncIterator[ProxyListener]:
    """A listener that answers by itself."""
    made = ProxyListener(lambda _, coroutine: asyncio.get_running_loop().create_task(coroutine))
    made.open(0)
    made.answer(lambda: DialectError(503, "The proxy is closed.", "overloaded_error", retry_after=7.0))
    yield made
    made.close()


def kill(manager: ProxyManager) -> None:
    os.kill(cast("int", manager.of("p").view(enabled=True)["pid"]), signal.SIGKILL)


async def ask(address: ProxyAddress, path: str = "/v1/messages") -> tuple[int, Mapping[str, str], Any]:
    async with (
        asyncio.timeout(15),
        aiohttp.ClientSession(headers={"x-api-key": address.token}) as client,
        client.post(address.base_url + path, json=ASKED) as answer,
    ):
        return answer.status, answer.headers, await answer.json()


def at(port: int) -> ProxyAddress:
    return ProxyAddress(f"http://127.0.0.1:{port}", TOKEN)


def is_overloaded(path: str, status: int, body: Any) -> bool:
    """In the dialect of the path."""
    if path.startswith("/v1/messages"):
        return (status, body["type"], body["error"]["type"]) == (529, "error", "overloaded_error")
    return (status, body["error"]["type"], body["error"]["code"]) == (503, "server_error", "server_is_overloaded")


# ------------------------------------------------------------------------------------------------ between two processes


async def test_connections_wait_for_the_next_process_and_nobody_takes_the_port(manager: ProxyManager) -> None:
    address = await manager.address("p")
    port = int(address.base_url.rpartition(":")[2])
    kill(manager)
    await until(lambda: manager.of("p").status == "restarting")
    asking = [asyncio.create_task(ask(address, path)) for path in PATHS * 5]
    with closing(socket.socket()) as thief:
        thief.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with pytest.raises(OSError, match="in use"):
            thief.bind(("127.0.0.1", port))
    assert {status for status, _, _ in await asyncio.gather(*asking)} == {200}
    assert manager.of("p").restarts == 1


async def test_clients_of_a_restart_that_is_refused_do_not_wait(manager: ProxyManager) -> None:
    supervisor = manager.of("p")
    port = cast("int", supervisor.view(enabled=True)["port"])
    profiles = cast("Profiles", cast("Any", supervisor._context).ports["Profiles"])
    profiles.stored["p"] = profile("p", enabled=False)
    with pytest.raises(InvalidInput):
        await supervisor.restart()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_restart_lets_clients_wait(manager: ProxyManager) -> None:
    address = await manager.address("p")
    restarting = asyncio.create_task(manager.restart("p"))
    statuses = [(await ask(address))[0] for _ in range(3)]
    await restarting
    statuses.append((await ask(address))[0])
    assert statuses == [200] * 4


async def test_in_a_long_pause_clients_are_told(manager: ProxyManager) -> None:
    address = await manager.address("p")
    for _ in range(2):
        await until(lambda: manager.of("p").status == "running")
        kill(manager)
        await until(lambda: manager.of("p").status == "restarting")
    found = await asyncio.gather(*(ask(address, path) for path in PATHS))
    for path, (status, headers, body) in zip(PATHS, found, strict=True):
        assert is_overloaded(path, status, body)
        assert "is started again soon" in body["error"]["message"]
        assert headers["retry-after"] in ("1", "2")
        assert headers["connection"] == "close"
    await until(lambda: manager.of("p").status == "running")
    assert (await ask(address))[0] == 200


async def test_clients_of_a_failed_proxy_are_told_and_those_of_a_stopped_one_refused(
    manager: ProxyManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crashes, "MOST", 1)
    address = await manager.address("p")
    await manager.restart("p")  # its crashes are counted anew
    kill(manager)
    await until(lambda: manager.of("p").status == "failed")
    status, headers, body = await ask(address)
    assert is_overloaded("/v1/messages", status, body)
    assert "has failed" in body["error"]["message"]
    assert headers["retry-after"] == "30"
    assert await manager.address("p") == address
    assert (await ask(address))[0] == 200
    await manager.stop("p")
    with pytest.raises(aiohttp.ClientConnectorError):
        await ask(address)


async def test_a_stopped_proxy_frees_its_port(manager: ProxyManager) -> None:
    port = int((await manager.address("p")).base_url.rpartition(":")[2])
    await manager.stop("p")
    with closing(socket.socket()) as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()


# --------------------------------------------------------------------------------------------------------- the listener


@pytest.mark.parametrize("path", [*PATHS, "/v1/messages?beta=true", "/v1/models", "/nothing"])
async def test_the_door_answers_in_the_dialect_of_the_path(shut: ProxyListener, path: str) -> None:
    status, headers, body = await ask(at(shut.port), path)
    assert is_overloaded(path, status, body)
    assert headers["retry-after"] == "7"


async def test_the_door_answers_a_large_request(shut: ProxyListener) -> None:
    """A connection that is closed over what a client sends is reset, and the answer lost."""
    async with aiohttp.ClientSession() as client, asyncio.timeout(10):
        url = f"{at(shut.port).base_url}/v1/messages"
        async with client.post(url, data=b"x" * 20_000_000) as answer:
            assert (answer.status, (await answer.json())["type"]) == (529, "error")
        async with client.head(url) as answer:
            assert (answer.status, await answer.read()) == (529, b"")


async def test_the_door_answers_more_than_it_has_hands(shut: ProxyListener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MOST", 2)
    found = await asyncio.gather(*(ask(at(shut.port)) for _ in range(20)))
    assert {status for status, _, _ in found} == {529}


@pytest.mark.parametrize("sent", [b"", b"POST /v1/mess", b"\xff" * 20_000])
async def test_the_door_does_not_wait_for_ever(
    shut: ProxyListener, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(listener, "HEAD_SECONDS", 0.2)
    reader, writer = await asyncio.open_connection("127.0.0.1", shut.port)
    writer.write(sent)
    async with asyncio.timeout(5):
        answer = await reader.read()
    assert not answer or answer.startswith(b"HTTP/1.1 503 ")
    writer.close()


async def test_a_closed_door_refuses(shut: ProxyListener) -> None:
    port = shut.port
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await until(lambda: shut._tasks)
    shut.close()
    async with asyncio.timeout(5):
        assert await reader.read() == b""
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


# ------------------------------------------------------------------------------------------------------- too many, slow


def limited(provider: Provider_, **limits: Any) -> Any:
    return proxy_of(plan({"north": upstream(provider)}, limits=ProxyLimits(retries=0, stop_grace=0.0, **limits)))


def port_of(proxy: Proxy) -> int:
    assert proxy.client._base_url is not None
    return int(proxy.client._base_url.port or 0)


async def opened(proxy: Proxy, sent: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(proxy))
    writer.write(sent)
    return reader, writer


@pytest.mark.parametrize("path", PATHS)
async def test_half_a_head_ends_in_time(north: Provider_, path: str) -> None:
    async with limited(north, head_timeout=0.2) as proxy:
        reader, writer = await opened(proxy, f"POST {path} HTTP/1.1\r\nHost: x\r\n".encode())
        async with asyncio.timeout(5):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
    assert head.startswith(b"HTTP/1.1 408 ")
    error = json.loads(body)["error"]
    assert "proxy.head_timeout" in error["message"]
    assert error["type"] == ("timeout_error" if path == "/v1/messages" else "server_error")


async def test_half_a_head_after_a_request_ends_in_time(north: Provider_) -> None:
    async with limited(north, head_timeout=0.2) as proxy:
        content = json.dumps(ASKED).encode()
        lines = ["POST /v1/messages HTTP/1.1", "Host: x", f"x-api-key: {TOKEN}", f"Content-Length: {len(content)}"]
        reader, writer = await opened(proxy, "\r\n".join([*lines, "", ""]).encode() + content)
        await reader.readuntil(b"msg_1")
        writer.write(b"POST /v1/messages HTTP/1.1\r\nHost")
        async with asyncio.timeout(5):
            assert b"HTTP/1.1 408 " in await reader.read()
        writer.close()


async def test_a_slow_body_and_a_slow_provider_are_no_slow_head(north: Provider_) -> None:
    async with limited(north, head_timeout=0.1) as proxy:
        content = json.dumps(ASKED).encode()
        lines = ["POST /v1/messages HTTP/1.1", "Host: x", f"x-api-key: {TOKEN}", f"Content-Length: {len(content)}"]
        reader, writer = await opened(proxy, "\r\n".join([*lines, "", ""]).encode() + content[:10])
        await asyncio.sleep(0.4)
        writer.write(content[10:])
        async with asyncio.timeout(5):
            assert (await reader.readline()) == b"HTTP/1.1 200 OK\r\n"
        writer.close()


def whole_request() -> bytes:
    content = json.dumps(ASKED).encode()
    lines = ["POST /v1/messages HTTP/1.1", "Host: x", f"x-api-key: {TOKEN}", f"Content-Length: {len(content)}"]
    return "\r\n".join([*lines, "", ""]).encode() + content


async def test_more_connections_than_allowed_are_told_and_leave(north: Provider_) -> None:
    answered = north.answer
    begun = 0

    async def never(request: web.BaseRequest) -> web.StreamResponse:
        nonlocal begun
        begun += 1
        await asyncio.Event().wait()
        raise AssertionError

    north.answer = never
    async with limited(north, max_connections=3) as proxy:
        held = [await opened(proxy, whole_request()) for _ in range(3)]
        await until(lambda: begun == 3)
        north.answer = answered
        address = at(port_of(proxy))
        for path in PATHS:
            status, headers, body = await ask(address, path)
            assert is_overloaded(path, status, body)
            assert "proxy.max_connections" in body["error"]["message"]
            assert (headers["connection"], headers["retry-after"]) == ("close", "1")
        assert await health.answers("127.0.0.1", address_port(address), 5.0), "a full proxy is a healthy one"
        held[0][1].close()
        await until(lambda: len(proxy.server._connections._open) == 2)
        assert (await ask(address))[0] == 200
        for _, writer in held:
            writer.close()


def address_port(address: ProxyAddress) -> int:
    return int(address.base_url.rpartition(":")[2])


async def test_silent_connections_give_way_to_a_request(north: Provider_) -> None:
    async with limited(north, max_connections=3) as proxy:
        held = [await opened(proxy) for _ in range(5)]
        await until(lambda: len(proxy.server._connections._open) == 5)
        await asyncio.sleep(2 * connections.YOUNG)
        assert (await ask(at(port_of(proxy))))[0] == 200
        async with asyncio.timeout(5):
            assert await held[0][0].read() == b"", "the oldest is closed"
        assert proxy.server._connections.admission.displaced >= 1
        for _, writer in held:
            writer.close()


async def test_a_crowd_keeps_nobody_out(north: Provider_, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SURPLUS", 4)
    async with limited(north, max_connections=2) as proxy:
        crowd = [await opened(proxy) for _ in range(20)]
        assert await health.answers("127.0.0.1", port_of(proxy), 5.0)
        await until(lambda: len(proxy.server._connections._open) <= 6)
        for _, writer in crowd:
            writer.close()


async def test_one_too_many_that_asks_nothing_leaves(north: Provider_, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SURPLUS_SECONDS", 0.1)
    monkeypatch.setattr(connections, "MOST_BETWEEN", 0.05)
    async with limited(north, max_connections=1) as proxy:
        first, second = await opened(proxy), await opened(proxy)
        async with asyncio.timeout(5):
            assert await second[0].read() == b""
        assert not first[0].at_eof()
        for _, writer in (first, second):
            writer.close()


async def test_one_too_many_is_served_when_there_is_room(north: Provider_) -> None:
    async with limited(north, max_connections=1) as proxy:
        first = await opened(proxy)
        second = await opened(proxy)
        await until(lambda: len(proxy.server._connections._open) == 2)
        first[1].close()
        await until(lambda: len(proxy.server._connections._open) == 1)
        content = json.dumps(ASKED).encode()
        lines = ["POST /v1/messages HTTP/1.1", "Host: x", f"x-api-key: {TOKEN}", f"Content-Length: {len(content)}"]
        second[1].write("\r\n".join([*lines, "", ""]).encode() + content)
        async with asyncio.timeout(5):
            assert (await second[0].readline()) == b"HTTP/1.1 200 OK\r\n"
        second[1].close()


# --------------------------------------------------------------------------------------------------------------- pieces


def test_messages_are_read_as_they_are_written() -> None:
    assert messages(left(3) + taken(SLOTS - 1) + b"\x01") == [(False, 3), (True, SLOTS - 1)]
    assert InheritedDescriptors.of(InheritedDescriptors(3, 4, 5).arguments()) == InheritedDescriptors(3, 4, 5)
    assert InheritedDescriptors.of([]) == InheritedDescriptors()
    assert InheritedDescriptors(3).numbers == (3,)
    assert state_of(255)[1] == "gemini", "whatever a damaged process has written"


@pytest.mark.parametrize(
    ("start", "asked"),
    [
        (b"POST /v1/messages HTTP/1.1\r\n", ("POST", "anthropic")),
        (b"POST /responses?x=/messages HTTP/1.1\r\nHost: /messages", ("POST", "responses")),
        (b"POST /v1beta/models/m:streamGenerateContent?alt=sse HTTP/1.1\r\n", ("POST", "gemini")),
        (b"HEAD / HTTP/1.1\r\n", ("HEAD", "chat")),
        (b"", ("", "chat")),
        (b"\xff\x00", ("\xff\x00", "chat")),
    ],
)
def test_a_first_line_tells_the_dialect(start: bytes, asked: tuple[str, str]) -> None:
    assert final_answers.asked(start) == asked


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses", "gemini"])
def test_the_end_of_a_stream_is_a_chunk_and_the_last_one(dialect: Any) -> None:
    said = final_answers.ending(dialect, DialectError(502, "over"))
    size, _, rest = said.partition(b"\r\n")
    event, end = rest[: int(size, 16)], rest[int(size, 16) :]
    assert end == b"\r\n0\r\n\r\n"
    assert event.endswith(b"\n\n")
    assert b"over" in event


async def test_common_memory_without_anonymous_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    made = takeover.ConnectionTakeover(takeover.DescriptorBudget(1))
    assert os.fstat(made.inherited(InheritedDescriptors()).table).st_size == SLOTS
    made.close()


async def test_a_system_without_descriptors_serves_all_the_same(
    tmp_path: Path, north: Provider_, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_budget: Any) -> Any:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(frontend, "ConnectionTakeover", none)
    made = ProxyManager(daemon_of(tmp_path, profile(), north=north.url))
    try:
        assert (await ask(await made.address("p")))[0] == 200
    finally:
        await made.close()
