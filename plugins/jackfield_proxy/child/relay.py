"""An answer on its way from the provider to the client, whole or streamed. No more is read than the client takes.

Once a byte has reached the client nothing can be tried again: what goes wrong then ends the stream with an error in the
client's dialect.
"""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from jackfield_proxy import dialects
from jackfield_proxy.child import upstreams
from jackfield_proxy.child.taps import Tap
from jackfield_proxy.child.unpacking import PLAIN, Unpacker
from jackfield_proxy.dialects.model import BlockStart, Event, Failed, ProxyError, ToolUse, Usage

if TYPE_CHECKING:
    from jackfield_proxy.child.exchange import Exchange
    from jackfield_proxy.child.sending import Opened
    from jackfield_proxy.dialects.base import StreamReader

LARGEST_ANSWER = 64 * 2**20
"""Bytes of an answer that is translated whole."""
SMALL = 64 * 1024
"""Bytes of a whole answer that is not sent in parts."""
STOPPING = "the proxy stops"
"""Why a request is cancelled whose client is still there."""
_ID = re.compile(rb'"id":\s?"((?:msg|chatcmpl|resp)[^"]{0,200})"')
_NOT_IN_HEADERS = re.compile(r"[^ -~]")
_SSE = "text/event-stream"


def stopped(cancelled: asyncio.CancelledError) -> ProxyError:
    """What the client is told. Raises the same again when it was not the proxy's stop that cancelled."""
    task = asyncio.current_task()
    if cancelled.args != (STOPPING,) or task is None:
        raise cancelled
    task.uncancel()
    return ProxyError(503, "The proxy is being stopped.", "overloaded_error")


def of(exchange: Exchange, opened: Opened) -> Carrier:
    if not opened.outgoing.translated:
        return PassThrough(exchange, opened)
    return TranslatedStream(exchange, opened) if exchange.call.stream else TranslatedWhole(exchange, opened)


class Carrier(ABC):
    """answer, usage, tier: what is known of the answer so far. error: what went wrong after its first byte."""

    def __init__(self, exchange: Exchange, opened: Opened) -> None:
        self.answer = ""
        self.usage: Usage | None = None
        self.tier: str | None = None
        self.error: str | None = None
        self._exchange = exchange
        self._call = exchange.call
        self._opened = opened
        self._idle = exchange.plan.limits.idle_timeout

    @abstractmethod
    async def carry(self, request: web.BaseRequest) -> web.StreamResponse:
        """Raises `ProxyError` before the first byte."""

    async def _chunks(self) -> AsyncIterator[bytes]:
        """The provider's bytes. Raises `ProxyError`: silence, a reset, no HTTP."""
        content = self._opened.reply.content
        provider = self._opened.candidate.target.provider
        while True:
            try:
                chunk = content.read_nowait()
                if not chunk:  # a time limit costs as much as the rest of a turn
                    async with asyncio.timeout(self._idle):
                        chunk = await content.readany()
            except asyncio.CancelledError as exc:
                raise stopped(exc) from None
            except TimeoutError:
                message = f"The provider {provider} has sent nothing for {self._idle:g} s."
                raise ProxyError(504, message, "timeout_error") from None
            except (aiohttp.ClientError, OSError, ValueError, RuntimeError) as exc:  # the last: closed meanwhile
                message = f"The provider {provider} broke off its answer ({type(exc).__name__})."
                raise ProxyError(502, message) from None
            if not chunk:
                return
            yield chunk

    def _plain(self) -> AsyncIterator[bytes]:
        """The same as the provider has written it. Raises as `_chunks`."""
        return self._chunks() if self._encoding in PLAIN else self._unpacked()

    async def _unpacked(self) -> AsyncIterator[bytes]:
        unpacker = Unpacker(self._encoding)
        async for chunk in self._chunks():
            for piece in unpacker.feed(chunk):
                yield piece

    @property
    def _encoding(self) -> str:
        return self._opened.reply.headers.get("Content-Encoding", "").strip().lower()

    async def _write(self, response: web.StreamResponse, data: bytes) -> None:
        """A client that takes nothing for `idle_timeout` is given up, and its provider with it."""
        try:
            async with asyncio.timeout(self._idle):
                await response.write(data)
        except TimeoutError:
            raise ConnectionResetError("the client has stopped reading") from None

    def _marks(self) -> list[tuple[str, str]]:
        candidate = self._opened.candidate
        made = [("x-jackfield-target", candidate.target.text), ("x-jackfield-attempts", str(self._opened.attempts))]
        made += [("x-jackfield-rule", candidate.rule)] if candidate.rule else []
        made.append((upstreams.REQUEST_ID[self._call.face], self._exchange.request_id))
        return [(name, _NOT_IN_HEADERS.sub("?", value)) for name, value in made]


class PassThrough(Carrier):
    """Byte for byte."""

    async def carry(self, request: web.BaseRequest) -> web.StreamResponse:
        reply = self._opened.reply
        marks = [(name, value) for name, value in self._marks() if name not in reply.headers]
        self._headers = CIMultiDict([*upstreams.returned_headers(reply.headers.items()), *marks])
        streamed = reply.headers.get("Content-Type", "").startswith(_SSE)
        tap = Tap(self._call.face, stream=streamed, encoding=self._encoding)
        try:
            if not streamed and reply.content_length is not None and reply.content_length <= SMALL:
                return await self._at_once(tap)
            return await self._in_parts(request, tap, streamed=streamed)
        finally:
            tap.close()
            self.answer, self.usage, self.tier = tap.answer, tap.usage, tap.tier

    async def _at_once(self, tap: Tap) -> web.Response:
        """Head and body in one packet. What breaks off is still an error of our own."""
        body = b"".join([chunk async for chunk in self._chunks()])
        tap.feed(body)
        reply = self._opened.reply
        self._headers.popall("Content-Length", None)
        return web.Response(status=reply.status, reason=reply.reason, headers=self._headers, body=body)

    async def _in_parts(self, request: web.BaseRequest, tap: Tap, *, streamed: bool) -> web.StreamResponse:
        reply = self._opened.reply
        response = web.StreamResponse(status=reply.status, reason=reply.reason, headers=self._headers)
        try:
            async for chunk in self._chunks():
                if not response.prepared:
                    await response.prepare(request)
                await self._write(response, chunk)
                tap.feed(chunk)
            tap.close()
            if not tap.ended and "Content-Length" not in self._headers:
                raise ProxyError(502, f"The provider {self._opened.candidate.target.provider} ended its answer early.")
            if not response.prepared:
                await response.prepare(request)
            await response.write_eof()
        except ProxyError as exc:
            if not response.prepared:
                raise
            await self._break_off(request, response, exc, streamed=streamed)
        return response

    async def _break_off(
        self, request: web.BaseRequest, response: web.StreamResponse, error: ProxyError, *, streamed: bool
    ) -> None:
        self.error = error.message
        if streamed and "Content-Length" not in response.headers and self._encoding in PLAIN:
            # The event that was cut ends here, with what there is of it.
            await self._write(response, b"\n\n" + self._call.dialect.writer(self._call.parsed).error(error))
            await response.write_eof()
        elif request.transport is not None:
            request.transport.abort()  # the length or the encoding that was announced cannot be kept


class TranslatedWhole(Carrier):
    async def carry(self, request: web.BaseRequest) -> web.StreamResponse:
        parts, size = [], 0
        async for chunk in self._plain():
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise ProxyError(502, f"The provider's answer has more than {LARGEST_ANSWER} bytes.")
            parts.append(chunk)
        found = dialects.of(self._opened.outgoing.dialect).parse_response(b"".join(parts))
        self.usage = found.usage
        for block in found.content:
            if isinstance(block, ToolUse) and block.signature:
                self._exchange.sender.remember(block.id, block.signature)
        body = self._call.dialect.build_response(found, self._call.parsed)
        self.answer = _id_in(body) or found.id
        return web.Response(body=body, headers=[("Content-Type", "application/json"), *self._marks()])


class TranslatedStream(Carrier):
    async def carry(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = [("Content-Type", f"{_SSE}; charset=utf-8"), ("Cache-Control", "no-cache"), *self._marks()]
        response = web.StreamResponse(headers=headers)
        self._writer = self._call.dialect.writer(self._call.parsed)
        reader = dialects.of(self._opened.outgoing.dialect).reader()
        try:
            async for chunk in self._until_finished(reader):
                await self._put(request, response, reader.feed(chunk))
            await self._put(request, response, reader.close())
        except ProxyError as exc:
            if not response.prepared:
                raise
            self.error = exc.message
            await self._write(response, self._writer.error(exc))
        finally:
            self.usage = reader.usage
        if not response.prepared:
            await response.prepare(request)
        await self._write(response, self._writer.close())
        await response.write_eof()
        return response

    async def _until_finished(self, reader: StreamReader) -> AsyncIterator[bytes]:
        async for chunk in self._plain():
            yield chunk
            if reader.finished:
                return

    async def _put(self, request: web.BaseRequest, response: web.StreamResponse, events: list[Event]) -> None:
        """Raises `ProxyError` when the stream fails before anything was written."""
        for event in events:
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, BlockStart) and isinstance(event.block, ToolUse) and event.block.signature:
                self._exchange.sender.remember(event.block.id, event.block.signature)
        data = b"".join(map(self._writer.write, events))
        if not data:
            return
        if not response.prepared:
            self.answer = _id_in(data)
            await response.prepare(request)
        await self._write(response, data)


def _id_in(data: bytes) -> str:
    """The answer's id as the client sees it, and its log keeps it."""
    found = _ID.search(data[:4096])
    return found[1].decode("utf-8", "replace") if found else ""
