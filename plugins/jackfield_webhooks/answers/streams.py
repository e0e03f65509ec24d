"""The beginning of an answer in chunks, which the history and repeats have."""

from __future__ import annotations

from jackfield.api.chunk_streams import ChunkBuffer
from jackfield.api.records import replace
from jackfield.api.streaming import Chunk

_LINE = 200
"""Bytes of a line besides its content, about."""


class CallStream(ChunkBuffer):
    """A stream of which the beginning is kept, whether or not somebody reads it."""

    def __init__(self, most: int, kept: KeptChunks) -> None:
        super().__init__(most)
        self.kept = kept

    async def put(self, chunk: Chunk) -> None:
        self.kept.add(chunk)
        await super().put(chunk)

    def end(self, error: Chunk | None) -> None:
        if error is not None:
            self.kept.add(error)
        super().end(error)


class KeptChunks:
    """The beginning of an answer, for history and repeats.

    Neighboring pieces of one text are one piece, so that no secret stands there in parts. `most`: bytes.
    """

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
