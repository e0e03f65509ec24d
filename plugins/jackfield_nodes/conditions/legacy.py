"""Conditions of IF and Filter version 1: one list per type, joined by all or any.

Values are compared as JavaScript compares them.
"""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, tzinfo
from typing import TypeAlias

from pydantic import Field

from jackfield.api.nodes import NodeError, Parameters
from jackfield_nodes.conditions.blocks import REGEX, Question, question, same
from jackfield_nodes.values.conversions import text_of, to_number, to_time

Sides: TypeAlias = "tuple[object, object]"
"""The two values that are compared."""

DEFAULTS: Mapping[str, str] = {"string": "equal", "number": "smaller", "dateTime": "after", "boolean": "equal"}
UNTOUCHED: Mapping[str, object] = {"string": "", "number": 0, "dateTime": "", "boolean": False}
"""What a value is that the document does not have: editors leave out what nobody changed."""


class LegacyComparison(Parameters, title="Comparison"):
    value1: object = Field(None, alias="value1")
    value2: object = Field(None, alias="value2")
    operation: str | None = Field(None, description="Such as equal, larger, contains, isEmpty.")

    def sides(self, kind: str) -> Sides:
        """What is compared, as a comparison of this type."""
        given = self.model_fields_set
        left = self.value1 if "value1" in given else UNTOUCHED[kind]
        return left, self.value2 if "value2" in given else UNTOUCHED[kind]


class LegacyConditions(Parameters):
    """All comparisons of one item."""

    boolean: list[LegacyComparison] = Field(default_factory=list)
    date_time: list[LegacyComparison] = Field(default_factory=list)
    number: list[LegacyComparison] = Field(default_factory=list)
    string: list[LegacyComparison] = Field(default_factory=list)

    def each(self) -> Iterator[tuple[str, str, LegacyComparison]]:
        """Type, operation and comparison of every row."""
        groups = {
            "dateTime": self.date_time,
            "boolean": self.boolean,
            "number": self.number,
            "string": self.string,
        }
        for kind, rows in groups.items():
            for row in rows:
                yield kind, row.operation or DEFAULTS[kind], row


def _is_empty(left: object) -> bool:
    return left is None or (isinstance(left, str | list | dict) and not left)


def _text_test(test: Callable[[str, str], bool]) -> Callable[[object, object], bool]:
    return lambda left, right: test(text_of(left), text_of(right))


def _order_test(test: Callable[[float, float], bool]) -> Callable[[object, object], bool]:
    def ordered(left: object, right: object) -> bool:
        try:
            return test(to_number(left or 0), to_number(right or 0))
        except ValueError:
            return False

    return ordered


def _negated(test: Callable[[object, object], bool]) -> Callable[[object, object], bool]:
    return lambda left, right: not test(left, right)


_CONTAINS = _text_test(compare.contains)
_STARTS = _text_test(str.startswith)
_ENDS = _text_test(str.endswith)

TESTS: Mapping[str, Callable[[object, object], bool]] = {
    "equal": same,
    "notEqual": _negated(same),
    "contains": _CONTAINS,
    "notContains": _negated(_CONTAINS),
    "startsWith": _STARTS,
    "notStartsWith": _negated(_STARTS),
    "endsWith": _ENDS,
    "notEndsWith": _negated(_ENDS),
    "isEmpty": lambda left, right: _is_empty(left),
    "isNotEmpty": lambda left, right: not _is_empty(left),
    "smaller": _order_test(compare.lt),
    "smallerEqual": _order_test(compare.le),
    "larger": _order_test(compare.gt),
    "largerEqual": _order_test(compare.ge),
    "after": _order_test(compare.gt),
    "before": _order_test(compare.lt),
}


def _date(value: object, kind: str, zone: tzinfo, item: int) -> object:
    if kind != "dateTime" or value in (None, ""):
        return value
    try:
        return to_time(value, zone)
    except ValueError:
        raise NodeError(f"Item {item}: a date condition holds what is no date; use ISO 8601.", item=item) from None


def legacy_holds(
    kind: str,
    operation: str,
    sides: Sides,
    item: int,
    zone: tzinfo,
    answers: Mapping[Question, bool | None],
) -> bool:
    """Whether one comparison is met. Raises `NodeError`."""
    left, right = sides
    if operation in REGEX:
        answer = answers.get(question(text_of(left), text_of(right), ignore_case=False))
        if answer is None:
            raise NodeError(f"Item {item}: the regular expression is not valid.", item=item)
        return answer is (operation == "regex")
    test = TESTS.get(operation)
    if test is None:
        raise NodeError(f"The operation '{operation}' of a {kind} condition is unknown.", item=item)
    return test(_date(left, kind, zone, item), _date(right, kind, zone, item))


def legacy_questions(conditions: LegacyConditions) -> Iterator[Question]:
    """The regular expression tests that `legacy_passes` will want answered."""
    for kind, operation, row in conditions.each():
        if operation in REGEX:
            left, right = row.sides(kind)
            yield question(text_of(left), text_of(right), ignore_case=False)


def legacy_passes(
    conditions: LegacyConditions,
    item: int,
    *,
    combine: str,
    zone: tzinfo = UTC,
    answers: Mapping[Question, bool | None] | None = None,
) -> bool:
    """Whether the item meets all or any of the comparisons. Raises `NodeError`."""
    results = (
        legacy_holds(kind, operation, row.sides(kind), item, zone, answers or {})
        for kind, operation, row in conditions.each()
    )
    return any(results) if combine == "any" else all(results)
