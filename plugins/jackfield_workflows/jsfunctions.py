"""Functions that expressions call by name, such as `JSON.stringify` and `Math.round`: exactly, or `Beyond`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_FLOOR, Decimal
from typing import Any, TypeAlias
from urllib.parse import quote

import orjson

from jackfield_workflows.jsoperators import (
    LONGEST,
    MOST_ENTRIES,
    UNDEFINED,
    Thrown,
    beyond,
    checked,
    checked_text,
    is_number,
    normal,
    sized,
    to_number,
    to_text,
    trimmed,
    truthy,
)
from jackfield_workflows.jsvalues import Beyond, Special, number_text

Function: TypeAlias = Callable[..., object]
_LONGEST_URI = 100_000


def _keys(value: object) -> Mapping[str, object]:
    """An object's entries in JavaScript's order, which puts whole numbers first."""
    if type(value) is not dict or len(value) > MOST_ENTRIES or any(map(str.isdigit, value)):
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
    if width in (0, 2) and type(value) in (dict, list) and _prints_alike(value):
        try:
            return checked_text(orjson.dumps(value, option=_INDENTED if width else _COMPACT).decode())
        except TypeError:
            pass  # a number that may be beyond, or half a character
    sized(value)
    parts: list[str] = []
    _write(value, " " * width, "\n", parts)
    return checked_text("".join(parts))


_COMPACT = orjson.OPT_STRICT_INTEGER
_INDENTED = _COMPACT | orjson.OPT_INDENT_2


_plain: set[str] = set()
"""Keys, each short, under which orjson prints what `JSON.stringify` does: objects of an application have few. They need
no second look, nor to be counted: those of as many entries as there may be are few megabytes."""
_LONGEST_PLAIN = 64
_MOST_PLAIN = 4096


def _remember(keys: Mapping[str, object]) -> None:
    if len(keys) + len(_plain) > _MOST_PLAIN:
        _plain.clear()
    if len(keys) <= _MOST_PLAIN and max(map(len, keys)) <= _LONGEST_PLAIN:
        _plain.update(keys)


def _prints_alike(value: object) -> bool:
    """Whether orjson prints the value as `JSON.stringify` does, or refuses a number in it. Not split up: it is asked of
    every value in an item. Raises `Beyond` for what is large, as `sized` does."""
    held: list[Any] = [value]  # Any: a list or an object
    entries, characters = MOST_ENTRIES, LONGEST
    for one in held:  # it grows
        entries -= len(one)
        if entries < 0:
            raise Beyond
        inner: Iterable[object] = one
        if type(one) is dict:
            if not _plain.issuperset(one):
                if any(map(str.isdigit, one)) or "toJSON" in one:
                    return False
                characters -= len("".join(one))
                _remember(one)
            inner = one.values()
        for each in inner:
            if type(each) is str:
                characters -= len(each)
            elif type(each) is dict or type(each) is list:
                held.append(each)
            elif each is not None and type(each) is not bool and type(each) is not int:
                return False
        if characters < 0:
            raise Beyond
    return True


def parsed(text: object) -> object:
    """`JSON.parse`."""
    if type(text) is not str or len(text) > _LONGEST_JSON:
        raise Beyond
    if _LONG_NUMBER.search(text) or '"__proto__"' in text or _NUMBER_KEY.search(text):
        raise Beyond
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        if "\\u" in text or text.count("[") + text.count("{") > _DEEPEST:
            raise Beyond from None  # JavaScript takes half characters, and any depth
        raise Thrown from None


_LONGEST_JSON = 1 << 18
_LONG_NUMBER = re.compile(r"\d(?:\d{15}|[eE.])")
"""Numbers that may print otherwise than they came, or are infinite."""
_NUMBER_KEY = re.compile(r'"\d+"\s*:')
"""A key that JavaScript puts first."""
_DEEPEST = 1000


def _write(value: object, indent: str, margin: str, parts: list[str]) -> None:
    inner = margin + indent
    if isinstance(value, dict):
        entries = [(key, one) for key, one in _keys(value).items() if one is not UNDEFINED]
        if "toJSON" in value:
            raise Beyond
        for place, (key, one) in enumerate(entries):
            parts.append(
                ("{" if place == 0 else ",") + (inner if indent else "") + _quoted(key) + (": " if indent else ":")
            )
            _write(one, indent, inner, parts)
        parts.append(((margin if indent else "") + "}") if entries else "{}")
    elif isinstance(value, list):
        for place, one in enumerate(value):
            parts.append(("[" if place == 0 else ",") + (inner if indent else ""))
            _write(one, indent, inner, parts)
        parts.append(((margin if indent else "") + "]") if value else "[]")
    else:
        parts.append(_scalar(value))


def _scalar(value: object) -> str:
    if type(value) is str:
        return _quoted(value)
    if isinstance(value, Special):
        return _quoted(value.json())
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


def _extreme(how: Callable[..., int | float], none: float) -> Function:
    def call(*values: object) -> object:
        numbers = [to_number(value) for value in values]
        return math.nan if any(number != number for number in numbers) else how(numbers, default=none)

    return call


def _uri(value: object) -> str:
    text = to_text(value)
    if len(text) > _LONGEST_URI:
        raise Beyond
    try:
        return quote(text, safe="!'()*-._~")
    except UnicodeEncodeError:
        raise Thrown from None


def _parse_int(value: object, radix: object = 10) -> object:
    if radix != 10 or type(radix) is not int:
        raise Beyond
    text = trimmed(to_text(value))
    digits = text[1:] if text[:1] in ("+", "-") else text
    if digits[:2].lower() == "0x":
        raise Beyond
    size = len(digits[:16]) - len(digits[:16].lstrip("0123456789"))
    if not size:
        return math.nan
    found = int(digits[:size]) if size < 16 else beyond()
    return -found if text[0] == "-" else found


def _is_empty(value: object) -> bool:
    return value is None or value is UNDEFINED or (isinstance(value, (str, dict, list)) and not value)


def keys_of(value: object) -> object:
    return list(_keys(value))


def values_of(value: object) -> object:
    return list(_keys(value).values())


def _entries_of(value: object) -> object:
    return [[key, one] for key, one in _keys(value).items()]


def _from_entries(value: object) -> object:
    """Of pairs whose first is a text."""
    if type(value) is not list or len(value) > MOST_ENTRIES:
        raise Beyond
    made: dict[str, object] = {}
    for pair in value:
        if type(pair) is not list or len(pair) < 2 or type(pair[0]) is not str:
            raise Beyond
        if pair[0].isdigit() or pair[0] == "__proto__":
            raise Beyond
        made[pair[0]] = pair[1]
    return made


_FLOAT = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def _parse_float(value: object) -> object:
    text = trimmed(to_text(value))[:100]
    match = _FLOAT.match(text)
    if match is None:
        return beyond() if text.lstrip("+-").startswith("Infinity") else math.nan
    return normal(float(match.group())) if len(match.group()) < 40 else beyond()


def _number_of(value: object = 0) -> object:
    return to_number(value) if is_number(value) or not isinstance(value, (dict, list)) else beyond()


_MOST = 10_000
"""Arguments of a call."""
FUNCTIONS: Mapping[tuple[str, ...], tuple[int, int, Function]] = {
    ("JSON", "stringify"): (1, 3, stringify),
    ("JSON", "parse"): (1, 1, parsed),
    ("$fromAI",): (1, 4, lambda name, description=UNDEFINED, kind=UNDEFINED, default=UNDEFINED: default),
    ("Math", "round"): (1, 1, _rounded),
    ("Math", "floor"): (1, 1, _whole(math.floor)),
    ("Math", "ceil"): (1, 1, _whole(math.ceil)),
    ("Math", "trunc"): (1, 1, _whole(math.trunc)),
    ("Math", "abs"): (1, 1, lambda value: abs(to_number(value))),
    ("Math", "max"): (0, _MOST, _extreme(max, -math.inf)),
    ("Math", "min"): (0, _MOST, _extreme(min, math.inf)),
    ("Object", "keys"): (1, 1, keys_of),
    ("Object", "entries"): (1, 1, _entries_of),
    ("Object", "fromEntries"): (1, 1, _from_entries),
    ("Object", "values"): (1, 1, values_of),
    ("Array", "isArray"): (1, 1, lambda value: isinstance(value, list)),
    ("Number",): (0, 1, _number_of),
    ("String",): (0, 1, lambda value="": to_text(value)),
    ("Boolean",): (0, 1, lambda value=False: truthy(value)),
    ("parseInt",): (1, 2, _parse_int),
    ("parseFloat",): (1, 1, _parse_float),
    ("encodeURIComponent",): (1, 1, _uri),
    ("$if",): (2, 3, lambda condition, yes, no=UNDEFINED: yes if truthy(condition) else no),
    ("$ifEmpty",): (2, 2, lambda value, other: other if _is_empty(value) else value),
    ("$not",): (1, 1, lambda value: not truthy(value)),
}
