"""Objects as JavaScript's source has them: `{a: 1, 'b': [true]}`. Nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from jackfield.api.jsontext import MAX_DEPTH, Json

_TOKEN = re.compile(
    r"""\s*(?:(?P<name>[A-Za-z_$][\w$]*)
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w$]))
    |(?P<text>'(?:[^'\\\n]|\\[^ux\n])*'|"(?:[^"\\\n]|\\[^ux\n])*")
    |(?P<sign>[{}\[\]:,-]))""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_WORDS: Mapping[str, Json] = {"true": True, "false": False, "null": None}


def read_literal(text: str) -> dict[str, Json]:
    """Raises ValueError for anything but an object of names, texts, numbers, lists and objects. A bare word is its own
    text."""
    reader = _Reader(list(_tokens(text.rstrip())))
    found = reader.value(0)
    if not reader.done() or not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise ValueError("not an object")
        position = match.end()
        yield match.lastgroup, match[match.lastgroup]


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1], flags=re.DOTALL)


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._position = 0

    def done(self) -> bool:
        return self._position == len(self._tokens)

    def _next(self) -> tuple[str, str]:
        if self.done():
            raise ValueError("not an object")
        self._position += 1
        return self._tokens[self._position - 1]

    def _is(self, sign: str) -> bool:
        return not self.done() and self._tokens[self._position] == ("sign", sign)

    def value(self, depth: int) -> Json:
        kind, text = self._next()
        if kind == "text":
            return _unquoted(text)
        if kind == "number":
            return _number(text)
        if kind == "name":
            return _WORDS.get(text, text)
        if text == "-":
            kind, text = self._next()
            if kind == "number":
                return -_number(text)
        if text not in "{[" or depth > MAX_DEPTH:
            raise ValueError("not an object")
        return self._object(depth) if text == "{" else self._list(depth)

    def _object(self, depth: int) -> dict[str, Json]:
        made: dict[str, Json] = {}

        def member() -> None:
            kind, key = self._next()
            name = _unquoted(key) if kind == "text" else key
            if kind == "sign" or self._next() != ("sign", ":"):
                raise ValueError("not an object")
            made[name] = self.value(depth + 1)

        self._each("}", member)
        return made

    def _list(self, depth: int) -> list[Json]:
        made: list[Json] = []
        self._each("]", lambda: made.append(self.value(depth + 1)))
        return made

    def _each(self, end: str, read: Callable[[], None]) -> None:
        while not self._is(end):
            read()
            if not self._is(end) and self._next() != ("sign", ","):
                raise ValueError("not an object")
        self._position += 1
