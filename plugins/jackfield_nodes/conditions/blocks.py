"""Conditions as IF, Filter and Switch have them from version 2 (IF, Filter) and 3 (Switch) on.

null never fails a type check; text treats null as empty, lists as no elements; comparing numbers or dates with null is
false, except that null equals null among numbers.
"""

from __future__ import annotations

import contextlib
import operator as compare
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from pydantic import Field

from jackfield.api.nodes import NodeError, Parameters
from jackfield_nodes.values.conversions import CONVERSIONS, to_boolean, to_time, type_name, with_article

Question: TypeAlias = "tuple[str, str, str]"
"""Pattern, flags and text of one regular expression test."""


class FilterOptions(Parameters):
    case_sensitive: bool = Field(True, description="Whether upper and lower case differ.")
    type_validation: Literal["strict", "loose"] = Field(
        "strict", description="strict: a value of another type is an error; loose: it is converted."
    )
    version: float = Field(1, description="Rules of conversion; 2: text such as 'false' is read, 3: '' is no number.")


class Operator(Parameters):
    type: str = Field("string", description="string, number, dateTime, boolean, array, object or any.")
    operation: str = Field("equals", description="Such as equals, contains, gt, exists.")
    right_type: str | None = Field(None, description="Type of the right side where it is another.")
    single_value: bool = Field(False, description="Whether there is no right side.")


class BlockCondition(Parameters, title="Condition"):
    id: str | None = None
    left_value: object = None
    right_value: object = None
    operator: Operator = Field(default_factory=Operator)


class FilterBlock(Parameters):
    """Conditions joined by and, or."""

    options: FilterOptions = Field(default_factory=FilterOptions)
    conditions: list[BlockCondition] = Field(default_factory=list)
    combinator: Literal["and", "or"] = "and"


class Rules(NamedTuple):
    """How one block is evaluated. zone: of dates without offset; answers: results of regular expression tests, None for
    a pattern that is wrong; warn: told of unknown operators."""

    loose: bool = False
    ignore_case: bool = False
    version: float = 1
    zone: tzinfo = UTC
    answers: Mapping[Question, bool | None] = MappingProxyType({})
    warn: Callable[[str], None] = lambda _: None


# Any: the operands have the type that the operator's type promises, which no static type can tell.
Test: TypeAlias = "Callable[[Any, Any], bool]"


def _negated(test: Test) -> Test:
    return lambda left, right: not test(left, right)


def _present(left: object, right: object) -> bool:
    return left is not None


def _text(test: Test) -> Test:
    return lambda left, right: test(left or "", right or "")


def _both(test: Test) -> Test:
    return lambda left, right: left is not None and right is not None and test(left, right)


def _length(test: Test) -> Test:
    return lambda left, right: right is not None and test(len(left or ()), right)


def same(left: object, right: object) -> bool:
    """JavaScript's ===: numbers and truth values differ, lists and objects are never the same."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right and not isinstance(left, list | dict)


def _contains(left: list[object] | None, right: object) -> bool:
    return any(same(element, right) for element in left or ())


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
_LENGTHS: Mapping[str, Test] = {
    "lengthEquals": compare.eq,
    "lengthNotEquals": compare.ne,
    "lengthGt": compare.gt,
    "lengthLt": compare.lt,
    "lengthGte": compare.ge,
    "lengthLte": compare.le,
}
_TEXTS: Mapping[str, Test] = {
    "equals": _text(compare.eq),
    "contains": _text(compare.contains),
    "startsWith": _text(str.startswith),
    "endsWith": _text(str.endswith),
}
_TYPES = ("string", "number", "dateTime", "boolean", "array", "object")

TESTS: Mapping[tuple[str, str], Test] = {
    **{("string", name): test for name, test in _TEXTS.items()},
    **{("string", f"not{name[0].upper()}{name[1:]}"): _negated(test) for name, test in _TEXTS.items()},
    ("number", "equals"): same,
    ("number", "notEquals"): _negated(same),
    **{("number", name): _both(test) for name, test in _ORDER.items()},
    **{("dateTime", name): _both(test) for name, test in _DATES.items()},
    ("boolean", "true"): lambda left, right: bool(left),
    ("boolean", "false"): lambda left, right: not left,
    ("boolean", "equals"): same,
    ("boolean", "notEquals"): _negated(same),
    ("array", "contains"): _contains,
    ("array", "notContains"): _negated(_contains),
    **{("array", name): _length(test) for name, test in _LENGTHS.items()},
    **{(kind, "empty"): _empty for kind in ("string", "array", "object")},
    **{(kind, "notEmpty"): _negated(_empty) for kind in ("string", "array", "object")},
    **{(kind, "empty"): _negated(_present) for kind in ("number", "dateTime", "boolean")},
    **{(kind, "notEmpty"): _present for kind in ("number", "dateTime", "boolean")},
    **{(kind, "exists"): _present for kind in (*_TYPES, "any")},
    **{(kind, "notExists"): _negated(_present) for kind in (*_TYPES, "any")},
}
"""(type, operation) -> test of the two converted sides. regex and notRegex are apart: see `Rules.answers`."""

SINGLE = frozenset({"exists", "notExists", "empty", "notEmpty", "true", "false"})
REGEX = frozenset({"regex", "notRegex"})
_STRICT: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def _right_type(operator: Operator) -> str:
    if operator.right_type:
        return operator.right_type
    if operator.type == "array":
        return "number" if operator.operation.startswith("length") else "any"
    return operator.type


def _strictly(value: object, kind: str) -> object:
    fits = isinstance(value, _STRICT[kind]) and not (kind == "number" and isinstance(value, bool))
    if not fits:
        raise ValueError(f"{with_article(type_name(value))}, but {with_article(kind)} is expected")
    return value


def _loosely(value: object, kind: str, version: float) -> object:
    if kind == "boolean":
        return _truth(value, version)
    if kind == "number" and version >= 3 and (value == [] or (isinstance(value, str) and not value.strip())):
        return None
    try:
        return CONVERSIONS[kind](value)
    except ValueError:
        raise ValueError(f"{with_article(type_name(value))} that cannot be read as {with_article(kind)}") from None


def _truth(value: object, version: float) -> bool:
    if version >= 2:
        try:
            return to_boolean(value)
        except ValueError:
            pass
    return isinstance(value, list | dict) or bool(value)


def _side(value: object, kind: str, rules: Rules) -> object:
    """The value as the operator's type. Raises ValueError that says what is wrong."""
    if value is None or kind == "any":
        return value
    if kind == "dateTime":
        try:
            return to_time(value, rules.zone)
        except ValueError:
            raise ValueError(f"{with_article(type_name(value))} that is no date") from None
    if kind not in _STRICT:
        return value
    return _loosely(value, kind, rules.version) if rules.loose else _strictly(value, kind)


def _fold(value: object) -> object:
    if isinstance(value, str):
        return value.lower()
    return [_fold(element) for element in value] if isinstance(value, list) else value


def _failure(position: int, item: int, side: str, reason: object) -> NodeError:
    return NodeError(
        f"Condition {position} of item {item}: the {side} value is {reason}; change the type of the comparison, or "
        "turn on the conversion of types (loose type validation).",
        item=item,
    )


def _sides(condition: BlockCondition, position: int, item: int, rules: Rules) -> tuple[object, object]:
    operator = condition.operator
    try:
        left = _side(condition.left_value, operator.type, rules)
    except ValueError as exc:
        raise _failure(position, item, "left", exc) from None
    if operator.single_value or operator.operation in SINGLE:
        return left, None
    try:
        return left, _side(condition.right_value, _right_type(operator), rules)
    except ValueError as exc:
        raise _failure(position, item, "right", exc) from None


def question(left: object, right: object, *, ignore_case: bool) -> Question:
    """The test that a pattern asks for; `/pattern/flags` gives flags."""
    pattern, flags = str(right or ""), ""
    if match := re.fullmatch(r"/(.*)/([gimsuy]*)", pattern, re.DOTALL):
        pattern, flags = match[1], "".join(sorted(set(match[2])))
    return pattern, flags + "i" if ignore_case and "i" not in flags else flags, str(left or "")


def _ask(asked: Question, position: int, item: int, rules: Rules) -> bool:
    answer = rules.answers.get(asked)
    if answer is None:
        raise NodeError(f"Condition {position} of item {item}: the regular expression is not valid.", item=item)
    return answer


def holds(condition: BlockCondition, position: int, item: int, rules: Rules) -> bool:
    """Whether one condition is met. position: its index in the block, for messages. Raises `NodeError`."""
    kind, operation = condition.operator.type, condition.operator.operation
    left, right = _sides(condition, position, item, rules)
    if kind == "string" and operation in REGEX:
        asked = question(left, right, ignore_case=rules.ignore_case)
        return _ask(asked, position, item, rules) is (operation == "regex")
    test = TESTS.get((kind, operation))
    if test is None:
        rules.warn(f"The operator {kind}:{operation} is unknown; the condition counts as not met.")
        return False
    if rules.ignore_case:
        left, right = _fold(left), _fold(right)
    return test(left, right)


def passes(block: FilterBlock, item: int, rules: Rules) -> bool:
    """Whether the item meets the block: all of its conditions, or any. Raises `NodeError`."""
    results = (holds(condition, position, item, rules) for position, condition in enumerate(block.conditions))
    return all(results) if block.combinator == "and" else any(results)


def questions(block: FilterBlock, item: int, rules: Rules) -> Iterator[Question]:
    """The regular expression tests that `passes` will want answered."""
    for position, condition in enumerate(block.conditions):
        operator = condition.operator
        if operator.type != "string" or operator.operation not in REGEX:
            continue
        with contextlib.suppress(NodeError):  # `passes` raises it, unless an earlier condition decides
            left, right = _sides(condition, position, item, rules)
            yield question(left, right, ignore_case=rules.ignore_case)
