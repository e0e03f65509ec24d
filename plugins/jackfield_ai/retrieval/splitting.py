"""Texts in pieces that overlap. Sizes are characters; a token counts as four of them, since the models' own tokenisers
are not at hand."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice

CHARACTERS_PER_TOKEN = 4
SEPARATORS = ("\n\n", "\n", " ", "")
MAX_PIECES = 100_000


class RecursiveSplitter:
    """`TextSplitter`: at the first separator that occurs; pieces still too large at the next one."""

    def __init__(self, size: int, overlap: int, separators: Sequence[str] = SEPARATORS) -> None:
        self._size = max(1, size)
        self._overlap = min(max(0, overlap), self._size - 1)
        self._separators = separators or ("",)

    def split(self, text: str) -> Sequence[str]:
        pieces = self._pieces(text, self._separators)
        return list(islice((kept for piece in pieces if (kept := piece.strip())), MAX_PIECES))

    def _pieces(self, text: str, separators: Sequence[str]) -> Iterator[str]:
        if len(text) <= self._size:
            yield text
            return
        place = next((i for i, one in enumerate(separators) if one == "" or one in text), len(separators))
        if place >= len(separators):
            yield text
            return
        separator, further = separators[place], separators[place + 1 :]
        if not separator:
            step = self._size - self._overlap
            yield from (text[start : start + self._size] for start in range(0, max(len(text) - self._overlap, 1), step))
            return
        small: list[str] = []
        for part in text.split(separator):
            if len(part) <= self._size:
                small.append(part)
                continue
            yield from self._merged(small, separator)
            small = []
            yield from self._pieces(part, further)
        yield from self._merged(small, separator)

    def _merged(self, parts: Sequence[str], separator: str) -> Iterator[str]:
        """Neighbours together as long as they fit; each piece begins with the end of the one before."""
        held: deque[str] = deque()
        length = 0
        for part in parts:
            extra = len(part) + (len(separator) if held else 0)
            if held and length + extra > self._size:
                yield separator.join(held)
                while held and (length > self._overlap or length + extra > self._size):
                    length -= len(held.popleft()) + (len(separator) if held else 0)
                extra = len(part) + (len(separator) if held else 0)
            held.append(part)
            length += extra
        if held:
            yield separator.join(held)


def token_splitter(size: int, overlap: int) -> RecursiveSplitter:
    """Sizes in tokens."""
    return RecursiveSplitter(size * CHARACTERS_PER_TOKEN, overlap * CHARACTERS_PER_TOKEN)
