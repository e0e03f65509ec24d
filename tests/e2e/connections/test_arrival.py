"""A request must arrive in time and in order; what has arrived may take as long as it wants. Over both HTTP servers."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
from collections.abc import Iterator

import pytest

from jackfield.testing.daemon import HOST, Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.websocket import PING, PONG, RawWebSocket

from ..conftest import StartDaemon
from .figures import metric

SHORT = "[server.connections]\nfirst_byte_timeout = 0.4\nhead_timeout = 0.4\nrequest_timeout = 1\ntotal = 40\n"
LONG = 2.0
"""Seconds: longer than all of these."""


@pytest.fixture(scope="module")
def hasty(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path_factory.mktemp("hasty"), settings=SHORT, arguments=["--server", server])
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
    "both lengths": (["Transfer-Encoding: chunked", "Content-Length: 5"], b"0\r\n\r\n"),
    "both lengths, the other way round": (["Content-Length: 5", "Transfer-Encoding: chunked"], b"0\r\n\r\n"),
    "two lengths": (["Content-Length: 5", "Content-Length: 6"], b"12345"),
    "a length with a sign": (["Content-Length: +5"], b"12345"),
    "another coding": (["Transfer-Encoding: gzip, chunked"], b"0\r\n\r\n"),
    "an empty coding": (["Transfer-Encoding: ,chunked"], b"0\r\n\r\n"),
    "a coding twice": (["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], b"0\r\n\r\n"),
    "two hosts": (["Host: other", "Content-Length: 0"], b""),
    "a blank before a colon": (["Content-Length : 5"], b"12345"),
    "a folded header": (["X-Folded: a\r\n b", "Content-Length: 0"], b""),
    "a header folded with a tab": (["X-Folded: a\r\n\tb", "Content-Length: 0"], b""),
    "a bare LF between headers": (["X-A: a\nX-B: b", "Content-Length: 0"], b""),
    "a bare CR in a chunk's line": (["Transfer-Encoding: chunked"], b"1;a\rb\r\n1\r\n0\r\n\r\n"),
    "a bare LF behind a chunk's line": (["Transfer-Encoding: chunked"], b"2\n{}\r\n0\r\n\r\n"),
    "a chunk that is too long": (["Transfer-Encoding: chunked"], b"2\r\n{}0\r\n\r\n"),
    "a bare LF in trailers": (["Transfer-Encoding: chunked"], b"0\r\nX-A: b\nX-C: d\r\n\r\n"),
}
CODES = {400: "MALFORMED_REQUEST", 501: "NOT_IMPLEMENTED"}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_request_that_may_be_read_in_two_ways_is_refused(served: Daemon, name: str) -> None:
    lines, body = MALFORMED[name]
    before = metric(served, "requests_malformed_total")
    second = head(served, method="GET", path="/health")
    with connected(served, head(served, *lines) + body + second) as sock:
        found = everything(sock)
    assert found.count(b"HTTP/1.1 ") == 1, "nothing behind it is answered"
    told = json.loads(found.partition(b"\r\n\r\n")[2])
    assert told["code"] == CODES[int(found.split(b" ", 2)[1])]
    assert metric(served, "requests_malformed_total") == before + 1


def test_hypercorns_refusals_name_the_mistake(new_daemon: StartDaemon) -> None:
    """Also where httptools says no more than that there is one."""
    daemon = new_daemon(arguments=["--server", "hypercorn"])
    for lines, reason in ((["X-Folded: a\r\n b"], "folded"), (["X-A: a\nX-B: b"], "ends in LF")):
        with connected(daemon, head(daemon, *lines)) as sock:
            assert reason in json.loads(everything(sock).partition(b"\r\n\r\n")[2])["error"]


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /health HTTP/1.1\nHost: a\n\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\n\n",
        b"\0\r\n\r\n",
        b"GET /health\r\n\r\n",
    ],
)
def test_what_is_no_head_is_refused_at_once(served: Daemon, sent: bytes) -> None:
    with connected(served, sent) as sock:
        assert everything(sock).startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 505 "))


@pytest.mark.parametrize("version", ["0.9", "2.0"])
def test_other_versions_are_refused(served: Daemon, version: str) -> None:
    with connected(served, head(served, version=version)) as sock:
        assert everything(sock).startswith(b"HTTP/1.1 505 ")


def test_http_1_0_has_no_transfer_encoding(served: Daemon) -> None:
    with connected(served, head(served, "Transfer-Encoding: chunked", version="1.0") + b"0\r\n\r\n") as sock:
        assert b"HTTP/1.0 has no Transfer-Encoding" in everything(sock)


def test_an_answer_to_http_1_0_is_not_chunked(served: Daemon) -> None:
    with connected(served, head(served, method="GET", path="/metrics", version="1.0")) as sock:
        found, _, body = everything(sock).partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in found.lower()
    assert body.startswith(b"# HELP"), "no size of a chunk"


def test_trailers_are_no_headers_and_have_their_bound(served: Daemon) -> None:
    served.live(chain("trailers", webhook("trailers"), set_fields("Set", a="b")))
    lines = ("Transfer-Encoding: chunked", "Connection: close", "Content-Type: application/json")
    for trailer, status in ((b"Host: evil\r\n", b"200"), (b"X-A: " + b"a" * 200_000 + b"\r\n", b"431")):
        chunks = b"2\r\n{}\r\n0\r\n" + trailer + b"\r\n"
        with connected(served, head(served, *lines, path="/webhook/trailers") + chunks) as sock:
            assert everything(sock).split(b" ", 2)[1] == status


@pytest.mark.parametrize("line", ["X-A: ", "POST /"])
def test_a_head_that_never_ends_is_refused_before_its_time(served: Daemon, line: str) -> None:
    begun = time.monotonic()
    with connected(served, head(served)[:-2] + line.encode()) as sock, contextlib.suppress(ConnectionError):
        for _ in range(100):
            sock.sendall(b"a" * 4096)
            time.sleep(0.001)
    assert time.monotonic() - begun < 5
    with connected(served, b"GET /" + b"a" * 20000) as sock:
        assert everything(sock).startswith(b"HTTP/1.1 431 ")


def test_requests_behind_each_other_are_answered_in_their_order(served: Daemon) -> None:
    served.live(chain("queue", webhook("queue", responseMode="lastNode"), set_fields("Set", n="={{ $json.body.n }}")))
    bodies = [json.dumps({"n": number}).encode() for number in range(50)]
    ones = [
        head(served, "Content-Type: application/json", f"Content-Length: {len(body)}", path="/webhook/queue") + body
        for body in bodies
    ]
    last = head(served, "Connection: close", method="GET", path="/health")
    for sent in (b"".join([*ones, last]), b"".join([*ones, b"BAD\0\r\n\r\n"])):
        with connected(served, sent) as sock:
            found = everything(sock)
        assert found.count(b"HTTP/1.1 200 ") >= 50
        assert [int(n) for n in re.findall(rb'"n":"?(\d+)', found)] == list(range(50))
    assert found.count(b"HTTP/1.1 400 ") == 1, "the refusal comes behind the answers"


def test_the_body_of_a_request_with_an_upgrade_is_no_request(served: Daemon) -> None:
    hidden = head(served, method="GET", path="/health")
    upgrade = head(served, "Connection: Upgrade", "Upgrade: other", f"Content-Length: {len(hidden)}")
    last = head(served, "Connection: close", method="GET", path="/ready")
    with connected(served, upgrade + hidden + last) as sock:
        found = everything(sock)
    assert re.findall(rb"HTTP/1.1 (\d+)", found) == [b"404", b"200"]
    assert b'"service":"jackfield"' not in found.partition(b"HTTP/1.1 200")[0]


def test_blanks_around_a_length_are_none_of_it(served: Daemon) -> None:
    with connected(served, head(served, "Content-Length: \t 0 \t", "Connection: close")) as sock:
        assert everything(sock).startswith(b"HTTP/1.1 404 ")


def test_a_caller_who_leaves_at_once_has_called(served: Daemon) -> None:
    served.live(chain("left", webhook("left"), set_fields("Set", a="b")))
    for _ in range(20):
        with connected(served, head(served, "Content-Length: 2", path="/webhook/left") + b"{}"):
            pass
    poll(lambda: served.admin().get("/executions").json()["total"] >= 20, "each call is stored")


def test_malformed_requests_do_not_fill_the_log(served: Daemon) -> None:
    size = (served.config_dir / "logs" / "jackfield.log").stat().st_size
    for _ in range(50):
        with connected(served, b"\0\r\n\r\n") as sock:
            assert everything(sock).startswith(b"HTTP/1.1 400 ")
    assert (served.config_dir / "logs" / "jackfield.log").stat().st_size - size < 4096


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
        sock.sendall(ask * 3)
        found = b""
        while found.count(b"HTTP/1.1 200 ") < 3:
            found += sock.recv(65536)
        other.send(PING, b"still")
        assert other.find(PONG).payload == b"still"


def test_an_idle_connection_ends_in_its_time(new_daemon: StartDaemon, server: str) -> None:
    daemon = new_daemon("[server]\nkeep_alive = 0.5\n", arguments=["--server", server])
    with connected(daemon, head(daemon, method="GET", path="/health")) as sock:
        answered(sock)
        assert everything(sock) == b""


def test_idle_and_silent_connections_hold_up_no_stop(new_daemon: StartDaemon, server: str) -> None:
    daemon = new_daemon(arguments=["--server", server])
    with connected(daemon), connected(daemon, head(daemon, method="GET", path="/health")) as sock:
        answered(sock)
        begun = time.monotonic()
        assert daemon.stop() == 0
        assert time.monotonic() - begun < 10, "less than server.keep_alive and daemon.shutdown_timeout"
        assert everything(sock) == b""


def test_a_crowd_gives_way_and_every_connection_is_counted_once(hasty: Daemon) -> None:
    with contextlib.ExitStack() as opened:
        for _ in range(10):
            opened.enter_context(RawWebSocket(hasty.port, "/ws"))
        for _ in range(60):
            opened.enter_context(socket.create_connection((HOST, hasty.port), timeout=20))
        assert metric(hasty, "connections_displaced_total") > 0
        assert metric(hasty, "connections{") <= 40
    poll(lambda: metric(hasty, "connections{") <= 2, "connections that are closed are open no more")
