"""JavaScript's operators on JSON values, exactly and within limits, or `NotExact`.

None is null; UNDEFINED is undefined. An int stands for a whole number up to 2^53, beyond which JavaScript would round
it. Objects and lists are never compared by identity: it differs in a worker, which has copies.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

from jackfield.api import javascript
from jackfield.api.javascript import SAFE, UNDEFINED, NotExact, Special, is_number, to_string, whole

LONGEST = 1 << 20
"""Characters of a text that Python works on; a longer one is JavaScript's, whose time is limited."""
MOST_ENTRIES = 50_000
"""Entries of a list or an object, with all inside of it, that Python looks through."""
_DEEPEST = 50
_LONGEST_NUMBER = 1000


class Thrown(Exception):
    """The expression throws: its value is undefined."""


def beyond() -> NoReturn:
    raise NotExact


def checked(value: object) -> object:
    """The value, unless it is an integer that JavaScript would round, or a text that is too long."""
    if type(value) is int:
        return value if -SAFE <= value <= SAFE else beyond()
    if type(value) is str and len(value) > LONGEST:
        raise NotExact
    return value


def to_number(value: object) -> int | float:
    """`Number(value)`."""
    if type(value) is int:
        return value if -SAFE <= value <= SAFE else beyond()
    if type(value) is str and len(value) > _LONGEST_NUMBER:
        raise NotExact
    return javascript.to_number(value)


def to_text(value: object) -> str:
    """`String(value)`."""
    kind = type(value)  # quicker than isinstance, and nothing that mypy narrows by: hence what is ignored below
    if kind is str:
        return value  # type: ignore[return-value]
    if kind is list:
        return joined(value, ",")  # type: ignore[arg-type]
    if kind is dict:
        return "[object Object]" if not value.keys() & {"toString", "valueOf"} else beyond()  # type: ignore[attr-defined]
    if value is None or value is UNDEFINED or isinstance(value, (int, float, Special)):
        return to_string(checked(value))
    raise NotExact


def joined(values: list[object], between: str) -> str:
    """`values.join(between)`."""
    sized(values)
    if len(values) * len(between) > LONGEST:
        raise NotExact
    return checked_text(between.join([one if type(one) is str else _inner_text(one) for one in values]))


def _inner_text(value: object) -> str:
    """The same as `to_text`, of what is in a list whose size is known."""
    if value is None or value is UNDEFINED:
        return ""
    return ",".join(map(_inner_text, value)) if type(value) is list else to_text(value)


def sized(value: object) -> None:
    """Raises `NotExact` for a list or an object that is large or deep. It may hold another one many times, so that
    it is much larger than what it was made of."""
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
                raise NotExact
            if type(one) is dict:
                characters -= sum(map(len, one))
            for each in one.values() if type(one) is dict else one:
                if type(each) is str:
                    characters -= len(each)
                elif type(each) is list or type(each) is dict:
                    below.append(each)
            if characters < 0:
                raise NotExact
        held = below
    raise NotExact


def checked_text(text: str) -> str:
    if len(text) > LONGEST:
        raise NotExact
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
        return whole(float(one) * float(other)) if math.isfinite(one) and math.isfinite(other) else math.nan
    return _number(one * other)


def divide(left: object, right: object) -> object:
    one, other = to_number(left), to_number(right)
    if not other:
        if not one or one != one:
            return math.nan
        raise NotExact  # the sign of a zero is not kept here
    return _number(float(one) / float(other))


def remainder(left: object, right: object) -> object:
    one, other = float(to_number(left)), float(to_number(right))
    if not other or math.isinf(one) or one != one or other != other:
        return math.nan
    return whole(math.fmod(one, other))


def _number(value: float) -> int | float:
    if type(value) is float:
        return whole(value)
    return value if -SAFE <= value <= SAFE else beyond()


def negate(value: object) -> object:
    number = to_number(value)
    return -number if number else whole(-float(number))


def equal(left: object, right: object) -> bool:
    """`left === right`."""
    if is_number(left) and is_number(right):
        return checked(left) == checked(right)
    return javascript.strictly_equal(left, right)


def loosely_equal(left: object, right: object) -> bool:
    """`left == right`."""
    if type(left) is type(right):
        return equal(left, right)
    if any(type(side) is str and len(side) > _LONGEST_NUMBER for side in (left, right)) and left and right:
        raise NotExact
    return javascript.loosely_equal(checked(left), checked(right))


def less(left: object, right: object) -> bool:
    """`left < right`."""
    if type(left) is str and type(right) is str:
        if not (left.isascii() and right.isascii()):
            raise NotExact  # JavaScript compares halves of characters
        return left < right
    return to_number(left) < to_number(right)


def at_most(left: object, right: object) -> bool:
    """`left <= right`."""
    if type(left) is str and type(right) is str:
        if not (left.isascii() and right.isascii()):
            raise NotExact
        return left <= right
    return to_number(left) <= to_number(right)


def is_settled(value: object) -> bool:
    """Whether JSON has a place for the value inside of a list or an object; of a list or an object itself: yes."""
    if type(value) is float:
        return math.isfinite(value)
    return value is not UNDEFINED and not isinstance(value, Special)
