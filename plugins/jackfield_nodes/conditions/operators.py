"""The tests of the operators of conditions, as JavaScript has them.

null counts as 0 where numbers are ordered, undefined as no number. Text treats both as empty, lists as no elements.
"""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Mapping
from math import isnan
from typing import Any, TypeAlias, cast

from jackfield.api.javascript import UNDEFINED
from jackfield_nodes.conditions.sides import is_nothing, number_of

# Any: the operands have the type that the operator's type promises, which no static type can tell.
Test: TypeAlias = "Callable[[Any, Any], bool]"

EXISTENCE = frozenset({"exists", "notExists"})
"""Operations of every type, also of one that nobody knows."""
REGEX = frozenset({"regex", "notRegex"})


def negated(test: Test) -> Test:
    return lambda left, right: not test(left, right)


def exists(left: object) -> bool:
    """Whether there is a value at all; NaN is none."""
    return not is_nothing(left) and not (isinstance(left, float) and isnan(left))


def same(left: object, right: object) -> bool:
    """JavaScript's ===: numbers and truth values differ, lists and objects are never the same."""
    if is_nothing(left) or is_nothing(right) or isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right and not isinstance(left, list | dict)


def _text(test: Test) -> Test:
    return lambda left, right: test("" if is_nothing(left) else left, "" if is_nothing(right) else right)


def _ordered(test: Test) -> Test:
    return lambda left, right: test(_as_number(left), _as_number(right))


def _as_number(value: object) -> int | float:
    return float("nan") if value is UNDEFINED else number_of(value)


def _dates(test: Test) -> Test:
    return lambda left, right: not is_nothing(left) and not is_nothing(right) and test(left, right)


def _lengths(test: Test) -> Test:
    return lambda left, right: test(0 if is_nothing(left) else len(left), right)


def contains(elements: object, value: object) -> bool:
    """JavaScript's includes()."""
    given = cast("list[object]", elements) if isinstance(elements, list) else []
    return any(same(element, value) for element in given)


def _missing(left: object, right: object) -> bool:
    return not exists(left)


def _empty(left: object, right: object) -> bool:
    return not left


_ORDER: Mapping[str, Test] = {"gt": compare.gt, "lt": compare.lt, "gte": compare.ge, "lte": compare.le}
_DATES: Mapping[str, Test] = {
    "equals": compare.eq,
    "notEquals": compare.ne,
    "after": compare.gt,
    "before": compare.lt,
    "afterOrEquals": compare.ge,
    "beforeOrEquals": compare.le,
}
_TEXTS: Mapping[str, Test] = {
    "equals": _text(compare.eq),
    "contains": _text(compare.contains),
    "startsWith": _text(str.startswith),
    "endsWith": _text(str.endswith),
}

TESTS: Mapping[tuple[str, str], Test] = {
    **{("string", name): test for name, test in _TEXTS.items()},
    **{("string", f"not{name[0].upper()}{name[1:]}"): negated(test) for name, test in _TEXTS.items()},
    ("number", "equals"): same,
    ("number", "notEquals"): negated(same),
    **{("number", name): _ordered(test) for name, test in _ORDER.items()},
    **{("dateTime", name): _dates(test) for name, test in _DATES.items()},
    ("boolean", "true"): lambda left, right: bool(left),
    ("boolean", "false"): lambda left, right: not left,
    ("boolean", "equals"): same,
    ("boolean", "notEquals"): negated(same),
    ("array", "contains"): contains,
    ("array", "notContains"): negated(contains),
    ("array", "lengthEquals"): _lengths(same),
    ("array", "lengthNotEquals"): _lengths(negated(same)),
    **{("array", f"length{name.capitalize()}"): _lengths(_ordered(test)) for name, test in _ORDER.items()},
    **{(kind, "empty"): _empty for kind in ("string", "array", "object")},
    **{(kind, "notEmpty"): negated(_empty) for kind in ("string", "array", "object")},
    **{(kind, "empty"): _missing for kind in ("number", "dateTime", "boolean")},
    **{(kind, "notEmpty"): negated(_missing) for kind in ("number", "dateTime", "boolean")},
}
"""(type, operation) -> test of the two converted sides. The operations of `EXISTENCE` and `REGEX` are apart."""
