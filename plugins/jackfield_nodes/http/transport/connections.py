"""Connections to checked addresses only. aiohttp asks this module for the addresses of a name.

It asks for each socket before it connects, and for each connection before a request goes over it.
"""

from __future__ import annotations

import select
import socket
import ssl
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from aiohttp import AddrInfoType, ClientTimeout, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult

from jackfield_nodes.http.transport.guard import AddressGuard, Forbidden

if TYPE_CHECKING:
    from asyncio import Transport

    from aiohttp import ClientRequest
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace

KEEP_ALIVE_S = 15


class CheckedAddress(str):
    """An address that the guard permits for the name that it was looked up for, which alone may be what permits it."""

    __slots__ = ()


class GuardedResolver(AbstractResolver):
    """One look-up for each connection, on the guard's threads. A name keeps no permission: its next connection is
    looked up and checked again."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Raises `Forbidden`, OSError."""
        return [resolved(host, CheckedAddress(found), port) for found in await self._guard.addresses(host, port)]

    async def close(self) -> None:
        """Nothing is open; the guard's threads are the daemon's."""


def resolved(name: str, address: str, port: int) -> ResolveResult:
    """An answer as aiohttp wants it, which tells IPv6 by its colons."""
    return ResolveResult(hostname=name, host=address, port=port, family=socket.AF_UNSPEC, proto=0, flags=0)


class OpenConnections:
    """Keeps idle connections within the limit: aiohttp's own counts those alone that a request has. most: connections
    that may be open together."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._wanted = 0
        """Requests that have a connection or are about to."""
        self._idle: OrderedDict[Transport, None] = OrderedDict()

    def enter(self) -> None:
        """A request wants a connection."""
        self._wanted += 1

    def leave(self) -> None:
        """It has none any more, and left none."""
        self._wanted -= 1

    def take(self, connection: Connection) -> bool:
        """Whether the request may go over it. One that was idle may not when the other side has ended it or has said
        something since: that would be read as the answer."""
        transport = connection.transport
        if transport is None:  # made, and ended by the other side at once
            connection.add_callback(self.leave)
            return True
        if transport in self._idle:
            del self._idle[transport]
            if _has_begun(transport) or connection.protocol is None or connection.protocol.should_close:
                return False
        connection.add_callback(partial(self._idles, transport))
        return True

    def make_room(self) -> None:
        """A socket is about to be made: close those that have been idle for longest."""
        if len(self._idle) + self._wanted <= self._most:
            return
        self._idle = OrderedDict((one, None) for one in self._idle if not one.is_closing())
        while self._idle and len(self._idle) + self._wanted > self._most:
            self._idle.popitem(last=False)[0].close()

    def _idles(self, transport: Transport) -> None:
        """Called when the request lets go of it; it may be about to be closed."""
        self._wanted -= 1
        self._idle[transport] = None


def _has_begun(transport: Transport) -> bool:
    """Whether there is something to read: the end, mostly."""
    descriptor = transport.get_extra_info("socket").fileno()
    if descriptor < 0:
        return True
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


class GuardedConnector(TCPConnector):
    """Every socket of it connects to a permitted address; TLS still verifies the name."""

    def __init__(self, guard: AddressGuard, tls: ssl.SSLContext, most: int) -> None:
        self._opened = OpenConnections(most)
        super().__init__(
            resolver=GuardedResolver(guard),
            use_dns_cache=False,
            socket_factory=guarded_sockets(guard, self._opened.make_room),
            ssl=tls,
            limit=most,
            keepalive_timeout=KEEP_ALIVE_S,
        )

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: ClientTimeout) -> Connection:
        self._opened.enter()
        try:
            while True:
                connection = await super().connect(req, traces, timeout)
                if self._opened.take(connection):
                    return connection
                connection.close()
        except BaseException:
            self._opened.leave()
            raise


def guarded_sockets(guard: AddressGuard, make_room: Callable[[], None]) -> Callable[[AddrInfoType], socket.socket]:
    """The factory of the sockets. An address in digits passes no resolver, so that it is checked here."""

    def made(info: AddrInfoType) -> socket.socket:
        family, kind, protocol, _, where = info
        address = str(where[0])
        if not isinstance(where[0], CheckedAddress) and not guard.permits(address, address):
            raise Forbidden
        make_room()
        return socket.socket(family, kind, protocol)

    return made


def written_out(host: str) -> str:
    """The host with an address in digits as four numbers, which aiohttp insists on; the system reads 127.1 and
    2130706433 as well."""
    if not host.replace(".", "").isdigit():
        return host
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return host
