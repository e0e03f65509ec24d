"""JavaScript's operators and conversions on JSON values, exactly, or `Beyond`.

None is null; UNDEFINED is undefined. Numbers are int or float: an int stands for a whole number up to 2^53, beyond
which JavaScript would round what came as an integer. Objects and lists are never compared by identity: it differs in a
worker, which has copies.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final, NoReturn

from jackfield_workflows.jsvalues import Beyond, Special, number_text


class Undefined:
    """The one value undefined."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


UNDEFINED: Final = Undefined()
SAFE = 2**53
LONGEST = 1 << 20
"""Characters of a text that Python works on; a longer one is JavaScript's, whose time is limited."""
MOST_ENTRIES = 50_000
"""Entries of a list or an object, with all inside of it, that Python looks through."""
_DEEPEST = 50
_LONGEST_NUMBER = 1000
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
BLANK = (
    "\t\n\v\f\r \u00a0\ufeff\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


class Thrown(Exception):
    """The expression throws: its value is undefined."""


def beyond() -> NoReturn:
    raise Beyond


def is_number(value: object) -> bool:
    return type(value) is int or type(value) is float


def truthy(value: object) -> bool:
    if isinstance(value, (dict, list)):
        return True
    return bool(value) and value == value


def checked(value: object) -> object:
    """The value, unless it is an integer that JavaScript would round, or a text that is too long."""
    if type(value) is int:
        return value if -SAFE <= value <= SAFE else beyond()
    if type(value) is str and len(value) > LONGEST:
        raise Beyond
    return value


def normal(value: float) -> int | float:
    """A number as JSON prints it: whole ones without a fraction."""
    if value.is_integer() and abs(value) <= SAFE:
        return int(value)
    return value


def trimmed(text: str) -> str:
    return text.strip(BLANK)


def to_number(value: object) -> int | float:
    """`Number(value)`."""
    if type(value) is int:
        return value if -SAFE <= value <= SAFE else beyond()
    if type(value) is float:
        return value
    if type(value) is bool:
        return int(value)
    if value is None:
        return 0
    if value is UNDEFINED:
        return math.nan
    if type(value) is str:
        return text_number(value)
    if isinstance(value, Special):
        return value.number()
    raise Beyond


def text_number(text: str) -> int | float:
    if len(text) > _LONGEST_NUMBER:
        raise Beyond
    plain = trimmed(text)
    if not plain:
        return 0
    if _NUMBER.fullmatch(plain):
        return normal(float(plain))
    if plain[:2].lower() in ("0x", "0o", "0b") or plain.lstrip("+-") == "Infinity":
        raise Beyond
    return math.nan


def to_text(value: object) -> str:
    """`String(value)`."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[return-value]
    if kind is int:
        return str(checked(value))
    if kind is float:
        return number_text(value)  # type: ignore[arg-type]
    if kind is bool:
        return "true" if value else "false"
    if value is None:
        return "null"
    if value is UNDEFINED:
        return "undefined"
    if isinstance(value, list):
        return joined(value, ",")
    if isinstance(value, dict) and not value.keys() & {"toString", "valueOf"}:
        return "[object Object]"
    if isinstance(value, Special):
        return value.text()
    raise Beyond


def joined(values: list[object], between: str) -> str:
    """`values.join(between)`."""
    sized(values)
    if len(values) * len(between) > LONGEST:
        raise Beyond
    return checked_text(between.join([one if type(one) is str else _inner_text(one) for one in values]))


def _inner_text(value: object) -> str:
    """The same as `to_text`, of what is in a list whose size is known."""
    if value is None or value is UNDEFINED:
        return ""
    return ",".join(map(_inner_text, value)) if type(value) is list else to_text(value)


def sized(value: object) -> None:
    """Raises `Beyond` for a list or an object that is large or deep. It may hold another one many times, so that it is
    much larger than what it was made of."""
    if type(value) is str:
        checked_text(value)
    entries, characters = MOST_ENTRIES, LONGEST
    held: list[Any] = [value] if type(value) is list or type(value) is dict else []  # Any: a list or an object
    for _ in range(_DEEPEST):
        if not held:
            return
        below: list[Any] = []
        for one in held:
            entries -= len(one)
            if entries < 0:
                raise Beyond
            if type(one) is dict:
                characters -= sum(map(len, one))
            for each in one.values() if type(one) is dict else one:
                if type(each) is str:
                    characters -= len(each)
                elif type(each) is list or type(each) is dict:
                    below.append(each)
            if characters < 0:
                raise Beyond
        held = below
    raise Beyond


def checked_text(text: str) -> str:
    if len(text) > LONGEST:
        raise Beyond
    return text


def add(left: object, right: object) -> object:
    if type(left) is str and type(right) is str:
        return checked_text(left + right)
    left = left.primitive() if isinstance(left, Special) else left
    right = right.primitive() if isinstance(right, Special) else right
    if any(isinstance(side, (str, dict, list)) for side in (left, right)):
        return checked_text(to_text(left) + to_text(right))
    return _number(to_number(left) + to_number(right))


def subtract(left: object, right: object) -> object:
    return _number(to_number(left) - to_number(right))


def multiply(left: object, right: object) -> object:
    one, other = to_number(left), to_number(right)
    if not one or not other:
        return normal(float(one) * float(other)) if math.isfinite(one) and math.isfinite(other) else math.nan
    return _number(one * other)


def divide(left: object, right: object) -> object:
    one, other = to_number(left), to_number(right)
    if not other:
        if not one or one != one:
            return math.nan
        raise Beyond  # the sign of a zero is not kept here
    return _number(float(one) / float(other))


def remainder(left: object, right: object) -> object:
    one, other = float(to_number(left)), float(to_number(right))
    if not other or math.isinf(one) or one != one or other != other:
        return math.nan
    return normal(math.fmod(one, other))


def _number(value: float) -> int | float:
    if type(value) is float:
        return normal(value)
    return value if -SAFE <= value <= SAFE else beyond()


def negate(value: object) -> object:
    number = to_number(value)
    return -number if number else normal(-float(number))


def equal(left: object, right: object) -> bool:
    """`left === right`."""
    if is_number(left) and is_number(right):
        return checked(left) == checked(right)
    if type(left) is not type(right):
        return False
    if isinstance(left, (dict, list, Special)):
        raise Beyond
    return left == right


def loosely_equal(left: object, right: object) -> bool:
    """`left == right`."""
    nothing = left is None or left is UNDEFINED
    if nothing or right is None or right is UNDEFINED:
        return nothing and (right is None or right is UNDEFINED)
    if isinstance(left, (dict, list, Special)) or isinstance(right, (dict, list, Special)):
        raise Beyond
    if type(left) is type(right):
        return equal(left, right)
    return to_number(left) == to_number(right)


def less(left: object, right: object) -> bool:
    """`left < right`."""
    if type(left) is str and type(right) is str:
        if not (left.isascii() and right.isascii()):
            raise Beyond  # JavaScript compares halves of characters
        return left < right
    return to_number(left) < to_number(right)


def at_most(left: object, right: object) -> bool:
    """`left <= right`."""
    if type(left) is str and type(right) is str:
        if not (left.isascii() and right.isascii()):
            raise Beyond
        return left <= right
    return to_number(left) <= to_number(right)


def is_settled(value: object) -> bool:
    """Whether JSON has a place for the value inside of a list or an object; of a list or an object itself: yes."""
    if type(value) is float:
        return math.isfinite(value)
    return value is not UNDEFINED and not isinstance(value, Special)
