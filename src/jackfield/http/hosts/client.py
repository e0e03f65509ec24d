"""Requests from this host to others, over connections that are kept."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from ssl import SSLContext
from typing import TypeVar

from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    ClientWebSocketResponse,
    DummyCookieJar,
    TCPConnector,
    WSServerHandshakeError,
)
from yarl import URL

from jackfield.api import jsontext
from jackfield.api.errors import AccessDenied, InvalidInput, NotFound
from jackfield.api.hosts import Host, HostReply, HostUnavailable
from jackfield.api.plain_http import failure_text
from jackfield.api.tls import client_tls

from .scopes import Headers
from .tokens import HEADER, ForwardedCaller, ForwardingTokens

T = TypeVar("T")
_CONNECT_S = 5.0
_LOOK_S = 0.5
"""Seconds between two looks whether a host that is waited for still lives."""
FAILURES = (ClientError, OSError, ValueError)
_ORIGIN_FORM = re.compile(rb"/(?!/)[!-~]*")
"""Source: RFC 9112, 3.2.1; without paths that begin with two slashes, which are read as a host's name."""
_AUTOMATIC = ("Accept", "Accept-Encoding", "User-Agent", "Content-Type")


class HostClient:
    """For one event loop. Every method raises `HostUnavailable`."""

    def __init__(self, tokens: ForwardingTokens, lives: Callable[[str], bool]) -> None:
        """lives: whether the host of this name is among the living."""
        self._tokens = tokens
        self._lives = lives
        self._session: ClientSession | None = None

    @contextlib.asynccontextmanager
    async def request(
        self,
        host: Host,
        method: str,
        path: bytes,
        caller: ForwardedCaller,
        headers: Headers = (),
        body: AsyncIterator[bytes] | bytes | None = None,
    ) -> AsyncIterator[ClientResponse]:
        """The answer with its body still to be read. path: raw, with the query."""
        token = self._tokens.make(host.name, method, path, caller)
        try:
            asking = self._opened().request(
                method,
                url_at(host, path),
                headers=[*headers, (HEADER.decode(), token)],
                data=body,
                allow_redirects=False,
                ssl=await _tls(host),
            )
            answer = await self.while_alive(host, asking)
        except FAILURES as exc:
            raise unavailable(host, exc) from None
        async with answer:
            yield answer

    async def whole(
        self,
        host: Host,
        method: str,
        path: bytes,
        caller: ForwardedCaller,
        headers: Headers = (),
        body: bytes | None = None,
    ) -> HostReply:
        async with self.request(host, method, path, caller, headers, body) as answer:
            try:
                content = await self.while_alive(host, answer.read())
            except FAILURES as exc:
                raise unavailable(host, exc) from None
        try:
            return HostReply(answer.status, await asyncio.to_thread(jsontext.loads, content))
        except InvalidInput:
            return HostReply(answer.status, None)

    @contextlib.asynccontextmanager
    async def parts(self, host: Host, path: bytes, caller: ForwardedCaller) -> AsyncIterator[AsyncIterator[bytes]]:
        """The body of an answer to GET as it comes."""
        async with self.request(host, "GET", path, caller) as answer:
            if answer.status != 200:
                raise HostUnavailable(f"The host {host.name} answered with {answer.status}.")
            yield self._body(host, answer)

    async def _body(self, host: Host, answer: ClientResponse) -> AsyncIterator[bytes]:
        while True:
            try:
                part = await self.while_alive(host, answer.content.readany())
            except FAILURES as exc:
                raise unavailable(host, exc) from None
            if not part:
                return
            yield part

    async def websocket(
        self, host: Host, path: bytes, caller: ForwardedCaller, headers: Headers, protocols: Sequence[str]
    ) -> ClientWebSocketResponse:
        """Connected. Raises `NotFound` and `AccessDenied` as the host does."""
        token = self._tokens.make(host.name, "GET", path, caller)
        try:
            connecting = self._opened().ws_connect(
                url_at(host, path),
                headers=[*headers, (HEADER.decode(), token)],
                protocols=protocols,
                max_msg_size=0,
                ssl=await _tls(host),
            )
            return await self.while_alive(host, connecting)
        except WSServerHandshakeError as exc:
            if exc.status in (NotFound.status, AccessDenied.status):
                raise (NotFound if exc.status == NotFound.status else AccessDenied) from None
            raise HostUnavailable(f"The host {host.name} refused the WebSocket with {exc.status}.") from None
        except FAILURES as exc:
            raise unavailable(host, exc) from None

    async def while_alive(self, host: Host, work: Coroutine[object, object, T]) -> T:
        """The result of the coroutine, unless the host is gone meanwhile: a dead machine closes no connection."""
        task = asyncio.ensure_future(work)
        try:
            while not (await asyncio.wait({task}, timeout=_LOOK_S))[0]:
                if not self._lives(host.name):
                    raise HostUnavailable(f"The host {host.name} is gone.")
            return task.result()
        finally:
            task.cancel()

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(
                connector=TCPConnector(limit=0),  # as many as callers: server.connections bounds those
                skip_auto_headers=_AUTOMATIC,
                cookie_jar=DummyCookieJar(),
                timeout=ClientTimeout(total=None, sock_connect=_CONNECT_S),
                auto_decompress=False,
                trust_env=False,
            )
        return self._session


def unavailable(host: Host, error: Exception) -> HostUnavailable:
    return HostUnavailable(f"The host {host.name} does not answer at {host.address}: {failure_text(error)}.")


def url_at(host: Host, target: bytes) -> URL:
    """The target at the address of the host, and nowhere else. target: path and query as they were sent. Raises
    `InvalidInput` for what is none, ValueError for an address that is none."""
    if not _ORIGIN_FORM.fullmatch(target):
        raise InvalidInput(
            f"The host {host.name} cannot be asked for this target; begin it with one slash, and percent-encode "
            "what is no printable ASCII character."
        )
    path, _, query = target.decode("ascii").partition("?")
    address = URL(host.address).origin()
    made = URL.build(
        scheme=address.scheme, authority=address.raw_authority, path=path, query_string=query, encoded=True
    )
    if made.origin() != address:
        raise InvalidInput(f"The target leads away from the host {host.name}.")
    return made


async def _tls(host: Host) -> SSLContext | bool:
    return await asyncio.to_thread(client_tls, verify=True) if host.address.startswith("https:") else True
