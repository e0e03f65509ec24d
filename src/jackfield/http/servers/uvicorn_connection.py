"""uvicorn's connections, by httptools: the same as Hypercorn's, request by request.

- The connection reads a request at a glance where it can, as over Hypercorn.

- `jackfield.api.admission` hears how far each request has come, and keeps all times: there is no timer per connection.

- The connection refuses requests that a program in front may read otherwise, and closes. These have `Transfer-Encoding`
  beside `Content-Length` or in HTTP/1.0, or another coding than `chunked`. Or they have no `Host` or two, or another
  version than 1.0 and 1.1.

- It bounds heads, and the bytes between the pieces of a body (sizes of chunks, trailers). It drops trailers.

- It reads a request that came behind another one when that one is answered, so that a flood of them is bytes alone.

- It hands a WebSocket over: `websocket_connections`.

Source: RFC 9110 sections 7.2 and 7.8; RFC 9112 sections 3.2, 6.1, 6.3, 7.1.2 and 9.3.2.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, cast

import httptools
from uvicorn import Config
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.utils import get_local_addr, get_remote_addr
from uvicorn.server import ServerState

from jackfield.api.admission.connections import IDLE, SILENT, Admission, AdmittedConnection, Overdue
from jackfield.api.admission.moving import move

from ..http1.exchange import HttpExchange, scope_of, whole_exchange
from ..http1.plain import PlainRequest, plain_request
from ..http1.refusals import MALFORMED, TOO_LARGE, refusal, too_late
from .holding_flow import HoldingFlow

LINGER = 1.0
"""Seconds that a caller has to take the last answer and to close."""
_END = b"\r\n\r\n"
_HOST, _LENGTH, _CODING = b"host", b"content-length", b"transfer-encoding"
_EXPECT, _CONNECTION, _UPGRADE = b"expect", b"connection", b"upgrade"
_TOLD = frozenset({_HOST, _LENGTH, _CODING, _EXPECT, _CONNECTION, _UPGRADE})
"""Headers that the connection has to know."""
HandOver = Callable[[asyncio.Transport, AdmittedConnection, bytes], None]
"""Gives a connection to who serves WebSockets, with all that has come since the last answer."""


class MalformedRequest(Exception):
    """A request that is none; httptools makes its own error of it, which names this one as its context."""

    def __init__(self, message: str = MALFORMED, status: int = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class UvicornConnection(asyncio.Protocol):
    """One caller's connection, made by uvicorn. `admit` comes before its `connection_made`."""

    transport: asyncio.Transport
    flow: HoldingFlow

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],  # uvicorn's
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._app = config.loaded_app
        self._longest = config.h11_max_incomplete_event_size or 0
        self._state = server_state
        self._app_state = app_state
        self._loop = _loop or asyncio.get_running_loop()
        self._parser = httptools.HttpRequestParser(self)
        # What follows a request that says `Connection: close` is not read, but no mistake either.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._exchange: HttpExchange | None = None
        """That is answered, or was answered last."""
        self._arriving: HttpExchange | None = None
        """The exchange whose body the connection reads."""
        self._behind: deque[HttpExchange] = deque()
        self._held = b""
        """The unread bytes that have come behind them."""
        self._answer = b""
        """To what is no request, once what came before is answered."""
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._in_head = False
        self._trailers = 0
        """Their bytes."""
        self._left = 0
        """Bytes of the body, where it has a length."""
        self._idle_bytes = 0
        """That have come since the last head was whole, or the last piece of a body came."""
        self._apart = False
        """Whether a body is read past httptools, which takes a request with `Upgrade` to end with its head."""
        self._handing_over = False
        self._websocket = b""
        """The bytes that have come of one, until the connection hands it over."""
        self._refused = False

    def admit(self, admitted: AdmittedConnection, admission: Admission, hand_over: HandOver) -> None:
        self._admitted = admitted
        self._admission = admission
        self._hand_over = hand_over
        admitted.end = self._end

    @property
    def default_headers(self) -> Sequence[tuple[bytes, bytes]]:
        return self._state.default_headers

    # -- the connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.flow = HoldingFlow(self.transport)
        self._server = get_local_addr(self.transport)
        self._client = get_remote_addr(self.transport)
        self._state.connections.add(cast("Any", self))  # whatever has `shutdown`

    def connection_lost(self, exc: Exception | None) -> None:
        self._admitted.release()
        self._state.connections.discard(cast("Any", self))
        for one in (self._exchange, *self._behind):
            if one is not None:
                one.lost(exc)
        self._behind.clear()
        self._held = b""
        self.flow.resume_writing()

    def pause_writing(self) -> None:
        self.flow.pause_writing()

    def resume_writing(self) -> None:
        self.flow.resume_writing()

    def shutdown(self) -> None:
        """uvicorn stops: nothing more is taken."""
        if self._is_free:
            self.transport.close()
        elif self._exchange is not None:
            self._exchange.persists = False

    @property
    def _is_free(self) -> bool:
        return self._exchange is None or self._exchange.complete

    def _end(self, reason: Overdue | None) -> bool:
        """As `AdmittedConnection.end`. An application that is slow to read is none of its caller's faults."""
        if reason == "request" and self.flow.read_paused:
            return False
        if self._refused:
            self.transport.close()  # its last answer is written
            return True
        begun = not self._is_free and self._exchange is not None and self._exchange.started
        if reason in ("head", "request") and not begun:
            self.transport.write(too_late(reason))
        self.transport.close()
        return True

    # -- what comes

    def data_received(self, data: bytes) -> None:
        if self._admitted.phase in (SILENT, IDLE):
            mover = self._admission.mover
            if mover is not None and self._is_between and mover.is_elsewhere(data):
                move(mover, self.transport, data)
                return
            self._admitted.receives()
        if self._refused:
            return  # it is read so that the caller finds the answer
        if self._handing_over:
            self._websocket += data
            if len(self._websocket) > HIGH_WATER_LIMIT:
                self.flow.hold()
        elif self._has_next or self._held:
            self._hold(data)
        else:
            self._read(data)

    @property
    def _is_between(self) -> bool:
        """Whether an answer has ended, and nothing of the next request has come."""
        return self._admitted.phase == IDLE and self._is_free and not (self._in_head or self._idle_bytes or self._held)

    @property
    def _has_next(self) -> bool:
        """Whether a whole request waits behind the one that is answered."""
        return bool(self._behind) and self._arriving is None

    def _hold(self, data: bytes) -> None:
        self._held += data
        if len(self._held) > HIGH_WATER_LIMIT:
            self.flow.hold()

    def _read(self, data: bytes) -> None:
        """Takes what has come apart, and holds what is behind a request that waits."""
        if self._is_fresh and (found := plain_request(data, self._longest)) is not None:
            self._take_plain(found)
            return
        at, size = 0, len(data)
        while at < size:
            end = min(self._piece(data, at), size)
            if not self._parse(data if end - at == size else data[at:end]):
                if self._handing_over:
                    self._websocket += data[end:]
                    self._give_away()
                return
            at = end
            if self._has_next and at < size:
                self._hold(data[at:])
                return

    @property
    def _is_fresh(self) -> bool:
        """Whether nothing of a request has come, and no answer is under way."""
        begun = self._arriving or self._in_head or self._idle_bytes or self._left or self._apart
        return self._is_free and not begun

    def _take_plain(self, request: PlainRequest) -> None:
        """httptools would take as long again."""
        self._admitted.head_is_whole(has_body=False)  # all of it has come
        self._start(whole_exchange(self, request, self._client, self._server, self._app_state.copy()))
        if request.rest:
            self._hold(request.rest)

    def _piece(self, data: bytes, at: int) -> int:
        """The end of a part that has one head at most."""
        if self._left > 0:
            return at + self._left
        first = data.find(_END, at)
        if first < 0 or data.find(_END, first + 4) < 0:
            return len(data)
        return first + 4

    def _parse(self, data: bytes) -> bool:
        """Whether what comes next may be read."""
        while data:
            if self._apart:
                data = self._take_apart(data)
                continue
            self._idle_bytes += len(data)
            try:
                self._parser.feed_data(data)
                rest = b""
            except httptools.HttpParserUpgrade as exc:
                rest = data[exc.args[0] :]
            except httptools.HttpParserError as exc:
                cause = exc.__context__
                self._refuse(cause if isinstance(cause, MalformedRequest) else MalformedRequest())
                return False
            if self._handing_over:
                self._websocket = self._head_again() + rest
                return False
            data = rest
        if self._idle_bytes > self._longest:
            self._refuse(MalformedRequest(TOO_LARGE, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE))
            return False
        return True

    def _take_apart(self, data: bytes) -> bytes:
        """Gives what is behind the body."""
        body, rest = data[: self._left], data[self._left :]
        self.on_body(body)
        if not self._left:
            self._apart = False
            self.on_message_complete()
        return rest

    def _refuse(self, why: MalformedRequest) -> None:
        """The answer waits for its turn; what is half answered can only be broken off."""
        self._admission.malformed += 1
        self._refused = True
        answer = refusal(why.message, why.status)
        if self._is_free:
            self._send_last(answer)
        elif self._arriving is not None and self._arriving is self._exchange:
            self._exchange.lost(None)
            if self._exchange.started:
                self.transport.close()
            else:
                self._send_last(answer)
        else:
            self._answer = answer
            self._behind = deque(one for one in self._behind if one is not self._arriving)

    def _send_last(self, answer: bytes) -> None:
        """A socket that is closed with something unread takes back what was sent: the caller has a moment to end."""
        self.transport.write(answer)
        with contextlib.suppress(OSError, RuntimeError):  # it is closed
            self.transport.write_eof()
        self._loop.call_later(LINGER, self.transport.close)

    # -- what httptools has found

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers = []
        self._in_head = True
        self._trailers = 0

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Raises `MalformedRequest`."""
        if self._in_head:
            self._headers.append((name.lower(), value.strip(b" \t")))  # it leaves what stands behind a value
            return
        self._trailers += len(name) + len(value)
        if self._trailers > self._longest:
            raise MalformedRequest(TOO_LARGE, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def on_headers_complete(self) -> None:
        """Raises `MalformedRequest`."""
        told: dict[bytes, list[bytes]] = {}
        for name, value in self._headers:
            if name in _TOLD:
                told.setdefault(name, []).append(value)
        version = self._parser.get_http_version()
        self._check(version, told)
        self._in_head, self._idle_bytes = False, 0
        lengths = told.get(_LENGTH)
        self._left = int(lengths[0]) if lengths else 0
        self._admitted.head_is_whole(has_body=lengths is not None or _CODING in told)
        method = self._parser.get_method()
        if self._parser.should_upgrade():
            if method == b"GET" and _is_websocket(told):
                self._handing_over = True
                return
            if _CODING in told:
                raise MalformedRequest("A request with Upgrade has no Transfer-Encoding; send Content-Length.")
            self._apart = self._left > 0
        self._begin(method.decode("ascii"), version, told)

    def _check(self, version: str, told: dict[bytes, list[bytes]]) -> None:
        if version not in ("1.0", "1.1"):
            raise MalformedRequest(
                "This version of HTTP is not spoken; use HTTP/1.1.", HTTPStatus.HTTP_VERSION_NOT_SUPPORTED
            )
        codings = told.get(_CODING)
        if codings is not None:
            if _LENGTH in told:
                raise MalformedRequest("Transfer-Encoding and Content-Length exclude each other; send one of them.")
            if version == "1.0":
                raise MalformedRequest("HTTP/1.0 has no Transfer-Encoding; send Content-Length.")
            if [value.lower() for value in codings] != [b"chunked"]:
                raise MalformedRequest("No Transfer-Encoding but chunked is understood; send that one.", 501)
        hosts = len(told.get(_HOST, ()))
        if hosts > 1 or (hosts == 0 and version == "1.1"):
            raise MalformedRequest("A request has one Host; send it once.")
        if not self._url.isascii():
            raise MalformedRequest("The request's target has characters that must be percent-encoded.")

    def _begin(self, method: str, version: str, told: dict[bytes, list[bytes]]) -> None:
        scope = scope_of(method, self._url, version, self._headers, self._client, self._server, self._app_state.copy())
        is_new = version == "1.1"
        made = self._arriving = HttpExchange(
            self,
            scope,
            persists=is_new and self._parser.should_keep_alive(),
            expects=is_new and any(value.lower() == b"100-continue" for value in told.get(_EXPECT, ())),
        )
        if self._is_free:
            self._start(made)
        else:
            self._behind.append(made)

    def _start(self, exchange: HttpExchange) -> None:
        self._exchange = exchange
        task = self._loop.create_task(exchange.run(cast("Any", self._app)))
        self._state.tasks.add(task)
        task.add_done_callback(self._state.tasks.discard)

    def on_body(self, body: bytes) -> None:
        self._idle_bytes = 0
        self._left = max(0, self._left - len(body))
        if self._arriving is not None:
            self._arriving.takes(body)

    def on_message_complete(self) -> None:
        if self._apart:
            return
        self._idle_bytes = 0
        if self._arriving is not None:
            self._arriving.ends()
            self._arriving = None
        self._admitted.request_is_whole()

    # -- what has been answered

    def ended(self, exchange: HttpExchange) -> None:
        self._state.total_requests += 1
        if self.transport.is_closing():
            return
        if not exchange.whole:  # the rest would be taken for the next request
            self.transport.close()
            return
        self.flow.resume_reading()
        if self._behind:
            self._start(self._behind.popleft())
        elif self._answer:
            self._send_last(self._answer)
        elif self._websocket:
            self._give_away()
        else:
            self._admitted.idles()
            if self._in_head or self._held:
                self._admitted.receives()
            if self._held:
                self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        if not self.transport.is_closing() and self._is_free:
            held, self._held = self._held, b""
            self.flow.go_on()
            self._read(held)

    # -- WebSockets

    def _head_again(self) -> bytes:
        """As it was understood."""
        version = self._parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (self._parser.get_method(), self._url, version)]
        lines += [name + b": " + value for name, value in self._headers]
        return b"\r\n".join([*lines, b"", b""])

    def _give_away(self) -> None:
        """Once everything before it is answered."""
        if not self._is_free:
            return
        self._state.connections.discard(cast("Any", self))
        self.flow.go_on()
        sent, self._websocket = self._websocket, b""
        self._hand_over(self.transport, self._admitted, sent)


def _is_websocket(told: dict[bytes, list[bytes]]) -> bool:
    tokens = b",".join(told.get(_CONNECTION, ())).lower().split(b",")
    return told.get(_UPGRADE, [b""])[-1].lower() == b"websocket" and b"upgrade" in [token.strip() for token in tokens]
