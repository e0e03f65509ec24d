"""The end of a client's connection in the daemon, for which no process speaks any more. None of it waits long."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct

SECONDS = 2.0
"""For the final answer, and for what the client is still sending then."""
_PIECE = 64 * 1024
_MOST = 64 * 2**20
"""Bytes that the client may still be sending."""
_RESET = struct.pack("ii", 1, 0)


async def close_with(connection: socket.socket, words: bytes) -> None:
    """Say them and hang up.

    Bytes that the client still sends are taken and thrown away. A connection that is closed over them is reset, and the
    words may be lost. connection: does not block. Closed when this returns.
    """
    loop = asyncio.get_running_loop()
    with connection, contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(SECONDS):
            await loop.sock_sendall(connection, words)
            connection.shutdown(socket.SHUT_WR)
            size = 0
            while size < _MOST and (piece := await loop.sock_recv(connection, _PIECE)):
                size += len(piece)


def abort(connection: socket.socket) -> None:
    """Reset it, so that nobody takes what was sent for a whole answer."""
    with connection, contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


def hang_up(connection: socket.socket) -> None:
    """As between two requests."""
    with connection, contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
