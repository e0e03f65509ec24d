"""The short cut of a WebSocket: what takes it, what does not, and that nothing is overtaken."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wsproto.connection import Connection, ConnectionType
from wsproto.events import BytesMessage

from jackfield.api.asgi import shortcut_of
from jackfield.http.hypercorn_connections.receiving import ReceiveQueue
from jackfield.http.websocket_shortcut import SHORT, Upgraded, WebSocketShortcut, head, unmasked
from jackfield.testing.websocket import BINARY, CLOSE, CONTINUATION, PING, TEXT, frame, masking


class Asked(ReceiveQueue):
    """One that an application waits at, or not."""

    asked = True

    @property
    def is_asked(self) -> bool:
        return self.asked


class Way:
    """A short cut whose two ends write down what they get."""

    def __init__(self, *, takes: int = 1000) -> None:
        self.queue, self.taken, self.sent = Asked(1), bytearray(), bytearray()
        self.between, self.takes = True, takes
        self.shortcut = WebSocketShortcut(self.queue, lambda: self.between, self._write)
        self.shortcut.listen(self._take)

    def _take(self, data: bytes) -> bytes:
        self.taken += data[: self.takes]
        return data[self.takes :]

    def _write(self, data: bytes) -> bool:
        self.sent += data
        return True


def server() -> Connection:
    return Connection(ConnectionType.SERVER, [])


@given(st.binary(min_size=1, max_size=SHORT), st.binary(min_size=4, max_size=4))
def test_a_small_message_is_taken_at_once(data: bytes, mask: bytes) -> None:
    way = Way()
    assert way.shortcut.received(frame(BINARY, data, mask=mask)) == b""
    assert way.taken == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x82",
        frame(BINARY),
        frame(TEXT, b"a"),
        frame(PING, b"a"),
        frame(CLOSE, b"\x03\xe8"),
        frame(CONTINUATION, b"a"),
        frame(BINARY, b"a", fin=False),
        frame(BINARY, b"a", reserved=4),
        frame(BINARY, b"a", mask=None),
        frame(BINARY, b"abcdefgh", mask=None),
        frame(BINARY, b"ab")[:-1],
        frame(BINARY, b"ab") + b"\x82",
        frame(BINARY, b"a") + frame(BINARY, b"b"),
        frame(BINARY, b"a" * 126),
        frame(BINARY, b"a" * 70_000),
    ],
)
def test_all_else_goes_the_usual_way_as_it_is(data: bytes) -> None:
    way = Way()
    assert way.shortcut.received(data) == data
    assert not way.taken


def test_so_does_what_follows_something_that_is_not_dealt_with() -> None:
    way, data = Way(), frame(BINARY, b"a")
    way.between = False
    assert way.shortcut.received(data) == data
    way.between, way.queue.asked = True, False
    assert way.shortcut.received(data) == data
    assert not way.taken


def test_a_way_that_is_shut_stays_so() -> None:
    way, data = Way(), frame(BINARY, b"a")
    way.shortcut.close()
    way.shortcut.listen(lambda data: b"")
    assert way.shortcut.received(data) == data
    assert not way.shortcut.send(b"x")
    assert not way.sent


@given(st.binary(min_size=2, max_size=SHORT), st.data())
def test_what_is_not_taken_of_a_message_comes_the_usual_way(data: bytes, draw: st.DataObject) -> None:
    count = draw.draw(st.integers(0, len(data) - 1))
    way, usual = Way(takes=count), server()
    usual.receive_data(way.shortcut.received(frame(BINARY, data)))
    [event] = usual.events()
    assert isinstance(event, BytesMessage)
    assert event.message_finished
    assert bytes(way.taken) + bytes(event.data) == data


@pytest.mark.parametrize("size", [1, 125, 126, 65_535, 65_536, 200_000])
def test_a_frame_is_the_same_as_by_the_usual_way(size: int) -> None:
    assert head(size) + b"x" * size == server().send(BytesMessage(data=b"x" * size))


@given(st.binary(max_size=SHORT), st.binary(min_size=4, max_size=4))
def test_masking(data: bytes, mask: bytes) -> None:
    assert unmasked(mask, masking(data, mask)) == data


async def test_an_application_is_asked_only_when_it_has_dealt_with_all() -> None:
    queue = ReceiveQueue(2)
    assert not queue.is_asked
    waiting = asyncio.ensure_future(queue.get())
    await asyncio.sleep(0)
    assert queue.is_asked
    await queue.put({"type": "websocket.receive"})
    assert not queue.is_asked, "it has not been told yet"
    await waiting
    assert not queue.is_asked, "it may be busy with it"
    waiting = asyncio.ensure_future(queue.get())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert not queue.is_asked
    queue.close()


def test_the_rest_and_the_end_reach_the_streams() -> None:
    calls: list[Any] = []

    class Streams(asyncio.Protocol):
        def data_received(self, data: bytes) -> None:
            calls.append(data)

        def eof_received(self) -> bool | None:
            calls.append("eof")
            return True

        def connection_lost(self, exc: Exception | None) -> None:
            calls.append("lost")

        def pause_writing(self) -> None:
            calls.append("pause")

        def resume_writing(self) -> None:
            calls.append("resume")

    between = Upgraded(Streams(), lambda data: data[2:])
    between.data_received(b"ab")
    between.data_received(b"abc")
    assert between.eof_received()
    between.pause_writing()
    between.resume_writing()
    between.connection_lost(None)
    assert calls == [b"c", "eof", "pause", "resume", "lost"]


def test_other_servers_have_none() -> None:
    assert shortcut_of({"type": "websocket"}) is None
    assert shortcut_of({"type": "websocket", "extensions": {"websocket.http.response": {}}}) is None
