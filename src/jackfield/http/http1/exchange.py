"""One request and its answer on a connection: the two functions that ASGI gives an application.

A head goes with the first piece of its body, in one system call. The body of a request that has arrived whole is given
even when its caller has gone meanwhile, as Hypercorn's connections give it.

Source: RFC 9110 sections 6.4.1, 9.3.2 and 10.1.1; RFC 9112 sections 6.3 and 7.1.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import unquote

from jackfield.api.asgi import AsgiApp, Message, Scope

from .plain import PlainRequest

log = logging.getLogger("jackfield.server")
HIGH_WATER = 64 * 1024
"""Bytes of a body that wait for the application."""
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
LARGE = 64 * 1024
"""Bytes of a body from which on its head is sent apart."""
WITHOUT_BODY = frozenset({204, 304})
_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9a-z]+")
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_CLOSE = b"connection: close\r\n"


class Flow(Protocol):
    """Of a connection, in both directions."""

    @property
    def write_paused(self) -> bool: ...

    async def drain(self) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class ExchangeOwner(Protocol):
    """The connection. ended: the answer of this exchange has been sent; default_headers: of every answer."""

    @property
    def transport(self) -> asyncio.WriteTransport: ...

    @property
    def flow(self) -> Flow: ...

    @property
    def default_headers(self) -> Sequence[tuple[bytes, bytes]]: ...

    def ended(self, exchange: HttpExchange) -> None: ...


@lru_cache(maxsize=256)
def line_of(name: bytes) -> bytes:
    """The bytes in front of a header's value. Raises `ValueError` for what is no name."""
    lower = name.lower()
    if _NAME.fullmatch(lower) is None:
        raise ValueError(f"{name!r} is no name of a header.")
    return lower + b": "


@lru_cache(maxsize=128)
def status_line(status: int) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return f"HTTP/1.1 {status} {phrase}\r\n".encode()


def scope_of(
    method: str,
    target: bytes,
    version: str,
    headers: list[tuple[bytes, bytes]],
    client: tuple[str, int] | None,
    server: tuple[str, int | None] | None,
    state: dict[str, Any],  # ASGI's
) -> Scope:
    """target: ASCII, as it was sent."""
    raw_path, _, query = target.partition(b"?")
    path = raw_path.decode("ascii")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": version,
        "server": server,
        "client": client,
        "scheme": "http",
        "method": method,
        "root_path": "",
        "path": unquote(path) if "%" in path else path,
        "raw_path": raw_path,
        "query_string": query,
        "headers": headers,
        "state": state,
        "extensions": {},
    }


def whole_exchange(
    owner: ExchangeOwner,
    request: PlainRequest,
    client: tuple[str, int] | None,
    server: tuple[str, int | None] | None,
    state: dict[str, Any],  # ASGI's
) -> HttpExchange:
    """Of a request that has come whole."""
    scope = scope_of(request.method, request.target, "1.1", request.headers, client, server, state)
    made = HttpExchange(owner, scope, persists=request.persists, expects=False)
    if request.body:
        made.takes(request.body)
    made.ends()
    return made


class HttpExchange:
    """persists: whether the connection goes on behind the answer. expects: the caller waits for 100 before its body.

    started, complete: of the answer; whole: of the request.
    """

    __slots__ = (
        "_body",
        "_chunked",
        "_expects",
        "_head",
        "_left",
        "_more",
        "_news",
        "_owner",
        "_silent",
        "_size",
        "complete",
        "failure",
        "gone",
        "persists",
        "scope",
        "started",
        "whole",
    )

    def __init__(self, owner: ExchangeOwner, scope: Scope, *, persists: bool, expects: bool) -> None:
        self._owner = owner
        self.scope = scope
        self.persists = persists
        self._expects = expects
        self._body: list[bytes] = []
        self._size = 0
        self._news = False
        """Whether something has come that the application was not told of."""
        self._more: asyncio.Event | None = None
        self._head = b""
        self._chunked = self._silent = False
        """_silent: an answer without a body."""
        self._left: int | None = None
        """Bytes of the length that was promised; None: the end of the connection is that of the body."""
        self.started = self.complete = self.whole = self.gone = False
        self.failure: Exception | None = None

    async def run(self, app: AsgiApp) -> None:
        transport = self._owner.transport
        try:
            await app(self.scope, self.receive, self.send)
        except Exception as exc:
            log.error("Exception in ASGI application", exc_info=exc)
        except BaseException:
            transport.close()
            raise
        if self.complete or self.gone:
            return
        if self.started:
            transport.close()  # the only way left to say that it is not whole
        else:
            transport.write(status_line(500) + b"content-length: 0\r\n" + _CLOSE + b"\r\n")
            transport.close()

    # -- what comes

    def takes(self, body: bytes) -> None:
        """A piece of the request's body."""
        if self.complete:
            return
        self._body.append(body)
        self._size += len(body)
        if self._size > HIGH_WATER:
            self._owner.flow.pause_reading()
        self._tell()

    def ends(self) -> None:
        """The request is whole."""
        self.whole = True
        self._tell()

    def lost(self, failure: Exception | None) -> None:
        """The caller has gone."""
        self.gone, self.failure = True, failure
        self._head = b""
        self._wake()

    def _tell(self) -> None:
        self._news = True
        self._wake()

    def _wake(self) -> None:
        if self._more is not None:
            self._more.set()

    async def receive(self) -> Message:
        if self._expects:
            self._expects = False
            if not (self.started or self.gone):
                self._owner.transport.write(CONTINUE)
        while not (self._news or self.gone or self.complete):
            if self._more is None:
                self._more = asyncio.Event()
            self._more.clear()
            await self._more.wait()
        if self.complete or (self.gone and not (self._news and self.whole)):
            return {"type": "http.disconnect"}
        pieces, self._body, self._size, self._news = self._body, [], 0, False
        body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        if not self.gone:
            self._owner.flow.resume_reading()
        return {"type": "http.request", "body": body, "more_body": not self.whole}

    # -- what goes

    async def send(self, message: Message) -> None:
        """Raises `TimeoutError` when the caller has left unread what it was sent for too long."""
        flow = self._owner.flow
        if flow.write_paused and not self.gone:
            await flow.drain()
        if self.gone:
            if isinstance(self.failure, TimeoutError):
                raise self.failure
            return
        if self.complete:
            raise RuntimeError(f"{message['type']} comes behind the end of the answer.")
        if message["type"] == "http.response.start" and not self.started:
            self._head = self._answer(message)
            self.started = True
            asyncio.get_running_loop().call_soon(self._flush)
        elif message["type"] == "http.response.body" and self.started:
            self._send_body(message.get("body", b""), more=message.get("more_body", False))
        else:
            raise RuntimeError(f"{message['type']} comes too early, or twice.")

    def _flush(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._owner.transport.write(head)

    def _answer(self, message: Message) -> bytes:
        """The head. Raises `ValueError`."""
        status: int = message["status"]
        lines, values = [status_line(status)], []
        length: bytes | None = None
        closes = False
        for given in (self._owner.default_headers, message.get("headers", ())):
            for name, value in given:
                line = line_of(name)
                if line == b"transfer-encoding: ":
                    continue  # how it is framed is seen to below
                if line == b"content-length: ":
                    length = value
                elif line == b"connection: ":
                    closes = closes or b"close" in [token.strip() for token in value.lower().split(b",")]
                values.append(value)
                lines += (line, value, b"\r\n")
        if _CONTROL.search(b"".join(values)) is not None:
            raise ValueError("The value of a header of the answer has a control character.")
        self._silent = status in WITHOUT_BODY or self.scope["method"] == "HEAD"
        if length is not None:
            self._left = int(length)
        elif not self._silent:
            self._chunked = self.scope["http_version"] == "1.1"
            if self._chunked:
                lines.append(b"transfer-encoding: chunked\r\n")
            else:
                self.persists = False
        if closes:
            self.persists = False
        elif not self.persists:
            lines.append(_CLOSE)
        lines.append(b"\r\n")
        return b"".join(lines)

    def _send_body(self, body: bytes, *, more: bool) -> None:
        data = b"" if self._silent else self._framed(body, more=more)
        transport = self._owner.transport
        if len(data) > LARGE:  # it is not copied for the sake of its head
            self._flush()
        if self._head or data:
            head, self._head = self._head, b""
            transport.write(head + data)
        if more:
            return
        self.complete = True
        self._wake()
        if not self.persists:
            transport.close()
        self._owner.ended(self)

    def _framed(self, body: bytes, *, more: bool) -> bytes:
        """Raises `RuntimeError` for another length than was promised."""
        if self._chunked:
            piece = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
            return piece if more else piece + b"0\r\n\r\n"
        if self._left is None:
            return body
        self._left -= len(body)
        if self._left < 0 or (self._left and not more):
            raise RuntimeError("The answer has another length than its Content-Length.")
        return body
