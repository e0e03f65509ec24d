"""Requests that can be read at a glance: whole, in one piece, and with nothing in their heads that asks for more.

Most calls of programs are such. Every other message is for a parser of the whole of HTTP; nothing is refused here.

Source: RFC 9110 sections 5.5, 5.6.2 and 8.6; RFC 9112 sections 3, 5 and 6.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jackfield.api.records import record

_LINE = re.compile(rb"([A-Z]{1,20}) (/[\x21\x22\x24-\x7e]*) HTTP/1\.1\r\n")
_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_CONTROL = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_END = b"\r\n\r\n"
_HOST, _LENGTH, _CONNECTION = b"host", b"content-length", b"connection"
_ASKS_FOR_MORE = frozenset({b"transfer-encoding", b"upgrade", b"expect", b"te", b"trailer"})
_TOLD = _ASKS_FOR_MORE | {_HOST, _LENGTH, _CONNECTION}
_METHODS = frozenset({b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS"})
_LONGEST_LENGTH = 10
"""Digits."""


@record
class PlainRequest:
    """persists: the connection goes on behind its answer; rest: what has come behind it."""

    method: str
    target: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes
    rest: bytes
    persists: bool


@lru_cache(maxsize=512)
def _name_of(sent: bytes) -> bytes | None:
    """In small letters; None: it is no name. Those that are long are not worth remembering, and are not plain."""
    return sent.lower() if _NAME.fullmatch(sent) else None


def plain_request(data: bytes, longest_head: int) -> PlainRequest | None:
    """data: all that has come since the last request. None: it is not plain."""
    line = _LINE.match(data)
    if line is None or line[1] not in _METHODS:
        return None
    end = data.find(_END, line.end() - 2)
    if end < line.end() or end + len(_END) > longest_head:
        return None
    lines = data[line.end() : end].split(b"\r\n")
    if _CONTROL.search(b"".join(lines)) is not None:
        return None
    headers: list[tuple[bytes, bytes]] = []
    told: dict[bytes, bytes] = {}
    for each in lines:
        sent, colon, value = each.partition(b":")
        name = _name_of(sent) if colon and len(sent) <= 64 else None
        if name is None:
            return None
        value = value.strip(b" \t")
        if name in _TOLD:
            if name in told or name in _ASKS_FOR_MORE:
                return None
            told[name] = value
        headers.append((name, value))
    length = _length(told.get(_LENGTH))
    connection = told.get(_CONNECTION, b"keep-alive").lower()
    begin = end + len(_END)
    if _HOST not in told or connection not in (b"keep-alive", b"close") or not 0 <= length <= len(data) - begin:
        return None
    body, rest = data[begin : begin + length], data[begin + length :]
    return PlainRequest(line[1].decode("ascii"), line[2], headers, body, rest, connection == b"keep-alive")


def _length(given: bytes | None) -> int:
    """-1: it has to be looked at more closely."""
    if given is None:
        return 0
    return int(given) if given.isdigit() and len(given) <= _LONGEST_LENGTH else -1
