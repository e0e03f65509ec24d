"""An answer in chunks: what nodes send while they run, for a caller who reads as fast or as slowly as it likes.

A slow caller makes the nodes wait, so that no more than a few pieces are in memory. One who goes away, or reads nothing
for too long, ends the answer and not the execution.
"""

from __future__ import annotations

import asyncio

from jackfield.api.records import replace
from jackfield.api.streaming import Chunk

KEEPALIVE = b'{"type":"keepalive"}\n'
"""n8n sends it while nodes are silent."""
_LINE = 200
"""Bytes of a line besides its content, about."""


class CallStream:
    """`ChunkStream`. most: bytes that wait for the caller; a larger piece waits alone."""

    def __init__(self, most: int, kept: KeptChunks) -> None:
        self._most = most
        self._waiting: list[bytes] = []
        self._held = 0
        self._sending = 0
        """Bytes of the piece that the caller gets now; they are held until it has them."""
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._over = False
        self.kept = kept
        self.gone = False
        """Whether nobody reads any more."""

    async def put(self, chunk: Chunk) -> None:
        self.kept.add(chunk)
        line = chunk.line()
        while self._held and self._held + len(line) > self._most and not self._done():
            self._room.clear()
            await self._room.wait()
        if not self._done():
            self._append(line)

    def end(self, error: Chunk | None) -> None:
        """Nothing follows but this."""
        if error is not None:
            self.kept.add(error)
            if not self.gone:
                self._append(error.line())
        self._over = True
        self._wake()

    def leave(self) -> None:
        """The caller is not there any more."""
        self.gone = True
        self._waiting.clear()
        self._held = self._sending = 0
        self._wake()

    async def next(self, seconds: float) -> bytes:
        """All that waits, one or more lines; a sign of life when nothing comes for so long; nothing at the end. The
        caller has what it gave before."""
        self._held -= self._sending
        self._sending = 0
        self._room.set()
        while not self._waiting:
            if self._done():
                return b""
            self._news.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._news.wait()
            except TimeoutError:
                return KEEPALIVE
        piece = b"".join(self._waiting)
        self._waiting.clear()
        self._sending = len(piece)
        return piece

    def _append(self, line: bytes) -> None:
        self._waiting.append(line)
        self._held += len(line)
        self._news.set()

    def _done(self) -> bool:
        return self._over or self.gone

    def _wake(self) -> None:
        self._news.set()
        self._room.set()


class KeptChunks:
    """The beginning of an answer, for history and repeats: neighbouring pieces of one text are one piece, so that
    nothing that is to be hidden stands there in parts. most: bytes."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._chunks: list[Chunk] = []
        self._texts: list[list[str]] = []
        self._open: dict[tuple[str, int, int], int] = {}
        self.truncated = False

    def add(self, chunk: Chunk) -> None:
        text = chunk.content or ""
        if self._left <= 0:
            self.truncated = True
            return
        place = (chunk.node_name, chunk.run, chunk.item)
        index = self._open.get(place) if chunk.type == "item" else self._open.pop(place, None)
        if chunk.type == "item" and index is not None:
            self._texts[index].append(text)
            self._left -= max(len(text), 1)
            return
        if chunk.type == "item":
            self._open[place] = len(self._chunks)
        self._chunks.append(chunk)
        self._texts.append([text])
        self._left -= len(text) + _LINE

    def body(self) -> bytes:
        """JSON lines."""
        return b"".join(
            (chunk if chunk.content is None else replace(chunk, content="".join(texts))).line()
            for chunk, texts in zip(self._chunks, self._texts, strict=True)
        )
