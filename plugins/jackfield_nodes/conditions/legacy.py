"""Conditions of IF and Filter version 1: one list per type, joined by all or any.

Values are compared as JavaScript compares them: nothing is converted before, and text has methods that others lack.
"""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any, ClassVar, TypeAlias

from pydantic import Field

from jackfield.api.javascript import UNDEFINED, to_boolean, to_string
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_nodes.conditions.form import COMPARISON, LEGACY
from jackfield_nodes.conditions.operators import REGEX, negated, same
from jackfield_nodes.conditions.questions import Answers, Question, date_of, regex_question, unanswered
from jackfield_nodes.conditions.sides import is_nothing, number_of
from jackfield_nodes.values.conversions import type_name, with_article

Sides: TypeAlias = "tuple[object, object]"
"""The two values that are compared."""

DEFAULTS: Mapping[str, str] = {"string": "equal", "number": "smaller", "dateTime": "after", "boolean": "equal"}
UNTOUCHED: Mapping[str, object] = {"string": "", "number": 0, "dateTime": "", "boolean": False}
"""The values of fields that the document does not have: editors leave out the fields that nobody changed."""


SINGLE = frozenset({"isEmpty", "isNotEmpty"})


class LegacyComparison(Parameters, title="Comparison"):
    ui_fields: ClassVar[UiFields] = COMPARISON
    ui_order: ClassVar[Sequence[str]] = ("value1", "operation", "value2")

    value1: object = Field(None, alias="value1")
    value2: object = Field(None, alias="value2")
    operation: str | None = Field(None, description="Such as equal, larger, contains, isEmpty.")

    def sides(self, kind: str) -> Sides:
        """The two sides of a comparison of this type."""
        given = self.model_fields_set
        left = self.value1 if "value1" in given else UNTOUCHED[kind]
        if "value2" in given:
            return left, self.value2
        return left, UNDEFINED if self.operation in SINGLE else UNTOUCHED[kind]


class LegacyConditions(Parameters):
    """All comparisons of one item."""

    ui_fields: ClassVar[UiFields] = LEGACY

    boolean: list[LegacyComparison] = Field(default_factory=list)
    date_time: list[LegacyComparison] = Field(default_factory=list)
    number: list[LegacyComparison] = Field(default_factory=list)
    string: list[LegacyComparison] = Field(default_factory=list)

    def each(self) -> Iterator[tuple[str, str, LegacyComparison]]:
        """Type, operation and comparison of every row."""
        groups = {
            "boolean": self.boolean,
            "dateTime": self.date_time,
            "number": self.number,
            "string": self.string,
        }
        for kind, rows in groups.items():
            for row in rows:
                yield kind, row.operation or DEFAULTS[kind], row


def _is_empty(left: object) -> bool:
    if isinstance(left, str | list | dict):
        return not left
    return is_nothing(left) or left != left


def _or(value: object, other: object) -> object:
    return value if to_boolean(value) else other


def _contains(left: object, right: object) -> bool:
    return to_string(_or(right, "")) in to_string(_or(left, ""))


def _edge(test: Callable[[str, str], bool]) -> Callable[[object, object], bool]:
    def at_edge(left: object, right: object) -> bool:
        if not isinstance(left, str):
            raise NodeError(f"The compared value is {with_article(type_name(left))}, and this operation needs text.")
        return test(left, to_string(right))

    return at_edge


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[object, object], bool]:
    def ordered(left: object, right: object) -> bool:
        sides = [_primitive(_or(value, 0)) for value in (left, right)]
        if all(isinstance(value, str) for value in sides):
            return test(*sides)
        return test(*(number_of(value) for value in sides))

    return ordered


def _primitive(value: object) -> object:
    return to_string(value) if isinstance(value, list | dict) else value


_STARTS = _edge(str.startswith)
_ENDS = _edge(str.endswith)
_LARGER, _SMALLER = _ordered(compare.gt), _ordered(compare.lt)

TESTS: Mapping[str, Callable[[object, object], bool]] = {
    "equal": same,
    "notEqual": negated(same),
    "contains": _contains,
    "notContains": negated(_contains),
    "startsWith": _STARTS,
    "notStartsWith": negated(_STARTS),
    "endsWith": _ENDS,
    "notEndsWith": negated(_ENDS),
    "isEmpty": lambda left, right: _is_empty(left),
    "isNotEmpty": lambda left, right: not _is_empty(left),
    "smaller": _SMALLER,
    "smallerEqual": _ordered(compare.le),
    "larger": _LARGER,
    "largerEqual": _ordered(compare.ge),
    "after": _LARGER,
    "before": _SMALLER,
}


def _date(value: object, item: int, answers: Answers) -> object:
    found = date_of(value, "Date", UTC, answers) if isinstance(value, str) else value
    if isinstance(found, bool) or not isinstance(found, int | float) or found != found:
        raise NodeError(f"Item {item}: a date condition holds what is no date; use ISO 8601.", item=item)
    return found


def _regex(left: object, right: object) -> Question:
    return regex_question(to_string(_or(left, "")), to_string(_or(right, "")))


def legacy_holds(kind: str, operation: str, sides: Sides, item: int, answers: Answers) -> bool:
    """Whether one comparison is met. Raises `NodeError`."""
    left, right = sides
    if kind == "dateTime":
        left, right = _date(left, item, answers), _date(right, item, answers)
    if operation in REGEX:
        answer = answers.get(_regex(left, right))
        if answer is None:
            raise NodeError(f"Item {item}: the regular expression is not valid.", item=item)
        return bool(answer) is (operation == "regex")
    test = TESTS.get(operation)
    if test is None:
        raise NodeError(f"The operation '{operation}' of a {kind} condition is unknown.", item=item)
    return test(left, right)


def legacy_question(kind: str, operation: str, sides: Sides) -> Iterator[Question]:
    """The questions whose answers `legacy_holds` needs."""
    if operation in REGEX:
        yield _regex(*sides)
    if kind == "dateTime":
        for value in sides:
            if isinstance(value, str):
                yield from unanswered(value, "Date", UTC)


def legacy_questions(conditions: LegacyConditions) -> Iterator[Question]:
    """The questions whose answers `legacy_passes` needs."""
    for kind, operation, row in conditions.each():
        yield from legacy_question(kind, operation, row.sides(kind))


def legacy_passes(conditions: LegacyConditions, item: int, *, combine: str, answers: Answers) -> bool:
    """Whether the item meets all or any of the comparisons. Raises `NodeError`."""
    results = (
        legacy_holds(kind, operation, row.sides(kind), item, answers) for kind, operation, row in conditions.each()
    )
    return any(results) if combine == "any" else all(results)
