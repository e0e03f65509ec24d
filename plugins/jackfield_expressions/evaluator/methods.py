"""Methods of JavaScript, and of expressions, on JSON values: exactly, or `NotExact`.

JavaScript counts UTF-16 units, so that a method that counts takes plain ASCII alone. Every method does work in
proportion to its text or list, and no result is longer than `LONGEST`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn, TypeAlias

from jackfield.api.javascript import UNDEFINED, NotExact, Special, trimmed
from jackfield_expressions.operators import LONGEST, Thrown, beyond, checked, checked_text, joined, to_text
from jackfield_expressions.patterns.methods import matched, replaced
from jackfield_expressions.patterns.syntax import ScriptPattern

Method: TypeAlias = Callable[..., object]


def _ascii(text: str) -> str:
    return text if text.isascii() else beyond()


def _words(*values: object) -> list[str]:
    """Arguments that must be texts already."""
    return [value if type(value) is str else beyond() for value in values]


def _split(text: str, mark: object = UNDEFINED) -> object:
    if mark is UNDEFINED:
        return [text]
    (word,) = _words(mark)
    return text.split(word) if word else list(_ascii(text))


def _replace(text: str, old: object, new: object) -> str:
    if isinstance(old, ScriptPattern):
        return replaced(text, old, new)
    before, after = _words(old, new)
    if "$" in after:
        raise NotExact
    return checked_text(text.replace(before, after, 1))


def _replace_all(text: str, old: object, new: object) -> str:
    if isinstance(old, ScriptPattern):
        return replaced(text, old, new) if old.every else _throw()
    before, after = _words(old, new)
    if "$" in after or not before or text.count(before) * len(after) > LONGEST:
        raise NotExact
    return checked_text(text.replace(before, after))


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise NotExact from None  # half a character


def _throw() -> NoReturn:
    raise Thrown


_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}.\d{3}Z", re.ASCII)


def _text(value: str) -> str:
    """A text that has the added methods of texts: one that may be a moment has those of dates."""
    return beyond() if _MOMENT.search(value) else value


_ANY: Mapping[str, tuple[int, int, Method]] = {"toString": (0, 0, to_text)}
_PRINT: tuple[int, int, Method] = (1, 1, lambda value, printer: printer.stringify(value))
TEXT: Mapping[str, tuple[int, int, Method]] = {
    **_ANY,
    "toLowerCase": (0, 0, lambda text: _ascii(text).lower()),
    "toUpperCase": (0, 0, lambda text: _ascii(text).upper()),
    "trim": (0, 0, trimmed),
    "split": (0, 1, _split),
    "replace": (2, 2, _replace),
    "replaceAll": (2, 2, _replace_all),
    "match": (1, 1, matched),
    "base64Encode": (0, 0, lambda text: base64.b64encode(_utf8(_text(text))).decode()),
    "toJsonString": (1, 1, lambda text, printer: printer.stringify(_text(text))),
}
LIST: Mapping[str, tuple[int, int, Method]] = {
    **_ANY,
    "join": (0, 1, lambda values, mark=UNDEFINED: joined(values, "," if mark is UNDEFINED else to_text(mark))),
    "first": (0, 0, lambda values: values[0] if values else UNDEFINED),
    "last": (0, 0, lambda values: values[-1] if values else UNDEFINED),
    "toJsonString": _PRINT,
}
NUMBER = _ANY
BOOLEAN: Mapping[str, tuple[int, int, Method]] = {"toString": (0, 0, to_text)}
OBJECT: Mapping[str, tuple[int, int, Method]] = {"toJsonString": _PRINT}
PRINTING = "toJsonString"
"""The method that is given a `JsonPrinter`, which an expression does not name."""
METHODS = TEXT.keys() | LIST.keys()
ADDED = frozenset({"base64Encode", "first", "format", "last", "minus", "plus", "toJsonString"})
"""Methods that expressions add. The call of one on nothing is an error that the user sees."""


def methods_of(value: object) -> Mapping[str, tuple[int, int, Method]]:
    """The methods that can be called on a value. Raises `Thrown` where there is nothing to call on."""
    kind = type(value)
    if kind is str:
        return TEXT
    if kind is list:
        return LIST
    if kind is int or kind is float:
        return NUMBER
    if kind is bool:
        return BOOLEAN
    if value is None or value is UNDEFINED:
        raise Thrown
    if kind is dict:
        return OBJECT
    if isinstance(value, Special):
        return value.methods()
    raise NotExact


def call_method(value: object, name: str, arguments: Sequence[object]) -> object:
    """`value.name(...arguments)`."""
    if name in ADDED and (value is None or value is UNDEFINED):
        raise NotExact
    found = methods_of(value).get(name)
    if found is None:
        raise NotExact
    least, most, method = found
    if not least <= len(arguments) <= most:
        raise NotExact
    checked(value)
    return method(value, *arguments)
