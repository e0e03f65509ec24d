"""A balancer without stickiness: every request goes to the next server, whichever connection it comes on.

It passes bytes on as they are, and reads no more of HTTP than it needs to know where a message ends (RFC 9112 section
6). What it cannot read goes to one server as it is, and so does a connection that changes to WebSocket.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import re
import socket
from collections.abc import Callable, Sequence

Address = tuple[str, int]
LONGEST_HEAD = 1 << 20
PIECE = 1 << 16
LOOK = 0.05
"""Seconds between looks whether a client has hung up."""
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*([0-9]+)[ \t]*(?=\r\n)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:[^\r\n]*chunked[ \t]*(?=\r\n)", re.IGNORECASE)
_CLOSE = re.compile(rb"\r\nconnection:[^\r\n]*close", re.IGNORECASE)
_UPGRADE = re.compile(rb"\r\nupgrade:", re.IGNORECASE)
_REQUEST = re.compile(rb"[A-Z]+ [^ \r\n]+ HTTP/1\.1\r\n")
_ANSWER = re.compile(rb"HTTP/1\.[01] ([0-9]{3})")


class Balancer:
    """Whoever refuses a connection is passed over, for this request."""

    def __init__(self, servers: Sequence[Address], look: Callable[[], None] = lambda: None) -> None:
        """look: called before each request and before each answer."""
        self._servers = servers
        self._look = look
        self._turns = itertools.count()

    async def serve(self, listening: socket.socket) -> asyncio.Server:
        return await asyncio.start_server(self._client, sock=listening, limit=LONGEST_HEAD)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """To the next server that takes the connection. Raises ConnectionError."""
        turn = next(self._turns)
        for step in range(len(self._servers)):
            host, port = self._servers[(turn + step) % len(self._servers)]
            with contextlib.suppress(OSError):
                return await asyncio.open_connection(host, port, limit=LONGEST_HEAD)
        raise ConnectionRefusedError("no server takes connections")

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError, ValueError, asyncio.LimitOverrunError, asyncio.CancelledError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Pass one request and its answer on; whether another may follow on this connection."""
        head = await _head(reader)
        if not head:
            return False
        self._look()
        there, out = await self._connect()
        if not _REQUEST.match(head) or _UPGRADE.search(head):
            out.write(head)
            await _both_ways(reader, writer, there, out)
            return False
        sending = asyncio.ensure_future(_body(reader, out, head))
        ending = asyncio.ensure_future(_pass_end(reader, out, sending))
        try:
            if not await self._answer(there, writer, to_head=head.startswith(b"HEAD ")) or _CLOSE.search(head):
                return False
            await sending  # what follows is the next request
            return True
        finally:
            sending.cancel()
            ending.cancel()
            out.close()

    async def _answer(self, there: asyncio.StreamReader, writer: asyncio.StreamWriter, *, to_head: bool) -> bool:
        """Pass an answer on, and what comes before it; whether the connection goes on. Raises EOFError."""
        status = 100
        while status < 200:
            head = await there.readuntil(b"\r\n\r\n")
            found = _ANSWER.match(head)
            if found is None:
                raise ValueError(head)
            status = int(found[1])
            self._look()
            writer.write(head)
            await writer.drain()
        length = _LENGTH.search(head)
        if to_head or status in (204, 304):
            pass
        elif _CHUNKED.search(head):
            await _chunks(there, writer)
        elif length:
            await _bytes(there, writer, int(length[1]))
        else:
            await _until_end(there, writer)
            return False
        await writer.drain()
        return _CLOSE.search(head) is None


async def _head(reader: asyncio.StreamReader) -> bytes:
    """Up to the empty line, or what there is if none comes."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as exc:
        return exc.partial


async def _body(reader: asyncio.StreamReader, out: asyncio.StreamWriter, head: bytes) -> None:
    out.write(head)
    if _CHUNKED.search(head):
        await _chunks(reader, out)
    elif length := _LENGTH.search(head):
        await _bytes(reader, out, int(length[1]))
    await out.drain()


async def _pass_end(reader: asyncio.StreamReader, out: asyncio.StreamWriter, sending: asyncio.Future[None]) -> None:
    """A client that hangs up while it waits for its answer hangs up on the server."""
    await asyncio.wait([sending])
    while not reader.at_eof():
        await asyncio.sleep(LOOK)
    with contextlib.suppress(OSError):
        out.write_eof()


async def _bytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: int) -> None:
    """Raises EOFError."""
    while count:
        piece = await reader.read(min(count, PIECE))
        if not piece:
            raise EOFError
        count -= len(piece)
        writer.write(piece)
        await writer.drain()


async def _chunks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Raises EOFError; ValueError for what is no chunk."""
    while True:
        line = await reader.readuntil(b"\r\n")
        writer.write(line)
        size = int(line.split(b";")[0].strip(), 16)
        if not size:
            break
        await _bytes(reader, writer, size + 2)
    while line != b"\r\n":  # trailers
        line = await reader.readuntil(b"\r\n")
        writer.write(line)
    await writer.drain()


async def _until_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(PIECE):
        writer.write(piece)
        await writer.drain()


async def _both_ways(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, there: asyncio.StreamReader, out: asyncio.StreamWriter
) -> None:
    """Until the server has ended. A client that hangs up has hung up on the server."""

    async def onwards() -> None:
        await _until_end(reader, out)
        out.write_eof()

    going = asyncio.ensure_future(onwards())
    try:
        await _until_end(there, writer)
    finally:
        going.cancel()
        await asyncio.gather(going, return_exceptions=True)
        out.close()
