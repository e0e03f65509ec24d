"""IF, every form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError


def block(left: Any, kind: str, operation: str, right: Any, **extra: Any) -> dict[str, Any]:
    row = {"id": "1", "leftValue": left, "rightValue": right, "operator": {"type": kind, "operation": operation}}
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    return {"conditions": {"options": options, "conditions": [row], "combinator": "and"}, **extra}


@pytest.mark.parametrize("version", [2, 2.1, 2.2, 2.3, None])
async def test_items_are_split(bench: Bench, version: float | None) -> None:
    given = items({"n": 11}, {"n": 10}, {"n": 12})
    run = bench.run("if", version, lambda item: block(item["json"]["n"], "number", "gt", 10), given)
    true, false = await bench.outputs(run)
    assert [(row["json"]["n"], row["pairedItem"]) for row in true] == [(11, {"item": 0}), (12, {"item": 2})]
    assert [(row["json"]["n"], row["pairedItem"]) for row in false] == [(10, {"item": 1})]
    assert "pairedItem" not in given[0]


async def test_files_go_along(bench: Bench) -> None:
    given: Any = [{"json": {}, "binary": {"data": {"data": "", "mimeType": "a/b"}}}]
    true, _ = await bench.outputs(bench.run("if", 2, block(1, "number", "equals", 1), given))
    assert true[0]["binary"] == given[0]["binary"]


@pytest.mark.parametrize("nothing", ["", None])
async def test_what_an_empty_expression_gives_is_false(bench: Bench, nothing: Any) -> None:
    parameters = block(1, "number", "equals", 1, looseTypeValidation=nothing, options={"ignoreCase": nothing})
    assert await bench.json("if", 2.2, parameters, items({"n": 1})) == [[{"n": 1}], []]
    with pytest.raises(NodeError, match="the left value is a string"):
        await bench.json("if", 2.2, {**block("1", "number", "equals", 1), "looseTypeValidation": nothing}, items({}))


async def test_types_are_converted_when_the_conditions_say_so(bench: Bench) -> None:
    parameters = block("5", "number", "equals", 5)
    parameters["conditions"]["options"] = {"typeValidation": "loose"}
    assert await bench.json("if", 2.2, parameters) == [[{}], []]


async def test_a_mismatch_fails_or_goes_to_false(bench: Bench) -> None:
    parameters = block("5", "number", "equals", 5)
    with pytest.raises(NodeError, match="Condition 0 of item 0"):
        await bench.json("if", 2.2, parameters)
    assert await bench.json("if", 2.2, parameters, on_error="continueErrorOutput") == [[], [{}]]


async def test_case_is_ignored_when_the_conditions_say_so(bench: Bench) -> None:
    parameters = block("A", "string", "equals", "a")
    parameters["conditions"]["options"] = {"caseSensitive": False}
    assert await bench.json("if", 2.2, parameters) == [[{}], []]


@pytest.mark.parametrize(("operation", "output"), [("regex", 0), ("notRegex", 1)])
async def test_regular_expressions(bench: Bench, operation: str, output: int) -> None:
    outputs = await bench.json("if", 2.2, block("caat", "string", operation, "/A+/i"))
    assert outputs[output] == [{}]
    assert outputs[1 - output] == []


async def test_a_broken_regular_expression_is_told(bench: Bench) -> None:
    with pytest.raises(NodeError, match="regular expression is not valid"):
        await bench.json("if", 2.2, block("a", "string", "regex", "("))


async def test_regular_expressions_need_an_engine(tmp_path: Path) -> None:
    with pytest.raises(NodeError, match="jackfield_javascript"):
        await Bench(tmp_path, engines=()).json("if", 2.2, block("a", "string", "regex", "a"))


LEGACY: list[tuple[str, dict[str, Any], bool]] = [
    ("string", {"value1": "a", "value2": "a"}, True),
    ("string", {"value1": "abc", "operation": "contains", "value2": "b"}, True),
    ("string", {"value1": "abc", "operation": "notContains", "value2": "b"}, False),
    ("string", {"value1": "abc", "operation": "startsWith", "value2": "a"}, True),
    ("string", {"value1": "abc", "operation": "notStartsWith", "value2": "a"}, False),
    ("string", {"value1": "abc", "operation": "endsWith", "value2": "c"}, True),
    ("string", {"value1": "abc", "operation": "notEndsWith", "value2": "c"}, False),
    ("string", {"value1": "abc", "operation": "regex", "value2": "^a.c$"}, True),
    ("string", {"value1": "abc", "operation": "notRegex", "value2": "^a.c$"}, False),
    ("string", {"value1": "", "operation": "isEmpty"}, True),
    ("string", {"value1": None, "operation": "isNotEmpty"}, False),
    ("string", {"value1": "a", "operation": "notEqual", "value2": "b"}, True),
    ("number", {"value1": 1, "value2": 2}, True),
    ("number", {"value1": 2, "operation": "smallerEqual", "value2": 2}, True),
    ("number", {"value1": 3, "operation": "larger", "value2": "2"}, True),
    ("number", {"value1": 3, "operation": "largerEqual", "value2": 4}, False),
    ("number", {"value1": "x", "operation": "larger", "value2": 1}, False),
    ("number", {"value1": 0, "operation": "isEmpty"}, False),
    ("boolean", {"value1": True, "value2": True}, True),
    ("boolean", {"value1": True, "operation": "notEqual", "value2": True}, False),
    ("dateTime", {"value1": "2026-01-02", "value2": "2026-01-01"}, True),
    ("dateTime", {"value1": "2026-01-02", "operation": "before", "value2": "2026-01-01"}, False),
]


@pytest.mark.parametrize(("kind", "row", "expected"), LEGACY)
@pytest.mark.parametrize("version", [1, None])
async def test_version_1(bench: Bench, version: float | None, kind: str, row: dict[str, Any], expected: bool) -> None:
    true, false = await bench.json("if", version, {"conditions": {kind: [row]}})
    assert (len(true), len(false)) == ((1, 0) if expected else (0, 1))


@pytest.mark.parametrize(("combine", "expected"), [("any", True), ("all", False)])
async def test_version_1_combines(bench: Bench, combine: str, expected: bool) -> None:
    rows = {"string": [{"value1": "a", "value2": "a"}], "number": [{"value1": 2, "value2": 1}]}
    true, _ = await bench.json("if", 1, {"conditions": rows, "combineOperation": combine})
    assert bool(true) is expected


FLAT: list[tuple[Any, str, Any, bool]] = [
    ("$json.a.b", "equals", 5, True),
    ("$json.a.b", "notEquals", "5", False),
    ("$json.a.b", "greaterThan", "4", True),
    ("$json.a.b", "lessThanOrEqual", 4, False),
    ("$json.a.b", "between", "4, 6", True),
    ("$json.none", "exists", None, False),
    ("$json.none", "notExists", None, True),
    ("$json.none", "equals", None, False),
    ("$json.t", "contains", "ex", True),
    ("$json.t", "regex", "^te", True),
    ("$json.t", "notEmpty", None, True),
    ("given", "equals", "given", True),
]


@pytest.mark.parametrize(("left", "operator", "right", "expected"), FLAT)
async def test_a_flat_list(bench: Bench, left: Any, operator: str, right: Any, expected: bool) -> None:
    rows = {"conditions": [{"leftValue": left, "operator": operator, "rightValue": right}], "combiner": "and"}
    true, false = await bench.json("if", None, rows, items({"a": {"b": 5}, "t": "text"}))
    assert (len(true), len(false)) == ((1, 0) if expected else (0, 1))


async def test_a_flat_list_names_an_unknown_operator(bench: Bench) -> None:
    with pytest.raises(NodeError, match="'likes'"):
        await bench.json("if", None, {"conditions": [{"leftValue": 1, "operator": "likes", "rightValue": 2}]})


async def test_without_conditions_everything_is_true(bench: Bench) -> None:
    assert await bench.json("if", 2.2, {}) == [[{}], []]


@pytest.mark.parametrize("kind", ["if", "filter"])
@pytest.mark.parametrize(("version", "told"), [(None, False), (1, False), (2, True), (2.2, True)])
def test_conditions_of_version_1_in_a_later_one_are_told(
    bench: Bench, kind: str, version: float | None, told: bool
) -> None:
    """They let every item pass."""
    node_type = bench.types[kind]
    legacy: Any = {"conditions": {"string": [{"value1": "a", "value2": "b"}]}}
    found = node_type.parameters(version).doubts(legacy)
    assert [(path, "typeVersion to 1" in message) for path, message in found.items()] == [("conditions", True)] * told
    for fine in (block(1, "number", "equals", 1), {}, {"conditions": "={{ $json.rules }}"}):
        assert node_type.parameters(version).doubts(fine) == {}
