"""Hypercorn's connections while a request that was read at a glance is answered."""

from __future__ import annotations

import asyncio
import socket
import struct

import pytest
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.utils import wrap_app

from jackfield.api.admission.callers import AdmittedCaller
from jackfield.api.admission.connections import Admission
from jackfield.api.admission.limits import AdmissionLimits
from jackfield.api.asgi import Receive, Scope, Send
from jackfield.http.hypercorn_connections.connection import HypercornConnection
from jackfield.http.hypercorn_connections.settings import OwnConfig
from jackfield.http.hypercorn_parts import install

ASKED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
TOO_MUCH = b"x" * 100_000
"""What comes behind a request is not read any further."""


class Served:
    """One connection. asked: targets of the requests that the application got."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.told: list[str] = []
        self.go_on = asyncio.Event()
        self.fails = self.listens = False
        self.reader: asyncio.StreamReader | None = None
        self.ended = asyncio.Event()
        install()
        self._config = OwnConfig(Admission(AdmissionLimits(10, 10, 10, 0, 1 << 20), lambda: 0.0, print))
        self._config.application = self
        self._app = wrap_app(self, 0, "asgi")  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(scope["raw_path"])
        await receive()
        if self.listens:
            self.told.append((await receive())["type"])
            return
        await self.go_on.wait()
        if self.fails:
            raise RuntimeError("It cannot be answered.")
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._config.admission.admit(AdmittedCaller("owner", "owner"), writer.get_extra_info("socket").fileno())
        loop, self.reader = asyncio.get_running_loop(), reader
        await HypercornConnection(self._app, loop, self._config, WorkerContext(None), {}, reader, writer).run()
        self.ended.set()


async def connected(served: Served, sent: bytes) -> tuple[asyncio.Server, asyncio.StreamReader, asyncio.StreamWriter]:
    server = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(sent)
    await writer.drain()
    async with asyncio.timeout(5):
        while not served.asked:
            await asyncio.sleep(0)
    return server, reader, writer


@pytest.mark.parametrize("fails", [False, True])
async def test_a_flood_behind_a_request_keeps_no_connection_that_is_over(fails: bool) -> None:
    """fails: the application does, and so answers nothing; else the caller goes, for which it waits."""
    served = Served()
    served.listens = not fails
    server, reader, writer = await connected(served, ASKED + TOO_MUCH)
    async with asyncio.timeout(5):
        if fails:
            served.fails = True
            served.go_on.set()
            await reader.read()
        else:
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        await served.ended.wait()
    assert served.told == ([] if fails else ["http.disconnect"])
    writer.close()
    server.close()


async def test_what_comes_behind_a_last_request_is_none() -> None:
    """RFC 9112 section 9.6."""
    served = Served()
    last = ASKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    server, reader, writer = await connected(served, last + ASKED.replace(b"/", b"/behind", 1))
    served.go_on.set()
    async with asyncio.timeout(5):
        answers = await reader.read()
        await served.ended.wait()
    assert (served.asked, answers.count(b"HTTP/1.1 ")) == ([b"/"], 1)
    writer.close()
    server.close()


async def test_a_caller_who_ends_behind_an_answer_is_no_mistake(caplog: pytest.LogCaptureFixture) -> None:
    """With a part of another request behind it."""
    served = Served()
    server, _, writer = await connected(served, ASKED + b"GET")
    assert served.reader is not None
    served.go_on.set()
    served.reader.feed_eof()  # before the application goes on
    async with asyncio.timeout(5):
        await served.ended.wait()
    assert not caplog.records
    writer.close()
    server.close()
