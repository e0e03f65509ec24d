"""A refusal leaves the connection in a state that the client can rely on."""

from __future__ import annotations

import contextlib
import select
import socket
import time

import pytest

from jackfield.http.unread_body import DISCARD_SECONDS
from jackfield.testing.daemon import HOST, Daemon

BODY = b'{"name": "x"}'
EARLY_SECONDS = 0.3


def read_answer(sock: socket.socket) -> tuple[int, bytes]:
    """Status and head of one answer; (0, b"") when the connection was closed without one."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = sock.recv(65536)
        if not piece:
            return 0, b""
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    while len(body) < length:
        body += sock.recv(65536)
    return int(head.split(b" ", 2)[1]), head.lower()


@pytest.mark.parametrize(
    ("path", "header", "status"),
    [
        ("/api/v1/workflows", "Accept: */*", 401),
        ("/api/v1/workflows", "Origin: http://evil.test", 403),
        ("/webhook/unknown", "Accept: */*", 404),
        ("/api/unknown", "Accept: */*", 404),
    ],
)
def test_a_refusal_before_the_body_keeps_the_connection_or_says_that_it_ends(
    served: Daemon, path: str, header: str, status: int
) -> None:
    host = f"Host: {HOST}:{served.port}\r\n"
    head = f"POST {path} HTTP/1.1\r\n{host}{header}\r\nContent-Type: application/json\r\n"
    with socket.create_connection((HOST, served.port), timeout=10) as sock:
        sock.sendall(f"{head}Content-Length: {len(BODY)}\r\n\r\n".encode())
        select.select([sock], [], [], EARLY_SECONDS)  # a server that answers early has its chance
        sock.sendall(BODY)
        found, answer = read_answer(sock)
        assert found == status
        if b"connection: close" in answer:
            return
        again = 0
        with contextlib.suppress(ConnectionError):
            sock.sendall(f"GET /health HTTP/1.1\r\n{host}\r\n".encode())
            again, _ = read_answer(sock)
        assert again == 200, "the connection was closed without a word"


def test_an_early_refusal_does_not_hold_up_the_next_request(served: Daemon) -> None:
    """The body comes behind the head, as most clients send it, and the application still waits for it."""
    target = f"PATCH /api/v1/variables/x HTTP/1.1\r\nHost: {HOST}:{served.port}\r\n"
    head = f"{target}Authorization: Bearer {served.login()}\r\n"
    begun = time.monotonic()
    with socket.create_connection((HOST, served.port), timeout=10) as sock:
        for _ in range(12):
            sock.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n".encode())
            sock.sendall(BODY)
            assert read_answer(sock)[0] == 404
    assert time.monotonic() - begun < DISCARD_SECONDS, "one of them waited for a body that had come"
