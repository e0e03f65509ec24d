"""Reads a response body in pieces that stay small after decompression, so that a small body cannot fill the memory."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator

from jackfield.api.binary import CHUNK


class TooLarge(Exception):
    """The body exceeds the limit."""


class UnknownEncoding(Exception):
    """The body has a Content-Encoding that is not read."""


async def decoded(chunks: AsyncIterator[bytes], encoding: str) -> AsyncIterator[bytes]:
    """The body without its encoding. encoding: the Content-Encoding header. Raises `UnknownEncoding`, OSError for what
    is not in the encoding or cut short."""
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        async for chunk in chunks:
            yield chunk
        return
    if name not in {"gzip", "x-gzip", "deflate"}:
        raise UnknownEncoding(name)
    inflater = Inflater()
    async for chunk in chunks:
        for piece in inflater.feed(chunk):
            yield piece
    inflater.finish()


class Inflater:
    """gzip and deflate, of which servers send two kinds."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._begun = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The next part of the body, decoded, in pieces of at most 256 KiB. Raises OSError."""
        while chunk:
            if self._inflater.eof:  # another member of a gzip file, or padding
                if not chunk.startswith(b"\x1f\x8b"):
                    return
                self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)
            found = self._inflate(chunk)
            yield found
            while len(found) == CHUNK and not self._inflater.unconsumed_tail and not self._inflater.eof:
                # The chunk is used up, and there may be more to come of it, which no later chunk brings out.
                found = self._inflate(b"")
                yield found
            chunk = self._inflater.unused_data or self._inflater.unconsumed_tail

    def finish(self) -> None:
        """Raises OSError when the data is cut short."""
        if self._begun and not self._inflater.eof:
            raise OSError("the compressed body is cut short")

    def _inflate(self, chunk: bytes) -> bytes:
        try:
            found = self._inflater.decompress(chunk, CHUNK)
        except zlib.error as exc:
            if self._begun:
                raise OSError("the body is not compressed as announced") from exc
            self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)
            found = self._raw(chunk)
        self._begun = True
        return found

    def _raw(self, chunk: bytes) -> bytes:
        """Some servers send deflate without its envelope."""
        try:
            return self._inflater.decompress(chunk, CHUNK)
        except zlib.error as exc:
            raise OSError("the body is not compressed as announced") from exc
