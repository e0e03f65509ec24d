"""Requests that have come whole, and are plain: read and answered without h11.

The bytes behind such a request wait until it has its answer, and are the reader's again then.

Source: RFC 9112 section 9.6.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from hypercorn.asyncio.tcp_server import MAX_RECV, TCPServer

from jackfield.api.admission.connections import AdmittedConnection

from ..http1.exchange import HttpExchange, whole_exchange
from ..http1.plain import plain_request
from .http1 import Http1Protocol
from .settings import OwnConfig
from .tasks import StreamFlow


class WholeRequests(TCPServer):
    """A connection on which they may come."""

    config: OwnConfig

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        self._exchange: HttpExchange | None = None
        """Of a request that was read at a glance."""
        self._held = b""
        """The bytes that have come behind it."""
        self._held_back: asyncio.Future[None] | None = None
        """While that is too much to go on reading."""
        self._closing: asyncio.Task[None] | None = None
        """Waits for the connection's end."""
        self._is_over = False
        """Whether the answer was the last one: what comes behind it is no request (RFC 9112 section 9.6)."""
        self.flow = StreamFlow(self.writer)
        sock = self.writer.get_extra_info("socket")
        self.admitted: AdmittedConnection | None = self.config.admission.at(sock.fileno()) if sock else None
        """None: it is gone already."""

    @property
    def _inner(self) -> Http1Protocol | None:
        """None: nothing has come yet."""
        found = getattr(getattr(self, "protocol", None), "protocol", None)
        return found if isinstance(found, Http1Protocol) else None

    @property
    def transport(self) -> asyncio.WriteTransport:
        return self.writer.transport

    @property
    def default_headers(self) -> list[tuple[bytes, bytes]]:
        return self.config.default_headers(self.loop.time())

    @property
    def _is_served(self) -> bool:
        return self._exchange is not None and not self._exchange.complete

    async def _hold(self, data: bytes) -> None:
        """Bytes that come while a request is answered wait.

        They do not hide the end of a caller, as long as they are not too many; then it ends with the connection.
        """
        self._held += data
        if len(self._held) <= MAX_RECV or self.reader.at_eof():
            return
        self._held_back = self.loop.create_future()
        self._closing = self._closing or self.loop.create_task(self._wait_closed())
        await asyncio.wait((self._held_back, self._closing), return_when=asyncio.FIRST_COMPLETED)
        if self._exchange is not None and not self._exchange.complete:
            self._exchange.lost(None)

    async def _wait_closed(self) -> None:
        with contextlib.suppress(OSError):
            await self.writer.wait_closed()

    def _served(self, data: bytes) -> bool:
        """Whether this is a request that can be read at a glance, on a connection where nothing is under way."""
        inner = self._inner
        application = self.config.application
        if inner is None or self.admitted is None or application is None or not inner.is_fresh:
            return False
        found = plain_request(data, self.config.h11_max_incomplete_size)
        if found is None:
            return False
        self.admitted.head_is_whole(has_body=False)  # all of it has come
        self._held = found.rest
        self._exchange = whole_exchange(self, found, self.protocol.client, self.protocol.server, {})
        self._task_group.spawn(self._exchange.run, application)
        return True

    def _give_held(self) -> None:
        """Back to the reader, before what it has read since."""
        held, self._held = self._held, b""
        newer: bytearray | None = getattr(self.reader, "_buffer", None)  # it has no other way
        if newer and held:
            newer[:0] = held
        elif held and not self.reader.at_eof():
            self.reader.feed_data(held)
        if self._held_back is not None and not self._held_back.done():
            self._held_back.set_result(None)

    def ended(self, exchange: HttpExchange) -> None:
        """Its answer is sent."""
        if self.context.terminated.is_set():
            self.writer.close()
        if self.writer.is_closing():
            self._is_over, self._held = True, b""
        elif self.admitted is not None:
            self.admitted.idles()
        self._give_held()
