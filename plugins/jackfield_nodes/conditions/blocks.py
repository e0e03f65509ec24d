"""Conditions as IF, Filter and Switch have them from version 2 (IF, Filter) and 3 (Switch) on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import ClassVar

from pydantic import Field

from jackfield.api.javascript import UNDEFINED
from jackfield.api.nodes import NodeError, Parameters
from jackfield.api.nodes.leaves import filled
from jackfield.api.nodes.ui import Ui
from jackfield_nodes.conditions.form import BLOCK
from jackfield_nodes.conditions.operators import EXISTENCE, REGEX, TESTS, exists
from jackfield_nodes.conditions.questions import Question, regex_question
from jackfield_nodes.conditions.sides import Rules, asked_dates, is_nothing, side_of


class FilterOptions(Parameters):
    case_sensitive: bool = Field(True, description="Whether upper and lower case differ.")
    type_validation: str = Field(
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
    left_value: object = Field(default_factory=lambda: UNDEFINED)
    right_value: object = Field(default_factory=lambda: UNDEFINED)
    operator: Operator = Field(default_factory=Operator)

    def right_type(self) -> str:
        return self.operator.right_type or self.operator.type


class FilterBlock(Parameters):
    """Conditions joined by and, or."""

    ui: ClassVar[Ui] = BLOCK

    options: FilterOptions = Field(default_factory=FilterOptions)
    conditions: list[BlockCondition] = Field(default_factory=list)
    combinator: str = Field("and", description="and, or.")


def _failure(position: int, item: int, side: str, reason: object) -> NodeError:
    return NodeError(
        f"Condition {position} of item {item}: the {side} value is {reason}. Change the type of the comparison, or "
        "turn on the conversion of types (loose type validation).",
        item=item,
    )


def _sides(
    condition: BlockCondition, position: int, item: int, rules: Rules, values: Sequence[object]
) -> tuple[object, object]:
    try:
        left = side_of(filled(condition.left_value, values), condition.operator.type, rules)
    except ValueError as exc:
        raise _failure(position, item, "left", exc) from None
    try:
        return left, side_of(filled(condition.right_value, values), condition.right_type(), rules)
    except ValueError as exc:
        if condition.operator.single_value:
            return left, UNDEFINED
        raise _failure(position, item, "right", exc) from None


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


def _folded(condition: BlockCondition, left: object, right: object) -> tuple[object, object]:
    """The sides where case does not matter. A pattern stays, although its text is lower case then."""
    kind, operation = condition.operator.type, condition.operator.operation
    if kind == "string":
        return _lower(left), right if operation in REGEX else _lower(right)
    if kind == "array" and isinstance(left, list) and isinstance(right, str):
        return [_lower(element) for element in left], right.lower()
    return left, right


def _regex(left: object, right: object) -> Question:
    return regex_question(*("" if is_nothing(value) else str(value) for value in (left, right)))


def holds(condition: BlockCondition, position: int, item: int, rules: Rules, values: Sequence[object] = ()) -> bool:
    """Whether one condition is met. position: its index in the block, for messages; values: of the leaves. Raises
    `NodeError`."""
    kind, operation = condition.operator.type, condition.operator.operation
    left, right = _sides(condition, position, item, rules, values)
    if operation in EXISTENCE:
        return exists(left) is (operation == "exists")
    if rules.ignore_case:
        left, right = _folded(condition, left, right)
    if kind == "string" and operation in REGEX:
        answer = rules.answers.get(_regex(left, right))
        if answer is None:
            raise NodeError(f"Condition {position} of item {item}: the regular expression is not valid.", item=item)
        return bool(answer) is (operation == "regex")
    test = TESTS.get((kind, operation))
    if test is None:
        rules.warn(f"The operator {kind}:{operation} is unknown; the condition counts as not met.")
        return False
    return test(left, right)


def passes(block: FilterBlock, item: int, rules: Rules, values: Sequence[object] = ()) -> bool:
    """Whether the item meets the block: all of its conditions, or any. values: of the leaves. Raises `NodeError`."""
    if block.combinator in ("and", "or"):
        decides = block.combinator == "or"
        for position, condition in enumerate(block.conditions):
            if holds(condition, position, item, rules, values) is decides:
                return decides
        return not decides
    rules.warn(f"The combinator {block.combinator} is unknown; the item does not pass.")
    return False


def asks_anything(block: FilterBlock) -> bool:
    """Whether `questions` may tell anything."""
    return any(
        row.operator.operation in REGEX or "dateTime" in (row.operator.type, row.operator.right_type)
        for row in block.conditions
    )


def questions(block: FilterBlock, item: int, rules: Rules, values: Sequence[object] = ()) -> Iterator[Question]:
    """The questions whose answers `passes` needs. values: of the leaves."""
    for position, condition in enumerate(block.conditions):
        yield from asked_dates(filled(condition.left_value, values), condition.operator.type, rules)
        yield from asked_dates(filled(condition.right_value, values), condition.right_type(), rules)
        if condition.operator.type != "string" or condition.operator.operation not in REGEX:
            continue
        with contextlib.suppress(NodeError):  # `passes` raises it, unless an earlier condition decides
            left, right = _sides(condition, position, item, rules, values)
            yield _regex(*(_folded(condition, left, right) if rules.ignore_case else (left, right)))
