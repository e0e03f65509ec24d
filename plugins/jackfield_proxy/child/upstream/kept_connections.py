"""Requests over connections that are open already. `aiohttp.ClientSession` makes and ends the connections; what it
does for each request besides costs a fifth of all that a proxy does for one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import aiohttp
from aiohttp.http_writer import _serialize_headers as serialized
from multidict import CIMultiDict
from yarl import URL

from jackfield.api.records import record
from jackfield_proxy.child.upstream.deadlines import Deadlines

if TYPE_CHECKING:
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.client_reqrep import ConnectionKey
    from aiohttp.connector import BaseConnector, Connection

ADDRESSES = 1024
"""That are remembered in the form in which a request is written to them."""
LENGTHS = 16
"""Of time limits that are in use; each plan has one."""
_BETWEEN = range(100, 200)
"""Statuses of what comes before an answer."""


@record
class RequestLine:
    """start: the first line of a request; host: of its header."""

    start: str
    host: str
    key: ConnectionKey


def _expire(protocol: ResponseHandler) -> None:
    protocol.set_exception(TimeoutError())


class KeptReply:
    """The head of an answer, and the connection on which the rest comes. As `ProviderReply`."""

    __slots__ = ("_connection", "content", "headers", "reason", "status")

    def __init__(self, connection: Connection, head: aiohttp.http.RawResponseMessage, content: aiohttp.StreamReader):
        self._connection = connection
        self.status, self.reason = head.code, head.reason
        self.headers: Mapping[str, str] = head.headers
        self.content = content

    @property
    def content_length(self) -> int | None:
        found = self.headers.get("Content-Length")
        return None if found is None else int(found)

    def close(self) -> None:
        self._connection.close()

    def release(self) -> None:
        """The connection serves others, if all the answer was taken."""
        self._connection.release() if self.content.at_eof() else self._connection.close()


class KeptConnections:
    """Those of one session. line_limit: bytes of one header of an answer."""

    def __init__(self, session: aiohttp.ClientSession, connector: BaseConnector, line_limit: int) -> None:
        self._session, self._connector, self._line_limit = session, connector, line_limit
        self._loop = asyncio.get_running_loop()
        self._line = lru_cache(ADDRESSES)(self._line_of)
        self._deadlines_of = lru_cache(LENGTHS)(Deadlines)

    async def post(self, url: str, headers: CIMultiDict[str], body: bytes, seconds: float) -> KeptReply | None:
        """None: nothing was sent, as no connection is open. headers: `Host` and `Content-Length` are added. seconds: up
        to the head of the answer. Raises TimeoutError, and what a session raises."""
        line = self._line(url)
        connection = None if line is None else await self._connector._get(line.key, [])
        if line is None or connection is None:
            return None
        protocol = connection.protocol
        if protocol is None or protocol.transport is None:
            connection.close()
            return None
        try:
            headers.setdefault("Host", line.host)
            headers["Content-Length"] = str(len(body))
            head = serialized(line.start, headers)
            limit = self._line_limit
            protocol.set_response_params(
                read_until_eof=True, auto_decompress=False, max_line_size=limit, max_field_size=limit
            )
            protocol.transport.write(head + body)
            return await self._answer(connection, protocol, seconds)
        except BaseException:
            connection.close()
            raise

    async def _answer(self, connection: Connection, protocol: ResponseHandler, seconds: float) -> KeptReply:
        deadlines = self._deadlines_of(seconds)
        waiting = deadlines.begin(partial(_expire, protocol))
        try:
            while True:
                head, content = await protocol.read()
                if head.code not in _BETWEEN:
                    return KeptReply(connection, head, content)
                if head.upgrade:
                    raise aiohttp.ClientPayloadError("an upgrade that was not asked for")
        finally:
            deadlines.end(waiting)

    def _line_of(self, url: str) -> RequestLine | None:
        """As aiohttp would write it. None: the address has a login, for which aiohttp makes a header."""
        parsed = URL(url, encoded=True)
        if parsed.raw_user is not None or parsed.raw_password is not None:
            return None
        made = aiohttp.ClientRequest("POST", parsed, loop=self._loop, session=self._session)
        return RequestLine(f"POST {parsed.raw_path_qs} HTTP/1.1", made.headers["Host"], made.connection_key)
