"""Connections that go from one process of the daemon to another: the socket itself moves, with what was read from it.

So whoever serves a request has the caller's own connection: its address, its process, its WebSocket.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from .connections import AdmittedConnection, ConnectionMover


def move(mover: ConnectionMover, transport: asyncio.BaseTransport, data: bytes) -> None:
    """Away, and closed here.

    The port may close a caller who has not read the last answer, or whom nobody takes. It may close any connection
    between two requests (RFC 9112 section 9.5).
    """
    transport = cast("asyncio.Transport", transport)  # uvloop's have no base of asyncio's
    if transport.is_closing():
        return
    sock = transport.get_extra_info("socket")
    if transport.get_write_buffer_size() or not mover.move(sock.fileno(), data):
        transport.close()
    else:
        transport.abort()


class Sorting(asyncio.Protocol):
    """Of a connection until its first bytes say who serves it."""

    def __init__(
        self, make: Callable[[], asyncio.BaseProtocol], admitted: AdmittedConnection, mover: ConnectionMover
    ) -> None:
        """make: the protocol that serves it here."""
        self._make = make
        self._admitted = admitted
        self._mover = mover
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        transport = self._transport
        if transport is None:
            return
        if self._mover.is_elsewhere(data):
            move(self._mover, transport, data)
            return
        protocol = self._make()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        cast("asyncio.Protocol", protocol).data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._admitted.release()


class MovedHere(asyncio.Protocol):
    """Of a connection that another process has accepted: gives its protocol what was read there, before anything
    else comes."""

    def __init__(self, protocol: asyncio.BaseProtocol, data: bytes) -> None:
        self._protocol = protocol
        self._data = data

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).set_protocol(self._protocol)
        self._protocol.connection_made(transport)
        cast("asyncio.Protocol", self._protocol).data_received(self._data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)
