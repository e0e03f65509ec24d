"""Words in lines of a width, and blocks of such lines with line breaks around them, for the plain text of HTML."""

from __future__ import annotations

import re

BLANKS = " \t\r\n\f\u200b"
_WORD = re.compile(f"[^{BLANKS}]+")


def _length(word: str) -> int:
    """In UTF-16 code units, by which n8n breaks lines."""
    return len(word) if word.isascii() else len(word.encode("utf-16-le", "surrogatepass")) // 2


class TextLines:
    """breakable: the next word may begin a line although no blank is before it, where `<wbr>` stands."""

    def __init__(self, width: int) -> None:
        """width: characters of a line; a longer word has a line to itself."""
        self.width = width
        self.breakable = False
        self._done: list[str] = []
        self._words: list[str] = []
        self._left = width
        self._blank = False

    @property
    def empty(self) -> bool:
        return not self._done and not self._words

    def add(self, text: str, *, capitals: bool) -> int:
        """Words with blanks between them. Returns how many."""
        words = _WORD.findall(text)
        apart = self._blank or text[:1] in BLANKS
        for word in words:
            written = word.upper() if capitals else word
            if apart:
                self._push(written)
            else:
                self._join(written)
            apart = True
        self._blank = text[-1:] in BLANKS or (self._blank and not words)
        return len(words)

    def end_line(self, count: int = 1) -> None:
        """count: line breaks."""
        self._done.append(" ".join(self._words))
        self._done += [""] * (count - 1)
        self._words = []
        self._left = self.width

    def taken(self) -> str:
        """All lines, which are no longer here then."""
        text = "\n".join([*self._done, " ".join(self._words)])
        self._done, self._words, self._left = [], [], self.width
        return text

    def _push(self, word: str) -> None:
        if self._left <= 0 or (self._words and _length(word) + 1 > self._left):
            self.end_line()
        self._left -= _length(word) + bool(self._words)
        self._words.append(word)

    def _join(self, word: str) -> None:
        """To the word before."""
        if self.breakable and _length(word) > self._left:
            self.breakable = False
        elif self._words:
            last = self._words.pop()
            self._left += _length(last) + bool(self._words)
            word = last + word
        self._push(word)


class LaidOutBlock:
    """above, below: how many line breaks it asks for around it; below: of the block that ended last inside of it."""

    def __init__(self, above: int, width: int, *, verbatim: bool) -> None:
        """verbatim: blanks and line breaks stay as they are."""
        self.above = above
        self.below = 0
        self.verbatim = verbatim
        self.lines = TextLines(width)
        self._parts: list[str] = []

    def write(self, text: str, *, capitals: bool) -> int:
        """Text that is in line with what was written before. Returns how many words it had, 0 where they are
        verbatim."""
        if self.verbatim:
            self._parts.append(text)
            return 0
        if not text or (self.below and not text.strip(BLANKS)):
            return 0
        if self.below:
            self.lines.end_line(self.below)
        self.below = 0
        return self.lines.add(text, capitals=capitals)

    def break_line(self) -> None:
        if self.verbatim:
            self._parts.append("\n")
        else:
            self.lines.end_line()

    def put(self, text: str, above: int, below: int) -> None:
        """A block that has ended. above, below: line breaks around it."""
        breaks = max(self.below, above)
        self._settle()
        if any(self._parts):
            self._parts.append("\n" * breaks)
        else:
            self.above = breaks
        self._parts.append(text)
        self.below = below

    def text(self) -> str:
        self._settle()
        return "".join(self._parts)

    def _settle(self) -> None:
        if not self.lines.empty:
            self._parts.append(self.lines.taken())
