"""Texts in pieces that overlap. Sizes are characters; a token counts as four of them, since the models' own tokenisers
are not at hand."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

CHARACTERS_PER_TOKEN = 4
SEPARATORS = ("\n\n", "\n", " ", "")
MAX_PIECES = 100_000


class MergingSplitter:
    """The common part of splitters: sizes, and how neighbours become pieces. Source: LangChain.js, `TextSplitter`."""

    def __init__(self, size: int, overlap: int) -> None:
        self._size = max(1, size)
        self._overlap = min(max(0, overlap), self._size - 1)

    def split(self, text: str) -> Sequence[str]:
        return list(islice(self._pieces(text), MAX_PIECES))

    def _pieces(self, text: str) -> Iterator[str]:
        raise NotImplementedError

    def _merged(self, parts: Iterable[str], between: str) -> Iterator[str]:
        """Neighbours together as long as they fit; each piece begins with the end of the one before."""
        held: deque[str] = deque()
        length = 0
        for part in parts:
            if length + len(part) + len(held) * len(between) > self._size:
                if held and (piece := between.join(held).strip()):
                    yield piece
                while held and (
                    length > self._overlap or (length + len(part) + len(held) * len(between) > self._size and length)
                ):
                    length -= len(held.popleft())
            held.append(part)
            length += len(part)
        if piece := between.join(held).strip():
            yield piece


class SeparatorSplitter(MergingSplitter):
    """`TextSplitter`: at one separator; what lies between two of them stays whole, whatever its size."""

    def __init__(self, size: int, overlap: int, separator: str) -> None:
        super().__init__(size, overlap)
        self._separator = separator

    def _pieces(self, text: str) -> Iterator[str]:
        parts = text.split(self._separator) if self._separator else text
        return self._merged((part for part in parts if part), self._separator)


class RecursiveSplitter(MergingSplitter):
    """`TextSplitter`: before the first separator that occurs; pieces still too large at the next one."""

    def __init__(self, size: int, overlap: int, separators: Sequence[str] = SEPARATORS) -> None:
        super().__init__(size, overlap)
        self._separators = separators or ("",)

    def _pieces(self, text: str) -> Iterator[str]:
        return self._within(text, self._separators)

    def _within(self, text: str, separators: Sequence[str]) -> Iterator[str]:
        place = next((i for i, one in enumerate(separators) if one == "" or one in text), len(separators) - 1)
        separator, further = separators[place], separators[place + 1 :]
        small: list[str] = []
        for part in _before(text, separator):
            if len(part) < self._size:
                small.append(part)
                continue
            yield from self._merged(small, "")
            small = []
            if further:
                yield from self._within(part, further)
            else:
                yield part
        yield from self._merged(small, "")


def _before(text: str, separator: str) -> Iterator[str]:
    """The text's parts, each of which but the first begins with the separator."""
    if not separator:
        yield from text
        return
    start = 0
    while (end := text.find(separator, start + 1)) >= 0:
        if end > start:
            yield text[start:end]
        start = end
    if text[start:]:
        yield text[start:]


def token_splitter(size: int, overlap: int) -> RecursiveSplitter:
    """Sizes in tokens."""
    return RecursiveSplitter(size * CHARACTERS_PER_TOKEN, overlap * CHARACTERS_PER_TOKEN)
