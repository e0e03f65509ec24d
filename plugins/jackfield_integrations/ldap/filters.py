"""Search filters (RFC 4515) with expressions inside: what an expression gives is a value, and never filter syntax."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping

from jackfield.api.jsontext import Json

_EXPRESSION = re.compile(r"\{\{.*?\}\}(?!\})", re.DOTALL)
_EASY = (("\\\\", "\\5c"), ("\\*", "\\2a"), ("\\(", "\\28"), ("\\)", "\\29"))
"""The signs that people write instead of the escapes of RFC 4515."""

Evaluate = Callable[[Mapping[str, Json]], Awaitable[dict[str, Json]]]


def escaped(text: str) -> str:
    """As a value inside of a filter."""
    made = text.replace("\\", "\\5c").replace("\0", "\\00")
    return made.replace("*", "\\2a").replace("(", "\\28").replace(")", "\\29")


def plain(text: str) -> str:
    """A filter in RFC 4515's own escapes."""
    for written, meant in _EASY:
        text = text.replace(written, meant)
    return text


async def filled(written: Json, evaluate: Evaluate) -> str:
    """A text as the document has it, with its expressions' values, escaped. Raises `NodeError`."""
    text = "" if written is None else str(written)
    if not text.startswith("="):
        return text
    text = text[1:]
    found = {str(place): f"={match[0]}" for place, match in enumerate(_EXPRESSION.finditer(text))}
    values = await evaluate(found) if found else {}
    pieces, begin = [], 0
    for place, match in enumerate(_EXPRESSION.finditer(text)):
        value = values[str(place)]
        pieces += [text[begin : match.start()], escaped("" if value is None else str(value))]
        begin = match.end()
    return "".join([*pieces, text[begin:]])
