"""Clients of WebSockets that vanish, stall or break the protocol leave nothing behind."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
import zlib
from collections.abc import Iterator

import pytest

from jackfield.testing.daemon import poll
from jackfield.testing.websocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawWebSocket, frame

from .conftest import _factory
from .shell_daemon import Shells, printed, typed

pytestmark = pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="/proc/net/tcp is Linux's")
FLOOD = "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"
DEAF = "stty raw -echo; echo ready; exec sleep 1000"
SOON = 5.0
"""Seconds; Hypercorn by itself takes 20 to 45."""


@pytest.fixture(scope="module")
def shells(server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shells]:
    factory = _factory(tmp_path_factory.mktemp("shells"))
    yield Shells(next(factory)("[terminal]\ninput_timeout = 1\n", arguments=["--server", server], start=False))
    next(factory, None)


def gone(shells: Shells) -> None:
    poll(lambda: shells.vanished() == 0, "no connection of a client that has gone is left", timeout=SOON)


def clients(shells: Shells, session: str) -> object:
    return shells.state(session)["client_count"]


def test_a_client_that_closes_its_socket_is_gone_at_once(shells: Shells) -> None:
    session = shells.start()
    shells.attach(session).close()
    with RawWebSocket(shells.daemon.port, "/ws"):
        pass
    gone(shells)
    poll(lambda: clients(shells, session) == 0, "the session has no client", timeout=SOON)


def test_so_is_one_that_is_being_flooded(shells: Shells) -> None:
    session = shells.start(FLOOD)
    client = shells.attach(session)
    client.find(BINARY)
    client.close()
    gone(shells)
    poll(lambda: clients(shells, session) == 0, "the session has no client", timeout=SOON)
    shells.end(session)


def test_so_is_one_that_reads_nothing_and_stops_sending(shells: Shells) -> None:
    session = shells.start(FLOOD)
    with shells.attach(session, receive_buffer=4096) as client:
        client.find(BINARY)
        client.socket.shutdown(socket.SHUT_WR)
        gone(shells)
        poll(lambda: clients(shells, session) == 0, "the session has no client", timeout=SOON)
    shells.end(session)


def test_so_is_one_that_has_typed_much_to_an_agent_which_does_not_read(shells: Shells) -> None:
    session = shells.start(DEAF)
    with shells.attach(session) as client:
        printed(client, b"ready")
        for _ in range(400):
            typed(client, b"x" * 100)
    gone(shells)
    poll(lambda: clients(shells, session) == 0, "the session has no client", timeout=SOON)
    shells.end(session)


def test_an_agent_that_has_ended_does_not_hold_those_who_go_on_typing(shells: Shells) -> None:
    """Hypercorn's reader waited for ever for room in the queue of an application that had ended."""
    session = shells.start("echo ready; read line")
    with shells.attach(session) as client:
        printed(client, b"ready")
        client.raw(frame(BINARY, b"\n") * 3000)
        assert client.find(CLOSE).code == 1000
        with contextlib.suppress(OSError):
            for _ in range(50):
                client.raw(frame(BINARY, b"\n") * 100)
        while client.receive() is not None:
            pass
    gone(shells)


def test_the_last_output_reaches_a_client_that_is_sending(shells: Shells) -> None:
    """A socket that is closed with something unread takes back what was sent."""
    session = shells.start("stty raw -echo; echo ready; head -c 1 >/dev/null; printf the-end")
    with shells.attach(session) as client:
        printed(client, b"ready")
        client.raw(frame(BINARY, b"k") * 2000)
        assert b"the-end" in printed(client, b"the-end")
        said = json.loads(client.find(TEXT).payload)
        assert (said["type"], said["exit_code"]) == ("state_changed", 0)
        assert client.find(CLOSE).code == 1000


def test_a_message_that_is_too_large_costs_its_connection_alone(shells: Shells) -> None:
    session = shells.start()
    with shells.attach(session) as client, shells.attach(session) as other:
        with contextlib.suppress(OSError):
            client.send(TEXT, b"x" * 600_000, fin=False)
            for _ in range(20):
                client.send(CONTINUATION, b"x" * 600_000, fin=False)
        assert client.find(CLOSE).code == 1009
        typed(other, b"still here\n")
        printed(other, b"still here")


def test_frames_are_not_compressed_unless_a_setting_says_so(shells: Shells) -> None:
    offer = ["Sec-WebSocket-Extensions: permessage-deflate"]
    with RawWebSocket(shells.daemon.port, "/ws", offer) as client:
        assert b"sec-websocket-extensions" not in client.head.lower()


def test_they_are_where_one_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    factory = _factory(tmp_path_factory.mktemp("compressing"))
    daemon = next(factory)("[server]\nwebsocket_compression = true\n")
    with RawWebSocket(daemon.port, "/ws", ["Sec-WebSocket-Extensions: permessage-deflate"]) as client:
        assert b"permessage-deflate" in client.head.lower()
        client.raw(frame(PING, b"p"))
        assert client.find(PONG).payload == b"p"
    next(factory, None)


def test_a_stop_does_not_wait_for_clients_that_read_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    factory = _factory(tmp_path_factory.mktemp("stopping"))
    shells = Shells(next(factory)(start=False))
    session = shells.start(FLOOD)
    with shells.attach(session, receive_buffer=4096) as stalled, shells.attach(session) as reading:
        stalled.find(BINARY)
        for _ in range(200):
            reading.find(BINARY)
        begun = time.monotonic()
        shells.api.close()
        shells.daemon.process.terminate()  # type: ignore[union-attr]
        while (found := reading.receive()) is not None and found.opcode != CLOSE:
            pass
        assert found is not None
        assert found.code in (1000, 1001)
        assert shells.daemon.wait(20) == 0
        assert time.monotonic() - begun < 15, "shutdown_timeout is 30 s"
    next(factory, None)


def upgrade(port: int, session: str, key: str = "AAAAAAAAAAAAAAAAAAAAAA==") -> bytes:
    return (
        f"GET /ws/terminal/{session} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    ).encode()


def test_who_does_not_wait_for_the_handshake_is_refused_and_closed(shells: Shells) -> None:
    session = shells.start()
    with socket.create_connection(("127.0.0.1", shells.daemon.port), timeout=SOON) as client:
        client.sendall(upgrade(shells.daemon.port, session) + frame(PING, b"p"))
        found = b""
        while data := client.recv(4096):
            found += data
    assert found.startswith(b"HTTP/1.1 400")
    poll(lambda: clients(shells, session) == 0, "the session has no client", timeout=SOON)


def test_so_is_who_sends_no_handshake_at_all(shells: Shells) -> None:
    with socket.create_connection(("127.0.0.1", shells.daemon.port), timeout=SOON) as client:
        client.sendall(upgrade(shells.daemon.port, "x").replace(b"Version: 13", b"Version: 7"))
        found = b""
        while data := client.recv(4096):
            found += data
    assert found.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(("opcode", "payload"), [(PING, b""), (CONTINUATION, b""), (CONTINUATION, b"x")])
def test_a_flood_of_small_frames_leaves_others_their_turn(shells: Shells, opcode: int, payload: bytes) -> None:
    session = shells.start()
    flood = frame(opcode, payload, fin=opcode == PING) * 5000
    over = threading.Event()
    with shells.attach(session) as client:
        client.socket.settimeout(1)
        if opcode == CONTINUATION:
            client.send(BINARY, b"", fin=False)

        def send() -> None:
            with contextlib.suppress(OSError):
                while not over.is_set():
                    client.socket.sendall(flood)

        sending = threading.Thread(target=send)
        sending.start()
        try:
            for _ in range(5):
                begun = time.monotonic()
                assert shells.api.get("/api/daemon/status").is_success
                assert time.monotonic() - begun < 2, "without turns it takes as long as the flood lasts"
        finally:
            over.set()
            sending.join()


def test_what_is_inflated_is_bounded(tmp_path_factory: pytest.TempPathFactory) -> None:
    factory = _factory(tmp_path_factory.mktemp("inflating"))
    shells = Shells(next(factory)("[server]\nwebsocket_compression = true\n", start=False))
    session = shells.start()
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = packer.compress(bytes(100_000_000)) + packer.flush(zlib.Z_SYNC_FLUSH)
    offer = ["Sec-WebSocket-Extensions: permessage-deflate"]
    shells.api.get("/api/daemon/status")
    before = shells.status("VmHWM")
    with RawWebSocket(shells.daemon.port, f"/ws/terminal/{session}", offer) as client:
        with contextlib.suppress(OSError):
            client.raw(frame(BINARY, bomb.removesuffix(b"\0\0\xff\xff"), reserved=4))
        assert client.find(CLOSE).code == 1009
    assert shells.status("VmHWM") - before < 30_000
    next(factory, None)
