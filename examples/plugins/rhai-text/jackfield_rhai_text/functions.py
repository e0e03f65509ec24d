"""The functions. Each takes and gives plain JSON values, and says what it wants of them."""

from __future__ import annotations

import re
import unicodedata

from jackfield.api.jsontext import Json
from jackfield.api.scripts import RhaiFunction

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def slug(text: Json) -> Json:
    """Small letters, digits and hyphens. Raises TypeError."""
    plain = unicodedata.normalize("NFKD", _text(text)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def words(text: Json) -> Json:
    """What white space divides. Raises TypeError."""
    return list[Json](_text(text).split())


def shorten(text: Json, length: Json) -> Json:
    """At most so many characters. Raises TypeError, ValueError."""
    if not isinstance(length, int) or length < 1:
        raise ValueError("the length must be a whole number of at least 1")
    given = _text(text)
    return given if len(given) <= length else given[: length - 1] + ELLIPSIS


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise TypeError(f"give a text, not a {type(value).__name__}")
    return value


FUNCTIONS = (
    RhaiFunction("text::slug", 1, slug),
    RhaiFunction("text::words", 1, words),
    RhaiFunction("text::shorten", 2, shorten),
)
