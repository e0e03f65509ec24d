"""Regular expressions that trim, such as `\\s+$` and `^\\s+|\\s+$`, matched in time that grows as the text does.

Python's `re` tries `\\s+$` at every start, which takes the square of the text's length. What is matched at the end can
only be the last run of such characters, though, and that is found from the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from jackfield_workflows.jsvalues import Beyond


class Ends:
    """Has the methods of a `re.Pattern` that are used here, for `X+$`, `X*$` or `^Y+|X+$`.

    last: the class X as Python has it; mark: `+` or `*`; first: the class Y, or None; flags: of `re`.
    """

    groups = 0

    def __init__(self, last: str, mark: str, first: str | None, flags: int) -> None:
        self._first = None if first is None else re.compile(f"{first}+", flags)
        self._last = re.compile(last + mark, flags)
        self._run = re.compile(f"{last}*", flags)
        self._empty = mark == "*"

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        place = 0
        if self._first is not None and (first := self._first.match(text)):
            yield first
            place = first.end()
        run = self._run.match(text[::-1])
        begin = max(place, len(text) - (run.end() if run else 0))
        if last := self._last.match(text, begin):
            yield last
            if self._empty and last.end() > begin and (nothing := self._last.match(text, last.end())):
                yield nothing

    def search(self, text: str) -> re.Match[str] | None:
        return next(self.finditer(text), None)

    def subn(self, put: Callable[[re.Match[str]], str], text: str, most: int) -> tuple[str, int]:
        parts: list[str] = []
        place = times = 0
        for match in islice(self.finditer(text), most):
            parts += [text[place : match.start()], put(match)]
            place = match.end()
            times += 1
        return "".join([*parts, text[place:]]), times

    def split(self, text: str) -> list[str]:
        """Raises `Beyond` where it may match nothing: what is split by that differs."""
        if self._empty:
            raise Beyond
        places = [0, *(place for match in self.finditer(text) for place in match.span()), len(text)]
        return [text[begin:end] for begin, end in zip(places[::2], places[1::2], strict=True)]
