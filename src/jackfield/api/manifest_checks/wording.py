"""Mistakes in values, in words: what may stand there, in the terms of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_HTTP = "an address that begins with http:// or https://, without spaces"
_LINE = "one line without control characters"
PATTERNS: Mapping[str, str] = {
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$": "letters, digits, `.`, `_` and `-`, a letter or digit first, at most 64",
    r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$": "letters, digits, `_` and `-`, a letter or digit first, at most 64",
    r"^[A-Za-z0-9_-]{1,64}$": "letters, digits, `_` and `-`, at most 64",
    r"^[A-Za-z_][A-Za-z0-9_]{0,127}$": "letters, digits and `_`, no digit first, at most 128",
    r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$": "letters, digits and !#$%&'*+.^_`|~-, no spaces, at most 128",
    r"^[ -~]{0,4096}$": "letters, digits, signs and spaces of ASCII, at most 4096",
    r"^[a-z0-9-]{0,64}$": "small letters, digits and `-`, at most 64",
    r"^[a-z0-9-]{1,64}$": "small letters, digits and `-`, at most 64",
    r"^[^\x00-\x1f\x7f]*$": _LINE,
    r"^[^\x00-\x1f\x7f-\x9f]+$": _LINE,
    r"^[^\x00\r\n]*$": "one line",
    r"^[^\x00]*$": "text without NUL",
    r"^[^\x00]+$": "text without NUL",
    r"^[^=\x00]*$": "text without `=` and NUL",
    r"^https?://[^\s\x00-\x1f\x7f-\x9f]+$": _HTTP,
    r"^https?://[^\s\x00-\x1f]+$": _HTTP,
    r"^(/|~)[^\x00]*$": "a path that begins with / or ~",
}
"""Of the models of manifests that Jackfield brings."""
_BOOLEAN = "write true or false, without quotes"
_WHOLE = "write a whole number, without quotes"
_LIST = 'write a list, such as ["one", "two"]'
_TABLE = "write a table: keys with their values"
_TYPES: Mapping[str, str] = {
    "bool_type": _BOOLEAN, "bool_parsing": _BOOLEAN,
    "string_type": "write a text, in quotes",
    "int_type": _WHOLE, "int_parsing": _WHOLE, "int_from_float": _WHOLE,
    "float_type": "write a number, without quotes", "float_parsing": "write a number, without quotes",
    "finite_number": "write a number that is not infinite",
    "tuple_type": _LIST, "list_type": _LIST, "set_type": _LIST, "frozen_set_type": _LIST,
    "dict_type": _TABLE, "mapping_type": _TABLE, "model_type": _TABLE, "model_attributes_type": _TABLE,
}  # fmt: skip
_BOUNDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {  # Any: numbers of either kind
    "string_too_short": lambda found: _least(found["min_length"], "characters"),
    "string_too_long": lambda found: f"it may have at most {found['max_length']} characters",
    "too_short": lambda found: _least(found["min_length"], "entries"),
    "too_long": lambda found: f"it may have at most {found['max_length']} entries",
    "greater_than_equal": lambda found: f"it must be at least {found['ge']}",
    "greater_than": lambda found: f"it must be more than {found['gt']}",
    "less_than_equal": lambda found: f"it may be at most {found['le']}",
    "less_than": lambda found: f"it must be less than {found['lt']}",
    "string_pattern_mismatch": lambda found: _form(str(found["pattern"])),
}


def in_words(error: ErrorDetails) -> str:
    """Begins with a small letter and ends without a full stop."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _TYPES:
        return _TYPES[kind]
    if kind in _BOUNDS:
        return _BOUNDS[kind](context)
    message = error["msg"].removeprefix("Value error, ").removesuffix(".")
    return message[:1].lower() + message[1:]


def _least(number: int, of: str) -> str:
    return "it must not be empty" if number == 1 else f"it must have at least {number} {of}"


def _form(pattern: str) -> str:
    words = PATTERNS.get(pattern)
    return f"it does not match {pattern}" if words is None else f"allowed are {words}"
