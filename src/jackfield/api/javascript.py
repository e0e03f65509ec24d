"""JavaScript's conversions and comparisons of values, once for all plugins.

A value is JSON as Python has it, `UNDEFINED`, or a `Special`. A number is int or float: an int is a whole number and
keeps its digits, also beyond 2^53.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

SAFE = 2**53
"""Up to here every whole number is a number of JavaScript."""
BLANK = (
    "\t\n\v\f\r \u00a0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that `trim()` takes away."""
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_INFINITE = re.compile(r"[+-]?Infinity")


class NotExact(Exception):
    """Python would not give exactly what JavaScript gives."""


class Undefined:
    """The one value undefined."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


UNDEFINED: Final = Undefined()


class Special:
    """A value that is no JSON, such as a date. Its methods raise `NotExact` where they do not know."""

    __slots__ = ()

    def text(self) -> str:
        """`String(value)`"""
        raise NotExact

    def json(self) -> str:
        """The text that JSON has for it."""
        raise NotExact

    def number(self) -> int:
        """`Number(value)`"""
        raise NotExact

    def primitive(self) -> object:
        """The primitive value that `+` works with."""
        raise NotExact

    def methods(self) -> Mapping[str, tuple[int, int, Callable[..., object]]]:
        """Name -> fewest arguments, most arguments, what is called with the value and the arguments."""
        raise NotExact


def trimmed(text: str) -> str:
    """`text.trim()`"""
    return text.strip(BLANK)


def whole(value: float) -> int | float:
    """The number as JSON prints it: a whole one, up to 2^53, is an int."""
    return int(value) if value.is_integer() and abs(value) <= SAFE else value


def to_boolean(value: object) -> bool:
    """`Boolean(value)`"""
    if isinstance(value, (dict, list)):
        return True
    return bool(value) and value == value


def to_number(value: object) -> int | float:
    """`Number(value)`; `NotExact` for lists and objects. The time grows faster than a text's length, which the caller
    limits."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, str):
        return text_number(value)
    if value is None:
        return 0
    if value is UNDEFINED:
        return math.nan
    if isinstance(value, Special):
        return value.number()
    raise NotExact


def text_number(text: str) -> int | float:
    """`Number(text)`: nothing but blanks is 0, what is no number is NaN."""
    plain = trimmed(text)
    if not plain:
        return 0
    if _NUMBER.fullmatch(plain):
        return whole(float(plain))
    if _RADIX.fullmatch(plain):
        try:
            return whole(float(int(plain, 0)))
        except OverflowError:
            return math.inf
    if _INFINITE.fullmatch(plain):
        return -math.inf if plain[0] == "-" else math.inf
    return math.nan


def to_string(value: object) -> str:
    """`String(value)`"""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, Sequence):
        return ",".join("" if item is None or item is UNDEFINED else to_string(item) for item in value)
    if isinstance(value, Special):
        return value.text()
    return "undefined" if value is UNDEFINED else "[object Object]"


def number_text(value: float) -> str:
    """`Number::toString`: the shortest digits that read back, an exponent below 1e-6 and from 1e21 on; an int with all
    of its digits."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    integer, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (integer + fraction).lstrip("0")
    point = len(integer) + int(exponent or 0) - (len(integer + fraction) - len(digits))
    digits = digits.rstrip("0")
    return sign + _placed(digits, point)


def _placed(digits: str, point: int) -> str:
    """Write digits whose decimal point stands after the first `point` of them."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{'+' if power >= 0 else '-'}{abs(power)}"


def is_number(value: object) -> bool:
    """`typeof value === "number"`"""
    return type(value) is int or type(value) is float


def strictly_equal(left: object, right: object) -> bool:
    """`left === right`; `NotExact` for two lists or objects, which a copy of them would not be."""
    if is_number(left) and is_number(right):
        return left == right
    if type(left) is not type(right):
        return False
    if isinstance(left, (dict, list, Special)):
        raise NotExact
    return left == right


def loosely_equal(left: object, right: object) -> bool:
    """`left == right`; `NotExact` for a list or an object."""
    nothing = left is None or left is UNDEFINED
    if nothing or right is None or right is UNDEFINED:
        return nothing and (right is None or right is UNDEFINED)
    if isinstance(left, (dict, list, Special)) or isinstance(right, (dict, list, Special)):
        raise NotExact
    if type(left) is type(right):
        return left == right
    return to_number(left) == to_number(right)
