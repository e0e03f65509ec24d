"""Order and size as JavaScript has them, also of values whose order means nothing, such as objects."""

from __future__ import annotations

import math

from jackfield.api.javascript import to_number, to_string


def less(left: object, right: object) -> bool:
    """`left < right` of plain data, where null and undefined are numbers too: 0, and none."""
    if isinstance(left, str) and isinstance(right, str):
        return less_text(left, right)
    return _number(left) < _number(right)


def smaller(left: object, right: object) -> bool:
    """The same where lists and objects are compared as their texts with a text."""
    return less(_plain(left), _plain(right))


def less_text(left: str, right: str) -> bool:
    """By code units of UTF-16."""
    if left.isascii() and right.isascii():
        return left < right
    return left.encode("utf-16-be", "surrogatepass") < right.encode("utf-16-be", "surrogatepass")


def _plain(value: object) -> object:
    return to_string(value) if isinstance(value, list | dict) else value


def _number(value: object) -> float:
    try:
        return to_number(_plain(value))
    except OverflowError:
        return math.nan
