"""A request that is read at a glance is what h11 and httptools make of it; whatever is doubtful is left to them."""

from __future__ import annotations

import h11
import httptools
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.http.http1.plain import plain_request

HEAD = b"POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nX-A:  b c \t\r\n\r\n"
LONGEST = 16 * 1024


def test_a_whole_request_is_read() -> None:
    found = plain_request(HEAD + b"{}GET", LONGEST)
    assert found is not None
    assert (found.method, found.target, found.body, found.rest) == ("POST", b"/a?b=c", b"{}", b"GET")
    assert found.headers == [(b"host", b"x"), (b"content-length", b"2"), (b"x-a", b"b c")]
    assert found.persists


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"{}", b"{"),
        (b"X-A:", b"X-A :"),
        (b"X-A:", b" X-A:"),
        (b"X-A:", b"Host:"),
        (b"X-A:", b"Content-Length:"),
        (b"X-A:", b"Transfer-Encoding:"),
        (b"X-A:", b"Upgrade:"),
        (b"X-A:", b"Expect:"),
        (b"X-A:", b"Connection:"),
        (b"X-A:", b"X\xc3A:"),
        (b"X-A:", b"X-A"),
        (b"Host: x\r\n", b""),
        (b"Length: 2", b"Length: +2"),
        (b"Length: 2", b"Length: 2, 2"),
        (b"Length: 2", b"Length: \xb2"),
        (b"HTTP/1.1", b"HTTP/1.0"),
        (b"HTTP/1.1", b"HTTP/1.1 "),
        (b"POST", b"post"),
        (b"POST", b"CONNECT"),
        (b"/a", b"http://x/a"),
        (b"/a", b"/\xc3"),
        (b"/a", b"/a b"),
        (b"b c", b"b\0c"),
        (b"b c", b"b\nc"),
        (b"b c", b"b\rc"),
        (b"\r\nX-A", b"\nX-A"),
        (b"\r\n\r\n", b"\r\n\n"),
        (b"POST", b"\r\nPOST"),
    ],
)
def test_what_is_doubtful_is_not_plain(old: bytes, new: bytes) -> None:
    sent = HEAD + b"{}"
    assert sent.replace(old, new, 1) != sent
    assert plain_request(sent.replace(old, new, 1), LONGEST) is None
    assert plain_request(sent, len(HEAD) - 1) is None, "a head that is too long"


def by_h11(data: bytes) -> tuple[bytes, bytes, list[tuple[bytes, bytes]], bytes, bytes]:
    """Raises `h11.RemoteProtocolError`."""
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(data)
    request = connection.next_event()
    assert isinstance(request, h11.Request)
    body = b""
    while not isinstance(event := connection.next_event(), h11.EndOfMessage):
        assert isinstance(event, h11.Data)
        body += bytes(event.data)
    return request.method, request.target, list(request.headers), body, connection.trailing_data[0]


class ByHttptools:
    """What httptools finds in data that has one request."""

    def __init__(self, data: bytes) -> None:
        """Raises `httptools.HttpParserError`."""
        self.target, self.body = b"", b""
        self.headers: list[tuple[bytes, bytes]] = []
        self.messages = 0
        parser = httptools.HttpRequestParser(self)
        parser.feed_data(data)
        self.method, self.persists = parser.get_method(), parser.should_keep_alive()

    def on_url(self, url: bytes) -> None:
        self.target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers.append((name.lower(), value.strip(b" \t")))

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.messages += 1


PIECES = [
    b"GET", b"POST", b" ", b"/", b"/a", b"?", b"#", b"HTTP/1.1", b"\r\n", b"\n", b"\r", b"Host", b":", b": ", b"x",
    b"\t",
    b"Content-Length", b"1", b"0", b"Connection", b"close", b"keep-alive", b"Transfer-Encoding", b"chunked", b"X-A",
    b"\0", b"\x7f", b"\xe9", b",", b"\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14), st.integers(0, len(HEAD)))
def test_what_is_plain_others_read_alike(pieces: list[bytes], place: int) -> None:
    made = b"".join(pieces)
    for data in (
        made,
        HEAD[:place] + made + HEAD[place:] + b"{}",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + made + b"\r\n\r\n",
    ):
        found = plain_request(data, LONGEST)
        if found is not None:
            got = found.method.encode(), found.target, found.headers, found.body, found.rest
            assert by_h11(data) == got
            found_too = ByHttptools(data[: len(data) - len(found.rest)])
            assert (found_too.method, found_too.target, found_too.headers, found_too.body) == got[:4]
            assert (found_too.messages, found_too.persists) == (1, found.persists)
