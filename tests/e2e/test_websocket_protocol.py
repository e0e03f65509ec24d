"""RFC 6455 against a session's WebSocket and the events': what is right is served, what is wrong is closed with its
code. `tox -e terminal-soak` runs Autobahn's suite as well where it is installed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

import pytest

from jackfield.testing.websocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawWebSocket, frame

from .conftest import _factory
from .shell_daemon import Shells, printed, typed

JSON_PING = b'{"type": "ping"}'
SPLIT_WORD = '{"type": "ping", "text": "κόσμε漢😀"}'.encode()
RESERVED = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]
PROTOCOL_ERROR, BAD_TEXT, TOO_BIG = 1002, 1007, 1009

WRONG = {
    **{f"reserved bits {bits} (5.2)": (frame(TEXT, b"{}", reserved=bits), PROTOCOL_ERROR) for bits in range(1, 8)},
    **{f"reserved opcode {code} (5.2)": (frame(code, b"x"), PROTOCOL_ERROR) for code in RESERVED},
    "no mask (5.1)": (frame(TEXT, b"{}", mask=None), PROTOCOL_ERROR),
    "a continuation of nothing (5.4)": (frame(CONTINUATION, b"x"), PROTOCOL_ERROR),
    "a continuation of nothing, not the last (5.4)": (frame(CONTINUATION, b"x", fin=False), PROTOCOL_ERROR),
    "a text inside of a text (5.4)": (frame(TEXT, b"{", fin=False) + frame(TEXT, b"}"), PROTOCOL_ERROR),
    "a binary inside of a text (5.4)": (frame(TEXT, b"{", fin=False) + frame(BINARY, b"}"), PROTOCOL_ERROR),
    "a ping in parts (5.5)": (frame(PING, b"x", fin=False), PROTOCOL_ERROR),
    "a pong in parts (5.5)": (frame(PONG, b"x", fin=False), PROTOCOL_ERROR),
    "a close in parts (5.5)": (frame(CLOSE, b"\x03\xe8", fin=False), PROTOCOL_ERROR),
    "a ping of 126 bytes (5.5)": (frame(PING, b"x" * 126), PROTOCOL_ERROR),
    "a close of 126 bytes (5.5)": (frame(CLOSE, b"\x03\xe8" + b"x" * 124), PROTOCOL_ERROR),
    "a close of one byte (5.5.1)": (frame(CLOSE, b"\x03"), PROTOCOL_ERROR),
    "a close with a reason that is no text (5.5.1)": (frame(CLOSE, b"\x03\xe8\xff"), BAD_TEXT),
    **{
        f"a close with the code {code} (7.4)": (frame(CLOSE, code.to_bytes(2, "big")), PROTOCOL_ERROR)
        for code in (0, 999, 1004, 1005, 1006, 1015, 2999)
    },
    "a text that is no UTF-8 (8.1)": (frame(TEXT, b"\xce\xba\xed\xa0\x80"), BAD_TEXT),
    "a text that ends inside of a character (8.1)": (frame(TEXT, b"\xf0\x9f\x98"), BAD_TEXT),
    "an overlong character (8.1)": (frame(TEXT, b"\xc0\xaf"), BAD_TEXT),
    "a character beyond Unicode (8.1)": (frame(TEXT, b"\xf4\x90\x80\x80"), BAD_TEXT),
    "bad text in the second part (8.1)": (frame(TEXT, b"ok", fin=False) + frame(CONTINUATION, b"\xff"), BAD_TEXT),
    "bad text before the last part (8.1)": (frame(TEXT, b"\xff\xff", fin=False), BAD_TEXT),
    "a length with its first bit set (5.2)": (b"\x82\xff\x80" + bytes(7) + b"mask", PROTOCOL_ERROR),
    "a message beyond the limit": (frame(BINARY, b"x" * (1024 * 1024 + 1)), TOO_BIG),
    "a message beyond the limit in parts": (
        frame(BINARY, b"x" * 700_000, fin=False) + frame(CONTINUATION, b"x" * 700_000), TOO_BIG
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def shells(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shells]:
    factory = _factory(tmp_path_factory.mktemp("protocol"))
    yield Shells(next(factory)(arguments=["--server", server], start=False))
    next(factory, None)


@pytest.fixture(scope="module")
def echo(shells: Shells) -> str:
    """A session that prints what is typed, byte by byte."""
    session = shells.start("stty raw -echo; echo ready; exec cat")
    with shells.attach(session) as client:
        printed(client, b"ready")
    return session


@pytest.fixture(params=["terminal", "events"])
def client(request: pytest.FixtureRequest, shells: Shells, echo: str) -> Iterator[RawWebSocket]:
    path = f"/ws/terminal/{echo}" if request.param == "terminal" else "/ws"
    with RawWebSocket(shells.daemon.port, path) as made:
        yield made


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_closed_with_its_code(client: RawWebSocket, case: str) -> None:
    data, code = WRONG[case]
    with contextlib.suppress(ConnectionError):
        client.raw(data)
    assert client.find(CLOSE).code == code
    assert client.receive() is None, "the server closes the connection"


def test_so_it_is_byte_by_byte(client: RawWebSocket) -> None:
    for byte in frame(TEXT, b"\xce\xba\xed\xa0\x80"):
        with contextlib.suppress(ConnectionError):
            client.raw(bytes([byte]))
    assert client.find(CLOSE).code == BAD_TEXT


@pytest.mark.parametrize("payload", [b"", b"x", bytes(range(125))])
def test_a_ping_is_answered_with_its_payload(client: RawWebSocket, payload: bytes) -> None:
    client.send(PING, payload)
    assert client.find(PONG).payload == payload


def test_pings_are_answered_in_their_order_and_between_the_parts_of_a_message(client: RawWebSocket) -> None:
    client.send(TEXT, JSON_PING[:5], fin=False)
    for number in range(10):
        client.send(PING, b"%d" % number)
    client.send(PONG, b"unasked")
    client.send(CONTINUATION, b"", fin=False)
    client.send(CONTINUATION, JSON_PING[5:])
    assert [client.find(PONG).payload for _ in range(10)] == [b"%d" % number for number in range(10)]
    assert said(client) in ("pong", "error")  # a session knows no ping of this kind


def said(client: RawWebSocket) -> str:
    while True:
        kind = str(json.loads(client.find(TEXT).payload)["type"])
        if kind != "connected":
            return kind


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_text_may_be_parted_inside_of_its_characters(client: RawWebSocket, size: int) -> None:
    parts = [SPLIT_WORD[at : at + size] for at in range(0, len(SPLIT_WORD), size)]
    for place, part in enumerate(parts):
        client.send(CONTINUATION if place else TEXT, part, fin=place == len(parts) - 1)
    assert said(client) in ("pong", "error")


@pytest.mark.parametrize("code", [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999])
def test_a_close_is_answered_with_its_code(client: RawWebSocket, code: int) -> None:
    client.send(CLOSE, code.to_bytes(2, "big") + "für immer".encode())
    assert client.find(CLOSE).code == code
    assert client.receive() is None


def test_a_close_without_a_code_is_answered(client: RawWebSocket) -> None:
    client.send(CLOSE)
    assert client.find(CLOSE).code in (1000, 1005)
    assert client.receive() is None


def test_what_follows_a_close_is_not_heard(client: RawWebSocket) -> None:
    client.raw(frame(CLOSE, b"\x03\xe8") + frame(PING, b"late") + frame(15, b"late") + b"\xff" * 100)
    assert client.find(CLOSE).code == 1000
    while (found := client.receive()) is not None:
        assert found.opcode != PONG


@pytest.mark.parametrize("size", [0, 1, 125, 126, 127, 65_535, 65_536, 200_000])
def test_what_is_typed_arrives_in_any_length_and_in_any_parts(shells: Shells, echo: str, size: int) -> None:
    data = bytes(index * 31 % 251 for index in range(size)) + b"<%d>" % size
    with shells.attach(echo) as client:
        typed(client, b"<begin %d>" % size)
        printed(client, b"<begin %d>" % size)
        for at in range(0, len(data), 50_000):
            client.send(CONTINUATION if at else BINARY, data[at : at + 50_000], fin=at + 50_000 >= len(data))
        assert printed(client, data[-8:]).endswith(data)


@pytest.mark.parametrize(
    "change",
    [
        ("Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 12"),
        ("Upgrade: websocket\r\n", ""),
        ("GET", "POST"),
        ("Sec-WebSocket-Key:", "X-Key:"),
    ],
)
def test_a_handshake_that_is_none_is_refused(shells: Shells, change: tuple[str, str]) -> None:
    import socket

    head = (
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{shells.daemon.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nContent-Length: 0\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", shells.daemon.port), timeout=10) as sock:
        sock.sendall(head.replace(*change).encode())
        assert sock.recv(100).split(b" ")[1][:1] == b"4"
