"""The shared condition evaluator: every operator, strict and loose, and laws that hold for all values."""

from __future__ import annotations

import contextlib
from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.javascript import UNDEFINED
from jackfield.api.nodes import NodeError
from jackfield_nodes.conditions.blocks import BlockCondition, FilterBlock, Operator, holds, passes
from jackfield_nodes.conditions.operators import TESTS
from jackfield_nodes.conditions.questions import DateQuestion, RegexQuestion, regex_question
from jackfield_nodes.conditions.sides import Rules

STRICT = Rules()
LOOSE = Rules(loose=True, version=2)


def condition(left: Any, kind: str, operation: str, right: Any = None, **more: Any) -> BlockCondition:
    if kind == "array":
        more = {"right_type": "number" if operation.startswith("length") else "any", **more}
    operator = Operator(type=kind, operation=operation, **more)
    return BlockCondition(left_value=left, right_value=right, operator=operator)


def met(left: Any, kind: str, operation: str, right: Any = None, rules: Rules = STRICT, **more: Any) -> bool:
    return holds(condition(left, kind, operation, right, **more), 0, 0, rules)


TRUE: list[tuple[Any, str, str, Any]] = [
    ("", "string", "exists", None),
    ("a", "string", "notEmpty", None),
    ("", "string", "empty", None),
    (None, "string", "empty", None),
    (None, "string", "notExists", None),
    ("a", "string", "equals", "a"),
    (None, "string", "equals", ""),
    ("a", "string", "notEquals", "A"),
    ("abc", "string", "contains", "b"),
    ("abc", "string", "notContains", "B"),
    ("abc", "string", "startsWith", "a"),
    ("abc", "string", "notStartsWith", "b"),
    ("abc", "string", "endsWith", "c"),
    ("abc", "string", "notEndsWith", "b"),
    (0, "number", "exists", None),
    (0, "number", "notEmpty", None),
    (None, "number", "empty", None),
    (1, "number", "equals", 1.0),
    (None, "number", "equals", None),
    (None, "number", "notEquals", 1),
    (2, "number", "gt", 1),
    (1, "number", "lt", 2),
    (1, "number", "gte", 1),
    (1, "number", "lte", 1),
    ("2026-01-02", "dateTime", "after", "2026-01-01"),
    ("2026-01-01", "dateTime", "before", "2026-01-02T00:00Z"),
    ("2026-01-01T01:00+01:00", "dateTime", "equals", "2026-01-01T00:00Z"),
    ("2026-01-01", "dateTime", "notEquals", "2026-01-02"),
    ("2026-01-01", "dateTime", "afterOrEquals", "2026-01-01"),
    ("2026-01-01", "dateTime", "beforeOrEquals", "2026-01-01"),
    (None, "dateTime", "empty", None),
    ("2026-01-01", "dateTime", "notEmpty", None),
    (True, "boolean", "true", None),
    (False, "boolean", "false", None),
    (None, "boolean", "false", None),
    (True, "boolean", "equals", True),
    (True, "boolean", "notEquals", False),
    (False, "boolean", "notEmpty", None),
    ([1, "a"], "array", "contains", "a"),
    ([1], "array", "notContains", True),
    ([{}], "array", "notContains", {}),
    ([1, 2], "array", "lengthEquals", 2),
    ([1, 2], "array", "lengthNotEquals", 3),
    ([1, 2], "array", "lengthGt", 1),
    ([1, 2], "array", "lengthLt", 3),
    ([1, 2], "array", "lengthGte", 2),
    (None, "array", "lengthLte", 0),
    ([1, 2], "array", "lengthGt", None),
    (None, "number", "lt", 5),
    (5, "number", "gt", None),
    (None, "number", "gte", None),
    (UNDEFINED, "number", "equals", UNDEFINED),
    (UNDEFINED, "number", "notEquals", None),
    (float("nan"), "number", "notExists", None),
    (float("inf"), "number", "gt", 1e300),
    ([], "array", "empty", None),
    (None, "array", "empty", None),
    ([0], "array", "notEmpty", None),
    ({}, "object", "empty", None),
    (None, "object", "empty", None),
    ({"a": None}, "object", "notEmpty", None),
    ({}, "object", "exists", None),
    ([], "any", "exists", None),
    (None, "any", "notExists", None),
]
FALSE: list[tuple[Any, str, str, Any]] = [
    (UNDEFINED, "number", "lt", 5),
    (5, "number", "gt", UNDEFINED),
    (UNDEFINED, "number", "gte", UNDEFINED),
    (float("nan"), "number", "equals", float("nan")),
    (None, "dateTime", "before", "2026-01-01"),
    ("2026-01-01", "dateTime", "notEquals", None),
    (None, "boolean", "true", None),
    ([1, 2], "array", "lengthEquals", None),
    ([[1]], "array", "contains", [1]),
    ("a", "string", "unheardOf", "a"),
    (1, "unheardOf", "equals", 1),
]


@pytest.mark.parametrize(("left", "kind", "operation", "right"), TRUE)
def test_met(left: Any, kind: str, operation: str, right: Any) -> None:
    assert met(left, kind, operation, right) is True


@pytest.mark.parametrize(("left", "kind", "operation", "right"), FALSE)
def test_not_met(left: Any, kind: str, operation: str, right: Any) -> None:
    assert met(left, kind, operation, right) is False


def test_an_unknown_operator_warns() -> None:
    told: list[str] = []
    assert not met("a", "string", "sounds_like", "a", Rules(warn=told.append))
    assert told == ["The operator string:sounds_like is unknown; the condition counts as not met."]


MISMATCHES: list[tuple[Any, str, str, Any, str]] = [
    ("5", "number", "gt", 1, "left value is a string, but a number"),
    (5, "number", "gt", "1", "right value is a string, but a number"),
    (5, "string", "equals", "5", "left value is a number"),
    (True, "number", "equals", 1, "left value is a boolean"),
    ("true", "boolean", "true", None, "left value is a string"),
    ({}, "array", "empty", None, "left value is an object, but an array"),
    ("{}", "object", "empty", None, "left value is a string"),
    ("soon", "dateTime", "after", "2026-01-01", "no date"),
]


@pytest.mark.parametrize(("left", "kind", "operation", "right", "told"), MISMATCHES)
def test_a_strict_mismatch_names_condition_and_item(
    left: Any, kind: str, operation: str, right: Any, told: str
) -> None:
    with pytest.raises(NodeError, match=told) as caught:
        holds(condition(left, kind, operation, right), 3, 7, STRICT)
    assert caught.value.message.startswith("Condition 3 of item 7")
    assert caught.value.item == 7


LOOSELY: list[tuple[Any, str, str, Any, float, bool]] = [
    ("5", "number", "equals", 5, 1, True),
    (5, "string", "equals", "5", 1, True),
    ("false", "boolean", "true", None, 1, True),
    ("false", "boolean", "true", None, 2, False),
    ("anything", "boolean", "true", None, 2, True),
    ([], "boolean", "true", None, 1, True),
    ([], "boolean", "true", None, 2, False),
    ("", "boolean", "true", None, 2, False),
    ("", "number", "equals", 0, 2, True),
    ("", "number", "equals", 0, 3, False),
    ([], "number", "empty", None, 3, True),
    (" false ", "boolean", "true", None, 2, True),
    ("['a']", "array", "notEmpty", None, 2, True),
    ("{a: 1, 'b': [-2.5, x,],}", "object", "notEmpty", None, 2, True),
    ("{}", "object", "empty", None, 2, True),
    ('{"a": 1}', "object", "notEmpty", None, 2, True),
    ({"a": 1}, "string", "contains", '"a"', 2, True),
]


@pytest.mark.parametrize(("left", "kind", "operation", "right", "version", "expected"), LOOSELY)
def test_loose(left: Any, kind: str, operation: str, right: Any, version: float, expected: bool) -> None:
    assert met(left, kind, operation, right, Rules(loose=True, version=version)) is expected


@pytest.mark.parametrize(
    ("left", "kind"), [("abc", "number"), ("text", "array"), ("[]", "object"), ("{a", "object"), ("x", "dateTime")]
)
def test_what_cannot_be_converted_raises(left: Any, kind: str) -> None:
    with pytest.raises(NodeError, match=r"cannot be read as|no date"):
        met(left, kind, "notEmpty", None, LOOSE)


def test_case_may_be_ignored() -> None:
    folding = Rules(ignore_case=True)
    assert met("ABC", "string", "equals", "abc", folding)
    assert met(["ABC", 1], "array", "contains", "abc", folding)
    assert not met("ABC", "string", "equals", "abc")


def test_dates_without_an_offset_are_in_the_zone() -> None:
    berlin = Rules(zone=ZoneInfo("Europe/Berlin"))
    assert met("2026-07-01T12:00", "dateTime", "equals", "2026-07-01T10:00Z", berlin)
    assert not met("2026-07-01T12:00", "dateTime", "equals", "2026-07-01T10:00Z", Rules(zone=UTC))


QUESTIONS = [
    ("a+", RegexQuestion("a+", "", "text")),
    ("/a+/gi", RegexQuestion("a+", "gi", "text")),
    ("/a/b/", RegexQuestion("a/b", "", "text")),
    ("/a/x", RegexQuestion("/a/x", "", "text")),
]


@pytest.mark.parametrize(("pattern", "expected"), QUESTIONS)
def test_the_question_of_a_regular_expression(pattern: str, expected: RegexQuestion) -> None:
    assert regex_question("text", pattern) == expected


def test_regular_expressions_are_answered_beforehand() -> None:
    rules = Rules(answers={RegexQuestion("a+", "", "caat"): True, RegexQuestion("(", "", "x"): None})
    assert met("caat", "string", "regex", "a+", rules)
    assert not met("caat", "string", "notRegex", "a+", rules)
    with pytest.raises(NodeError, match="not valid"):
        met("x", "string", "regex", "(", rules)


def test_a_text_is_lower_case_for_a_pattern_when_case_is_ignored() -> None:
    rules = Rules(ignore_case=True, answers={RegexQuestion("CA", "", "cat"): False})
    assert met("CAT", "string", "notRegex", "CA", rules)


def test_dates_of_other_forms_are_answered_beforehand() -> None:
    rules = Rules(answers={DateQuestion("May 1, 2026", "luxon"): 1777608000000})
    assert met("May 1, 2026", "dateTime", "after", "2026-04-30T00:00Z", rules)


def block(combinator: Any, *results: bool) -> FilterBlock:
    rows = [condition(result, "boolean", "true") for result in results]
    return FilterBlock(conditions=rows, combinator=combinator)


@given(st.lists(st.booleans(), max_size=6))
def test_and_or(results: list[bool]) -> None:
    assert passes(block("and", *results), 0, STRICT) is all(results)
    assert passes(block("or", *results), 0, STRICT) is any(results)


def test_a_decided_block_is_not_evaluated_further() -> None:
    rows = [condition(True, "boolean", "true"), condition("5", "number", "gt", 1)]
    assert passes(FilterBlock(conditions=rows, combinator="or"), 0, STRICT)


OPPOSITES = [
    ("exists", "notExists"),
    ("empty", "notEmpty"),
    ("equals", "notEquals"),
    ("contains", "notContains"),
    ("startsWith", "notStartsWith"),
    ("endsWith", "notEndsWith"),
]
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "string": st.none() | st.text(max_size=5),
    "number": st.none() | st.integers() | st.floats(allow_nan=False),
    "boolean": st.none() | st.booleans(),
    "array": st.none() | st.lists(st.integers(0, 3), max_size=4),
    "object": st.none() | st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
}


COMPARED = st.one_of(
    st.tuples(
        st.just(kind),
        st.sampled_from([pair for pair in OPPOSITES if (kind, pair[0]) in TESTS]),
        values,
        st.none() if kind == "array" else values,
    )
    for kind, values in VALUES.items()
)


@given(COMPARED, st.booleans())
def test_an_operator_and_its_negation_never_agree(
    compared: tuple[str, tuple[str, str], Any, Any], ignore_case: bool
) -> None:
    kind, (yes, no), left, right = compared
    fold = Rules(ignore_case=ignore_case)
    assert met(left, kind, yes, right, fold, right_type="any") is not met(left, kind, no, right, fold, right_type="any")


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=5,
)


@given(st.sampled_from(sorted(TESTS)), ANY, ANY, st.booleans(), st.booleans(), st.sampled_from([1, 2, 3]))
def test_every_operator_is_true_false_or_a_node_error(
    operator: tuple[str, str], left: Any, right: Any, loose: bool, fold: bool, version: float
) -> None:
    result: object = False
    with contextlib.suppress(NodeError):
        result = met(left, *operator, right, Rules(loose=loose, ignore_case=fold, version=version))
    assert isinstance(result, bool)
