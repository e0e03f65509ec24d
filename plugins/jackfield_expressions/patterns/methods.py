"""The methods of texts that take a regular expression: exactly, or `NotExact`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from jackfield.api.javascript import NotExact
from jackfield_expressions.operators import LONGEST, checked_text
from jackfield_expressions.patterns.syntax import ScriptPattern

_WIDE = re.compile("[\U00010000-\U0010ffff]")
_MOST_MATCHES = 20_000


def _fit(text: str, pattern: object) -> re.Pattern[str]:
    """The pattern to match the text with."""
    if not isinstance(pattern, ScriptPattern) or len(text) > pattern.longest:
        raise NotExact
    if not pattern.wide and not text.isascii() and _WIDE.search(text):
        raise NotExact
    return pattern.compiled


def matched(text: str, pattern: object) -> object:
    """`text.match(pattern)`"""
    compiled = _fit(text, pattern)
    if isinstance(pattern, ScriptPattern) and pattern.every:
        return [match.group() for match in compiled.finditer(text)] or None
    match = compiled.search(text)
    if match is None:
        return None
    if None in match.groups():
        raise NotExact  # undefined, in a list
    return [match.group(), *match.groups()]


def replaced(text: str, pattern: ScriptPattern, new: object) -> str:
    """`text.replace(pattern, new)`"""
    compiled = _fit(text, pattern)
    if type(new) is not str:
        raise NotExact
    most = min(_MOST_MATCHES, LONGEST // max(1, len(new)))
    put = _replacement(new, compiled.groups) if "$" in new else lambda match: new
    made, times = compiled.subn(put, text, most + 1 if pattern.every else 1)
    if times > most:
        raise NotExact
    return checked_text(made)


_REFERENCE = re.compile(r"\$(?:(\$)|(&)|(\d\d?)|(['`<]))", re.ASCII)


@lru_cache(256)
def _replacement(new: str, groups: int) -> Callable[[re.Match[str]], str]:
    """The replacement of a match: `$$`, `$&` and `$1` mean what they mean in JavaScript. Raises `NotExact`."""
    if len(new) > 1000 or groups > 9:
        raise NotExact
    parts: list[str | int] = []
    place = 0
    for reference in _REFERENCE.finditer(new):
        dollar, whole, number, other = reference.groups()
        if other or (number and (len(number) > 1 or not 1 <= int(number) <= groups)):
            raise NotExact
        parts += [new[place : reference.start()], "$" if dollar else 0 if whole else int(number)]
        place = reference.end()
    parts.append(new[place:])
    return lambda match: "".join([part if isinstance(part, str) else match.group(part) or "" for part in parts])
