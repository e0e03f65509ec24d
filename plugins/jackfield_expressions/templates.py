r"""Splitting an expression template into text and code.

`{{` opens code and `}}` ends it, unless an odd number of backslashes stands in front. In text before code two
backslashes are one; the one in front of `{{` stays. A `}}` inside nested objects, strings, template literals, regular
expressions or comments does not end the code. An opener that nothing closes takes the rest as code.
"""

from __future__ import annotations

import re

from jackfield.api.records import record

_OPENER = re.compile(r"(?<!\\)(?:\\\\)*(\\?)\{\{")
_CLOSER = re.compile(r"(?<!\\)\}\}")
_TOKEN = re.compile(
    r"""
    (?P<skip>\s+|//[^\n]*|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)
  | (?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
  | (?P<template>`)
  | (?P<word>(?:[^\W\d]|\$)[\w$]*)
  | (?P<number>\d[\w.]*)
  | (?P<escaped>\\\}\})
  | (?P<open>[({\[])
  | (?P<close>[)}\]])
  | (?P<divide>/)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[A-Za-z]*")
_TEMPLATE_PART = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(`|\$\{)", re.DOTALL)
_PAIRS = {"(": ")", "[": "]", "{": "}", "${": "}"}
_BEFORE_REGEX = frozenset(
    ("return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else", "await")
)
"""Words after which a slash begins a regular expression and does not divide."""


@record
class TemplatePiece:
    """A piece of a template. raw: as written, with the brackets; text: what it prints, or the code."""

    raw: str
    text: str
    code: bool


def split(template: str) -> list[TemplatePiece]:
    """The chunks in order; their `raw` joined is the template."""
    chunks: list[TemplatePiece] = []
    position = start = 0
    while (opener := _OPENER.search(template, position)) is not None:
        position = opener.end()
        if opener.group(1):
            continue
        begin = position - 2
        if position == len(template):
            before = _text(template[start:begin], before_code=True)
            return [*chunks, TemplatePiece(template[start:], before.text, False)]  # nothing behind the brackets
        if begin > start:
            chunks.append(_text(template[start:begin], before_code=True))
        start = begin
        end = code_end(template, position)
        code = template[position:] if end is None else template[position:end]
        position = len(template) if end is None else end + 2
        chunks.append(TemplatePiece(template[start:position], code.replace("\\}}", "}}"), True))
        start = position
    if start < len(template):
        chunks.append(_text(template[start:], before_code=False))
    return chunks


def code_end(template: str, start: int) -> int | None:
    """Where the `}}` stands that ends the code which begins at `start`; None when nothing ends it."""
    end = _Scanner(template, start).end()
    if end is not None:
        return end
    plain = _CLOSER.search(template, start)
    return plain.start() if plain else None


def _text(raw: str, *, before_code: bool) -> TemplatePiece:
    return TemplatePiece(raw, raw.replace("\\\\", "\\") if before_code else raw, False)


class _Scanner:
    """Reads JavaScript tokens, just closely enough to know which brackets are code."""

    def __init__(self, source: str, position: int) -> None:
        self._source = source
        self._position = position
        self._open: list[str] = []
        self._after_value = False
        """Whether the last token ends a value, so that a slash divides."""

    def end(self) -> int | None:
        source = self._source
        while self._position < len(source):
            if not self._open and source.startswith("}}", self._position):
                return self._position
            if not self._step():
                return None
        return None

    def _step(self) -> bool:
        """Read one token; False when the code is not JavaScript that could be read."""
        match = _TOKEN.match(self._source, self._position)
        if match is None:
            raise AssertionError("the last alternative takes any character")
        kind, text = match.lastgroup, match.group()
        self._position = match.end()
        if kind == "skip":
            return True
        if kind == "template":
            return self._template()
        if kind == "open":
            self._open.append(text)
        elif kind == "close":
            return self._close(text)
        elif kind == "divide" and not self._after_value:
            return self._regex(match.start())
        self._after_value = kind in ("text", "number") or (kind == "word" and text not in _BEFORE_REGEX)
        return text not in ("'", '"')

    def _close(self, bracket: str) -> bool:
        opened = self._open.pop() if self._open else ""
        if _PAIRS.get(opened) != bracket:
            return False
        self._after_value = True
        return self._template() if opened == "${" else True

    def _regex(self, start: int) -> bool:
        match = _REGEX.match(self._source, start)
        if match is None:
            return False
        self._position = match.end()
        self._after_value = True
        return True

    def _template(self) -> bool:
        """From inside a template literal to its end or to its next `${`."""
        match = _TEMPLATE_PART.match(self._source, self._position)
        if match is None:
            return False
        self._position = match.end()
        if match.group(1) == "${":
            self._open.append("${")
            self._after_value = False
        else:
            self._after_value = True
        return True
