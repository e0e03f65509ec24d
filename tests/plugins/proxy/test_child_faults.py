"""Providers that fail in every way: the client gets an error in its dialect, or another target's answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing

import aiohttp
import pytest
from aiohttp import web
from proxy_lab import ASKED, EVENTS, MESSAGE, Provider_, Proxy, failing, plan, proxy_of, rule, sse, until, upstream

from jackfield_proxy.plan import ProxyLimits, Upstream

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
CHAT = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "pong"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
}  # fmt: skip
STREAM = {**ASKED, "stream": True}


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


@pytest.fixture
async def south() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def error_of(body: bytes) -> dict[str, str]:
    value = json.loads(body)
    assert value["type"] == "error"
    found: dict[str, str] = value["error"]
    return found


async def broken(request: web.BaseRequest) -> web.StreamResponse:
    """Resets the connection in the middle of a stream."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(sse(*EVENTS[:2]) + b'event: content_block_delta\ndata: {"ty')
    assert request.transport is not None
    request.transport.abort()
    return response


async def hanging(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(sse(*EVENTS[:2]))
    await asyncio.sleep(60)
    return response


async def mute(_request: web.BaseRequest) -> web.StreamResponse:
    await asyncio.sleep(60)
    raise AssertionError


SHORT = ProxyLimits(retries=0, first_byte_timeout=0.2, idle_timeout=0.2, stop_grace=0.0)


async def test_nobody_listens(north: Provider_) -> None:
    gone = Upstream("north", "anthropic", f"http://127.0.0.1:{free_port()}")
    async with proxy_of(plan({"north": gone})) as proxy:
        status, body = await proxy.post(ASKED)
    assert (status, error_of(body)["type"]) == (502, "api_error")
    assert "north" in error_of(body)["message"]


async def test_silence_is_504(north: Provider_) -> None:
    north.answer = mute
    async with proxy_of(plan({"north": upstream(north)}, limits=SHORT)) as proxy:
        status, body = await proxy.post(ASKED)
    assert (status, error_of(body)["type"]) == (504, "timeout_error")


async def reset_before_content(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(sse(EVENTS[0]))
    assert request.transport is not None
    request.transport.abort()
    return response


@pytest.mark.parametrize("answer", [mute, reset_before_content])
async def test_what_a_provider_may_charge_without_an_answer_is_not_known(north: Provider_, answer: Answer) -> None:
    """So that what was held for it counts, also where another target serves afterwards."""
    north.answer = answer
    async with Provider_().serving() as south:
        ups = {"north": upstream(north), "south": upstream(south, "south")}
        rules = (rule("one", "north/m", 2), rule("two", "south/m", 1))
        async with proxy_of(plan(ups, *rules, strategy="Fallback", limits=SHORT)) as proxy:
            assert (await proxy.post(STREAM))[0] == 200
    async with proxy_of(plan({"north": upstream(north)}, limits=SHORT)) as alone:
        assert (await alone.post(STREAM))[0] in (502, 504)
    assert [one.whole for one in [*proxy.pipe.served, *alone.pipe.served]] == [False, False]


async def test_a_provider_that_refuses_charges_nothing(north: Provider_) -> None:
    north.answer = failing(500)
    async with proxy_of(plan({"north": upstream(north)}, limits=SHORT)) as proxy:
        assert (await proxy.post(ASKED))[0] == 500
    assert [one.whole for one in proxy.pipe.served] == [True]


@pytest.mark.parametrize("answer", [broken, hanging])
@pytest.mark.parametrize("family", ["anthropic", "openai"])
async def test_stream_that_breaks_off_ends_with_an_error(north: Provider_, answer: Answer, family: str) -> None:
    north.answer = answer if family == "anthropic" else chat_stream_then(answer)
    async with proxy_of(plan({"north": upstream(north, family=family)}, limits=SHORT)) as proxy:
        status, body = await proxy.post(STREAM)
    assert status == 200
    last = body.rstrip().rsplit(b"\n\n", 1)[-1]
    name, _, data = last.partition(b"\n")
    assert name == b"event: error"
    assert json.loads(data.removeprefix(b"data: "))["type"] == "error"
    assert proxy.pipe.served[0].error


def chat_stream_then(answer: Answer) -> Answer:
    choice = {"index": 0, "delta": {"role": "assistant", "content": "po"}, "finish_reason": None}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    async def made(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
        if answer is broken and request.transport is not None:
            request.transport.abort()
        else:
            await asyncio.sleep(60)
        return response

    return made


async def test_answer_that_breaks_off_does_not_pass_for_a_whole_one(north: Provider_) -> None:
    async def half(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "100000"})
        await response.prepare(request)
        await response.write(b'{"id": "msg')
        assert request.transport is not None
        request.transport.close()
        return response

    north.answer = half
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        with pytest.raises(aiohttp.ClientPayloadError):
            await proxy.post(ASKED)
        north.answer = Provider_().answer
        assert (await proxy.post(ASKED))[0] == 200


@pytest.mark.parametrize("garbage", [b"no json", b"[]", b'{"choices": 7}', b"\xff\xfe"])
async def test_garbage_that_must_be_translated_is_502(north: Provider_, garbage: bytes) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=garbage, content_type="application/json")

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north, family="openai")})) as proxy:
        status, body = await proxy.post(ASKED)
        assert (status, error_of(body)["type"]) == (502, "api_error")
        status, _ = await proxy.post(STREAM)
        assert status == 502


@contextlib.asynccontextmanager
async def saying(answer: bytes) -> AsyncIterator[str]:
    """The address of a provider that says this to everybody, and ends the connection."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    listener = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with listener:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize("said", [b"what do you want?\r\n\r\n", b"HTTP/1.1 000 No\r\nContent-Length: 0\r\n\r\n"])
async def test_no_http_at_all(said: bytes) -> None:
    async with (
        saying(said) as url,
        proxy_of(plan({"north": Upstream("north", "anthropic", url)})) as proxy,
    ):
        status, body = await proxy.post(ASKED)
    assert (status, error_of(body)["type"]) == (502, "api_error")


@pytest.mark.parametrize(("kind", "asked"), [("application/json", ASKED), ("text/event-stream", STREAM)])
async def test_controls_in_a_head_cost_nobody_the_answer(kind: str, asked: dict[str, object]) -> None:
    body = json.dumps(MESSAGE).encode() if asked is ASKED else sse(*EVENTS)
    head = f"HTTP/1.1 200 O\x01K\r\nContent-Type: {kind}\r\nX-Odd: a\x01\tb\r\nContent-Length: {len(body)}\r\n\r\n"
    async with (
        saying(head.encode() + body) as url,
        proxy_of(plan({"north": Upstream("north", "anthropic", url)})) as proxy,
        proxy.client.post("/v1/messages", json=asked) as found,
    ):
        assert (found.status, found.reason, found.headers["X-Odd"]) == (200, "O?K", "a?\tb")
        assert await found.read() == body


async def test_redirect_is_not_followed_with_the_key(north: Provider_, south: Provider_) -> None:
    async def away(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=307, headers={"Location": south.url})

    north.answer = away
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        status, body = await proxy.post(ASKED)
    assert status == 502
    assert "redirects" in error_of(body)["message"]
    assert not south.asked


async def test_large_event_passes(north: Provider_) -> None:
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x" * 10_000_000}}
    whole = sse(*EVENTS[:2], event, *EVENTS[3:])

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=whole, headers={"Content-Type": "text/event-stream"})

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        assert await proxy.post(STREAM) == (200, whole)
    assert proxy.pipe.served[0].output == 3


# ------------------------------------------------------------------------------------------------ retries and fallbacks


def two(north: Provider_, south: Provider_, strategy: str = "Fallback", **limits: float) -> Proxy:
    upstreams = {"north": upstream(north), "south": upstream(south, "south", family="openai")}
    rules = (rule("first", "north/n", 9), rule("second", "south/s", 1))
    merged = {"retries": 0, "stop_grace": 0.0, "first_byte_timeout": 2.0, **limits}
    made = plan(upstreams, *rules, strategy=strategy, limits=ProxyLimits(**merged))  # type: ignore[arg-type]
    return proxy_of(made)  # type: ignore[return-value]


async def chat(_request: web.BaseRequest) -> web.StreamResponse:
    return web.json_response(CHAT)


@pytest.mark.parametrize("status", [401, 402, 403, 404, 408, 409, 429, 500, 503, 529])
async def test_fallback_after_what_says_something_of_the_provider(
    north: Provider_, south: Provider_, status: int
) -> None:
    north.answer, south.answer = failing(status), chat
    async with two(north, south) as proxy:  # type: ignore[attr-defined]
        got, body = await proxy.post(ASKED)
    assert (got, json.loads(body)["content"]) == (200, MESSAGE["content"])
    (served,) = proxy.pipe.served
    assert (served.provider, served.rule, served.attempts, served.translated) == ("south", "second", 2, True)
    assert json.loads(south.asked[0].body)["model"] == "s"


@pytest.mark.parametrize("status", [400, 500])
async def test_an_error_says_who_was_asked(north: Provider_, south: Provider_, status: int) -> None:
    north.answer = south.answer = failing(status)
    async with two(north, south) as proxy, proxy.client.post("/v1/messages", json=ASKED) as found:  # type: ignore[attr-defined]
        told = {name: found.headers.getall(f"x-jackfield-{name}") for name in ("target", "attempts", "rule")}
    first = status == 400
    assert found.status == status
    assert told == {
        "target": ["north/n" if first else "south/s"],
        "attempts": [str(len(north.asked) + len(south.asked))],
        "rule": ["first" if first else "second"],
    }


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_bad_request_of_one_target_may_be_a_good_one_of_another(
    north: Provider_, south: Provider_, status: int
) -> None:
    north.answer, south.answer = failing(status), chat
    async with two(north, south) as proxy:  # type: ignore[attr-defined]
        assert (await proxy.post(ASKED))[0] == 200
    assert (len(north.asked), len(south.asked)) == (1, 1)


async def test_target_that_failed_often_is_left_alone(north: Provider_, south: Provider_) -> None:
    north.answer, south.answer = failing(500), chat
    async with two(north, south, breaker_failures=2, breaker_open=60.0) as proxy:  # type: ignore[attr-defined]
        for _ in range(5):
            assert (await proxy.post(ASKED))[0] == 200
    assert (len(north.asked), len(south.asked)) == (2, 5)


async def test_balanced_target_that_fails_is_replaced_by_another(north: Provider_, south: Provider_) -> None:
    north.answer, south.answer = failing(500), chat
    async with two(north, south, "RoundRobin") as proxy:  # type: ignore[attr-defined]
        for _ in range(4):
            assert (await proxy.post(ASKED))[0] == 200


async def test_conditional_does_not_go_elsewhere(north: Provider_, south: Provider_) -> None:
    north.answer = failing(500)
    async with two(north, south, "Conditional") as proxy:  # type: ignore[attr-defined]
        assert (await proxy.post(ASKED))[0] == 500
    assert not south.asked


async def test_retry_waits_as_long_as_the_provider_says(north: Provider_) -> None:
    answers = [failing(429, **{"Retry-After": "0"}), failing(503, **{"Retry-After": "0"}), Provider_().answer]

    async def next_one(request: web.BaseRequest) -> web.StreamResponse:
        return await answers.pop(0)(request)

    north.answer = next_one
    async with proxy_of(plan({"north": upstream(north)}, limits=ProxyLimits(retries=2, stop_grace=0.0))) as proxy:
        assert (await proxy.post(ASKED))[0] == 200
    assert proxy.pipe.served[0].attempts == 3


@pytest.mark.parametrize("headers", [{"Retry-After": "3600"}, {"x-should-retry": "false"}])
async def test_no_retry_when_the_provider_wants_none(north: Provider_, headers: dict[str, str]) -> None:
    north.answer = failing(429, **headers)
    async with proxy_of(plan({"north": upstream(north)}, limits=ProxyLimits(retries=5, stop_grace=0.0))) as proxy:
        assert (await proxy.post(ASKED))[0] == 429
    assert len(north.asked) == 1


async def test_a_lasting_error_is_asked_once_and_the_client_told_so(north: Provider_) -> None:
    quota = {"error": {"type": "rate_limit_error", "code": "insufficient_quota", "message": "insufficient quota"}}

    async def broke(request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response(quota, status=429)

    for answer in (failing(401), failing(403), broke):
        north.asked.clear()
        north.answer = answer
        made = plan({"north": upstream(north)}, limits=ProxyLimits(retries=5, stop_grace=0.0))
        async with proxy_of(made) as proxy, proxy.client.post("/v1/messages", json=ASKED) as reply:
            assert reply.headers["x-should-retry"] == "false"
        assert len(north.asked) == 1


async def test_rule_with_an_unknown_provider_is_told(north: Provider_) -> None:
    async with proxy_of(plan({"north": upstream(north)}, rule("all", "nowhere/m"))) as proxy:
        status, body = await proxy.post(ASKED)
    assert status == 502
    assert "nowhere" in error_of(body)["message"]


async def test_script_conditions_are_asked_of_the_daemon(north: Provider_, south: Provider_) -> None:
    upstreams = {"north": upstream(north), "south": upstream(south, "south")}
    rules = (rule("script", "south/s", 9, type="script", path="a.rhai"), rule("rest", "north/n"))
    async with proxy_of(plan(upstreams, *rules)) as proxy:
        await proxy.post(ASKED)
        proxy.pipe.said["a.rhai"] = True
        await proxy.post(ASKED)
    assert [one.rule for one in proxy.pipe.served] == ["rest", "script"]


async def test_tokens_are_counted_by_the_provider_or_estimated(north: Provider_) -> None:
    async def counts(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({"input_tokens": 4711})

    body = {"model": "asked", "messages": [{"role": "user", "content": "word " * 700}]}
    north.answer = counts
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        assert json.loads((await proxy.post(body, "/v1/messages/count_tokens"))[1]) == {"input_tokens": 4711}
        north.answer = failing(404)
        found = json.loads((await proxy.post(body, "/v1/messages/count_tokens"))[1])
    assert 700 < found["input_tokens"] < 1500
    assert not proxy.pipe.served, "a count is no use"


async def test_no_sign_of_a_models_name_reaches_a_terminal(north: Provider_, capfd: pytest.CaptureFixture[str]) -> None:
    north.answer = failing(400)
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        await proxy.post({**ASKED, "model": "a\n\x1b[31mb"})
    (line,) = capfd.readouterr().err.splitlines()
    assert line.endswith("north/a ?[31mb: status 400 after 1 attempts")


class FickleProvider:
    """Names each request in its answer. It cuts answers, ends connections, and says more than it was asked, as this
    dice falls."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length:")[2].split()[0])
                asked = json.loads(await reader.readexactly(length))
                answer = self._answer(asked["messages"][0]["content"])
                cut = self._dice.choice([len(answer), self._dice.randrange(len(answer))])
                writer.write(answer[:cut])
                if cut < len(answer):
                    await asyncio.sleep(0)
                    if self._dice.random() < 0.3:
                        break
                    writer.write(answer[cut:])
        writer.close()

    def _answer(self, name: str) -> bytes:
        said = [_answer_named(name)]
        if self._dice.random() < 0.2:
            said.append(_answer_named("nobody's"))
        return b"".join(said)


def _answer_named(name: str) -> bytes:
    body = json.dumps({**MESSAGE, "id": f"msg_{name}"}).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize("seed", [1, 2])
async def test_every_client_gets_its_own_answer_whatever_happens_to_others(seed: int) -> None:
    dice = random.Random(seed)
    listener = await asyncio.start_server(FickleProvider(dice).talk, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    served = set[str]()

    async def ask(proxy: Proxy, name: str) -> None:
        asked = {**ASKED, "messages": [{"role": "user", "content": name}]}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(dice.choice([30, 30, dice.random() * 0.01])):
                status, body = await proxy.post(asked)
                assert status == 502 or json.loads(body)["id"] == f"msg_{name}"
                served.add(name if status == 200 else "")

    async def one_after_another(proxy: Proxy, client: int) -> None:
        for number in range(25):
            await ask(proxy, f"{client}-{number}")

    async with listener, proxy_of(plan({"north": Upstream("north", "anthropic", url)})) as proxy:
        await asyncio.gather(*(one_after_another(proxy, client) for client in range(4)))
        await until(lambda: not proxy.server._running)
        assert proxy.sender.limiter._queues["north"].busy == 0
    assert len(served) > 25
