"""Reads a response body within a limit that holds after decompression, so that a small body cannot fill the memory."""

from __future__ import annotations

import zlib


class TooLarge(Exception):
    """The body exceeds the limit."""


class UnknownEncoding(Exception):
    """The body has a Content-Encoding that is not read."""


class BodyReader:
    """encoding: the Content-Encoding header; limit: bytes after decompression."""

    def __init__(self, encoding: str, limit: int) -> None:
        name = encoding.strip().lower()
        if name not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise UnknownEncoding(name)
        self._compressed = name not in {"", "identity"}
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._begun = False
        self._limit = limit
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """More of the body as sent. Raises `TooLarge`, OSError for what is not in the encoding."""
        if not self._compressed:
            self._add(chunk)
            return
        while chunk:
            if self._inflater.eof:  # another member of a gzip file, or padding
                if not chunk.startswith(b"\x1f\x8b"):
                    return
                self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 32)
            self._add(self._inflate(chunk))
            chunk = self._inflater.unused_data or self._inflater.unconsumed_tail

    def _inflate(self, chunk: bytes) -> bytes:
        room = self._limit - len(self._body) + 1
        try:
            found = self._inflater.decompress(chunk, room)
        except zlib.error as exc:
            if self._begun:
                raise OSError("the body is not compressed as announced") from exc
            self._inflater = zlib.decompressobj(-zlib.MAX_WBITS)
            found = self._raw(chunk, room)
        self._begun = True
        return found

    def _raw(self, chunk: bytes, room: int) -> bytes:
        """Some servers send deflate without its envelope."""
        try:
            return self._inflater.decompress(chunk, room)
        except zlib.error as exc:
            raise OSError("the body is not compressed as announced") from exc

    def _add(self, data: bytes) -> None:
        if len(self._body) + len(data) > self._limit:
            raise TooLarge
        self._body += data

    def finish(self) -> bytes:
        """The whole body. Raises OSError when compressed data is cut short."""
        if self._compressed and self._begun and not self._inflater.eof:
            raise OSError("the compressed body is cut short")
        return bytes(self._body)
