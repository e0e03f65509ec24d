"""One request and its answer through aiohttp: sent once, with exactly the headers that it is given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientHandlerType,
    ClientOSError,
    ClientRequest,
    ClientResponse,
    ConnectionTimeoutError,
    InvalidURL,
    ServerDisconnectedError,
)

from jackfield.api.binary import CHUNK, BinaryError, Content, Streamed, size_of, stream_of
from jackfield.api.http_addresses import HttpAddress
from jackfield.api.http_client import Pairs
from jackfield.api.plain_http import failure_text
from jackfield_nodes.http.transport.failures import BrokenOff, ConnectTimedOut, NoConnection, UnsendableRequest
from jackfield_nodes.http.transport.pools import HttpRoute

_WITH_LENGTH = frozenset({"POST", "PUT", "PATCH"})
"""Their length is said when they have no body, too."""


class _Body:
    """A body that goes out in chunks. failure: what reading it raised, which aiohttp wraps."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self.failure: BinaryError | None = None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async with aclosing(stream_of(self._content)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except BinaryError as exc:
            self.failure = exc
            raise


@asynccontextmanager
async def answered(
    route: HttpRoute, method: str, target: HttpAddress, headers: Pairs, content: Content | None
) -> AsyncIterator[ClientResponse]:
    """The answer with its body still to be read by `chunks_of`. Raises `NoConnection`, `ConnectTimedOut`, `BrokenOff`,
    `UnsendableRequest`, `BinaryError`, and what the route's checks raise."""
    body = _Body(content) if isinstance(content, Streamed) or (content and len(content) > CHUNK) else None
    size = None if content is None else size_of(content)
    try:
        response = await route.session.request(
            method,
            route.url,
            data=body or content or None,
            # Without it, the body would go in HTTP chunks, which not every server reads.
            headers=None if body is None else {"Content-Length": str(size)},
            middlewares=(_Outgoing(_headers(method, target, headers, size)),),
            server_hostname=route.tls_name,
            allow_redirects=False,
        )
    except (BrokenOff, ClientError, ValueError) as exc:
        if body is not None and body.failure is not None:
            raise body.failure from None
        raise _translated(exc) from None
    async with response:
        yield response


async def chunks_of(response: ClientResponse) -> AsyncIterator[bytes]:
    """The body as it comes, not unpacked. Raises `BrokenOff`."""
    try:
        async for chunk in response.content.iter_any():
            yield chunk
    except ClientError as exc:
        raise _translated(exc) from None


class _Outgoing:
    """Puts the headers in place of those that aiohttp makes, and has a request sent once.

    When a connection ends without an answer, aiohttp would send GET, PUT, DELETE and others again, whatever the server
    has done by then.
    """

    def __init__(self, headers: Pairs) -> None:
        self._headers = headers

    async def __call__(self, request: ClientRequest, handler: ClientHandlerType) -> ClientResponse:
        request.headers.clear()
        request.headers.extend(self._headers)
        try:
            return await handler(request)
        except (ClientOSError, ServerDisconnectedError) as exc:
            raise _translated(exc) from None


def _headers(method: str, target: HttpAddress, given: Pairs, size: int | None) -> Pairs:
    names = {name.lower() for name, _ in given}
    first = [] if "host" in names else [("Host", target.netloc)]
    if size or method in _WITH_LENGTH:
        first.append(("Content-Length", str(size or 0)))
    # Text that is no Unicode has no bytes; a server gets a question mark.
    return [*first, *((name, value.encode("utf-8", "replace").decode()) for name, value in given)]


def _translated(exc: Exception) -> Exception:
    if isinstance(exc, BrokenOff):
        return exc
    if isinstance(exc, ConnectionTimeoutError):
        return ConnectTimedOut()
    if isinstance(exc, InvalidURL) or not isinstance(exc, ClientError):
        return UnsendableRequest()
    return (NoConnection if isinstance(exc, ClientConnectorError) else BrokenOff)(failure_text(exc))
