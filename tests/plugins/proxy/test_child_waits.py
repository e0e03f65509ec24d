"""The one timer of an answer, and the reader's buffer that is taken at once."""

from __future__ import annotations

import asyncio
import json
from unittest.mock import Mock

import pytest
from aiohttp import StreamReader, web
from hypothesis import given
from hypothesis import strategies as st
from proxy_lab import ASKED, EVENTS, TOKEN, Provider_, plan, proxy_of, sse, until, upstream

from jackfield_proxy.child.answers.idle_timer import LOOKS, IdleTimer
from jackfield_proxy.child.incoming.draining import drained
from jackfield_proxy.plan import ProxyLimits


class Loop:
    """Time that the test moves on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, object]] = []
        self.cancelled = 0
        monkeypatch.setattr(asyncio, "get_running_loop", lambda: self)

    def call_later(self, seconds: float, call: object) -> Loop:
        self.timers.append((self.now + seconds, call))
        return self

    def cancel(self) -> None:
        self.cancelled += 1
        self.timers.clear()

    def run(self, until: float) -> None:
        while self.timers and self.timers[0][0] <= until:
            self.now, call = self.timers.pop(0)
            call()  # type: ignore[operator]
        self.now = until


def test_a_wait_that_takes_too_long_is_told_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, expired = Loop(monkeypatch), Mock()
    watch = IdleTimer(8.0, expired)
    loop.run(7.9)
    assert not expired.called
    loop.run(8.0 + 8.0 / LOOKS)
    assert expired.call_count == 1
    loop.run(16.0 + 8.0 / LOOKS)
    assert expired.call_count == 2
    watch.close()


def test_each_new_wait_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, expired = Loop(monkeypatch), Mock()
    watch = IdleTimer(8.0, expired)
    for second in range(1, 50):
        watch.begun += 1
        loop.run(float(second * 7))
    assert not expired.called
    loop.run(loop.now + 8.5)
    assert expired.call_count == 1


def test_nothing_is_told_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    loop, expired = Loop(monkeypatch), Mock()
    IdleTimer(8.0, expired).close()
    loop.run(100.0)
    assert (expired.called, loop.cancelled) == (False, 1)


def reader(*chunks: bytes) -> tuple[StreamReader, Mock]:
    protocol = Mock()
    made = StreamReader(protocol, limit=64, loop=Mock())
    for chunk in chunks:
        made.begin_http_chunk_receiving()
        made.feed_data(chunk)
        made.end_http_chunk_receiving()
    return made, protocol


@given(st.lists(st.lists(st.binary(min_size=1, max_size=40), max_size=12), max_size=4))
def test_what_is_drained_is_what_was_fed(rounds: list[list[bytes]]) -> None:
    made, _ = reader()
    for chunks in rounds:
        for chunk in chunks:
            made.begin_http_chunk_receiving()
            made.feed_data(chunk)
            made.end_http_chunk_receiving()
        assert drained(made) == b"".join(chunks)
        assert drained(made) == b""
    made.feed_eof()
    assert made.at_eof()


def test_the_connection_is_asked_for_more_once() -> None:
    made, protocol = reader(*[b"x" * 10] * 40)
    assert protocol.pause_reading.called
    assert drained(made) == b"x" * 400
    assert protocol.resume_reading.call_count == 1


def test_a_connection_that_was_not_made_to_wait_is_not_asked_for_more_at_the_end() -> None:
    made, protocol = reader(b"a", b"b")
    protocol._reading_paused = False
    made.feed_eof()
    protocol.reset_mock()
    assert drained(made) == b"ab"
    assert made.at_eof()
    assert not protocol.resume_reading.called


def test_one_that_was_made_to_wait_is_asked_for_more_at_the_end() -> None:
    made, protocol = reader(b"a" * 400)
    protocol._reading_paused = True
    made.feed_eof()
    protocol.reset_mock()
    assert drained(made) == b"a" * 400
    assert protocol.resume_reading.called


def test_what_ended_the_connection_is_raised() -> None:
    made, _ = reader(b"a", b"b")
    made.set_exception(ConnectionResetError())
    with pytest.raises(ConnectionResetError):
        drained(made)


@pytest.mark.parametrize("family", ["anthropic", "openai"])
async def test_a_client_that_takes_nothing_is_given_up_and_its_provider_with_it(family: str) -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "x" * 60_000}, "finish_reason": None}]}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x" * 60_000}}
    more = sse(delta) if family == "anthropic" else b"data: " + json.dumps(chunk).encode() + b"\n\n"

    async def endless(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(sse(*EVENTS[:2]) if family == "anthropic" else b"")
        while True:
            await response.write(more)

    async with Provider_().serving() as north:
        north.answer = endless
        quick = ProxyLimits(retries=0, idle_timeout=0.2, stop_grace=0.0)
        async with proxy_of(plan({"north": upstream(north, family=family)}, limits=quick)) as proxy:
            base = proxy.client._base_url
            assert base is not None
            _, writer = await asyncio.open_connection("127.0.0.1", base.port, limit=1024)
            body = json.dumps({**ASKED, "stream": True}).encode()
            head = f"POST /v1/messages HTTP/1.1\r\nHost: p\r\nx-api-key: {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            async with asyncio.timeout(10):
                await north.gone.wait()
            await until(lambda: proxy.pipe.served)
            writer.close()
        assert proxy.pipe.served[0].status == 499
