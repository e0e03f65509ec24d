"""A body that comes behind its answer, as clients send that write head and body apart, holds up no next request."""

from __future__ import annotations

import socket
import time
from http.client import HTTPResponse

import pytest

from jackfield.testing.daemon import Daemon

WAIT = 5.0
"""Seconds that the daemon waits for such a body."""


def answered(connection: socket.socket) -> int:
    answer = HTTPResponse(connection)
    answer.begin()
    answer.read()
    return answer.status


@pytest.mark.parametrize("path", ["/health", "/nothing", "/api/v1/workflows", "/webhook/none"])
@pytest.mark.parametrize("expects", ["", "Expect: 100-continue\r\n"], ids=["plain", "expects"])
def test_the_next_request_is_answered_at_once(served: Daemon, path: str, expects: str) -> None:
    token = (served.config_dir / "daemon-token").read_text().strip()
    head = f"Host: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {token}\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(f"DELETE {path} HTTP/1.1\r\n{head}{expects}Content-Length: 2\r\n\r\n".encode())
        assert 400 <= answered(connection) < 500
        begun = time.monotonic()
        connection.sendall(b"{}" + f"GET /health HTTP/1.1\r\n{head}\r\n".encode())
        assert answered(connection) == 200
        assert time.monotonic() - begun < WAIT / 2
