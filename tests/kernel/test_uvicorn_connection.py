"""uvicorn's connections hold no more of what a caller sends than they may."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from jackfield.api.admission.callers import AdmittedCaller
from jackfield.api.admission.connections import Admission
from jackfield.api.admission.limits import AdmissionLimits
from jackfield.api.asgi import Receive, Scope, Send

pytest.importorskip("uvicorn")
from uvicorn.server import ServerState

from jackfield.http.servers.uvicorn_connection import UvicornConnection

ASKED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HANDSHAKE = b"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
PIECE = 64 * 1024
MOST = 4 * PIECE
"""Bytes that may be held: what is too much already, and the piece that made it so."""


class Pipe(asyncio.Transport):
    """Has more to read whenever it may be read from."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = True
        self.closing = False
        self.written = b""

    def pause_reading(self) -> None:
        self.reads = False

    def resume_reading(self) -> None:
        self.reads = True

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True


class Served:
    """One connection, whose answers are counted. go_on: they may be given."""

    def __init__(self) -> None:
        self.answers = 0
        self.go_on = asyncio.Event()
        self.given: list[bytes] = []
        admission = Admission(AdmissionLimits(10, 10, 10, 0, 1 << 20), lambda: 0.0, print)
        admitted = cast("Any", admission.admit(AdmittedCaller("owner", "owner"), 9))
        config = cast("Any", SimpleNamespace(loaded_app=self, h11_max_incomplete_event_size=16384))
        self.connection = UvicornConnection(config, ServerState(), {})
        self.connection.admit(admitted, admission, lambda _, __, sent: self.given.append(sent))
        self.pipe = Pipe()
        self.connection.connection_made(self.pipe)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await self.go_on.wait()
        self.answers += 1
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})

    async def flood(self, piece: bytes, rounds: int) -> int:
        """Bytes that it has taken."""
        taken = 0
        for _ in range(rounds):
            if self.pipe.reads:
                self.connection.data_received(piece)
                taken += len(piece)
            await asyncio.sleep(0)
        return taken


async def test_a_flood_of_requests_is_read_as_it_is_answered() -> None:
    served = Served()
    served.go_on.set()
    taken = await served.flood(ASKED * (PIECE // len(ASKED)), 400)
    assert served.answers > 20
    assert taken - served.answers * len(ASKED) <= MOST
    served.pipe.close()
    for _ in range(3):  # the last one is answered
        await asyncio.sleep(0)


async def test_what_comes_behind_a_handshake_waits_for_the_answer_before_it() -> None:
    served = Served()
    served.connection.data_received(ASKED + HANDSHAKE)
    taken = await served.flood(b"x" * PIECE, 100)
    assert taken <= MOST
    assert not served.given
    served.go_on.set()
    async with asyncio.timeout(5):
        while not served.given:
            await asyncio.sleep(0)
    assert served.given[0].endswith(b"\r\n\r\n" + b"x" * taken)
    assert served.pipe.reads
