"""Content-Encoding: gzip, deflate and br, with a bounded result however much a body claims to hold."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import cast

from jackfield.api.errors import PayloadTooLarge, UnsupportedMediaType
from jackfield.api.object_references import load
from jackfield_webhooks.bodies.unpacking import STEP, broken

_BROTLI = "jackfield_webhooks.bodies.brotli_coding:unpacked"
"""Its library is imported with the first body that needs it."""
_MAX_CODINGS = 3
_MAX_MEMBERS = 64
"""Of one gzip stream: each costs a copy of all that follows it, and no client sends many."""


def codings(header: str | None) -> list[str]:
    """The codings to undo, the outermost first. Raises `UnsupportedMediaType`."""
    if not header:
        return []
    named = [name.strip().lower().removeprefix("x-") for name in header.split(",")]
    wanted = [name for name in reversed(named) if name not in ("", "identity")]
    if len(wanted) > _MAX_CODINGS or any(name not in _DECODERS for name in wanted):
        raise UnsupportedMediaType("The body's Content-Encoding must be gzip, deflate or br.")
    return wanted


def decode(body: bytes, wanted: list[str], limit: int) -> bytes:
    """Undo the codings. Raises `InvalidInput` for a broken or cut body, `PayloadTooLarge` above `limit` bytes."""
    for name in wanted:
        body = _collect(_DECODERS[name](body), limit)
    return body


def _collect(parts: Iterator[bytes], limit: int) -> bytes:
    found: list[bytes] = []
    size = 0
    for part in parts:
        size += len(part)
        if size > limit:
            raise PayloadTooLarge(f"The body may have at most {limit} bytes after decoding.")
        found.append(part)
    return b"".join(found)


def _gzip(body: bytes) -> Iterator[bytes]:
    """All members of a gzip stream, as RFC 1952 allows several."""
    rest = body
    members = 0
    while rest:
        members += 1
        if members > _MAX_MEMBERS:
            raise broken("gzip")
        unpacker = zlib.decompressobj(31)
        yield from _inflate(unpacker, rest, "gzip")
        rest = unpacker.unused_data.lstrip(b"\0")
    if not body:
        raise broken("gzip")


def _deflate(body: bytes) -> Iterator[bytes]:
    """zlib's form, as RFC 9110 means it; or raw deflate, as some clients send it."""
    try:
        zlib.decompressobj(15).decompress(body[:64])
        raw = False
    except zlib.error:
        raw = True
    unpacker = zlib.decompressobj(-15 if raw else 15)
    yield from _inflate(unpacker, body, "deflate")
    if unpacker.unused_data:
        raise broken("deflate")


def _inflate(unpacker: zlib._Decompress, body: bytes, coding: str) -> Iterator[bytes]:
    try:
        rest = body
        while not unpacker.eof:
            part = unpacker.decompress(rest, STEP)
            rest = unpacker.unconsumed_tail
            if not part and not rest and not unpacker.eof:
                raise broken(coding)
            yield part
    except zlib.error:
        raise broken(coding) from None


def _brotli(body: bytes) -> Iterator[bytes]:
    return cast("Callable[[bytes], Iterator[bytes]]", load(_BROTLI))(body)


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {"gzip": _gzip, "deflate": _deflate, "br": _brotli}
