"""An answer on its way from the provider to the client, whole or streamed. No more is read than the client takes.

Once a byte has reached the client nothing can be tried again. A failure after it ends the stream with an error in the
client's dialect.
"""

from __future__ import annotations

import asyncio
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from jackfield.api import dialects
from jackfield.api.dialects.model import BlockStart, DialectError, Event, Failed, TokenCounts, ToolUse
from jackfield.api.records import record
from jackfield_proxy.child.answers.answer_cache import AnswerCopy
from jackfield_proxy.child.answers.idle_timer import IdleTimer
from jackfield_proxy.child.answers.made_objects import FileLines
from jackfield_proxy.child.answers.usage_observer import UsageObserver
from jackfield_proxy.child.clients.answering import StreamedAnswer, WholeAnswer
from jackfield_proxy.child.incoming import addressing
from jackfield_proxy.child.incoming.draining import drained
from jackfield_proxy.child.upstream.opening import STREAM, is_stream
from jackfield_proxy.child.upstream.unpacking import PLAIN, Unpacker

if TYPE_CHECKING:
    from jackfield.api.dialects.base import EventReader
    from jackfield_proxy.child.incoming.client_request import ClientRequest
    from jackfield_proxy.child.upstream.sending import Opened

LARGEST_ANSWER = 64 * 2**20
"""Bytes of an answer that is translated whole."""
SMALL = 64 * 1024
"""Bytes of a whole answer that is not sent in parts."""
STOPPING = "the proxy stops"
"""Why a request is cancelled whose client is still there."""
_ID = re.compile(rb'"(?:id":\s?"(?=msg|chatcmpl|resp)|responseId":\s?")([^"]{0,200})"')


class ProxyStopped(DialectError):
    """The proxy stops; the provider has done nothing wrong."""


def stopped(cancelled: asyncio.CancelledError) -> ProxyStopped:
    """The error for the client. Raises the same again when it was not the proxy's stop that cancelled."""
    task = asyncio.current_task()
    if cancelled.args != (STOPPING,) or task is None:
        raise cancelled
    task.uncancel()
    return ProxyStopped(503, "The proxy is being stopped.", "overloaded_error")


@record
class RelayContext:
    """The circumstances that decide an answer's way.

    `idle_timeout`: seconds. `remember`: gets the signature of each tool call, by the call's id. `conceal`: takes
    credentials out of a provider's words. `copy`: of the bytes that the client gets. `seen`: gets every answer and
    event that is read of one that passes.
    """

    call: ClientRequest
    request_id: str
    idle_timeout: float
    remember: Callable[[str, str], None]
    conceal: Callable[[str], str]
    copy: AnswerCopy | None = None
    seen: Callable[[Mapping[str, object]], None] | None = None


def of(context: RelayContext, opened: Opened) -> Carrier:
    if not opened.outgoing.translated:
        return PassThrough(context, opened) if context.call.answers else PassedEndpoint(context, opened)
    return TranslatedStream(context, opened) if context.call.stream else TranslatedWhole(context, opened)


class Carrier(ABC):
    """`answer`, `usage`, `tier`: as known of the answer so far. `error`: the failure after its first byte. `complete`:
    the client has got all that a stream has to say, though the connection may not have ended yet.
    """

    def __init__(self, context: RelayContext, opened: Opened) -> None:
        self.answer = ""
        self.usage: TokenCounts | None = None
        self.tier: str | None = None
        self.error: str | None = None
        self._context = context
        self._call = context.call
        self.complete = False
        self._opened = opened
        self._content = opened.reply.content
        self._beginning = opened.beginning
        self._idle = context.idle_timeout
        self._request: web.BaseRequest | None = None
        self._for_client = self._unsent = False
        self._timer: IdleTimer | None = None

    async def carry(self, request: web.BaseRequest) -> web.StreamResponse:
        """Raises `DialectError` before the first byte."""
        self._request = request
        try:
            return await self._carry(request)
        except DialectError as exc:
            exc.message = self._context.conceal(exc.message)
            raise
        finally:
            if self._timer is not None:
                self._timer.close()
                self._timer = None  # it knows how to end this one: a ring, which would keep the request's body

    @abstractmethod
    async def _carry(self, request: web.BaseRequest) -> web.StreamResponse:
        """Raises as `carry`."""

    def _waits(self) -> None:
        """A wait begins. Of an answer that is there at once there is none."""
        if self._timer is None:
            self._timer = IdleTimer(self._idle, self._expired)
        self._timer.begun += 1

    def _expired(self) -> None:
        """A client that takes nothing is given up, and its provider with it."""
        if not self._for_client:
            self._content.set_exception(TimeoutError())
        elif self._request is not None and self._request.transport is not None:
            self._request.transport.abort()

    async def _next(self) -> bytes:
        """The provider's next bytes; none at the end. Raises `DialectError`: silence, a reset, no HTTP."""
        if self._beginning:
            chunk, self._beginning = self._beginning, b""
            return chunk
        try:
            chunk = drained(self._content)
            if chunk or self._content.at_eof():
                return chunk
            self._waits()
            return await self._content.readany()
        except asyncio.CancelledError as exc:
            raise stopped(exc) from None
        except TimeoutError:
            message = f"The provider {self._provider} has sent nothing for {self._idle:g} s."
            raise DialectError(504, message, "timeout_error") from None
        except (aiohttp.ClientError, OSError, ValueError, RuntimeError) as exc:  # the last: closed meanwhile
            message = f"The provider {self._provider} broke off its answer ({type(exc).__name__})."
            raise DialectError(502, message) from None

    async def _plain(self) -> AsyncIterator[bytes]:
        """The answer as the provider has written it. Raises as `_next`."""
        unpacker = None if self._encoding in PLAIN else Unpacker(self._encoding)
        while chunk := await self._next():
            if unpacker is None:
                yield chunk
                if self._content.at_eof():
                    return
            else:
                for piece in unpacker.feed(chunk):
                    yield piece

    @property
    def _provider(self) -> str:
        return self._opened.candidate.target.provider

    @property
    def _encoding(self) -> str:
        return self._opened.reply.headers.get("Content-Encoding", "").strip().lower()

    async def _write(self, response: web.StreamResponse, data: bytes) -> None:
        self._for_client = self._unsent = True
        self._waits()
        await response.write(data)
        self._for_client = self._unsent = False
        if self._context.copy is not None:
            self._context.copy.add(data)

    async def _end(self, response: web.StreamResponse, data: bytes) -> None:
        self._for_client, self._unsent = True, bool(data)
        self._waits()
        await response.write_eof(data)
        self._for_client = self._unsent = False
        if self._context.copy is not None:
            self._context.copy.add(data)

    def _marks(self) -> list[tuple[str, str]]:
        candidate = self._opened.candidate
        missing = self._opened.outgoing.missing
        made = addressing.marks(candidate.target.text, self._opened.attempts, candidate.rule, missing)
        return [*made, (addressing.REQUEST_ID[self._call.dialect], self._context.request_id)]


class PassThrough(Carrier):
    """An answer that needs no translation: it goes on byte for byte."""

    async def _carry(self, request: web.BaseRequest) -> web.StreamResponse:
        reply = self._opened.reply
        self._headers = CIMultiDict(addressing.returned_headers(reply.headers.items()))
        for name, value in self._marks():
            self._headers.setdefault(name, value)
        self._reason = addressing.returned_reason(reply.reason)
        streamed = is_stream(reply)
        seen = self._context.seen
        observer = UsageObserver(self._call.dialect, stream=streamed, encoding=self._encoding, seen=seen)
        try:
            if not streamed and reply.content_length is not None and reply.content_length <= SMALL:
                return await self._at_once(observer)
            return await self._in_parts(request, observer, streamed=streamed)
        finally:
            observer.close()
            self.answer, self.usage, self.tier = observer.answer, observer.usage, observer.tier
            self.complete = observer.finished and not self._unsent

    async def _at_once(self, observer: UsageObserver) -> web.Response:
        """Head and body in one packet. A failure is still an error of our own."""
        body = await self._next()
        if not self._content.at_eof():
            parts = [body]
            while chunk := await self._next():
                parts.append(chunk)
            body = b"".join(parts)
        observer.feed(body)
        observer.close()
        reply = self._opened.reply
        self._headers.popall("Content-Length", None)
        return WholeAnswer(status=reply.status, reason=self._reason, headers=self._headers, body=body)

    async def _in_parts(
        self, request: web.BaseRequest, observer: UsageObserver, *, streamed: bool
    ) -> web.StreamResponse:
        reply = self._opened.reply
        response = StreamedAnswer(status=reply.status, reason=self._reason, headers=self._headers)
        try:
            last = await self._up_to_last(request, response, observer)
            if not response.prepared:
                await response.prepare(request)
            observer.feed(last)
            observer.close()
            if self._is_cut(observer):
                await self._write(response, last)
                raise DialectError(502, f"The provider {self._provider} ended its answer early.")
            await self._end(response, last)
        except DialectError as exc:
            if not response.prepared:
                raise
            await self._break_off(request, response, exc, streamed=streamed)
        return response

    def _is_cut(self, observer: UsageObserver) -> bool:
        """Whether a stream has ended without saying that it is complete."""
        return not observer.ended and "Content-Length" not in self._headers

    async def _up_to_last(self, request: web.BaseRequest, response: StreamedAnswer, observer: UsageObserver) -> bytes:
        """The bytes that go out together with the end, as each packet costs as much as a hundred events."""
        files = self._files()
        while chunk := await self._next():
            if files is not None:
                files.feed(chunk)
            if self._content.at_eof():
                return chunk
            if not response.prepared:
                await response.prepare(request)
            observer.feed(chunk)  # before the client can speak of what it names
            await self._write(response, chunk)
        return b""

    def _files(self) -> FileLines | None:
        """The reader that looks for files that tools make within an answer; None: nobody."""
        seen = self._context.seen
        looks = seen is not None and self._call.stream and self._call.dialect == "anthropic" and self._encoding in PLAIN
        return FileLines(seen) if looks and seen is not None else None

    async def _break_off(
        self, request: web.BaseRequest, response: web.StreamResponse, error: DialectError, *, streamed: bool
    ) -> None:
        self.error = error.message
        if streamed and "Content-Length" not in response.headers and self._encoding in PLAIN:
            # The event that was cut ends here, with what there is of it.
            await self._end(response, b"\n\n" + self._call.codec.writer(self._call.asked).error(error))
        elif request.transport is not None:
            request.transport.abort()  # the length or the encoding that was announced cannot be kept


class PassedEndpoint(PassThrough):
    """An answer whose grammar is not known: an audio, a file, a stream of images."""

    def _is_cut(self, observer: UsageObserver) -> bool:
        return False

    async def _break_off(
        self, request: web.BaseRequest, response: web.StreamResponse, error: DialectError, *, streamed: bool
    ) -> None:
        await super()._break_off(request, response, error, streamed=False)


class TranslatedWhole(Carrier):
    async def _carry(self, request: web.BaseRequest) -> web.StreamResponse:
        parts, size = [], 0
        async for chunk in self._plain():
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise DialectError(502, f"The provider's answer has more than {LARGEST_ANSWER} bytes.")
            parts.append(chunk)
        found = dialects.of(self._opened.outgoing.dialect).parse_response(b"".join(parts))
        self.usage, self.tier = found.usage, found.tier
        for block in found.content:
            if isinstance(block, ToolUse) and block.signature:
                self._context.remember(block.id, block.signature)
        body = self._call.codec.build_response(found, self._call.asked)
        self.answer = _id_in(body) or found.id
        return WholeAnswer(body=body, headers=[("Content-Type", "application/json"), *self._marks()])


class TranslatedStream(Carrier):
    async def _carry(self, request: web.BaseRequest) -> web.StreamResponse:
        headers = [("Content-Type", f"{STREAM}; charset=utf-8"), ("Cache-Control", "no-cache"), *self._marks()]
        response = StreamedAnswer(headers=headers)
        self._writer = self._call.codec.writer(self._call.asked)
        reader = dialects.of(self._opened.outgoing.dialect).reader()
        try:
            async for chunk in self._until_finished(reader):
                await self._put(request, response, reader.feed(chunk))
                self.complete = reader.finished
            await self._put(request, response, reader.close())
        except DialectError as exc:
            if not response.prepared:
                raise
            self.error = exc.message = self._context.conceal(exc.message)
            await self._write(response, self._writer.error(exc))
        finally:
            self.usage, self.tier = reader.usage, reader.tier
        if not response.prepared:
            await response.prepare(request)
        await self._end(response, self._writer.close())
        return response

    async def _until_finished(self, reader: EventReader) -> AsyncIterator[bytes]:
        async for chunk in self._plain():
            yield chunk
            if reader.finished:
                return

    async def _put(self, request: web.BaseRequest, response: web.StreamResponse, events: list[Event]) -> None:
        """Raises `DialectError` when the stream fails before anything was written."""
        for event in events:
            if isinstance(event, Failed):
                raise event.error
            if isinstance(event, BlockStart) and isinstance(event.block, ToolUse) and event.block.signature:
                self._context.remember(event.block.id, event.block.signature)
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
