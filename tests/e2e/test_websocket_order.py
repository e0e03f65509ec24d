"""What is typed in frames of every kind reaches the agent in its order, whichever way each of them takes, and so does
what it prints."""

from __future__ import annotations

import os
import random
import select
from collections.abc import Iterator

import pytest

from jackfield.testing.websocket import BINARY, CONTINUATION, PING, TEXT, RawWebSocket, frame

from .conftest import _factory
from .shell_daemon import Shells, printed

FRAMES = 600


@pytest.fixture(scope="module", params=["", "[server]\nwebsocket_compression = true\n"], ids=["plain", "compression"])
def shells(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shells]:
    factory = _factory(tmp_path_factory.mktemp("order"))
    yield Shells(next(factory)(request.param, start=False))
    next(factory, None)


def pieces(chance: random.Random, number: int) -> list[bytes]:
    """What is sent of one message, in one write each, and what the agent gets of it."""
    data = b"<%d>" % number + bytes(chance.choices(b"abcdefgh", k=chance.choice((0, 0, 1, 30, 110, 200, 5000))))
    kind = chance.randrange(8)
    mask = chance.randbytes(4)
    whole = frame(BINARY, data, mask=mask)
    if kind == 0:
        cut = chance.randrange(1, len(whole))
        return [data, whole[:cut], whole[cut:]]
    if kind == 1:
        cut = chance.randrange(len(data))
        return [data, frame(BINARY, data[:cut], fin=False, mask=mask), frame(CONTINUATION, data[cut:], mask=mask)]
    if kind == 2:
        return [data, frame(PING, b"p", mask=mask) + whole]
    if kind == 3:
        return [data, whole, frame(TEXT, b'{"type": "resize", "cols": 80, "rows": 24}', mask=mask)]
    return [data, whole]


def test_frames_of_every_kind_keep_their_order(shells: Shells) -> None:
    session = shells.start("stty raw -echo; echo ready; exec cat")
    seed = int.from_bytes(os.urandom(4))
    chance = random.Random(seed)
    wanted = bytearray()
    with shells.attach(session) as client, shells.attach(session) as other:
        printed(client, b"ready")
        printed(other, b"ready")
        for number in range(FRAMES):
            data, *writes = pieces(chance, number)
            wanted += data
            for write in writes:
                client.raw(write)
            if chance.randrange(3):  # the daemon comes to rest in between, or not
                select.select([client.socket], [], [], 0.002)
        client.send(BINARY, b"<end>")
        for each in (client, other):
            assert printed(each, b"<end>").endswith(wanted + b"<end>"), f"seed {seed}"
    shells.end(session)


def test_keystrokes_of_several_clients_come_whole(shells: Shells) -> None:
    session = shells.start("stty raw -echo; echo ready; exec cat")
    clients: list[RawWebSocket] = [shells.attach(session) for _ in range(4)]
    for client in clients:
        printed(client, b"ready")
    for number in range(100):
        for place, client in enumerate(clients):
            client.send(BINARY, b"<%d:%d>" % (place, number) * (1 if number % 9 else 400))
    found = b""
    clients[0].send(BINARY, b"<end>")
    found = printed(clients[0], b"<end>")
    for place in range(1, 4):
        clients[place].send(BINARY, b"<end%d>" % place)
        found += printed(clients[0], b"<end%d>" % place)
    for place, client in enumerate(clients):
        own = [part for part in found.split(b"<") if part.startswith(b"%d:" % place)]
        assert own == [b"%d:%d>" % (place, n) for n in range(100) for _ in range(1 if n % 9 else 400)]
        client.socket.close()
    shells.end(session)
