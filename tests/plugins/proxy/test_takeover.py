"""Processes of proxies that are killed: the daemon tells their clients, in the dialect of each, and nobody waits in
vain."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, cast

import aiohttp
import anthropic
import openai
import pytest
from aiohttp import web
from proxy_lab import ASKED, EVENTS, Provider_, daemon_of, default_answer, profile, provider_manifest, sse, until

from jackfield.api.proxy import ProxyAddress
from jackfield_proxy.daemon import frontend
from jackfield_proxy.daemon.manager import ProxyManager
from jackfield_proxy.daemon.takeover import ConnectionTakeover, DescriptorBudget
from jackfield_proxy.settings import ProxySettings
from jackfield_proxy.takeover import BOUNDARY, COMPLETE, IDLE, MIDDLE, WAITING, state_of

PATHS = {
    "/v1/messages": ASKED,
    "/v1/chat/completions": {"model": "asked", "messages": [{"role": "user", "content": "ping"}]},
    "/v1/responses": {"model": "asked", "input": "ping"},
}
SETTINGS = ProxySettings(stop_grace=0.5, retries=0)


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        made.answer = mute
        yield made


States = Callable[[], set[int]]


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> States:
    """What the latest process says that its connections do."""
    made: list[ConnectionTakeover] = []

    def takeover(budget: DescriptorBudget) -> ConnectionTakeover:
        made.append(ConnectionTakeover(budget))
        return made[-1]

    monkeypatch.setattr(frontend, "ConnectionTakeover", takeover)
    return lambda: {state_of(made[-1]._table[slot])[0] for slot in made[-1]._connections}


@pytest.fixture
async def manager(tmp_path: Path, north: Provider_, states: States) -> AsyncIterator[ProxyManager]:
    context = daemon_of(tmp_path, profile(), north=north.url)
    context.tables = (SETTINGS,)
    made = ProxyManager(context)
    await made.start("p")
    yield made
    await made.close()


async def mute(_request: web.BaseRequest) -> web.StreamResponse:
    await asyncio.sleep(60)
    raise AssertionError


def paused(*pieces: bytes, kind: str = "text/event-stream", **headers: str) -> Any:
    """An answer that begins with these bytes, in so many parts, and never goes on."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": kind, **headers})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(0.02)
        await asyncio.sleep(60)
        return response

    return answer


def kill(manager: ProxyManager) -> None:
    os.kill(cast("int", manager.of("p").view(enabled=True)["pid"]), signal.SIGKILL)


async def running(manager: ProxyManager) -> None:
    await until(lambda: manager.of("p").status == "running")


def port_of(address: ProxyAddress) -> int:
    return int(address.base_url.rpartition(":")[2])


def raw(address: ProxyAddress, path: str, body: Mapping[str, Any], *, said: int | None = None) -> bytes:
    """A request as bytes. said: the length that its head names, where it is not the body's."""
    content = json.dumps(body).encode()
    length = len(content) if said is None else said
    lines = (f"POST {path} HTTP/1.1", "Host: x", f"x-api-key: {address.token}", f"Content-Length: {length}")
    return "\r\n".join([*lines, "", ""]).encode() + content


async def connected(address: ProxyAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", port_of(address), limit=2**20)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


# ----------------------------------------------------------------------------------------------- requests that wait


async def test_a_loop_in_debug_mode_tells_them_as_well(manager: ProxyManager, states: States) -> None:
    address = await manager.address("p")
    asyncio.get_running_loop().set_debug(True)
    reader, writer = await connected(address)
    writer.write(raw(address, "/v1/messages", ASKED))
    await until(lambda: states() == {WAITING})
    kill(manager)
    async with asyncio.timeout(10):
        assert (await reader.read()).startswith(b"HTTP/1.1 502 ")
    writer.close()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("stream", [False, True])
async def test_a_request_that_waits_gets_an_error_in_its_dialect(
    manager: ProxyManager, north: Provider_, path: str, stream: bool
) -> None:
    address = await manager.address("p")
    async with aiohttp.ClientSession(headers={"x-api-key": address.token}) as client:
        asking = asyncio.create_task(client.post(address.base_url + path, json={**PATHS[path], "stream": stream}))
        await until(lambda: north.asked)
        kill(manager)
        async with asyncio.timeout(5), await asking as answer:
            body = await answer.json()
    assert answer.status == 502
    assert (answer.headers["content-type"], answer.headers["connection"]) == ("application/json", "close")
    assert "process ended" in body["error"]["message"]
    if path == "/v1/messages":
        assert (body["type"], body["error"]["type"]) == ("error", "api_error")
    else:
        assert body["error"] == {**body["error"], "type": "server_error", "code": "server_error", "param": None}
    await running(manager)


Ask = Callable[[ProxyAddress, bool], Awaitable[object]]


async def claude(address: ProxyAddress, stream: bool) -> object:
    turns: Any = [{"role": "user", "content": "ping"}]
    async with anthropic.AsyncAnthropic(auth_token=address.token, base_url=address.base_url, max_retries=0) as client:
        if not stream:
            return await client.messages.create(model="m", max_tokens=9, messages=turns)
        async with client.messages.stream(model="m", max_tokens=9, messages=turns) as events:
            return [event async for event in events]


async def chat(address: ProxyAddress, stream: bool) -> object:
    turns: Any = [{"role": "user", "content": "ping"}]
    async with openai.AsyncOpenAI(api_key=address.token, base_url=f"{address.base_url}/v1", max_retries=0) as client:
        if not stream:
            return await client.chat.completions.create(model="m", messages=turns)
        return [chunk async for chunk in await client.chat.completions.create(model="m", messages=turns, stream=True)]


async def responses(address: ProxyAddress, stream: bool) -> object:
    async with openai.AsyncOpenAI(api_key=address.token, base_url=f"{address.base_url}/v1", max_retries=0) as client:
        if not stream:
            return await client.responses.create(model="m", input="ping")
        return [event async for event in await client.responses.create(model="m", input="ping", stream=True)]


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (claude, anthropic.InternalServerError),
        (chat, openai.InternalServerError),
        (responses, openai.InternalServerError),
    ],
)
async def test_official_clients_raise_the_error_of_a_status(
    manager: ProxyManager, north: Provider_, ask: Ask, error: type[Exception]
) -> None:
    asking = asyncio.create_task(cast("Any", ask(await manager.address("p"), False)))
    await until(lambda: north.asked)
    kill(manager)
    with pytest.raises(error, match="process ended"):
        await asyncio.wait_for(asking, 5)


async def test_a_request_whose_body_is_still_sent_gets_its_answer(manager: ProxyManager, states: States) -> None:
    address = await manager.address("p")
    reader, writer = await connected(address)
    writer.write(raw(address, "/v1/messages", ASKED, said=2_000_000))
    await writer.drain()
    await until(lambda: states() == {WAITING})
    kill(manager)
    await until(lambda: manager.of("p").status != "running")
    for _ in range(10):
        writer.write(b" " * 100_000)
    async with asyncio.timeout(5):
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 502 ")
    assert b'"api_error"' in answer
    writer.close()


async def test_fifty_at_once_and_nobody_hangs(manager: ProxyManager, north: Provider_) -> None:
    address = await manager.address("p")
    paths = [path for number in range(50) for path in list(PATHS)[number % 3 : number % 3 + 1]]
    north.remembers = False
    arrived: list[int] = []

    async def counted(request: web.BaseRequest) -> web.StreamResponse:
        arrived.append(1)
        return await mute(request)

    north.answer = counted
    async with aiohttp.ClientSession(headers={"x-api-key": address.token}) as client:

        async def ask(path: str) -> int:
            async with client.post(address.base_url + path, json=PATHS[path]) as answer:
                assert "process ended" in (await answer.json())["error"]["message"]
                return answer.status

        asking = [asyncio.create_task(ask(path)) for path in paths]
        await until(lambda: len(arrived) == 50)
        kill(manager)
        async with asyncio.timeout(10):
            assert await asyncio.gather(*asking) == [502] * 50
    await running(manager)


# -------------------------------------------------------------------------------------------------------- in a stream


def chat_chunk(text: str) -> bytes:
    delta = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [delta]}
    return f"data: {json.dumps(head)}\n\n".encode()


@pytest.mark.parametrize(("ask", "error"), [(claude, anthropic.APIStatusError), (chat, openai.APIError)])
async def test_official_clients_raise_the_error_of_an_event(
    manager: ProxyManager, north: Provider_, states: States, ask: Ask, error: type[Exception]
) -> None:
    """One dialect passes through, the other is translated."""
    north.answer = paused(sse(*EVENTS[:2]), sse(EVENTS[2]))
    with pytest.raises(error, match="process ended"):
        await killed_at(BOUNDARY, states, manager, ask)


async def test_the_stream_of_responses_ends_with_its_failure(
    manager: ProxyManager, north: Provider_, states: States
) -> None:
    north.answer = paused(sse(*EVENTS[:2]), sse(EVENTS[2]))
    events = cast("list[Any]", await killed_at(BOUNDARY, states, manager, responses))
    assert events[-1].type == "response.failed"
    assert "process ended" in events[-1].response.error.message


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([sse(*EVENTS[:2]), b'event: cut\ndata: {"cut":'], id="cut"),
        pytest.param([sse(*EVENTS[:2]), sse(EVENTS[2])[:-1]], id="cut-in-the-blank-line"),
    ],
)
async def test_a_stream_within_an_event_is_broken_off(
    manager: ProxyManager, north: Provider_, pieces: list[bytes]
) -> None:
    north.answer = paused(*pieces)
    await broken_off(manager, {**ASKED, "stream": True}, pieces[-1][-8:])


async def test_an_event_that_is_cut_into_parts_has_its_end(
    manager: ProxyManager, north: Provider_, states: States
) -> None:
    event = sse(EVENTS[2])
    north.answer = paused(sse(*EVENTS[:2]), event[:-1], event[-1:])
    with pytest.raises(anthropic.APIStatusError, match="process ended"):
        await killed_at(BOUNDARY, states, manager, claude)


@pytest.mark.parametrize("ask", [claude, chat])
async def test_a_stream_that_is_complete_ends_without_an_error(
    manager: ProxyManager, north: Provider_, states: States, ask: Ask
) -> None:
    """Its provider has only not hung up yet. What is read of it is read to the end."""
    if ask is claude:
        north.answer = paused(sse(*EVENTS))
    else:
        manager._context.ports["Providers"].known["north"] = provider_manifest("north", f"{north.url}/v1", "openai")  # type: ignore[attr-defined]
        await manager.of("p").push()
        stop = {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        north.answer = paused(chat_chunk("pong"), f"data: {json.dumps(stop)}\n\n".encode(), b"data: [DONE]\n\n")
    events = cast("list[Any]", await killed_at(COMPLETE, states, manager, ask))
    assert events[-1].type == "message_stop" if ask is claude else events[0].choices[0].delta.content == "pong"


async def killed_at(state: int, states: States, manager: ProxyManager, ask: Ask) -> object:
    """The one request's outcome."""
    asking = asyncio.create_task(cast("Any", ask(await manager.address("p"), True)))
    await until(lambda: states() == {state})
    kill(manager)
    return await asyncio.wait_for(asking, 5)


# ------------------------------------------------------------------------------------------------------ whole answers


async def broken_off(manager: ProxyManager, body: Mapping[str, Any], seen: bytes) -> None:
    address = await manager.address("p")
    reader, writer = await connected(address)
    writer.write(raw(address, "/v1/messages", body))
    async with asyncio.timeout(5):
        await reader.readuntil(seen)
        kill(manager)
        with pytest.raises(ConnectionResetError):
            await rest(reader)
    writer.close()


async def rest(reader: asyncio.StreamReader) -> None:
    while await reader.read(65_536):
        pass


@pytest.mark.parametrize("headers", [{"Content-Length": "500000"}, {}], ids=["length", "chunks"])
async def test_a_whole_answer_that_is_cut_is_not_taken_for_one(
    manager: ProxyManager, north: Provider_, headers: dict[str, str]
) -> None:
    begun = b'{"id": "msg_1", "text": "' + b"x" * 200_000 + b"end of the first part\n\n"
    north.answer = paused(begun, kind="application/json", **headers)
    await broken_off(manager, ASKED, b"end of the first part\n\n")


async def test_a_client_that_does_not_read_is_broken_off(
    manager: ProxyManager, north: Provider_, states: States
) -> None:
    """What the process had not given to the kernel is lost with it."""
    north.answer = paused(sse(EVENTS[2]) * 100_000)
    address = await manager.address("p")
    reader, writer = await connected(address)
    cast("asyncio.Transport", writer.transport).pause_reading()
    writer.write(raw(address, "/v1/messages", {**ASKED, "stream": True}))
    seen: list[set[int]] = []

    def is_stuck() -> bool:
        seen.append(states())
        return seen[-20:] == [{MIDDLE}] * 20

    await until(is_stuck)
    kill(manager)
    await until(lambda: manager.of("p").status != "running")
    cast("asyncio.Transport", writer.transport).resume_reading()
    with pytest.raises(ConnectionResetError):
        await asyncio.wait_for(rest(reader), 5)
    writer.close()


# --------------------------------------------------------------------------------------------- connections that idle


async def test_idle_connections_are_closed(manager: ProxyManager, north: Provider_, states: States) -> None:
    north.answer = default_answer
    address = await manager.address("p")
    used, fresh = await connected(address), await connected(address)
    used[1].write(raw(address, "/v1/messages", ASKED))
    head = await used[0].readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r")[0])
    await used[0].readexactly(length)
    await until(lambda: states() == {IDLE})
    kill(manager)
    async with asyncio.timeout(5):
        assert [await one.read() for one, _ in (used, fresh)] == [b"", b""]
    for _, writer in (used, fresh):
        writer.close()


async def test_a_request_that_the_process_has_not_read_is_answered(manager: ProxyManager, states: States) -> None:
    address = await manager.address("p")
    reader, writer = await connected(address)
    writer.write(raw(address, "/v1/nothing", {}))
    await reader.readuntil(b"\r\n\r\n")
    await until(lambda: states() == {IDLE})
    pid = cast("int", manager.of("p").view(enabled=True)["pid"])
    os.kill(pid, signal.SIGSTOP)
    writer.write(raw(address, "/v1/messages", ASKED))
    kill(manager)
    async with asyncio.timeout(5):
        answer = await reader.read()
    assert b"HTTP/1.1 502 " in answer
    assert b'"type":"api_error"' in answer
    writer.close()


# ------------------------------------------------------------------------------------------------- as without a daemon


async def test_the_end_of_a_connection_reaches_the_client(manager: ProxyManager, north: Provider_) -> None:
    """Although the daemon has it as well."""
    north.answer = default_answer
    address = await manager.address("p")
    reader, writer = await connected(address)
    asked = raw(address, "/v1/messages", ASKED).replace(b"Host: x", b"Host: x\r\nConnection: close")
    writer.write(asked)
    async with asyncio.timeout(5):
        answer = await reader.read()
    assert answer.startswith(b"HTTP/1.1 200 ")
    writer.close()


@pytest.mark.parametrize("headers", [{"Content-Length": "500000"}, {}], ids=["length", "chunks"])
async def test_an_answer_that_breaks_off_is_whole_for_nobody(
    manager: ProxyManager, north: Provider_, headers: dict[str, str]
) -> None:
    async def broken(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", **headers})
        await response.prepare(request)
        await response.write(b"x" * 200_000)
        await asyncio.sleep(0.05)
        assert request.transport is not None
        request.transport.abort()
        return response

    north.answer = broken
    address = await manager.address("p")
    async with aiohttp.ClientSession(headers={"x-api-key": address.token}) as client, asyncio.timeout(5):
        with pytest.raises(aiohttp.ClientPayloadError):
            async with client.post(f"{address.base_url}/v1/messages", json=ASKED) as answer:
                await answer.read()


async def test_a_half_closed_connection_ends(manager: ProxyManager) -> None:
    reader, writer = await connected(await manager.address("p"))
    writer.write_eof()
    async with asyncio.timeout(5):
        assert await reader.read() == b""
    writer.close()


async def test_connections_come_and_go_and_leave_no_descriptor(manager: ProxyManager, north: Provider_) -> None:
    north.answer = default_answer
    address = await manager.address("p")
    before = descriptors()
    for _ in range(30):
        _, writer = await connected(address)
        writer.close()
        await writer.wait_closed()
    await until(lambda: descriptors() <= before)


async def test_twenty_kills_leave_no_descriptor(manager: ProxyManager, north: Provider_) -> None:
    supervisor = manager.of("p")
    address = await manager.address("p")
    before = 0
    for number in range(20):
        asking = [asyncio.create_task(ask_raw(address, path)) for path in PATHS]
        wanted = 3 * number + 3
        await until(lambda wanted=wanted: len(north.asked) == wanted)
        kill(manager)
        async with asyncio.timeout(10):
            assert all(b"502" in answer for answer in await asyncio.gather(*asking))
        await supervisor.restart()  # and not after a pause
        await supervisor._frontend.settled()
        before = before or descriptors()
    await until(lambda: descriptors() <= before)


async def ask_raw(address: ProxyAddress, path: str) -> bytes:
    reader, writer = await connected(address)
    writer.write(raw(address, path, PATHS[path]))
    try:
        return await reader.read()
    finally:
        writer.close()


async def test_without_room_for_duplicates_all_is_served(tmp_path: Path, north: Provider_) -> None:
    made = ProxyManager(daemon_of(tmp_path, profile(), north=north.url))
    made._budget._left = 1
    north.answer = default_answer
    try:
        await made.start("p")
        address = await made.address("p")
        async with aiohttp.ClientSession(headers={"x-api-key": address.token}) as client:

            async def ask() -> int:
                async with client.post(f"{address.base_url}/v1/messages", json=ASKED) as answer:
                    return answer.status

            assert set(await asyncio.gather(*(ask() for _ in range(20)))) == {200}
        north.answer = mute
        asked = len(north.asked)
        asking = [asyncio.create_task(ask_raw(address, "/v1/messages")) for _ in range(3)]
        await until(lambda: len(north.asked) == asked + 3)
        kill(made)
        async with asyncio.timeout(5):
            told = await asyncio.gather(*asking, return_exceptions=True)
        assert sum(isinstance(one, bytes) and b"502" in one for one in told) <= 1, "the others see a closed connection"
    finally:
        await made.close()
