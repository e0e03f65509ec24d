"""The last words to a client, from a speaker that has no HTTP server at hand: whole answers, and ends of streams, as
bytes.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from jackfield.api import dialects
from jackfield.api.dialects.model import DialectError, DialectName, ModelRequest
from jackfield_proxy.client_routes import route_of

if TYPE_CHECKING:
    from collections.abc import Iterable

LAST_CHUNK = b"0\r\n\r\n"
_REASONS = {one.value: one.phrase for one in HTTPStatus}


def asked(start: bytes) -> tuple[str, DialectName]:
    """Method and dialect of a request by its first line, or what there is of it."""
    words = start.partition(b"\r\n")[0].decode("latin-1").split(" ")
    method, target = words[0], words[1] if len(words) > 1 else "/"
    return method, route_of(method, target.partition("?")[0]).dialect


def answer(dialect: DialectName, error: DialectError, *, body: bool = True) -> bytes:
    """A whole answer, the last one of its connection. body: False for a request by HEAD."""
    status, content, headers = dialects.of(dialect).error_body(error)
    more = [*headers, ("content-length", str(len(content))), ("connection", "close")]
    return _head(status, more) + (content if body else b"")


def ending(dialect: DialectName, error: DialectError) -> bytes:
    """The end of an event stream that is sent in chunks (RFC 9112 section 7.1): an event with the error, and the last
    chunk."""
    event = dialects.of(dialect).writer(ModelRequest(dialect, "", stream=True)).error(error)
    return b"%x\r\n%b\r\n%b" % (len(event), event, LAST_CHUNK)


def _head(status: int, headers: Iterable[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
