"""A short answer leaves in one piece: its head waits for the body that follows at once."""

from __future__ import annotations

import socket

import pytest

from jackfield.testing.daemon import HOST

from .conftest import StartDaemon

REQUEST = "{method} /health HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_an_answer_is_received_whole(new_daemon: StartDaemon, method: str) -> None:
    port = new_daemon().port
    with socket.create_connection((HOST, port), timeout=10) as sock:
        for _ in range(20):
            sock.sendall(REQUEST.format(method=method, host=HOST, port=port).encode())
            head, _, body = sock.recv(65536).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            assert len(body) == (0 if method == "HEAD" else int(length.partition(b":")[2]))


def test_answers_to_requests_sent_together_keep_their_order(new_daemon: StartDaemon) -> None:
    port = new_daemon().port
    with socket.create_connection((HOST, port), timeout=10) as sock:
        one = f"GET /nowhere HTTP/1.1\r\nHost: {HOST}:{port}\r\n"
        health = REQUEST.format(method="GET", host=HOST, port=port)
        sock.sendall(f"{health}{one}Connection: close\r\n\r\n".encode())
        answer = b""
        while piece := sock.recv(65536):
            answer += piece
    assert [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404"]
