"""Functions that expressions call by name, such as `JSON.stringify` and `Math.round`: exactly, or `Beyond`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_FLOOR, Decimal
from typing import TypeAlias
from urllib.parse import quote

import orjson

from jackfield_workflows.jsoperators import (
    UNDEFINED,
    Thrown,
    beyond,
    checked,
    checked_text,
    is_number,
    normal,
    to_number,
    to_text,
    trimmed,
    truthy,
)
from jackfield_workflows.jsvalues import Beyond, number_text

Function: TypeAlias = Callable[..., object]


def _keys(value: object) -> Mapping[str, object]:
    """An object's entries in JavaScript's order, which puts whole numbers first."""
    if type(value) is not dict or any(key.isdigit() for key in value):
        raise Beyond
    return value


def stringify(value: object, replacer: object = None, indent: object = UNDEFINED) -> object:
    """`JSON.stringify`; indent: of 0 to 10 blanks."""
    if replacer is not None and replacer is not UNDEFINED:
        raise Beyond
    if value is UNDEFINED:
        return UNDEFINED
    width = 0 if indent is UNDEFINED or indent is None else indent
    if type(width) is not int or not 0 <= width <= 10:
        raise Beyond
    parts: list[str] = []
    _write(value, " " * width, "\n", parts, 0)
    return checked_text("".join(parts))


def parsed(text: object) -> object:
    """`JSON.parse`."""
    if type(text) is not str:
        raise Beyond
    try:
        found = orjson.loads(checked_text(text))
    except orjson.JSONDecodeError:
        raise (Beyond if "\\u" in text else Thrown) from None  # JavaScript takes half characters
    if _LONG_NUMBER.search(text) or '"__proto__"' in text:
        raise Beyond
    return found


_LONG_NUMBER = re.compile(r"\d{16}|\d[eE.]")
"""Numbers that may print otherwise than they came."""


def _write(value: object, indent: str, margin: str, parts: list[str], depth: int) -> None:
    if depth > 50 or len(parts) > 200_000:
        raise Beyond
    inner = margin + indent
    if isinstance(value, dict):
        entries = [(key, one) for key, one in _keys(value).items() if one is not UNDEFINED]
        if "toJSON" in value:
            raise Beyond
        for place, (key, one) in enumerate(entries):
            parts.append(
                ("{" if place == 0 else ",") + (inner if indent else "") + _quoted(key) + (": " if indent else ":")
            )
            _write(one, indent, inner, parts, depth + 1)
        parts.append(((margin if indent else "") + "}") if entries else "{}")
    elif isinstance(value, list):
        for place, one in enumerate(value):
            parts.append(("[" if place == 0 else ",") + (inner if indent else ""))
            _write(one, indent, inner, parts, depth + 1)
        parts.append(((margin if indent else "") + "]") if value else "[]")
    else:
        parts.append(_scalar(value))


def _scalar(value: object) -> str:
    if type(value) is str:
        return _quoted(value)
    if type(value) is float:
        return number_text(value) if math.isfinite(value) else "null"
    if type(value) is int:
        return str(checked(value))
    return {True: "true", False: "false"}.get(value, "null") if type(value) is bool else "null"


def _quoted(text: str) -> str:
    try:
        return orjson.dumps(text).decode()
    except TypeError:
        raise Beyond from None  # half a character


def _rounded(value: object) -> object:
    number = to_number(value)
    if type(number) is int:
        return number
    if not math.isfinite(number) or abs(number) > 2**52:
        raise Beyond
    return normal(float(Decimal(number).__add__(Decimal("0.5")).to_integral_value(ROUND_FLOOR)))


def _whole(how: Callable[[float], int]) -> Function:
    def call(value: object) -> object:
        number = to_number(value)
        if type(number) is int:
            return number
        return how(number) if math.isfinite(number) and abs(number) < 2**52 else beyond()

    return call


def _extreme(how: Callable[..., int | float]) -> Function:
    def call(*values: object) -> object:
        numbers = [to_number(value) for value in values]
        return math.nan if any(number != number for number in numbers) else how(numbers)

    return call


def _uri(value: object) -> str:
    try:
        return quote(to_text(value), safe="!'()*-._~")
    except UnicodeEncodeError:
        raise Thrown from None


def _parse_int(value: object, radix: object = 10) -> object:
    if radix != 10 or type(radix) is not int:
        raise Beyond
    text = trimmed(to_text(value))
    digits = text[1:] if text[:1] in ("+", "-") else text
    if digits[:2].lower() == "0x":
        raise Beyond
    size = next((place for place, letter in enumerate(digits) if letter not in "0123456789"), len(digits))
    if not size:
        return math.nan
    found = int(digits[:size]) if size < 16 else beyond()
    return -found if text[0] == "-" else found


def _is_empty(value: object) -> bool:
    return value is None or value is UNDEFINED or (isinstance(value, (str, dict, list)) and not value)


def _keys_of(value: object) -> object:
    return list(_keys(value))


def _values_of(value: object) -> object:
    return list(_keys(value).values())


def _number_of(value: object = 0) -> object:
    return to_number(value) if is_number(value) or not isinstance(value, (dict, list)) else beyond()


FUNCTIONS: Mapping[tuple[str, ...], tuple[int, int, Function]] = {
    ("JSON", "stringify"): (1, 3, stringify),
    ("JSON", "parse"): (1, 1, parsed),
    ("$fromAI",): (1, 4, lambda name, description=UNDEFINED, kind=UNDEFINED, default=UNDEFINED: default),
    ("Math", "round"): (1, 1, _rounded),
    ("Math", "floor"): (1, 1, _whole(math.floor)),
    ("Math", "ceil"): (1, 1, _whole(math.ceil)),
    ("Math", "trunc"): (1, 1, _whole(math.trunc)),
    ("Math", "abs"): (1, 1, lambda value: abs(to_number(value))),
    ("Math", "max"): (1, 9, _extreme(max)),
    ("Math", "min"): (1, 9, _extreme(min)),
    ("Object", "keys"): (1, 1, _keys_of),
    ("Object", "values"): (1, 1, _values_of),
    ("Array", "isArray"): (1, 1, lambda value: isinstance(value, list)),
    ("Number",): (0, 1, _number_of),
    ("String",): (0, 1, lambda value="": to_text(value)),
    ("Boolean",): (0, 1, lambda value=False: truthy(value)),
    ("parseInt",): (1, 2, _parse_int),
    ("encodeURIComponent",): (1, 1, _uri),
    ("$if",): (2, 3, lambda condition, yes, no=UNDEFINED: yes if truthy(condition) else no),
    ("$ifEmpty",): (2, 2, lambda value, other: other if _is_empty(value) else value),
    ("$not",): (1, 1, lambda value: not truthy(value)),
}
