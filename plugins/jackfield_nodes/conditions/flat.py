"""Conditions as a flat list with operators by name, as documents without typeVersion have them.

`$json.a.b` on the left is a path into the item.
"""

from __future__ import annotations

import operator as compare
from collections.abc import Callable, Iterator, Mapping

from pydantic import Field

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, Parameters
from jackfield_nodes.conditions.operators import negated
from jackfield_nodes.conditions.questions import Answers, Question, regex_question
from jackfield_nodes.values.conversions import text_of, to_number
from jackfield_nodes.values.paths import get_path


class FlatCondition(Parameters):
    left_value: object = None
    operator: str = Field("equals", description="Such as equals, contains, greaterThan, exists.")
    right_value: object = None


def _between(left: object, right: object) -> bool:
    try:
        low, high = (to_number(part) for part in text_of(right).split(","))
        return low <= to_number(left) <= high
    except ValueError:
        return False


def _texts(test: Callable[[str, str], bool]) -> Callable[[object, object], bool]:
    return lambda left, right: test(text_of(left), text_of(right))


def _numbers(test: Callable[[float, float], bool]) -> Callable[[object, object], bool]:
    def ordered(left: object, right: object) -> bool:
        try:
            return test(to_number(left or 0), to_number(right or 0))
        except ValueError:
            return False

    return ordered


TESTS: Mapping[str, Callable[[object, object], bool]] = {
    "equals": lambda left, right: text_of(left) == text_of(right),
    "notEquals": lambda left, right: text_of(left) != text_of(right),
    "contains": _texts(compare.contains),
    "notContains": negated(_texts(compare.contains)),
    "startsWith": _texts(str.startswith),
    "endsWith": _texts(str.endswith),
    "greaterThan": _numbers(compare.gt),
    "lessThan": _numbers(compare.lt),
    "greaterThanOrEqual": _numbers(compare.ge),
    "lessThanOrEqual": _numbers(compare.le),
    "between": _between,
}
PRESENCE: Mapping[str, Callable[[object], bool]] = {
    "exists": lambda left: left is not None,
    "notExists": lambda left: left is None,
    "empty": lambda left: not left,
    "notEmpty": bool,
}


def _left(condition: FlatCondition, json: dict[str, Json]) -> object:
    value = condition.left_value
    if isinstance(value, str) and value.startswith("$json."):
        return get_path(json, value.removeprefix("$json."))[1]
    return value


def _holds(condition: FlatCondition, json: dict[str, Json], item: int, answers: Answers) -> bool:
    left, right, name = _left(condition, json), condition.right_value, condition.operator
    if name in PRESENCE:
        return PRESENCE[name](left)
    if left is None or right is None:
        return False
    if name == "regex":
        return answers.get(regex_question(text_of(left), text_of(right))) is True
    if name not in TESTS:
        raise NodeError(f"The operator '{name}' of a condition is unknown.", item=item)
    return TESTS[name](left, right)


def flat_questions(conditions: list[FlatCondition], json: dict[str, Json]) -> Iterator[Question]:
    """The regular expression tests whose answers `flat_passes` needs."""
    for condition in conditions:
        if condition.operator == "regex":
            left, right = _left(condition, json), condition.right_value
            yield regex_question(text_of(left), text_of(right))


def flat_passes(
    conditions: list[FlatCondition],
    json: dict[str, Json],
    item: int,
    *,
    combiner: str,
    answers: Answers | None = None,
) -> bool:
    """Whether the item meets all the conditions, or any with combiner `or`. Raises `NodeError`."""
    results = (_holds(condition, json, item, answers or {}) for condition in conditions)
    return any(results) if combiner == "or" else all(results)
