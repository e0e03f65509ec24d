"""The body of a client's request: read whole, or handed on piece by piece."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from aiohttp import HttpVersion11, web

from jackfield.api.dialects.model import DialectError
from jackfield_proxy.child.incoming.draining import drained
from jackfield_proxy.plan import ProxyLimits


async def whole(request: web.BaseRequest, limits: ProxyLimits) -> bytes:
    """Raises `DialectError` 413, 408, 400."""
    content = request.content
    if content.is_eof() and content.exception() is None:  # all of it is there, as of most requests
        body = drained(content)
        _require(len(body), limits.body_limit)
        return body
    return b"".join([part async for part in _parts(request, limits.body_limit, limits.idle_timeout)])


class ClientBody:
    """A body that goes on as it comes, once.

    `length`: bytes, None: not known. `ended`: is called at its end. `error`: why it came to no end.
    """

    def __init__(self, request: web.BaseRequest, limits: ProxyLimits) -> None:
        """Raises `DialectError` 413."""
        self.length = None if "Content-Encoding" in request.headers else request.content_length
        self.ended: Callable[[], None] = _nothing
        self.error: DialectError | None = None
        self.sent = False
        self._request, self._limits = request, limits
        _require(request.content_length or 0, limits.upload_limit)

    async def parts(self) -> AsyncIterator[bytes]:
        self.sent = True
        try:
            async for part in _parts(self._request, self._limits.upload_limit, self._limits.idle_timeout):
                yield part
        except DialectError as exc:
            self.error = exc
            raise
        self.ended()


def _nothing() -> None:
    pass


def _require(size: int, limit: int) -> None:
    if size > limit:
        raise DialectError(413, f"The body may have at most {limit} bytes.", "request_too_large")


async def _parts(request: web.BaseRequest, limit: int, timeout: float) -> AsyncIterator[bytes]:
    _require(request.content_length or 0, limit)
    await _ask_for_body(request)
    size = 0
    try:
        while part := await _part(request, timeout):
            size += len(part)
            _require(size, limit)
            yield part
    except TimeoutError:
        message = f"Nothing of the body has come for {timeout:g} s."
        raise DialectError(408, message, "timeout_error") from None
    except web.RequestPayloadError:
        message = "The body is not of the length, or not in the encoding, that its headers say."
        raise DialectError(400, message, "invalid_request_error") from None


async def _part(request: web.BaseRequest, timeout: float) -> bytes:
    """Empty: there is no more. Raises TimeoutError after that many seconds without a byte."""
    content = request.content
    if content.is_eof():  # a time limit costs more than the rest
        return content.read_nowait()
    async with asyncio.timeout(timeout):
        return await content.readany()


async def _ask_for_body(request: web.BaseRequest) -> None:
    """Some clients send large bodies only then (RFC 9110 section 10.1.1)."""
    if request.headers.get("Expect", "").lower() == "100-continue" and request.version >= HttpVersion11:
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0  # the answer has not begun
