"""HTTP/1.1 of Hypercorn and h11: alone, and strictly.

- Hypercorn speaks HTTP/2 with whoever asks for it, on a connection without TLS as well. HTTP/2 would be a second way
  in, past the bounds of a connection here: its head, its times, its WebSockets. No browser speaks it without TLS. A
  web server in front of the daemon that gives its callers HTTP/2 asks the daemon in HTTP/1.1.

- h11 takes bytes that a program in front may read otherwise, and so lets a caller hide one request in another. These
  are `Transfer-Encoding` beside `Content-Length`, or in HTTP/1.0; lines that end in a bare LF; folded header lines. The
  connection refuses them, and closes.

Source: RFC 9110 sections 7.8 and 15.6.6; RFC 9112 sections 2.2, 2.3, 5.2, 6.1 and 6.3; RFC 9113 section 3.4.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import h11
from h11._receivebuffer import ReceiveBuffer
from hypercorn.events import RawData
from hypercorn.protocol.h11 import H11Protocol

from jackfield.api.admission.connections import Admission, AdmittedConnection

from ..http1.refusals import MALFORMED, TOO_LARGE, body_of, code_of

if TYPE_CHECKING:
    from .settings import OwnConfig

BAD_REQUEST = 400
VERSION_NOT_SUPPORTED = 505
_REFUSALS: dict[int, str] = {HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: TOO_LARGE}
_MAJOR = b"1."
_BARE_LF = re.compile(rb"(?<!\r)\n")
_CODING = b"transfer-encoding"
_FRAMING = frozenset({_CODING, b"content-length"})


def malformed(message: str, status: int = BAD_REQUEST) -> h11.RemoteProtocolError:
    return h11.RemoteProtocolError(message, error_status_hint=status)


class StrictBuffer(ReceiveBuffer):
    """The received bytes.

    Heads, and trailers of bodies, are read by lines. has_length, has_coding: of the last lines, also where a header's
    name only begins so.
    """

    has_length = has_coding = False

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Up to the first blank line. Raises `h11.RemoteProtocolError`."""
        data = self._data
        if data[:2] == b"\r\n":
            self._extract(2)
            return []
        end = data.find(b"\r\n\r\n", self._multiple_lines_search)
        if end < 0:
            if _BARE_LF.search(data, max(0, self._multiple_lines_search)):
                raise malformed("A line of the head ends in LF; end it in CR LF.")
            self._multiple_lines_search = max(0, len(data) - 3)
            return None
        head = self._extract(end + 4)
        if head.count(b"\n") != head.count(b"\r\n"):
            raise malformed("A line of the head ends in LF; end it in CR LF.")
        if b"\r\n " in head or b"\r\n\t" in head:
            raise malformed("A header is folded over two lines; write it on one.")
        lower = head.lower()
        self.has_length = b"\ncontent-length" in lower
        self.has_coding = b"\ntransfer-encoding" in lower
        return head[:-4].split(b"\r\n")

    def maybe_extract_next_line(self) -> bytearray | None:
        """A chunk's size and extensions. Raises `h11.RemoteProtocolError`."""
        line = super().maybe_extract_next_line()
        if line is not None and b"\r" in line[:-2]:
            raise malformed("A line of a chunk has a CR in its middle; end it in CR LF.")
        return line


class Http1Connection(h11.Connection):
    """One that takes requests of HTTP/1 alone.

    H11 takes any number for the version, and so the preface of HTTP/2. `admitted`: hears how far a request has come.
    """

    problem = ""
    """A sentence about what was refused."""

    def __init__(self, longest_head: int, admission: Admission, admitted: AdmittedConnection | None) -> None:
        super().__init__(h11.SERVER, max_incomplete_event_size=longest_head)
        self._receive_buffer = self._strict = StrictBuffer()
        self._admission = admission
        self._admitted = admitted

    @property
    def is_fresh(self) -> bool:
        """Whether it waits for the first byte of a request."""
        return self.our_state is h11.IDLE and self.their_state is h11.IDLE and not self.has_more

    @property
    def has_more(self) -> bool:
        """Whether something has come that was not taken yet."""
        return len(self._strict) > 0

    def next_event(self) -> type[h11.NEED_DATA | h11.PAUSED] | h11.Event:
        """Raises `h11.RemoteProtocolError`, 505 for another version."""
        try:
            event = super().next_event()
            kind = type(event)
            if kind is h11.Request:
                self._take(cast("h11.Request", event))
            elif kind is h11.EndOfMessage and self._admitted is not None:
                self._admitted.request_is_whole()
        except h11.RemoteProtocolError as exc:
            self._admission.malformed += 1
            self.problem = str(exc)
            raise
        return event

    def _take(self, event: h11.Request) -> None:
        if self._strict.has_coding:
            names = {name for name, _ in event.headers}
            if names >= _FRAMING:
                raise malformed("Transfer-Encoding and Content-Length exclude each other; send one of them.")
            if _CODING in names and event.http_version == b"1.0":
                raise malformed("HTTP/1.0 has no Transfer-Encoding; send Content-Length.")
        if not event.http_version.startswith(_MAJOR):
            raise malformed("not HTTP/1", VERSION_NOT_SUPPORTED)
        if self._admitted is not None:
            self._admitted.head_is_whole(has_body=self._strict.has_length or self._strict.has_coding)


class Head(RawData):
    """The head of an answer, whose body mostly follows at once."""


class Http1Protocol(H11Protocol):
    """Never changes to HTTP/2: neither by `Upgrade: h2c`, which a server may ignore, nor by its preface."""

    def __init__(self, *args: Any) -> None:  # Hypercorn's
        super().__init__(*args)
        config = cast("OwnConfig", self.config)
        owner = getattr(self.send, "__self__", None)
        self.connection = Http1Connection(
            config.h11_max_incomplete_size, config.admission, getattr(owner, "admitted", None)
        )

    @property
    def has_answered(self) -> bool:
        """Whether an answer has begun."""
        return self.connection.our_state not in (h11.IDLE, h11.SEND_RESPONSE)

    @property
    def has_more(self) -> bool:
        """Whether bytes of the next request have come."""
        return isinstance(self.connection, Http1Connection) and self.connection.has_more

    @property
    def is_fresh(self) -> bool:
        """Whether nothing of a request has come, and no answer is under way."""
        connection = self.connection
        return isinstance(connection, Http1Connection) and connection.is_fresh

    async def _check_protocol(self, event: h11.Request) -> None:
        """Hypercorn raises from here what makes it change."""

    async def _send_h11_event(self, event: Any) -> None:  # Any: what h11 sends
        try:
            data = cast("bytes", self.connection.send(event))
        except h11.LocalProtocolError:
            if self.connection.their_state is not h11.ERROR:
                raise
        else:
            await self.send(Head(data) if type(event) is h11.Response else RawData(data))

    async def _send_error_response(self, status_code: int) -> None:
        """Hypercorn's has no body."""
        known = status_code == BAD_REQUEST and getattr(self.connection, "problem", "").endswith(".")
        message = getattr(self.connection, "problem", "") if known else _REFUSALS.get(status_code, MALFORMED)
        body = body_of(message, code_of(status_code))
        fields = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        await self._send_h11_event(
            h11.Response(status_code=status_code, headers=[*fields, *self.config.response_headers("h11")])
        )
        await self._send_h11_event(h11.Data(data=body))
        await self._send_h11_event(h11.EndOfMessage())
