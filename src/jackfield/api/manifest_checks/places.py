"""Where the keys of a TOML document stand, which no parser of TOML tells."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from typing import TypeAlias

from jackfield.api.records import record

KeyPath: TypeAlias = tuple[str | int, ...]
"""Names of keys, and indexes of lists."""
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACES = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:\\.|[^"\\\n])*"')
_LITERAL = re.compile(r"'[^'\n]*'")
_LONG_BASIC = re.compile(r'"""(?:\\.|[^\\])*?"""(?:"{0,2})', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''.*?'''(?:'{0,2})", re.DOTALL)
_PLAIN = re.compile(r"[^,\]}#\r\n]+")
"""Numbers, booleans and dates, which may have a space."""


@record
class TextPlace:
    """Both count from 1; column: in characters."""

    line: int
    column: int


def toml_places(text: str) -> Mapping[KeyPath, TextPlace]:
    """Path -> place of each key and of each element of a list. A table is where it is first named. Raises ValueError
    for what is not TOML, RecursionError for what is nested too deeply."""
    tomllib.loads(text)
    return _PlaceScanner(text).places()


class _PlaceScanner:
    """Goes once through a document that is known to be valid, so that it need not look for mistakes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found: dict[KeyPath, int] = {}
        self._lists: dict[KeyPath, int] = {}
        """Lists of tables, with the index of the last table."""

    def places(self) -> Mapping[KeyPath, TextPlace]:
        table: KeyPath = ()
        while self._blank() < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
        starts = [0, *(found.end() for found in re.finditer("\n", self._text))]
        return {path: _place(starts, offset) for path, offset in self._found.items()}

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise ValueError(f"character {self._at} is not understood")
        self._at = found.end()
        return found.group()

    def _blank(self) -> int:
        """Over spaces, ends of lines and comments; where that leads to."""
        self._skip(_BLANK)
        return self._at

    def _mark(self, path: KeyPath, offset: int) -> None:
        self._found.setdefault(path, offset)

    def _header(self) -> KeyPath:
        start = self._at
        several = self._text.startswith("[[", start)
        self._at += 2 if several else 1
        names = self._key()
        self._at += 2 if several else 1
        path: KeyPath = ()
        for index, (name, _) in enumerate(names):
            path = (*path, name)
            self._mark(path, start)
            if several and index == len(names) - 1:
                self._lists[path] = self._lists.get(path, -1) + 1
            if path in self._lists:
                path = (*path, self._lists[path])
                self._mark(path, start)
        return path

    def _key(self) -> list[tuple[str, int]]:
        """The parts of a dotted key, with their offsets; up to what follows the key."""
        parts = []
        while True:
            self._skip(_SPACES)
            parts.append(self._part())
            self._skip(_SPACES)
            if self._text[self._at] != ".":
                return parts
            self._at += 1

    def _part(self) -> tuple[str, int]:
        start = self._at
        first = self._text[start]
        if first not in "\"'":
            return self._skip(_BARE_KEY), start
        written = self._skip(_BASIC if first == '"' else _LITERAL)
        return str(tomllib.loads(f"key = {written}")["key"]), start

    def _pair(self, table: KeyPath) -> None:
        path = table
        for name, offset in self._key():
            path = (*path, name)
            self._mark(path, offset)
        self._at += 1
        self._skip(_SPACES)
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        start = self._text[self._at : self._at + 3]
        if start[0] == "[":
            self._list(path)
        elif start[0] == "{":
            self._inline(path)
        elif start[0] == '"':
            self._skip(_LONG_BASIC if start == '"""' else _BASIC)
        elif start[0] == "'":
            self._skip(_LONG_LITERAL if start == "'''" else _LITERAL)
        else:
            self._skip(_PLAIN)

    def _list(self, path: KeyPath) -> None:
        self._at += 1
        index = 0
        while self._text[self._blank()] != "]":
            self._mark((*path, index), self._at)
            self._value((*path, index))
            self._comma()
            index += 1
        self._at += 1

    def _inline(self, path: KeyPath) -> None:
        self._at += 1
        while self._text[self._blank()] != "}":
            self._pair(path)
            self._comma()
        self._at += 1

    def _comma(self) -> None:
        if self._text[self._blank()] == ",":
            self._at += 1


def _place(starts: list[int], offset: int) -> TextPlace:
    line = bisect_right(starts, offset)
    return TextPlace(line, offset - starts[line - 1] + 1)
