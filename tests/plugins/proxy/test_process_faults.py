"""Real processes of proxies, in front of providers that fail and clients that do odd things: nothing hangs, nothing
piles up, and the others are served."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import web
from proxy_lab import ASKED, EVENTS, Profiles, Provider_, daemon_of, default_answer, profile, sse, until

from jackfield.api.errors import InvalidInput
from jackfield.api.profiles import Profile
from jackfield.api.proxy import ProxyAddress
from jackfield.api.records import replace
from jackfield.testing.context import FakeContext
from jackfield_proxy.daemon import health
from jackfield_proxy.daemon.addresses import FILE, ProxyAddressBook
from jackfield_proxy.daemon.manager import ProxyManager
from jackfield_proxy.serving import DaemonRole
from jackfield_proxy.settings import ProxySettings

STREAM = {**ASKED, "stream": True}
SETTINGS = ProxySettings(
    first_byte_timeout=0.5, idle_timeout=0.5, retries=2, health_interval=0.1, health_timeout=0.2, stop_grace=1.0
)
BIG = 10 * 2**20


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


@pytest.fixture
async def manager(tmp_path: Path, north: Provider_) -> AsyncIterator[ProxyManager]:
    context = daemon_of(tmp_path, profile(), north=north.url)
    context.tables = (SETTINGS,)
    made = ProxyManager(context)
    await made.start("p")
    yield made
    await made.close()


async def ask(manager: ProxyManager, body: Any = ASKED, path: str = "/v1/messages") -> tuple[int, bytes]:
    found = await manager.address("p")
    async with (
        asyncio.timeout(15),
        aiohttp.ClientSession(headers={"x-api-key": found.token}) as client,
        client.post(found.base_url + path, json=body) as answer,
    ):
        return answer.status, await answer.read()


async def serves(manager: ProxyManager, north: Provider_) -> None:
    north.answer = default_answer
    assert (await ask(manager))[0] == 200


def resident(manager: ProxyManager) -> int:
    """MiB of the proxy's process."""
    pid = manager.of("p").view(enabled=True)["pid"]
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) // 1024


# ------------------------------------------------------------------------------------------------------------ providers


@pytest.mark.parametrize(("body", "status"), [(ASKED, 504), (STREAM, 504)])
async def test_provider_that_hangs(manager: ProxyManager, north: Provider_, body: Any, status: int) -> None:
    async def mute(_request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.sleep(60)
        raise AssertionError

    north.answer = mute
    found, answer = await ask(manager, body)
    assert (found, json.loads(answer)["error"]["type"]) == (status, "timeout_error")
    await serves(manager, north)


async def test_provider_that_hangs_or_resets_in_the_middle(manager: ProxyManager, north: Provider_) -> None:
    async def stuck(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(sse(*EVENTS[:3]))
        if "reset" in json.loads(await request.read())["model"]:
            assert request.transport is not None
            request.transport.abort()
        else:
            await asyncio.sleep(60)
        return response

    north.answer = stuck
    for model in ("reset", "hang"):
        status, body = await ask(manager, {**STREAM, "model": model})
        assert status == 200
        assert b"event: error\n" in body.rpartition(b"\n\nevent")[1] + body[-400:]
    await serves(manager, north)


async def test_garbage_passes_or_is_told(manager: ProxyManager, north: Provider_) -> None:
    async def garbage(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=b"\xff\x00 not an answer", content_type="application/json")

    north.answer = garbage
    assert await ask(manager) == (200, b"\xff\x00 not an answer"), "the same dialect passes as it is"
    status, body = await ask(manager, path="/v1/chat/completions")
    assert (status, json.loads(body)["error"]["type"]) == (502, "server_error")
    await serves(manager, north)


async def test_storm_of_429_is_waited_out_as_long_as_the_provider_says(manager: ProxyManager, north: Provider_) -> None:
    since: dict[str, float] = {}

    async def stormy(request: web.BaseRequest) -> web.StreamResponse:
        number = json.loads(await request.read())["model"]
        first = since.setdefault(number, time.monotonic())
        if time.monotonic() - first < 0.9:
            error = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
            return web.json_response(error, status=429, headers={"Retry-After": "1"})
        return await default_answer(request)

    north.answer = stormy
    found = await asyncio.gather(*(ask(manager, {**ASKED, "model": f"m{number}"}) for number in range(20)))
    assert [status for status, _ in found] == [200] * 20
    assert len(north.asked) == 40, "each asked twice, and not before its time"


async def test_long_retry_after_reaches_the_client_at_once(manager: ProxyManager, north: Provider_) -> None:
    async def closed(_request: web.BaseRequest) -> web.StreamResponse:
        error = {"type": "error", "error": {"type": "rate_limit_error", "message": "tomorrow"}}
        return web.json_response(error, status=429, headers={"Retry-After": "3600"})

    north.answer = closed
    assert (await ask(manager))[0] == 429
    assert len(north.asked) == 1


async def test_large_events_do_not_pile_up(manager: ProxyManager, north: Provider_) -> None:
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x" * BIG}}
    events = [sse(*EVENTS[:2]), *[sse(text)] * 6, sse(*EVENTS[3:])]

    async def large(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in events:
            await response.write(event)
        return response

    before = resident(manager)
    north.answer = large
    status, body = await ask(manager, STREAM)
    assert (status, body == b"".join(events)) == (200, True)
    await until(lambda: manager.account("p").records.count == 1)
    assert manager.account("p").records.latest(1)[0].served.output == 3
    assert resident(manager) < before + 40, "events are passed on, not kept"


# -------------------------------------------------------------------------------------------------------------- clients


async def endless(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    while True:
        await response.write(sse(EVENTS[2]) * 500)


async def test_client_that_leaves_cancels_its_provider_within_a_second(manager: ProxyManager, north: Provider_) -> None:
    async def slow(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(sse(*EVENTS[:2]))
        await asyncio.sleep(0.4)
        await response.write(sse(EVENTS[2]))
        await asyncio.sleep(60)
        return response

    north.answer = slow
    address = await manager.address("p")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(address.base_url.rpartition(":")[2]))
    writer.write(raw(address, STREAM))
    await reader.readuntil(b"message_start")
    writer.close()
    left = time.monotonic()
    async with asyncio.timeout(5):
        await north.gone.wait()
    assert time.monotonic() - left < 1.0
    await until(lambda: manager.account("p").records.count == 1)
    assert manager.account("p").records.latest(1)[0].served.status == 499


async def test_client_that_does_not_read_holds_nobody_up_and_is_given_up(
    manager: ProxyManager, north: Provider_
) -> None:
    north.answer = endless
    before = resident(manager)
    address = await manager.address("p")
    with closing(socket.create_connection(("127.0.0.1", int(address.base_url.rpartition(":")[2])))) as client:
        client.sendall(raw(address, STREAM))
        await until(lambda: north.asked)
        began = time.monotonic()
        quick = {**ASKED, "model": "other"}
        serving = north.answer

        async def both(request: web.BaseRequest) -> web.StreamResponse:
            body = json.loads(await request.read())
            return await (default_answer if body["model"] == "other" else serving)(request)

        north.answer = both
        assert (await ask(manager, quick))[0] == 200
        assert time.monotonic() - began < 2
        await asyncio.wait_for(north.gone.wait(), 10)
    assert resident(manager) < before + 30


def raw(address: ProxyAddress, body: Any) -> bytes:
    content = json.dumps(body).encode()
    lines = ("POST /v1/messages HTTP/1.1", "Host: x", f"x-api-key: {address.token}", f"Content-Length: {len(content)}")
    return "\r\n".join([*lines, "", ""]).encode() + content


# ------------------------------------------------------------------------------------------------------------ processes


async def test_kill_9_breaks_what_is_in_flight_and_the_next_requests_are_served(
    manager: ProxyManager, north: Provider_
) -> None:
    north.answer = endless
    streams = [asyncio.create_task(ask(manager, STREAM)) for _ in range(5)]
    await until(lambda: len(north.asked) == 5)
    pid = cast("int", manager.of("p").view(enabled=True)["pid"])
    address = await manager.address("p")
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(5):
        ended = await asyncio.gather(*streams, return_exceptions=True)
    told = [cast("tuple[int, bytes]", one) for one in ended if not isinstance(one, aiohttp.ClientError)]
    for status, body in told:
        assert status == 502 or b"event: error\n" in body[-500:], "a break is told from an end"
    await until(lambda: manager.of("p").status == "running" and manager.of("p").restarts == 1)
    assert await manager.address("p") == address
    await serves(manager, north)


async def test_a_process_that_does_not_answer_is_killed_and_replaced(manager: ProxyManager, north: Provider_) -> None:
    async def mute(_request: web.BaseRequest) -> web.StreamResponse:
        await asyncio.sleep(60)
        raise AssertionError

    supervisor = manager.of("p")
    north.answer = mute
    asking = asyncio.create_task(ask(manager))
    await until(lambda: north.asked)
    pid = cast("int", supervisor.view(enabled=True)["pid"])
    os.kill(pid, signal.SIGSTOP)
    seen: set[str] = set()

    def replaced() -> bool:
        seen.add(supervisor.status)
        return supervisor.status == "running" and supervisor.view(enabled=True)["pid"] != pid

    await until(replaced, 20)
    assert {"unhealthy", "restarting"} <= seen
    assert (await asking)[0] == 502
    await serves(manager, north)
    assert any("does not answer, and is killed" in line for line in await supervisor.tail(20))


async def test_new_configuration_drops_nothing(manager: ProxyManager, north: Provider_) -> None:
    context = cast("FakeContext", manager._context)
    profiles = cast("Profiles", context.ports["Profiles"])
    stop = asyncio.Event()
    statuses: list[int] = []

    async def paced(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in EVENTS:
            await response.write(sse(event))
            await asyncio.sleep(0.005)
        return response

    async def load() -> None:
        while not stop.is_set():
            status, body = await ask(manager, STREAM)
            assert body == sse(*EVENTS)
            statuses.append(status)

    north.answer = paced
    pid = manager.of("p").view(enabled=True)["pid"]
    workers = [asyncio.create_task(load()) for _ in range(4)]
    for number in range(15):
        await until(lambda number=number: len(statuses) > 4 * number)
        stored: Profile = profiles.stored["p"]
        rules = [{"name": f"r{number}", "condition": {"type": "always"}, "target": f"north/m{number}", "priority": 0}]
        config = {**(stored.proxy_config or {}), "routing": {"strategy": "Conditional", "rules": rules}}
        profiles.stored["p"] = replace(stored, metadata={**stored.metadata, "proxy_config": config})
        await manager.of("p").push()
    stop.set()
    await asyncio.gather(*workers)
    assert set(statuses) == {200}
    assert manager.of("p").view(enabled=True)["pid"] == pid
    assert len({json.loads(asked.body)["model"] for asked in north.asked}) > 10


async def test_configuration_that_names_what_is_not_there_changes_nothing(
    manager: ProxyManager, north: Provider_
) -> None:
    config: Any = {"routing": {"rules": []}, "providers": {"nowhere": {"max_concurrent": 1}}}
    with pytest.raises(InvalidInput, match="there is no provider nowhere"):
        await manager.configure("p", config)
    await serves(manager, north)


async def test_environment_does_not_start_a_proxy(tmp_path: Path, north: Provider_) -> None:
    made = ProxyManager(daemon_of(tmp_path, profile(), north=north.url))
    try:
        reserved = await made.reserve("p")
        assert (made.running(), made.of("p").status) == (0, "stopped")
        assert await made.reserve("p") == reserved
        assert await made.address("p") == reserved, "what was told before the start is true"
        assert await made.reserve("p") == reserved
        assert made.running() == 1
    finally:
        await made.close()


async def test_a_reserved_port_that_was_taken_meanwhile_is_replaced(tmp_path: Path, north: Provider_) -> None:
    made = ProxyManager(daemon_of(tmp_path, profile(), north=north.url))
    reserved = await made.reserve("p")
    with closing(socket.socket()) as thief:
        thief.bind(("127.0.0.1", int(reserved.base_url.rpartition(":")[2])))
        thief.listen()
        try:
            found = await made.address("p")
            assert (found.token, found.base_url != reserved.base_url) == (reserved.token, True)
            # The thief is a process of this user, as a command beside the daemon is: its end gives the port back.
            assert f"http://127.0.0.1:{await ProxyAddressBook(made._context).port('p')}" == reserved.base_url
        finally:
            await made.close()


async def test_start_and_memory_are_within_bounds(manager: ProxyManager, north: Provider_) -> None:
    """A fraction of what the limits allow on a quiet machine; `bench/proxy.py` has the figures."""
    await serves(manager, north)
    assert resident(manager) <= 60


# ---------------------------------------------------------------------------------------------------------- addresses


async def test_a_command_uses_the_proxy_that_the_daemon_keeps(manager: ProxyManager, north: Provider_) -> None:
    daemon = cast("FakeContext", manager._context)
    beside = FakeContext(
        daemon.service.config_dir, secrets=daemon.secrets, ports={**daemon.ports, "DaemonRole": DaemonRole(daemon)}
    )
    command = ProxyManager(beside)
    assert await command.address("p") == await manager.address("p")
    assert command.running() == 0
    await manager.stop("p")
    own = await command.address("p")
    assert command.running() == 1, "where none runs it starts its own, for as long as it lives"
    await command.close()
    assert (await manager.address("p")) == own


async def test_the_token_is_told_to_nobody_else_who_listens_there(
    manager: ProxyManager, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Another user may have taken the port while no proxy ran."""
    found = await manager.address("p")
    assert await health.admits(found, 5.0)
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    assert not await health.admits(found, 5.0)
    port = int(found.base_url.rpartition(":")[2])
    assert health.is_ours(port, tmp_path / "missing"), "where the system does not say whose it is"


async def test_address_and_token_stay_over_a_restart_of_the_daemon(tmp_path: Path, north: Provider_) -> None:
    context = daemon_of(tmp_path, profile(), north=north.url)
    found = []
    for _ in range(2):
        made = ProxyManager(context)
        try:
            found.append(await made.address("p"))
        finally:
            await made.close()
    assert found[0] == found[1]
    stored = (tmp_path / FILE).read_text()
    assert found[0].token not in stored
    assert list(json.loads(stored)) == ["p"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"p": "x"}', b'{"p": 0}', b'{"p": 70000}', b"\xff"])
async def test_damaged_ports_are_chosen_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    addresses = ProxyAddressBook(daemon_of(tmp_path, profile()))
    assert await addresses.port("p") == 0
    await addresses.keep("p", 4711)
    assert await addresses.port("p") == 4711
    await addresses.keep("p", None)
    assert await addresses.port("p") == 0


async def test_tokens_belong_to_a_profile_and_to_a_directory(tmp_path: Path) -> None:
    context = daemon_of(tmp_path, profile())
    addresses = ProxyAddressBook(context)
    one, other = profile("p"), profile("q")
    anew = replace(one, metadata={**one.metadata, "created_at": "2030-01-01T00:00:00Z"})
    tokens = {await addresses.token(each) for each in (one, other, anew)}
    assert len(tokens) == 3
    assert await addresses.token(one) in tokens
    assert tokens <= set(context.secrets.redacted)
