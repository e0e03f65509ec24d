"""At the edges of HTTP: bodies that are announced, cut or compressed, headers that are no text, names without end."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from aiohttp import web
from proxy_lab import (
    ASKED,
    EVENTS,
    MESSAGE,
    TOKEN,
    Provider_,
    Proxy,
    default_answer,
    plan,
    proxy_of,
    rule,
    sse,
    until,
    upstream,
)  # fmt: skip

from jackfield_proxy.child.answers import relay
from jackfield_proxy.child.incoming.addressing import passed_headers, returned_headers
from jackfield_proxy.child.incoming.raw_model import with_model
from jackfield_proxy.child.upstream.unpacking import unpacked
from jackfield_proxy.messages import FromChild, packed
from jackfield_proxy.plan import ProxyLimits

CHAT = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "pong"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
}  # fmt: skip
STREAM = {**ASKED, "stream": True}
GZIP = {"Content-Encoding": "gzip", "Content-Type": "application/json"}


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


def head(length: int, *more: str) -> bytes:
    lines = ("POST /v1/messages HTTP/1.1", "Host: x", f"x-api-key: {TOKEN}", f"Content-Length: {length}", *more)
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def raw(proxy: Proxy, *parts: bytes) -> bytes:
    """The answer to bytes on the wire; the proxy is to close the connection."""
    base = proxy.client._base_url
    assert base is not None
    reader, writer = await asyncio.open_connection("127.0.0.1", base.port)
    async with asyncio.timeout(5):
        for part in parts:
            writer.write(part)
        found = await reader.read()
    writer.close()
    return found


def storable(proxy: Proxy) -> None:
    """The records can go over the pipe to the daemon."""
    for served in proxy.pipe.served:
        assert packed(FromChild(served=served))


UPGRADE = "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"


async def test_an_upgrade_to_http2_is_answered_as_if_nobody_had_asked_for_it(north: Provider_) -> None:
    body = json.dumps(ASKED).encode()
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        base = proxy.client._base_url
        assert base is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", base.port)
        async with asyncio.timeout(5):
            for more in (UPGRADE, ("Connection: close",)):  # on one connection, which stays what it was
                writer.write(head(len(body), *more) + body)
                found = await reader.readuntil(b"\r\n\r\n")
                assert found.startswith(b"HTTP/1.1 200")
                assert b"h2c" not in found.lower()
                assert json.loads(await reader.readuntil(b"}}"))["type"] == "message"
            assert await reader.read() == b""
        writer.close()
    assert not {"upgrade", "http2-settings"} & set(north.asked[0].headers)


@pytest.mark.parametrize("rest", [b"", b"\0\0\0\4\0\0\0\0\0"])
async def test_the_preface_of_http2_is_refused_and_the_connection_closed(north: Provider_, rest: bytes) -> None:
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        found = await raw(proxy, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + rest)
    assert int(found.split(b" ", 2)[1]) in (400, 505)


async def test_a_body_that_waits_to_be_asked_for(north: Provider_) -> None:
    body = json.dumps(ASKED).encode()
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        base = proxy.client._base_url
        assert base is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", base.port)
        writer.write(head(len(body), "Expect: 100-continue"))
        async with asyncio.timeout(5):
            assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
            writer.write(body)
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        writer.close()


@pytest.mark.parametrize(("length", "token", "status"), [(10, "wrong", b"401"), (2**40, TOKEN, b"413")])
async def test_nobody_is_asked_for_a_body_that_is_not_taken(
    north: Provider_, length: int, token: str, status: bytes
) -> None:
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        base = proxy.client._base_url
        assert base is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", base.port)
        writer.write(head(length, "Expect: 100-continue").replace(TOKEN.encode(), token.encode()))
        async with asyncio.timeout(5):
            assert (await reader.readline()).split()[1] == status
        writer.close()


async def test_a_body_that_is_not_what_its_headers_say_is_400(
    north: Provider_, capfd: pytest.CaptureFixture[str]
) -> None:
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        found = await raw(proxy, head(4, "Content-Encoding: gzip", "Connection: close"), b"none")
        assert found.startswith(b"HTTP/1.1 400")
        assert json.loads(found.partition(b"\r\n\r\n")[2])["error"]["type"] == "invalid_request_error"
    assert capfd.readouterr().err == ""


async def test_what_is_no_http_is_not_in_the_log(north: Provider_, capfd: pytest.CaptureFixture[str]) -> None:
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        broken = f"POST /v1/messages HTTP/1.1\r\nx-api-key: {TOKEN}\x01\r\n\r\n".encode()
        assert b" 400 " in (await raw(proxy, broken)).partition(b"\r\n")[0]
    assert TOKEN not in capfd.readouterr().err


async def test_a_body_that_does_not_come_is_408(north: Provider_) -> None:
    quick = ProxyLimits(retries=0, idle_timeout=0.1, stop_grace=0.0)
    async with proxy_of(plan({"north": upstream(north)}, limits=quick)) as proxy:
        base = proxy.client._base_url
        assert base is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", base.port)
        writer.write(head(100) + b"half of it")
        async with asyncio.timeout(5):
            assert (await reader.readline()).startswith(b"HTTP/1.1 408")
        writer.close()
    assert north.asked == []


async def test_headers_that_are_no_utf8_pass_and_are_recorded(north: Provider_) -> None:
    body = json.dumps(ASKED).encode()
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        found = await raw(proxy, head(len(body), "Connection: close", "session_id: caf\xe9"), body)
        assert found.startswith(b"HTTP/1.1 200")
        storable(proxy)
        assert proxy.pipe.served[0].session == "caf\ufffd"


async def test_names_without_end_are_not_kept(north: Provider_) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({**MESSAGE, "id": "msg_" + "x" * 100_000, "service_tier": "y" * 100_000})

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        status, body = await proxy.post({**ASKED, "model": "m" * 513})
        assert (status, json.loads(body)["error"]["message"][:6]) == (400, "model:")
        assert (await proxy.post(ASKED))[0] == 200
        served = proxy.pipe.served[-1]
        assert max(map(len, (served.answer, served.tier or ""))) <= 200


async def test_an_answer_of_the_fast_tier_is_recorded_as_such(north: Provider_) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({**MESSAGE, "usage": {"input_tokens": 1, "output_tokens": 3, "speed": "fast"}})

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        await proxy.post(ASKED)
        assert proxy.pipe.served[0].tier == "fast"


@pytest.mark.parametrize("count", [True, 2**64 - 1, -1, "9"])
async def test_what_is_no_count_of_tokens_is_not_recorded(north: Provider_, count: Any) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.json_response({**MESSAGE, "usage": {"input_tokens": count, "output_tokens": 3}})

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        assert (await proxy.post(ASKED))[0] == 200
        assert (proxy.pipe.served[0].input, proxy.pipe.served[0].output) == (0, 3)


async def test_a_failure_of_ours_within_an_answer_cuts_it(north: Provider_, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second answer behind the beginning of the first would be taken for a part of it."""

    async def broken(carrier: relay.TranslatedStream, request: Any, response: web.StreamResponse, events: Any) -> None:
        if response.prepared:
            raise KeyError
        await response.prepare(request)
        await response.write(b"data: {}\n\n")

    async def slow(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for event in EVENTS:
            await response.write(sse(event))
            await asyncio.sleep(0)
        return response

    north.answer = slow
    monkeypatch.setattr(relay.TranslatedStream, "_put", broken)
    body = json.dumps(STREAM).encode()
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        asked = head(len(body), "Connection: close").replace(b"/v1/messages", b"/v1/chat/completions")
        found = await raw(proxy, asked, body)
    assert found.count(b"HTTP/1.1") == 1
    assert not found.endswith(b"0\r\n\r\n")


# ------------------------------------------------------------------------------------------------- compressed answers


async def test_a_compressed_answer_is_translated(north: Provider_) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=gzip.compress(json.dumps(CHAT).encode()), headers=GZIP)

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north, family="openai")})) as proxy:
        status, body = await proxy.post(ASKED)
        assert (status, json.loads(body)["content"]) == (200, [{"type": "text", "text": "pong"}])
        assert proxy.pipe.served[0].input == 12


async def test_a_compressed_stream_is_translated(north: Provider_) -> None:
    packed_ = gzip.compress(sse(*EVENTS))

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={**GZIP, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        for place in range(0, len(packed_), 7):
            await response.write(packed_[place : place + 7])
        return response

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        status, body = await proxy.post(STREAM, "/v1/chat/completions")
        assert (status, body.count(b'"content":"pong"')) == (200, 1)
        assert body.endswith(b"data: [DONE]\n\n")


async def test_a_compressed_refusal_keeps_its_words(north: Provider_) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        body = gzip.compress(b'{"error":{"message":"very bad","type":"invalid_request_error"}}')
        return web.Response(status=400, body=body, headers=GZIP)

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north, family="openai")})) as proxy:
        status, body = await proxy.post(ASKED)
        assert (status, json.loads(body)["error"]["message"]) == (400, "very bad")


@pytest.mark.parametrize(("encoding", "body"), [("br", b"\x0b"), ("gzip", b"none")])
async def test_what_cannot_be_unpacked_is_502(north: Provider_, encoding: str, body: bytes) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=body, headers={"Content-Encoding": encoding, "Content-Type": "application/json"})

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north, family="openai")})) as proxy:
        status, found = await proxy.post(ASKED)
        assert (status, "encoding" in json.loads(found)["error"]["message"]) == (502, True)


async def test_a_compressed_stream_that_breaks_off_is_cut(north: Provider_) -> None:
    """Plain words within it would not be read."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={**GZIP, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(gzip.compress(sse(*EVENTS))[:40])
        await asyncio.sleep(0.05)
        assert request.transport is not None
        request.transport.abort()
        return response

    north.answer = answer
    body = json.dumps(STREAM).encode()
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        found = await raw(proxy, head(len(body), "Connection: close"), body)
        assert b"event: error" not in found
        assert not found.endswith(b"0\r\n\r\n")
        assert "broke off" in (proxy.pipe.served[0].error or "")


def test_little_that_unpacks_to_much_is_bounded() -> None:
    assert len(unpacked(gzip.compress(bytes(50_000_000)), "gzip", 1000)) == 1000
    assert (unpacked(b"plain", "", 3), unpacked(b"no", "gzip", 9), unpacked(b"no", "br", 9)) == (b"pla", b"", b"")


# ------------------------------------------------------------------------------------------------ counts and headers


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
async def test_a_count_that_breaks_off_is_an_estimate(north: Provider_, path: str) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if not request.path.endswith("count_tokens"):
            return await default_answer(request)
        response = web.StreamResponse(headers={"Content-Length": "500"})
        await response.prepare(request)
        await response.write(b"{")
        assert request.transport is not None
        request.transport.abort()
        return response

    north.answer = answer
    near = rule("near", "north/m", type="token_count", min=5)
    async with proxy_of(plan({"north": upstream(north)}, near)) as proxy:
        assert (await proxy.post(ASKED, path))[0] == 200


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ([("X-Forwarded-Port", "1"), ("x-forwarded-anything", "2"), ("Via", "3")], []),
        ([("Connection", "X-Mine, close"), ("x-mine", "1"), ("X-Yours", "2")], [("X-Yours", "2")]),
        ([("anthropic-beta", "a"), ("Anthropic-Beta", "b")], [("anthropic-beta", "a"), ("Anthropic-Beta", "b")]),
    ],
)
async def test_which_headers_pass(north: Provider_, given: Any, kept: Any) -> None:
    ours = {"Accept-Encoding", "Authorization", "x-api-key"}
    assert [pair for pair in passed_headers(given, upstream(north)) if pair[0] not in ours] == kept


def test_headers_of_an_answer_that_are_for_one_connection_do_not_pass() -> None:
    given = [("Connection", "X-Hop, Content-Length"), ("X-Hop", "1"), ("Content-Length", "2"), ("X-End", "3")]
    assert returned_headers(given) == [("Content-Length", "2"), ("X-End", "3")]


@pytest.mark.parametrize(
    ("body", "made"),
    [
        (b'{"model":"a","mod\\u0065l":"b"}', b'{"model":"N","mod\\u0065l":"N"}'),
        (b'{"x":{"model":"a"},"a":1,"model":"b","a":2}', b'{"x":{"model":"a"},"a":1,"model":"N","a":2}'),
        (b' {"x" : ["model"] ,\t"model" : "b"\r\n} ', b' {"x" : ["model"] ,\t"model" : "N"\r\n} '),
        (b'{"s":"\\ud83d","model":"b"}', b'{"s":"\\ud83d","model":"N"}'),
    ],
)
def test_every_model_is_replaced_and_nothing_else(body: bytes, made: bytes) -> None:
    """A provider that reads another one of two would serve what no rule has chosen."""
    assert with_model(body, "N") == made


def test_the_model_behind_megabytes_is_found_without_reading_them() -> None:
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "hello"}], "model": index} for index in range(50_000)
    ]
    value: Mapping[str, Any] = {"messages": turns, "model": "old"}
    assert json.loads(with_model(json.dumps(value).encode(), "new")) == {**value, "model": "new"}


# ------------------------------------------------------------------------------------- what only seems to be complete

CHUNK = b'data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"po"},"finish_reason":null}]}\n\n'
CREATED = b'event: response.created\ndata: {"type":"response.created","response":{"id":"resp_1","error":null}}\n\n'

ADDED = (
    b"event: response.output_item.added\n"
    b'data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_1"}}\n\n'
)


@pytest.mark.parametrize(
    ("path", "sent", "says"),
    [
        ("/v1/messages", sse(*EVENTS[:3]), b"event: error"),
        ("/v1/chat/completions", CHUNK, b'"error":{'),
        ("/v1/responses", CREATED + ADDED, b"event: response.failed"),
    ],
)
@pytest.mark.parametrize("how", [{}, {"Connection": "close"}])
async def test_a_stream_that_ends_early_without_a_reset_ends_with_an_error(
    north: Provider_, path: str, sent: bytes, says: bytes, how: dict[str, str]
) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **how})
        await response.prepare(request)
        await response.write(sent)
        return response

    north.answer = answer
    family = "anthropic" if path == "/v1/messages" else "openai"
    async with proxy_of(plan({"north": upstream(north, family=family, native=True)})) as proxy:
        status, body = await proxy.post({**STREAM, "input": "ping"}, path)
        assert status == 200
        assert body.startswith(sent)
        assert says in body[len(sent) :]
        assert "ended its answer early" in (proxy.pipe.served[0].error or "")


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("/v1/messages", sse(EVENTS[4])),
        ("/v1/chat/completions", CHUNK.replace(b"null}", b'"stop"}')),
        ("/v1/responses", CREATED.replace(b"created", b"completed")),
    ],
)
async def test_a_stream_without_its_very_last_event_passes_as_it_is(north: Provider_, path: str, last: bytes) -> None:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(last)
        return response

    north.answer = answer
    family = "anthropic" if path == "/v1/messages" else "openai"
    async with proxy_of(plan({"north": upstream(north, family=family, native=True)})) as proxy:
        assert await proxy.post({**STREAM, "input": "ping"}, path) == (200, last)
        assert proxy.pipe.served[0].error is None


async def test_names_that_are_no_header_do_not_break_the_answer(north: Provider_) -> None:
    mine = rule("two\r\nlines", "north/m")
    asked = {**ASKED, "model": "a\r\nb\u00e9"}
    async with (
        proxy_of(plan({"north": upstream(north)}, mine)) as proxy,
        proxy.client.post("/v1/messages", json=asked) as found,
    ):
        assert (found.status, found.headers["x-jackfield-rule"]) == (200, "two??lines")
    async with (
        proxy_of(plan({"north": upstream(north)})) as proxy,
        proxy.client.post("/v1/messages", json=asked) as found,
    ):
        assert (found.status, found.headers["x-jackfield-target"]) == (200, "north/a??b?")


async def test_words_of_a_provider_that_are_no_text_are_recorded(north: Provider_) -> None:
    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        body = b'{"error":{"message":"bad \\ud83d","type":"invalid_request_error"}}'
        return web.Response(status=400, body=body, content_type="application/json")

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north, family="openai")})) as proxy:
        assert (await proxy.post(ASKED))[0] == 400
        assert proxy.pipe.served[0].error == "bad ?"
        storable(proxy)


# --------------------------------------------------------------------------------------------------- a proxy that stops


async def unfinished(request: web.BaseRequest) -> web.StreamResponse:
    if not json.loads(await request.read()).get("stream"):
        await asyncio.sleep(60)
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(sse(*EVENTS[:2]))
    await asyncio.sleep(60)
    return response


@pytest.mark.parametrize(
    ("body", "path", "status", "says"),
    [
        (STREAM, "/v1/messages", 200, b"event: error"),
        (STREAM, "/v1/chat/completions", 200, b'"error":{'),
        (ASKED, "/v1/messages", 529, b"being stopped"),
        (ASKED, "/v1/chat/completions", 503, b"being stopped"),
    ],
)
async def test_clients_are_told_that_the_proxy_stops(
    north: Provider_, body: Any, path: str, status: int, says: bytes
) -> None:
    north.answer = unfinished
    async with proxy_of(plan({"north": upstream(north)})) as proxy:
        asking = asyncio.create_task(proxy.post(body, path))
        await until(lambda: north.asked)
        await proxy.server.close()
        found = await asking
        assert (found[0], says in found[1]) == (status, True)
        assert len(proxy.pipe.served) == 1
        async with asyncio.timeout(1):
            await north.gone.wait()
