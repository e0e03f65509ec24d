"""A request must arrive in time and in order; what has arrived may take as long as it wants."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator

import pytest

from jackfield.testing.daemon import HOST, Daemon
from jackfield.testing.documents import chain, node, webhook
from jackfield.testing.websocket import PING, PONG, RawWebSocket

from ..conftest import StartDaemon

SHORT = "[server.connections]\nfirst_byte_timeout = 0.4\nhead_timeout = 0.4\nrequest_timeout = 1\n"
LONG = 2.0
"""Seconds: longer than all of these."""


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("hasty"), settings=SHORT)
    try:
        yield daemon.start()
    finally:
        daemon.close()


@contextlib.contextmanager
def connected(daemon: Daemon, sent: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection((HOST, daemon.port), timeout=20) as sock:
        sock.sendall(sent)
        yield sock


def everything(sock: socket.socket) -> bytes:
    """Until the daemon closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := sock.recv(65536):
            found += piece
    return found


def answered(sock: socket.socket) -> None:
    """Takes one answer of `/health`."""
    found = b""
    while not found.endswith(b"}"):
        found += sock.recv(65536)
    assert found.startswith(b"HTTP/1.1 200 ")


def head(daemon: Daemon, *lines: str, method: str = "POST", path: str = "/webhook/x", version: str = "1.1") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/{version}", f"Host: {HOST}:{daemon.port}", *lines, "", ""]).encode()


MALFORMED = {
    "both lengths": (["Transfer-Encoding: chunked", "Content-Length: 5"], b"0\r\n\r\n", "exclude each other"),
    "both lengths, the other way round": (
        ["Content-Length: 5", "Transfer-Encoding: chunked"],
        b"0\r\n\r\n",
        "exclude each other",
    ),
    "a folded header": (["X-Folded: a\r\n b", "Content-Length: 0"], b"", "folded"),
    "a header folded with a tab": (["X-Folded: a\r\n\tb", "Content-Length: 0"], b"", "folded"),
    "a bare LF between headers": (["X-A: a\nX-B: b", "Content-Length: 0"], b"", "ends in LF"),
    "a bare CR in a chunk's line": (
        ["Transfer-Encoding: chunked"],
        b"1;a\rb\r\n1\r\n0\r\n\r\n",
        "has a CR in its middle",
    ),
    "a bare LF in trailers": (["Transfer-Encoding: chunked"], b"0\r\nX-A: b\nX-C: d\r\n\r\n", "ends in LF"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_request_that_may_be_read_in_two_ways_is_refused(daemon: Daemon, name: str) -> None:
    lines, body, reason = MALFORMED[name]
    second = head(daemon, method="GET", path="/health")
    with connected(daemon, head(daemon, *lines) + body + second) as sock:
        found = everything(sock)
    assert found.startswith(b"HTTP/1.1 400 ")
    assert found.count(b"HTTP/1.1 ") == 1, "nothing behind it is answered"
    told = json.loads(found.partition(b"\r\n\r\n")[2])
    assert reason in told["error"]
    assert told["code"] == "MALFORMED_REQUEST"


@pytest.mark.parametrize(
    "sent",
    [b"GET /health HTTP/1.1\nHost: a\n\n", b"GET /health HTTP/1.1\r\nHost: a\r\n\n", b"\nGET /health HTTP/1.1\r\n"],
)
def test_a_head_that_ends_in_bare_lf_is_refused_at_once(daemon: Daemon, sent: bytes) -> None:
    with connected(daemon, sent) as sock:
        assert everything(sock).startswith(b"HTTP/1.1 400 ")


def test_http_1_0_has_no_transfer_encoding(daemon: Daemon) -> None:
    with connected(daemon, head(daemon, "Transfer-Encoding: chunked", version="1.0") + b"0\r\n\r\n") as sock:
        assert b"HTTP/1.0 has no Transfer-Encoding" in everything(sock)


def test_a_silent_connection_ends_without_a_word(hasty: Daemon) -> None:
    with connected(hasty) as sock:
        assert everything(sock) == b""


@pytest.mark.parametrize("before", [False, True])
def test_a_dripped_head_ends_with_408(hasty: Daemon, before: bool) -> None:
    """before: a request has been answered on the connection."""
    with connected(hasty, head(hasty, method="GET", path="/health") if before else b"") as sock:
        if before:
            answered(sock)
        begun = time.monotonic()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            sock.settimeout(0.05)
            for byte in b"GET /health HTTP/1.1\r\nX-Slow: " + b"a" * 400:
                sock.sendall(bytes([byte]))
                with contextlib.suppress(TimeoutError):
                    found = sock.recv(65536)
                    break
        assert found.startswith(b"HTTP/1.1 408 ")
        assert b"server.connections.head_timeout" in found
        assert time.monotonic() - begun < 10


def test_a_body_that_does_not_arrive_ends_with_408(hasty: Daemon) -> None:
    sent = head(hasty, "Content-Type: application/json", "Content-Length: 1000", path="/api/v1/auth/login")
    with connected(hasty, sent + b"{") as sock:
        found = everything(sock)
    assert found.startswith(b"HTTP/1.1 408 ")
    assert b"server.connections.request_timeout" in found


def test_a_long_call_is_answered(hasty: Daemon) -> None:
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": LONG, "unit": "seconds"}, version=1.1)
    hasty.live(chain("long", webhook("long", responseMode="lastNode"), wait))
    begun = time.monotonic()
    assert hasty.client().post("/webhook/long", json={}).status_code == 200
    assert time.monotonic() - begun >= LONG


def test_an_idle_connection_is_kept_and_a_websocket_goes_on(hasty: Daemon) -> None:
    ask = head(hasty, method="GET", path="/health")
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": LONG, "unit": "seconds"}, version=1.1)
    hasty.live(chain("meanwhile", webhook("meanwhile", responseMode="lastNode"), wait))
    with RawWebSocket(hasty.port, "/ws") as other, connected(hasty, ask) as sock:
        answered(sock)
        assert hasty.client().post("/webhook/meanwhile", json={}).status_code == 200
        sock.sendall(ask)
        answered(sock)
        other.send(PING, b"still")
        assert other.find(PONG).payload == b"still"


def test_an_idle_connection_ends_in_its_time(new_daemon: StartDaemon) -> None:
    daemon = new_daemon("[server]\nkeep_alive = 0.5\n")
    with connected(daemon, head(daemon, method="GET", path="/health")) as sock:
        answered(sock)
        assert everything(sock) == b""


def test_idle_and_silent_connections_hold_up_no_stop(new_daemon: StartDaemon) -> None:
    daemon = new_daemon()
    with connected(daemon), connected(daemon, head(daemon, method="GET", path="/health")) as sock:
        answered(sock)
        begun = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - begun < 10, "less than server.keep_alive and daemon.shutdown_timeout"
        assert everything(sock) == b""
