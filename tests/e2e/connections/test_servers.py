"""The other server's connections: uvicorn's are admitted and timed as Hypercorn's."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Iterator

import pytest

from jackfield.core.line_limit import LINES
from jackfield.testing.daemon import HOST, Daemon, poll
from jackfield.testing.documents import chain, node, webhook
from jackfield.testing.websocket import RawWebSocket

from .figures import metric

TIMES = "[server.connections]\nfirst_byte_timeout = 0.4\nhead_timeout = 0.4\nrequest_timeout = 1\ntotal = 40\n"
LONG = 2.0


@pytest.fixture(scope="module")
def uvicorn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    pytest.importorskip("uvicorn")
    daemon = Daemon(tmp_path_factory.mktemp("uvicorn"), settings=f'[server]\nimplementation = "uvicorn"\n{TIMES}')
    try:
        yield daemon.start()
    finally:
        daemon.close()


def everything(daemon: Daemon, *sent: bytes, pause: float = 0.0) -> bytes:
    """What comes until the daemon closes the connection."""
    found = b""
    with socket.create_connection((HOST, daemon.port), timeout=20) as sock, contextlib.suppress(ConnectionError):
        for piece in sent:
            sock.sendall(piece)
            time.sleep(pause)
        while piece := sock.recv(65536):
            found += piece
    return found


def head(daemon: Daemon, *lines: str, method: str = "GET", path: str = "/health", version: str = "1.1") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/{version}", f"Host: {HOST}:{daemon.port}", *lines, "", ""]).encode()


def test_a_silent_connection_ends(uvicorn: Daemon) -> None:
    assert everything(uvicorn) == b""
    assert metric(uvicorn, 'connections_timed_out_total{port="daemon",reason="first_byte"}') >= 1


@pytest.mark.parametrize("before", [False, True])
def test_a_dripped_head_ends_with_408(uvicorn: Daemon, before: bool) -> None:
    """before: a request has been answered on the connection."""
    with socket.create_connection((HOST, uvicorn.port), timeout=20) as sock:
        if before:
            sock.sendall(head(uvicorn))
            answered = b""
            while not answered.endswith(b"}"):  # head and body may come apart
                answered += sock.recv(65536)
            assert answered.startswith(b"HTTP/1.1 200 ")
        sock.settimeout(0.05)
        found = b""
        for byte in b"GET /health HTTP/1.1\r\nX-Slow: " + b"a" * 400:
            sock.sendall(bytes([byte]))
            with contextlib.suppress(TimeoutError):
                found = sock.recv(65536)
                break
    assert found.startswith(b"HTTP/1.1 408 ")
    assert b"server.connections.head_timeout" in found


def test_a_body_that_does_not_arrive_ends_with_408(uvicorn: Daemon) -> None:
    sent = head(
        uvicorn, "Content-Type: application/json", "Content-Length: 99", method="POST", path="/api/v1/auth/login"
    )
    found = everything(uvicorn, sent + b"{")
    assert found.startswith(b"HTTP/1.1 408 ")
    assert b"server.connections.request_timeout" in found


def test_a_long_call_and_what_is_idle_go_on(uvicorn: Daemon) -> None:
    wait = node("Wait", "wait", {"resume": "timeInterval", "amount": LONG, "unit": "seconds"}, version=1.1)
    uvicorn.live(chain("long", webhook("long", responseMode="lastNode"), wait))
    with socket.create_connection((HOST, uvicorn.port), timeout=20) as idle:
        idle.sendall(head(uvicorn))
        assert idle.recv(4096).startswith(b"HTTP/1.1 200 ")
        assert uvicorn.client().post("/webhook/long", json={}).status_code == 200
        idle.sendall(head(uvicorn) * 3)  # pipelined
        found = b""
        while found.count(b"HTTP/1.1 200 ") < 3:
            found += idle.recv(65536)


@pytest.mark.parametrize(
    "lines",
    [
        ["Transfer-Encoding: chunked", "Content-Length: 5"],
        ["Content-Length: 5", "Transfer-Encoding: chunked"],
        ["X-A: a\nX-B: b", "Content-Length: 0"],
        ["Transfer-Encoding: gzip, chunked"],
        ["Transfer-Encoding: ,chunked"],
    ],
)
def test_a_request_that_may_be_read_in_two_ways_is_refused(uvicorn: Daemon, lines: list[str]) -> None:
    before = metric(uvicorn, "requests_malformed_total")
    found = everything(uvicorn, head(uvicorn, *lines, method="POST") + b"0\r\n\r\n" + head(uvicorn))
    assert found.startswith(b"HTTP/1.1 400 ")
    assert found.count(b"HTTP/1.1 ") == 1, "nothing behind it is answered"
    assert b"MALFORMED_REQUEST" in found
    assert metric(uvicorn, "requests_malformed_total") == before + 1


def test_malformed_requests_do_not_fill_the_log(uvicorn: Daemon) -> None:
    before = metric(uvicorn, "requests_malformed_total")
    for _ in range(50):
        assert everything(uvicorn, b"\0\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert metric(uvicorn, "requests_malformed_total") == before + 50
    log = (uvicorn.config_dir / "logs" / "jackfield.log").read_text()
    assert 0 < log.count("Invalid HTTP request received.") <= LINES


@pytest.mark.parametrize("version", ["0.9", "2.0"])
def test_other_versions_are_refused(uvicorn: Daemon, version: str) -> None:
    assert everything(uvicorn, head(uvicorn, version=version)).startswith(b"HTTP/1.1 400 ")


def test_blanks_around_a_length_are_none_of_it(uvicorn: Daemon) -> None:
    sent = head(uvicorn, "Content-Length: \t 0 \t", "Connection: close", method="POST", path="/webhook/none")
    assert everything(uvicorn, sent).startswith(b"HTTP/1.1 404 ")


def test_http_1_0_has_no_transfer_encoding(uvicorn: Daemon) -> None:
    sent = head(uvicorn, "Transfer-Encoding: chunked", method="POST", version="1.0")
    assert everything(uvicorn, sent + b"0\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_a_crowd_gives_way_and_every_connection_is_counted_once(uvicorn: Daemon) -> None:
    with contextlib.ExitStack() as opened:
        for _ in range(10):
            opened.enter_context(RawWebSocket(uvicorn.port, "/ws"))
        for _ in range(60):
            opened.enter_context(socket.create_connection((HOST, uvicorn.port), timeout=20))
        assert metric(uvicorn, "connections_displaced_total") > 0
        assert metric(uvicorn, "connections{") <= 40
    poll(lambda: metric(uvicorn, "connections{") <= 2, "connections that are closed are open no more")
