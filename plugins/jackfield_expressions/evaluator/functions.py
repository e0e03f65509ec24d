"""Functions that expressions call by name, such as `JSON.stringify`: exactly, or `NotExact`."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import orjson

from jackfield.api.javascript import UNDEFINED, NotExact, Special, is_number, number_text
from jackfield_expressions.operators import LONGEST, MOST_ENTRIES, beyond, checked, checked_text, sized, to_number

Function: TypeAlias = Callable[..., object]


def _keys(value: object) -> Mapping[str, object]:
    """An object's entries in JavaScript's order, which puts whole numbers first."""
    if type(value) is not dict or len(value) > MOST_ENTRIES or any(map(str.isdigit, value)):
        raise NotExact
    return value


_COMPACT = orjson.OPT_STRICT_INTEGER
_INDENTED = _COMPACT | orjson.OPT_INDENT_2
_LONGEST_PLAIN = 64
_MOST_PLAIN = 1024


class JsonPrinter:
    """`JSON.stringify` at one place of an expression. plain: keys, each short, under which orjson prints what
    `JSON.stringify` does: the objects at one place have few. They need no second look, nor to be counted: those of as
    many entries as there may be are few megabytes."""

    __slots__ = ("plain",)

    def __init__(self) -> None:
        self.plain: set[str] = set()

    def stringify(self, value: object, replacer: object = None, indent: object = UNDEFINED) -> object:
        """indent: of 0 to 10 blanks."""
        if replacer is not None and replacer is not UNDEFINED:
            raise NotExact
        if value is UNDEFINED:
            return UNDEFINED
        width = 0 if indent is UNDEFINED or indent is None else indent
        if type(width) is not int or not 0 <= width <= 10:
            raise NotExact
        if width in (0, 2) and type(value) in (dict, list) and self._prints_alike(value):
            try:
                return checked_text(orjson.dumps(value, option=_INDENTED if width else _COMPACT).decode())
            except TypeError:
                pass  # a number that may be beyond, or half a character
        sized(value)
        parts: list[str] = []
        _write(value, " " * width, "\n", parts)
        return checked_text("".join(parts))

    def _remember(self, keys: Mapping[str, object]) -> None:
        if len(keys) + len(self.plain) > _MOST_PLAIN:
            self.plain.clear()
        if len(keys) <= _MOST_PLAIN and max(map(len, keys)) <= _LONGEST_PLAIN:
            self.plain.update(keys)

    def _prints_alike(self, value: object) -> bool:
        """Whether orjson prints the value as `JSON.stringify` does, or refuses a number in it. Not split up: it is
        asked of every value in an item. Raises `NotExact` for what is large, as `sized` does."""
        held: list[Any] = [value]  # Any: a list or an object
        entries, characters = MOST_ENTRIES, LONGEST
        plain = self.plain
        for one in held:  # it grows
            entries -= len(one)
            if entries < 0:
                raise NotExact
            inner: Iterable[object] = one
            if type(one) is dict:
                if not plain.issuperset(one):
                    if any(map(str.isdigit, one)) or "toJSON" in one:
                        return False
                    characters -= len("".join(one))
                    self._remember(one)
                inner = one.values()
            for each in inner:
                if type(each) is str:
                    characters -= len(each)
                elif type(each) is dict or type(each) is list:
                    held.append(each)
                elif each is not None and type(each) is not bool and type(each) is not int:
                    return False
            if characters < 0:
                raise NotExact
        return True


def _write(value: object, indent: str, margin: str, parts: list[str]) -> None:
    inner = margin + indent
    if isinstance(value, dict):
        entries = [(key, one) for key, one in _keys(value).items() if one is not UNDEFINED]
        if "toJSON" in value:
            raise NotExact
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
        raise NotExact from None  # half a character


def _number_of(value: object = 0) -> object:
    return to_number(value) if is_number(value) or not isinstance(value, (dict, list)) else beyond()


_KEY = re.compile(r"[\w-]{1,64}", re.ASCII)


def _default(
    name: object, description: object = UNDEFINED, kind: object = UNDEFINED, default: object = UNDEFINED
) -> object:
    """`$fromAI` outside of a tool."""
    return default if type(name) is str and _KEY.fullmatch(name) else beyond()


FUNCTIONS: Mapping[tuple[str, ...], tuple[int, int, Callable[[], Function]]] = {
    ("JSON", "stringify"): (1, 3, lambda: JsonPrinter().stringify),
    ("$fromAI",): (1, 4, lambda: _default),
    ("Number",): (0, 1, lambda: _number_of),
    ("Object", "keys"): (1, 1, lambda: lambda value: list(_keys(value))),
    ("Object", "values"): (1, 1, lambda: lambda value: list(_keys(value).values())),
    ("Object", "entries"): (1, 1, lambda: lambda value: [[key, one] for key, one in _keys(value).items()]),
}
"""Fewest and most arguments, and what makes the function for one place of an expression."""
