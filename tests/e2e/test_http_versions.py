"""HTTP/2 is not spoken by the daemon's listener, whoever asks for it and however."""

from __future__ import annotations

import socket

import pytest

from jackfield.testing.daemon import HOST, Daemon

EMPTY_SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
"""The frame that either side of HTTP/2 begins with (RFC 9113 section 6.5)."""
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
UPGRADE = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n"
CLOSE = b"Connection: close\r\n"
WEBSOCKET = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"


def said(port: int, *requests: bytes) -> list[bytes]:
    """What each request is answered with, on one connection; of the last one, until the listener closes that."""
    found = []
    with socket.create_connection((HOST, port), timeout=10) as sock:
        for number, one in enumerate(requests, 1):
            sock.sendall(one)
            answer = b""
            while (number == len(requests) or not answer.endswith(b"}")) and (piece := sock.recv(65536)):
                answer += piece
            found.append(answer)
    return found


def asked(port: int, more: bytes = b"", *, method: str = "GET", path: str = "/health", version: str = "1.1") -> bytes:
    return f"{method} {path} HTTP/{version}\r\nHost: {HOST}:{port}\r\n".encode() + more + b"\r\n"


@pytest.mark.parametrize("body", [b"", b"Content-Length: 0\r\n"])
def test_an_upgrade_to_http2_is_answered_as_if_nobody_had_asked_for_it(served: Daemon, body: bytes) -> None:
    first, second = said(served.port, asked(served.port, UPGRADE + body), asked(served.port, CLOSE))
    for answer in (first, second):
        assert answer.startswith(b"HTTP/1.1 200")
        assert b'"service":"jackfield"' in answer
    assert b"h2c" not in first.lower()


@pytest.mark.parametrize("rest", [b"", EMPTY_SETTINGS])
def test_the_preface_of_http2_is_refused_and_the_connection_closed(served: Daemon, rest: bytes) -> None:
    (found,) = said(served.port, PREFACE + rest)
    assert found.startswith(b"HTTP/1.1 ")
    assert int(found.split(b" ", 2)[1]) in (400, 505)


@pytest.mark.parametrize(("path", "more"), [("/health", b""), ("/ws", WEBSOCKET)])
def test_a_request_that_calls_itself_http2_is_not_served(served: Daemon, path: str, more: bytes) -> None:
    (found,) = said(served.port, asked(served.port, more, path=path, version="2.0"))
    assert found.startswith(b"HTTP/1.1 505")
    assert said(served.port, asked(served.port, CLOSE))[0].startswith(b"HTTP/1.1 200")
