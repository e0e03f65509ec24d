"""Answers that come compressed although `identity` was asked for, where they have to be read."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from jackfield.api.dialects.model import DialectError

PLAIN = frozenset({"", "identity"})
READ = frozenset({"gzip", "x-gzip", "deflate"})
_PIECE = 1024 * 1024
"""Bytes that are unpacked at once: a small answer may hold gigabytes."""


class Unpacker:
    """encoding: of the answer, in lower case. Raises `DialectError` 502 for one that is not known."""

    def __init__(self, encoding: str) -> None:
        if encoding not in READ:
            raise DialectError(502, f"The provider answers in the encoding {encoding[:40]}, which was not asked for.")
        self._inflate = zlib.decompressobj(47)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """In pieces, to be taken one by one. Raises `DialectError` 502."""
        while data:
            try:
                piece = self._inflate.decompress(data, _PIECE)
            except zlib.error:
                raise DialectError(502, "The provider's answer is not in the encoding that it names.") from None
            if piece:
                yield piece
            data = self._inflate.unconsumed_tail


def unpacked(body: bytes, encoding: str, limit: int) -> bytes:
    """At most that many bytes; empty for what cannot be unpacked."""
    if encoding in PLAIN:
        return body[:limit]
    parts, size = [], 0
    try:
        for piece in Unpacker(encoding).feed(body):
            parts.append(piece)
            size += len(piece)
            if size >= limit:
                break
    except DialectError:
        return b""
    return b"".join(parts)[:limit]
