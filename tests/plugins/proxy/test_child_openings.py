"""A stream that begins with an error is a refusal like any other, as long as nothing of it has reached the client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import anthropic
import openai
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from proxy_lab import ASKED, EVENTS, Provider_, plan, proxy_of, rule, sse, upstream
from sdk_lab import bench_of

from jackfield.api.dialects.model import DialectName
from jackfield_proxy.child.upstream.opening import LARGEST, Opening
from jackfield_proxy.plan import ProxyLimits

SSE = {"Content-Type": "text/event-stream"}
STREAM = {**ASKED, "stream": True, "input": "ping"}
PATHS: Mapping[DialectName, str] = {
    "anthropic": "/v1/messages",
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
}
NOW = ProxyLimits(retries=1, first_byte_timeout=5.0, idle_timeout=5.0, stop_grace=0.0)


def data(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def event(value: Mapping[str, Any]) -> bytes:
    return f"event: {value['type']}\n".encode() + data(value)


def claude_error(kind: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": "no cormorants"}}


def chat_error(**more: Any) -> dict[str, Any]:
    return {"error": {"message": "no cormorants", "type": None, "param": None, "code": None, **more}}


def failed(code: str) -> dict[str, Any]:
    response = {"id": "resp_1", "status": "failed", "error": {"code": code, "message": "no cormorants"}}
    return {"type": "response.failed", "response": response}


def chunk(**delta: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


START, PING = sse(EVENTS[0]), event({"type": "ping"})
ROLE = data(chunk(role="assistant", content=""))
CREATED = event({"type": "response.created", "response": {"id": "resp_1", "error": None}})
WORKS = event({"type": "response.in_progress", "response": {"id": "resp_1", "error": None}})
BEGINNINGS: Mapping[DialectName, bytes] = {
    "anthropic": START + PING,
    "chat": b": WAITING\n\n" + ROLE,
    "responses": CREATED + WORKS,
}
WHOLE: Mapping[DialectName, bytes] = {
    "anthropic": sse(*EVENTS),
    "chat": ROLE + data(chunk(content="pong")) + data(chunk()).replace(b"null", b'"stop"') + b"data: [DONE]\n\n",
    "responses": CREATED
    + event({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "pong"})
    + event({"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": []}}),
}
ERRORS: list[tuple[DialectName, bytes, int, bool]] = [  # what is sent, its status, whether another try makes sense
    ("anthropic", event(claude_error("overloaded_error")), 529, True),
    ("anthropic", event(claude_error("rate_limit_error")), 429, True),
    ("anthropic", event(claude_error("api_error")), 500, True),
    ("anthropic", event(claude_error("timeout_error")), 504, True),
    ("anthropic", event(claude_error("authentication_error")), 401, False),
    ("anthropic", event(claude_error("invalid_request_error")), 400, False),
    ("chat", data(chat_error(code="rate_limit_exceeded")), 429, True),
    ("chat", data(chat_error(code=502)), 500, True),
    ("chat", data(chat_error(code=429)), 429, True),
    ("chat", data(chat_error(code="server_is_overloaded")), 503, True),
    ("chat", data(chat_error(type="invalid_request_error")), 400, False),
    ("responses", event(failed("rate_limit_exceeded")), 200, True),
    ("responses", event(failed("server_error")), 200, True),
    ("responses", event(failed("context_length_exceeded")), 200, False),
    ("responses", event({"type": "error", "code": "server_is_overloaded", "message": "busy"}), 200, True),
]
NAMES = [f"{dialect}-{status}-{number}" for number, (dialect, _, status, _) in enumerate(ERRORS)]


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


@pytest.fixture
async def south() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


def saying(*bodies: bytes, **headers: str) -> Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]:
    """One after the other, and the last again and again; each in one piece."""
    left = list(bodies)

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        body = left.pop(0) if len(left) > 1 else left[0]
        return web.Response(body=body, headers={**SSE, "Retry-After": "0", **headers})

    return answer


def families(dialect: DialectName) -> dict[str, Any]:
    return {"family": "anthropic" if dialect == "anthropic" else "openai", "native": True}


@pytest.mark.parametrize(("dialect", "error", "status", "again"), ERRORS, ids=NAMES)
@pytest.mark.parametrize("begins", [True, False])
async def test_an_error_before_any_content_is_tried_again(
    north: Provider_, dialect: DialectName, error: bytes, status: int, again: bool, begins: bool
) -> None:
    said = (BEGINNINGS[dialect] if begins else b"") + error
    north.answer = saying(said, WHOLE[dialect])
    async with proxy_of(plan({"north": upstream(north, **families(dialect))}, limits=NOW)) as proxy:
        got, body = await proxy.post(STREAM, PATHS[dialect])
    (served,) = proxy.pipe.served
    if again:
        assert (got, body, served.attempts) == (200, WHOLE[dialect], 2)
        return
    assert (got, served.status, served.attempts) == (status, status, 1)
    assert "no cormorants" in (served.error or "")


@pytest.mark.parametrize(("dialect", "error", "status", "_again"), ERRORS, ids=NAMES)
async def test_what_is_left_after_the_last_try_is_what_the_provider_said(
    north: Provider_, dialect: DialectName, error: bytes, status: int, _again: bool
) -> None:
    said = BEGINNINGS[dialect] + error
    north.answer = saying(said)
    async with (
        proxy_of(plan({"north": upstream(north, **families(dialect))})) as proxy,
        proxy.client.post(PATHS[dialect], json=STREAM) as answer,
    ):
        body = await answer.read()
        assert answer.status == status
        kind = "text/event-stream" if dialect == "responses" else "application/json"
        assert answer.headers["Content-Type"] == kind
    assert body == (said if dialect == "responses" else error.split(b"data: ")[1].strip())
    assert proxy.pipe.served[0].error


@pytest.mark.parametrize(("dialect", "error", "_status", "_again"), ERRORS, ids=NAMES)
async def test_another_target_serves_what_one_refuses_in_its_stream(
    north: Provider_, south: Provider_, dialect: DialectName, error: bytes, _status: int, _again: bool
) -> None:
    north.answer, south.answer = saying(BEGINNINGS[dialect] + error), saying(WHOLE[dialect])
    upstreams = {
        "north": upstream(north, **families(dialect)),
        "south": upstream(south, "south", **families(dialect)),
    }
    rules = (rule("first", "north/n", 9), rule("second", "south/s", 1))
    limits = ProxyLimits(retries=0, stop_grace=0.0, breaker_failures=1, breaker_open=60.0)
    async with proxy_of(plan(upstreams, *rules, strategy="Fallback", limits=limits)) as proxy:
        got = await proxy.post(STREAM, PATHS[dialect])
        await proxy.post(STREAM, PATHS[dialect])
    assert got == (200, WHOLE[dialect])
    of_request = b"invalid_request" in error or b"context_length" in error
    assert (len(north.asked), len(south.asked)) == (2 if of_request else 1, 2), "and it is left alone after its failure"


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
async def test_a_translated_stream_is_tried_again_as_well(north: Provider_, dialect: DialectName) -> None:
    other: DialectName = "chat" if dialect == "anthropic" else "anthropic"
    error = data(chat_error(code=503)) if other == "chat" else event(claude_error("overloaded_error"))
    north.answer = saying(BEGINNINGS[other] + error, WHOLE[other])
    async with proxy_of(plan({"north": upstream(north, **families(other))}, limits=NOW)) as proxy:
        got, body = await proxy.post(STREAM, PATHS[dialect])
    assert (got, proxy.pipe.served[0].attempts, b"pong" in body) == (200, 2, True)


class Gated:
    """A provider that sends its parts when it is told to."""

    def __init__(self, provider: Provider_, *parts: bytes) -> None:
        self.go = asyncio.Event()
        self._parts = parts
        provider.answer = self.answer

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers=SSE)
        await response.prepare(request)
        for part in self._parts:
            await response.write(part)
            await self.go.wait()
        return response


@pytest.mark.parametrize("dialect", ["anthropic", "chat", "responses"])
async def test_content_goes_on_at_once_with_all_before_it(north: Provider_, dialect: DialectName) -> None:
    whole = WHOLE[dialect]
    cut = whole.index(b"pong") + 10
    gate = Gated(north, whole[:cut], whole[cut:])
    async with (
        proxy_of(plan({"north": upstream(north, **families(dialect))}, limits=ProxyLimits(stop_grace=0.0))) as proxy,
        asyncio.timeout(5),
        proxy.client.post(PATHS[dialect], json=STREAM) as answer,
    ):
        found = b""
        while len(found) < cut - 200:  # the event that is cut comes with the rest
            found += await answer.content.readany()
        gate.go.set()
        found += await answer.read()
    assert found == whole


async def test_a_model_that_thinks_before_it_says_anything_is_not_waited_for(north: Provider_) -> None:
    late = event(claude_error("overloaded_error"))
    gate = Gated(north, START + PING, late)
    limits = ProxyLimits(opening_timeout=0.05, stop_grace=0.0)
    async with (
        proxy_of(plan({"north": upstream(north)}, limits=limits)) as proxy,
        proxy.client.post("/v1/messages", json=STREAM) as answer,
    ):
        found = await answer.content.readexactly(len(START + PING))
        gate.go.set()
        found += await answer.read()
        assert (answer.status, found) == (200, START + PING + late)
    assert len(north.asked) == 1


async def test_nothing_is_held_back_where_the_setting_says_so(north: Provider_) -> None:
    said = START + event(claude_error("overloaded_error"))
    north.answer = saying(said)
    limits = ProxyLimits(opening_timeout=0, stop_grace=0.0)
    async with proxy_of(plan({"north": upstream(north)}, limits=limits)) as proxy:
        assert await proxy.post(STREAM) == (200, said)


async def test_what_is_held_back_is_bounded(north: Provider_) -> None:
    said = START + b": a comment\n\n" * (LARGEST // 10) + event(claude_error("overloaded_error"))
    gate = Gated(north, said[: LARGEST + 1000], said[LARGEST + 1000 :])
    async with (
        proxy_of(plan({"north": upstream(north)}, limits=ProxyLimits(stop_grace=0.0))) as proxy,
        asyncio.timeout(4),
        proxy.client.post("/v1/messages", json=STREAM) as answer,
    ):
        found = await answer.content.readexactly(LARGEST)
        gate.go.set()
        assert found + await answer.read() == said


@pytest.mark.parametrize("ends", ["reset", "early"])
async def test_a_stream_that_is_lost_before_it_has_content_is_tried_again(north: Provider_, ends: str) -> None:
    async def lost(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers=SSE)
        await response.prepare(request)
        await response.write(START)
        if ends == "reset" and request.transport is not None:
            request.transport.abort()
        north.answer = saying(WHOLE["anthropic"])
        return response

    north.answer = lost
    async with proxy_of(plan({"north": upstream(north)}, limits=NOW)) as proxy:
        assert await proxy.post(STREAM) == (200, WHOLE["anthropic"])
    assert proxy.pipe.served[0].attempts == 2


@pytest.mark.parametrize(
    ("kind", "raised"), [("overloaded_error", "OverloadedError"), ("rate_limit_error", "RateLimitError")]
)
async def test_claude_raises_what_fits(kind: str, raised: str) -> None:
    async with bench_of("anthropic", ProxyLimits(retries=0, stop_grace=0.0)) as bench:
        bench.provider.answer = saying(START + event(claude_error(kind)))
        turns: Any = [{"role": "user", "content": "ping"}]
        with pytest.raises(getattr(anthropic, raised), match="no cormorants"):
            async with bench.claude.messages.stream(model="m", max_tokens=9, messages=turns) as stream:
                await stream.get_final_message()


async def test_gpt_raises_what_fits() -> None:
    async with bench_of("openai", ProxyLimits(retries=0, stop_grace=0.0)) as bench:
        bench.provider.answer = saying(ROLE + data(chat_error(code="rate_limit_exceeded")))
        turns: Any = [{"role": "user", "content": "ping"}]
        with pytest.raises(openai.RateLimitError, match="no cormorants"):
            await bench.gpt.chat.completions.create(model="m", messages=turns, stream=True)


@given(st.sampled_from(ERRORS), st.lists(st.integers(1, 90), max_size=12), st.booleans())
def test_how_a_stream_is_cut_makes_no_difference(
    case: tuple[DialectName, bytes, int, bool], cuts: list[int], fails: bool
) -> None:
    dialect, error, _, _ = case
    said = BEGINNINGS[dialect] + error if fails else WHOLE[dialect]
    found, fed, decided = Opening(dialect), b"", False
    rest = said
    for size in [*cuts, len(said)]:
        part, rest = rest[:size], rest[size:]
        fed += part
        decided = found.feed(part)
        assert found.buffered == fed
        if decided:
            break
    assert decided
    assert (found.error is not None) == fails
    assert (found.event == error.split(b"data: ")[1].strip()) or not fails


@given(st.binary(max_size=200), st.sampled_from(["anthropic", "chat", "responses"]))
def test_no_bytes_break_it(garbage: bytes, dialect: DialectName) -> None:
    found = Opening(dialect)
    if not found.feed(garbage):
        found.close()
    assert found.buffered == garbage
