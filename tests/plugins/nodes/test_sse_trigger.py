"""SSE Trigger, through the real client to a real server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench

from jackfield.api.dialects.sse import EventTooLarge
from jackfield.api.nodes import NodeError
from jackfield.api.triggers.failures import ServiceRefusal
from jackfield.testing.listening import HeardEvents, listen_run, listening
from jackfield_nodes.http.event_stream import EventStream
from jackfield_nodes.http.settings import HttpSettings


class Streams:
    """The server: each connection gets the next text, and ends unless `stays`. asked: headers of each request."""

    def __init__(self, *texts: bytes, stays: bool = True, status: int = 200) -> None:
        self.texts = list(texts)
        self.stays = stays
        self.status = status
        self.asked: list[Any] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.headers)
        if self.status != 200:
            return web.Response(status=self.status, headers={"Retry-After": "7"})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await response.prepare(request)
        if self.texts:
            await response.write(self.texts.pop(0))
        if self.stays:
            await asyncio.sleep(60)
        return response

    @contextlib.asynccontextmanager
    async def served(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_get("/events", self.answer)
        runner = web.AppRunner(app, shutdown_timeout=0.01)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/events"
        finally:
            await runner.cleanup()


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    # The timeout is shorter than the stream lives.
    return make_bench(HttpSettings(allowed_networks=["127.0.0.0/8"], timeout=0.5, max_response_bytes=1024))


@contextlib.asynccontextmanager
async def opened(bench: Bench, url: str, **more: Any) -> AsyncIterator[HeardEvents]:
    node = bench.types["sseTrigger"]
    async with listening(node, listen_run(node, {"url": url}, **more)) as events:
        yield events


async def test_events_without_a_name_are_items(bench: Bench) -> None:
    text = b': hi\n\ndata: {"a":1}\n\nevent: other\ndata: {"a":2}\n\ndata: no json\n\nevent: message\ndata: [3]\n\n'
    streams = Streams(text)
    async with streams.served() as url, opened(bench, url) as events:
        assert await events.json(2) == [{"a": 1}, {"data": [3]}]
        assert streams.asked[0]["accept"] == "text/event-stream"


async def test_a_stream_outlives_the_timeout_of_requests(bench: Bench) -> None:
    async with Streams(b'data: {"a":1}\n\n').served() as url, opened(bench, url) as events:
        assert await events.json(1) == [{"a": 1}]
        with pytest.raises(TimeoutError):
            await events.event(0.8)


async def test_what_came_since_the_last_event_is_asked_for(bench: Bench) -> None:
    streams = Streams(
        b'retry: 500\nid: 7\ndata: {"a":1}\n\nid: 8\ndata: {"half":', b'id: 8\ndata: {"a":2}\n\n', stays=False
    )
    async with streams.served() as url:
        async with opened(bench, url) as events:
            assert await events.json(1) == [{"a": 1}]
            following = asyncio.ensure_future(events.json(1))
            while not following.done():
                await bench.clock.advance(0.6)
                await asyncio.sleep(0.001)  # the server answers in this very loop
            assert following.result() == [{"a": 2}]
            assert [one.get("last-event-id") for one in streams.asked] == [None, "7"]
            assert events.state == {"url": url, "lastEventId": "8"}
        async with opened(bench, url, state=events.state):
            assert streams.asked[-1]["last-event-id"] == "8"
        async with opened(bench, url, state={**events.state, "url": "http://other"}):
            assert "last-event-id" not in streams.asked[-1]


async def test_refusals(bench: Bench) -> None:
    async with Streams(status=503).served() as url:
        with pytest.raises(ServiceRefusal, match="503") as refused:
            async with opened(bench, url):
                pass
        assert refused.value.retry_after == 7
    async with Streams(b"data: " + b"x" * 2000).served() as url:
        with pytest.raises(NodeError, match="larger"):
            async with opened(bench, url) as events:
                await events.event()


LINES = st.lists(
    st.sampled_from([b"data: a", b"data:b", b"id: 1", b"event: x", b"retry: 5", b": c", b"", b"data", b"id"]),
    max_size=12,
)


@given(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"]), st.data())
def test_a_stream_means_the_same_however_it_is_cut(lines: list[bytes], end: bytes, data: Any) -> None:
    text = b"".join(line + end for line in lines) + b": end\n"
    whole = EventStream(1000)
    expected = whole.feed(text)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    cut = EventStream(1000)
    found = [
        event
        for begin, stop in zip([0, *cuts], [*cuts, len(text)], strict=True)
        for event in cut.feed(text[begin:stop])
    ]
    assert found == expected
    assert (cut.ident, cut.retry_ms) == (whole.ident, whole.retry_ms)


def test_events_have_a_limit() -> None:
    with pytest.raises(EventTooLarge):
        EventStream(10).feed(b"data: 12345\ndata: 678901\n")
    with pytest.raises(EventTooLarge):
        EventStream(10).feed(b"x" * 11)
