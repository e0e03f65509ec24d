"""What is recorded of a request, however it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import Mock

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from proxy_lab import ASKED, EVENTS, MESSAGE, Provider_, default_answer, plan, proxy_of, rule, sse, until, upstream
from scripted import Say, chat_answer, chat_stream

from jackfield.api.dialects.model import DialectName, TokenCounts
from jackfield_proxy.child.answers.usage_observer import BEGINNING, END, UsageObserver
from jackfield_proxy.plan import Concurrency

SSE = {"Content-Type": "text/event-stream"}
STREAM = {**ASKED, "stream": True}
NAMED = f"00-{'1' * 32}-{'2' * 16}-01"


@pytest.fixture
async def north() -> AsyncIterator[Provider_]:
    async with Provider_().serving() as made:
        yield made


def staying(said: bytes) -> Any:
    """Says it and keeps the connection open."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers=SSE)
        await response.prepare(request)
        await response.write(said)
        await asyncio.sleep(60)
        return response

    return answer


def chat_events() -> bytes:
    body = chat_stream(Say("pong")).body
    assert isinstance(body, bytes)
    return body


@pytest.mark.parametrize(
    ("family", "said", "mark", "status"),
    [
        ("anthropic", sse(*EVENTS), b"message_stop", 200),
        ("anthropic", sse(*EVENTS[:4]), b"content_block_stop", 499),
        ("openai", chat_events(), b"message_stop", 200),
        ("openai", chat_events()[:600], b"content_block_delta", 499),
    ],
)
async def test_a_client_that_leaves_after_the_last_event_was_served(
    north: Provider_, family: str, said: bytes, mark: bytes, status: int
) -> None:
    north.answer = staying(said)
    async with proxy_of(plan({"north": upstream(north, family=family)})) as proxy:
        async with proxy.client.post("/v1/messages", json=STREAM) as answer:
            found = b""
            while mark not in found:
                found += await answer.content.readany()
            answer.close()
        await until(lambda: proxy.pipe.served)
    (served,) = proxy.pipe.served
    assert (served.status, served.provider, served.error) == (status, "north", None)
    if status == 200:
        assert (served.output or 0) > 0


async def test_a_request_that_left_the_queue_names_its_target(north: Provider_) -> None:
    begun, go = asyncio.Event(), asyncio.Event()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        begun.set()
        await go.wait()
        return await default_answer(request)

    north.answer = answer
    limited = upstream(north, concurrency=Concurrency(1, queue=5, timeout=10))
    async with proxy_of(plan({"north": limited}, rule("mine", "north/m"))) as proxy:
        first = asyncio.create_task(proxy.post(ASKED))
        await begun.wait()
        second = asyncio.create_task(proxy.post(ASKED))
        queue = proxy.sender.limiter._queues["north"]
        await until(lambda: queue.waiting)
        second.cancel()
        await until(lambda: proxy.pipe.served)
        go.set()
        await first
    served = proxy.pipe.served[0]
    assert (served.status, served.provider, served.model, served.rule) == (499, "north", "m", "mine")


@pytest.mark.parametrize(("sent", "kept"), [(NAMED, NAMED), ("x" * 4000, ""), (f"{NAMED}, {NAMED}", "")])
async def test_the_span_that_a_client_names_is_recorded(north: Provider_, sent: str, kept: str) -> None:
    async with proxy_of(plan({"north": upstream(north)}, rule("mine", "north/m"))) as proxy:
        assert (await proxy.post(ASKED, traceparent=sent))[0] == 200
    assert [served.traceparent for served in proxy.pipe.served] == [kept]


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("family", "tier", "path"),
    [("openai", "priority", "/v1/messages"), ("anthropic", "fast", "/v1/chat/completions")],
)
async def test_the_tier_of_a_translated_answer_is_recorded(
    north: Provider_, family: str, tier: str, path: str, stream: bool
) -> None:
    made = (chat_stream if stream else chat_answer)(Say("pong"))
    assert isinstance(made.body, bytes)
    dear = {**MESSAGE, "usage": {"input_tokens": 12, "output_tokens": 3, "speed": "fast"}}
    events = [{"type": "message_start", "message": {**dear, "content": [], "stop_reason": None}}, *EVENTS[1:]]
    said = {
        "openai": made.body.replace(b'"created": 1', b'"created": 1, "service_tier": "priority"'),
        "anthropic": sse(*events) if stream else json.dumps(dear).encode(),
    }[family]

    async def answer(_request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=said, headers=SSE if stream else {"Content-Type": "application/json"})

    north.answer = answer
    async with proxy_of(plan({"north": upstream(north, family=family)})) as proxy:
        assert (await proxy.post({**ASKED, "stream": stream}, path))[0] == 200
    (served,) = proxy.pipe.served
    assert (served.tier, served.translated) == (tier, True)


# ------------------------------------------------------------------------------------------------- read as it passes


def completed(size: int) -> bytes:
    item = {"type": "message", "content": [{"type": "output_text", "text": "x" * size}]}
    usage = {"input_tokens": 10, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}}
    done = {"id": "resp_1", "service_tier": "flex", "output": [item], "usage": usage}
    return sse({"type": "response.completed", "response": done})


@given(
    st.sampled_from([0, END - 100, END + 5000, 3 * BEGINNING]),
    st.lists(st.integers(1, BEGINNING), max_size=8),
    st.sampled_from([b"", b"data: [DONE]\n\n", b": bye\n\n" * 50]),
)
def test_the_last_event_is_read_however_long_it_is(size: int, cuts: list[int], after: bytes) -> None:
    created = sse({"type": "response.created", "response": {"id": "resp_1", "usage": None}})
    middle = sse({"type": "response.output_text.delta", "delta": 'say "usage": {"input_tokens": 99}'}) * 40
    rest, observer = created + middle + completed(size) + after, UsageObserver("responses", stream=True)
    for cut in [*cuts, len(rest)]:
        observer.feed(rest[:cut])
        rest = rest[cut:]
    observer.close()
    assert (observer.answer, observer.usage, observer.tier) == ("resp_1", TokenCounts(6, 2, 4), "flex")
    assert (observer.finished, observer.ended) == (True, True)


@pytest.mark.parametrize("size", [100, 10 * END])
def test_a_stream_that_stops_in_the_middle_is_not_finished(size: int) -> None:
    observer = UsageObserver("anthropic", stream=True)
    delta = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x" * size}}
    for _ in range(10):
        observer.feed(sse(*EVENTS[:2], delta))
    observer.close()
    assert (observer.answer, observer.usage, observer.finished, observer.ended) == (
        "msg_1",
        TokenCounts(12, 3),
        False,
        False,
    )


def test_what_is_held_of_a_stream_is_bounded() -> None:
    observer = UsageObserver("chat", stream=True)
    chunk = b'data: {"id": "chatcmpl-1", "choices": [], "usage": null}\n\n'
    for _ in range(5000):
        observer.feed(chunk)
    assert sum(map(len, observer._held)) <= END + len(chunk)
    assert not observer._begun


SPEAKS: dict[DialectName, str] = {
    "anthropic": 'event: message_stop\n\ndata: {"type":"message_stop"}',
    "chat": "\n\ndata: [DONE]\n\n",
    "responses": 'event: response.completed\n{"type": "response.completed"}',
}


@pytest.mark.parametrize("dialect", SPEAKS)
def test_an_answer_that_speaks_of_the_end_has_not_ended(dialect: DialectName) -> None:
    event = {
        "anthropic": {"type": "content_block_delta", "delta": {"type": "text_delta", "text": SPEAKS[dialect]}},
        "chat": {"id": "x", "error": None, "choices": [{"delta": {"content": SPEAKS[dialect]}, "finish_reason": None}]},
        "responses": {"type": "response.output_text.delta", "delta": SPEAKS[dialect]},
    }[dialect]
    observer = UsageObserver(dialect, stream=True)
    observer.feed(b"data: %b\n\n" % json.dumps(event).encode())
    observer.close()
    assert (observer.finished, observer.ended) == (False, False)


@pytest.mark.parametrize(
    ("dialect", "event"),
    [
        ("anthropic", b"event: message_stop\r\ndata: {}\r\n\r\n"),
        ("anthropic", b'data: {"type": "error", "error": {"type": "overloaded_error"}}\n\n'),
        ("chat", b"data: [DONE]\n\n"),
        ("chat", b"data:[DONE]"),
        ("chat", b'data: {"error": "no more"}\n\n'),
        ("responses", b'data: {"type":"response.incomplete"}\n\n'),
        ("responses", b"event: error\ndata: {}\n\n"),
    ],
)
def test_the_end_of_a_stream_is_seen(dialect: DialectName, event: bytes) -> None:
    observer = UsageObserver(dialect, stream=True)
    observer.feed(event)
    observer.close()
    assert (observer.finished, observer.ended) == (True, True)


def test_an_answer_without_a_name_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    observer, read = UsageObserver("chat", stream=True), Mock(side_effect=UsageObserver._event)
    monkeypatch.setattr(UsageObserver, "_event", lambda self, line: read(self, line))
    for _ in range(500):
        observer.feed(b'data: {"id": "", "choices": []}\n\n')
    assert read.call_count == 500


def test_counts_of_a_stream_that_come_again_as_nothing_stay() -> None:
    observer = UsageObserver("anthropic", stream=True)
    start = {"id": "msg_1", "usage": {"input_tokens": 100, "cache_read_input_tokens": 7, "output_tokens": 1}}
    steps = [
        {"type": "compaction", "input_tokens": 300, "output_tokens": 30},
        {"input_tokens": 100, "output_tokens": 5},
    ]
    last = {"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}
    observer.feed(
        sse({"type": "message_start", "message": start}, {"type": "message_delta", "delta": {}, "usage": last})
    )
    observer.close()
    assert observer.usage == TokenCounts(100, 5, 7)
    whole = UsageObserver("anthropic", stream=False)
    whole.feed(json.dumps({"id": "msg_1", "usage": {**last, "input_tokens": 100, "iterations": steps}}).encode())
    whole.close()
    assert whole.usage == TokenCounts(400, 35)
