"""Answers to the clients of a proxy, whole or in parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import HttpVersion11, web
from aiohttp.helpers import rfc822_formatted_time
from aiohttp.http import SERVER_SOFTWARE
from aiohttp.http_writer import _serialize_headers as serialized

from jackfield_proxy.child.clients.connections import ClientConnection, connection_of
from jackfield_proxy.child.upstream.unpacking import PLAIN
from jackfield_proxy.takeover import BOUNDARY, COMPLETE, MIDDLE

if TYPE_CHECKING:
    from aiohttp.abc import AbstractStreamWriter

_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")
"""Of an event."""
_LAST = (b'"type":"message_stop"', b'"type": "message_stop"', b"\ndata: [DONE]")
"""The marks that only the last event of a stream has near its end; within a text the quotes would be escaped.

Responses' last event is too large to be looked for.
"""
_NEAR = 96
_WITHOUT_BODY = frozenset({204, 304})
"""And those in between, which no provider's answer has."""


class WholeAnswer(web.Response):
    """An answer that is there whole: head and body go out at once, without what aiohttp does for other answers, where
    the connection is kept."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        transport = request.transport
        if not self._goes_at_once(request) or transport is None or transport.is_closing():
            return await super().prepare(request)
        self._keep_alive = self._eof_sent = True
        body, headers = self.body, self.headers
        whole = body if isinstance(body, bytes) else b""
        headers["Content-Length"] = str(len(whole))
        if "Date" not in headers:
            headers["Date"] = rfc822_formatted_time()
        headers.setdefault("Server", SERVER_SOFTWARE)
        if whole:
            headers.setdefault("Content-Type", "application/octet-stream")
        transport.write(serialized(f"HTTP/1.1 {self.status} {self.reason}", headers) + whole)
        if not connection_of(request).flushed:
            await request.writer.drain()
        return request.writer

    def _goes_at_once(self, request: web.BaseRequest) -> bool:
        """Whether it needs nothing that depends on the request, such as another `Connection`."""
        plain = request.method == "POST" and request.version == HttpVersion11 and request.keep_alive
        return plain and self._keep_alive is None and self.status not in _WITHOUT_BODY and isinstance(self.body, bytes)


class StreamedAnswer(web.StreamResponse):
    """An answer in parts. A stand-in for a process that has died knows whether it is between two events."""

    _send_headers_immediately = False  # they go out with the first bytes, which are there already
    _connection: ClientConnection
    _events = False
    _end = b""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        self._connection = connection_of(request)
        self._connection.slot.put(MIDDLE)
        writer = await super().prepare(request)
        self._events = (
            self.headers.get("Transfer-Encoding") == "chunked"
            and self.headers.get("Content-Type", "").startswith("text/event-stream")
            and self.headers.get("Content-Encoding", "").strip().lower() in PLAIN
        )
        return writer

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        connection = self._connection
        connection.slot.put(MIDDLE)
        await super().write(data)
        if self._events:
            self._end = bytes(data[-4:]) if len(data) >= 4 else (self._end + data)[-4:]
            if self._end.endswith(_ENDS) and connection.flushed:
                near = b"\n" + bytes(data[-_NEAR:])
                connection.slot.put(COMPLETE if any(last in near for last in _LAST) else BOUNDARY)

    async def write_eof(self, data: bytes = b"") -> None:
        self._connection.slot.put(MIDDLE)
        await super().write_eof(data)
