"""Frames at random, right and wrong: no session and no daemon dies of them. JACKFIELD_TEST_FRAMES: how many (1000)."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jackfield.testing.websocket import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawWebSocket, frame

from .conftest import _factory
from .shell_daemon import Shells, printed, typed

FRAMES = int(os.environ.get("JACKFIELD_TEST_FRAMES", "1000"))
PER_CONNECTION = 40
sent = 0


def messages() -> st.SearchStrategy[bytes]:
    """What a session understands, almost."""
    numbers = st.one_of(st.integers(-2, 1001), st.integers(), st.floats(), st.none(), st.text(max_size=3))
    fields = st.fixed_dictionaries(
        {"type": st.sampled_from(["resize", "resize", "ping", "subscribe", "x", ""])},
        optional={"cols": numbers, "rows": numbers, "topics": st.lists(st.text(max_size=9), max_size=3)},
    )
    # A signal may end the session's program, which would be right; those that nobody heeds are sent.
    signals = st.sampled_from([0, -1, 28, 64_000, "2", None, 2.5, 28]).map(lambda it: {"type": "signal", "signal": it})
    json_like = st.recursive(st.none() | st.booleans() | st.text(max_size=5), lambda it: st.lists(it, max_size=3))
    return st.one_of(fields, signals, json_like).map(lambda it: json.dumps(it).encode())


payloads = st.one_of(messages(), messages(), st.binary(max_size=200), st.text(max_size=60).map(str.encode))
right = st.one_of(
    st.builds(lambda data: frame(TEXT, data), messages()),
    st.builds(lambda data: frame(TEXT, data), st.text(max_size=60).map(str.encode)),
    st.builds(lambda data: frame(BINARY, data), st.binary(max_size=300)),
    st.builds(lambda data: frame(PING, data), st.binary(max_size=125)),
    st.builds(lambda data: frame(PONG, data), st.binary(max_size=125)),
    st.builds(
        lambda parts: b"".join(
            frame(CONTINUATION if place else BINARY, part, fin=place == len(parts) - 1)
            for place, part in enumerate(parts)
        ),
        st.lists(st.binary(max_size=20), min_size=1, max_size=5),
    ),
)
wrong = st.one_of(
    st.builds(
        lambda code, data, fin, bits, mask: frame(code, data, fin=fin, reserved=bits, mask=mask),
        st.integers(0, 15),
        payloads,
        st.booleans(),
        st.sampled_from([0, 0, 0, 1, 2, 4, 7]),
        st.sampled_from([b"\1\2\3\4", b"\0\0\0\0", None]),
    ),
    st.builds(lambda data: frame(TEXT, data), st.binary(min_size=1, max_size=40)),
    st.builds(lambda code, data: frame(CLOSE, code.to_bytes(2, "big") + data), st.integers(0, 65535), payloads),
    st.builds(lambda size: b"\x82\xff" + size.to_bytes(8, "big") + b"mask" + b"x" * 50, st.integers(0, (1 << 64) - 1)),
    st.sampled_from([1 << 18, (1 << 18) + 1, 1 << 20, (1 << 20) + 1]).map(lambda size: frame(TEXT, b"y" * size)),
    st.binary(min_size=1, max_size=60),
)
connections = st.tuples(
    st.lists(right, min_size=PER_CONNECTION - 3, max_size=PER_CONNECTION), st.lists(wrong, max_size=3), st.booleans()
)


@pytest.fixture(scope="module")
def shells(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shells]:
    factory = _factory(tmp_path_factory.mktemp("frames"))
    yield Shells(next(factory)("[terminal]\ninput_timeout = 1\n", start=False))
    next(factory, None)


@pytest.fixture(scope="module")
def session(shells: Shells) -> str:
    made = shells.start("stty raw -echo; echo ready; exec cat >/dev/null")
    with shells.attach(made) as client:
        printed(client, b"ready")
    return made


def throw(client: RawWebSocket, pieces: list[bytes]) -> None:
    """Send, and read what comes meanwhile; the daemon may close at any time."""
    global sent
    for piece in pieces:
        try:
            client.raw(piece)
            if select.select([client.socket], [], [], 0)[0] and not client.socket.recv(1 << 16):
                return
        except OSError:
            return
        sent += 1


def test_frames_at_random(shells: Shells, session: str) -> None:
    watching = shells.attach(session)
    paths = [f"/ws/terminal/{session}", f"/ws/terminal/{session}?mode=ro", "/ws"]

    @settings(
        max_examples=max(10, FRAMES // PER_CONNECTION + 1),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(connections, st.sampled_from(paths))
    def thrown(case: tuple[list[bytes], list[bytes], bool], path: str) -> None:
        before, behind, closes = case
        with RawWebSocket(shells.daemon.port, path) as client:
            throw(client, [*before, *behind, *([frame(CLOSE, b"\x03\xe8")] if closes else [])])

    begun = sent
    thrown()
    while sent - begun < FRAMES:  # some connections end early
        thrown()
    assert shells.daemon.running
    assert shells.state(session)["state"] == "running"
    watching.send(PING, b"still here")
    assert watching.find(PONG).payload == b"still here"
    watching.close()
    with shells.attach(shells.start("read word; echo [$word]")) as fresh:
        typed(fresh, b"alive\n")
        printed(fresh, b"[alive]")
    log = shells.daemon.output.read_text(errors="replace")
    assert "Traceback" not in log, log[-3000:]
    print(f"\n{sent - begun} frames")
