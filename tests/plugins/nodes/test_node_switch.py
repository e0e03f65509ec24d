"""Switch, every form and mode."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Node


def rule(left: Any, operation: str, right: Any, kind: str = "number", **extra: Any) -> dict[str, Any]:
    row = {"id": "1", "leftValue": left, "rightValue": right, "operator": {"type": kind, "operation": operation}}
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    return {"conditions": {"options": options, "conditions": [row], "combinator": "and"}, **extra}


def by_rules(*rules: dict[str, Any], **extra: Any) -> dict[str, Any]:
    return {"rules": {"values": list(rules)}, **extra}


def sizes(item: Any, **options: Any) -> dict[str, Any]:
    """Below 10, below 100, and options."""
    number = item["json"]["n"]
    return by_rules(rule(number, "lt", 10), rule(number, "lt", 100), options=options)


NUMBERS = ({"n": 5}, {"n": 50}, {"n": 500})


def outputs_of(bench: Bench, version: float | None, parameters: dict[str, Any]) -> int:
    return bench.types["switch"].outputs(Node("n1", "S", "jackfield.switch", "switch", version, parameters))


# ------------------------------------------------------------------------------------------------------------ version 3


@pytest.mark.parametrize("version", [3, 3.1, 3.2, 3.3, 3.4, None])
async def test_each_rule_has_an_output_and_the_first_that_matches_counts(bench: Bench, version: float | None) -> None:
    outputs = await bench.outputs(bench.run("switch", version, sizes, items(*NUMBERS)))
    assert [[(item["json"]["n"], item["pairedItem"]) for item in one] for one in outputs] == [
        [(5, {"item": 0})],
        [(50, {"item": 1})],
    ]


async def test_all_matching_outputs_get_the_item(bench: Bench) -> None:
    made = await bench.json("switch", 3.2, lambda item: sizes(item, allMatchingOutputs=True), items(*NUMBERS))
    assert made == [[{"n": 5}], [{"n": 5}, {"n": 50}]]


FALLBACKS: list[tuple[Any, list[list[int]]]] = [
    ("none", [[5], [50]]),
    ("extra", [[5], [50], [500]]),
    (0, [[5, 500], [50]]),
    ("1", [[5], [50, 500]]),
]


@pytest.mark.parametrize(("fallback", "expected"), FALLBACKS)
async def test_the_rest_goes_where_the_fallback_says(bench: Bench, fallback: Any, expected: list[list[int]]) -> None:
    made = await bench.json("switch", 3.2, lambda item: sizes(item, fallbackOutput=fallback), items(*NUMBERS))
    assert [[json["n"] for json in one] for one in made] == expected


@pytest.mark.parametrize("fallback", [2, -1, "x", 0.5, True])
async def test_a_fallback_that_is_no_output_is_an_error(bench: Bench, fallback: Any) -> None:
    with pytest.raises(NodeError, match=r"options\.fallbackOutput of item 2 .*0 (?:and|to) 1") as caught:
        await bench.json("switch", 3.2, lambda item: sizes(item, fallbackOutput=fallback), items(*NUMBERS))
    assert caught.value.item == 2


async def test_a_renamed_output_stays_in_its_place(bench: Bench) -> None:
    parameters = by_rules(rule(1, "gt", 2), rule(1, "lt", 2, renameOutput=True, outputKey="Small"))
    assert await bench.json("switch", 3.2, parameters) == [[], [{}]]


async def test_the_options_of_a_rule_convert_types_and_ignore_case(bench: Bench) -> None:
    loose = rule("5", "equals", 5)
    loose["conditions"]["options"] = {"typeValidation": "loose"}
    folding = rule("A", "equals", "a", "string")
    folding["conditions"]["options"] = {"caseSensitive": False}
    options = {"allMatchingOutputs": True}
    assert await bench.json("switch", 3.2, by_rules(loose, folding, options=options)) == [[{}], [{}]]


async def test_regular_expressions(bench: Bench) -> None:
    parameters = by_rules(rule("abc", "regex", "^x", "string"), rule("abc", "regex", "/^A/i", "string"))
    assert await bench.json("switch", 3.2, parameters) == [[], [{}]]


async def test_a_mismatch_names_rule_condition_and_item(bench: Bench) -> None:
    with pytest.raises(NodeError, match="Rule 1: Condition 0 of item 0"):
        await bench.json("switch", 3.2, by_rules(rule(1, "gt", 2), rule("5", "equals", 5)))


@pytest.mark.parametrize("on_error", ["continueRegularOutput", "continueErrorOutput"])
async def test_after_errors_the_item_goes_to_output_0_as_an_error(bench: Bench, on_error: str) -> None:
    run = bench.run("switch", 3.2, by_rules(rule(1, "gt", 2), rule("5", "equals", 5)), on_error=on_error)
    (failed,), rest = await bench.outputs(run)
    assert list(failed["json"]) == ["error"]
    assert "pairedItem" not in failed
    assert rest == []


async def test_an_untouched_switch_compares_nothing_with_nothing(bench: Bench) -> None:
    assert await bench.json("switch", 3.2, {}) == [[{}]]


async def test_without_rules_nothing_goes_on(bench: Bench) -> None:
    assert await bench.json("switch", 3.2, {"rules": {"values": []}}) == [[]]


# ----------------------------------------------------------------------------------------------------- mode expression


@pytest.mark.parametrize(("version", "key"), [(2, "outputsAmount"), (3, "numberOutputs"), (3.4, "numberOutputs")])
async def test_an_expression_gives_the_output(bench: Bench, version: float, key: str) -> None:
    def parameters(item: Any) -> dict[str, Any]:
        return {"mode": "expression", key: 3, "output": item["json"]["to"]}

    rows = items({"to": 2}, {"to": "0"}, {"to": 1.0})
    assert await bench.json("switch", version, parameters, rows) == [[{"to": "0"}], [{"to": 1.0}], [{"to": 2}]]


@pytest.mark.parametrize("version", [1, 2, 3, None])
async def test_four_outputs_unless_said_otherwise(bench: Bench, version: float | None) -> None:
    parameters = {"mode": "expression", "output": 3}
    assert await bench.json("switch", version, parameters) == [[], [], [], [{}]]
    assert outputs_of(bench, version, parameters) == 4


@pytest.mark.parametrize("output", [4, -1])
async def test_an_output_out_of_range_names_parameter_item_and_range(bench: Bench, output: int) -> None:
    with pytest.raises(NodeError) as caught:
        await bench.json("switch", 3, {"mode": "expression", "output": output})
    assert caught.value.message == f"The parameter output of item 0 names output {output}, but the outputs are 0 to 3."
    assert caught.value.item == 0


@pytest.mark.parametrize(("output", "index"), [("", 0), ("2", 2), (True, 1), ([1], 1)])
async def test_version_3_reads_the_output_as_a_number(bench: Bench, output: Any, index: int) -> None:
    outputs = await bench.json("switch", 3, {"mode": "expression", "output": output})
    assert outputs[index] == [{}]


@pytest.mark.parametrize("output", [None, "two", 1.5, {}])
async def test_what_is_no_number_is_no_output(bench: Bench, output: Any) -> None:
    with pytest.raises(NodeError, match="The parameter output of item 0 must be the number of an output, 0 to 3"):
        await bench.json("switch", 3, {"mode": "expression", "output": output})


# ----------------------------------------------------------------------------------------------------- versions 1 and 2

LEGACY: list[tuple[str, Any, dict[str, Any], bool]] = [
    ("number", 5, {"operation": "larger", "value2": 4}, True),
    ("number", 5, {"value2": 6}, True),  # smaller is the default
    ("number", -1, {}, True),  # 0 is what nobody typed
    ("string", "a", {"value2": "a"}, True),
    ("string", "abc", {"operation": "contains", "value2": "d"}, False),
    ("string", "abc", {"operation": "regex", "value2": "/^A/i"}, True),
    ("boolean", False, {}, True),
    ("boolean", True, {"operation": "notEqual", "value2": False}, True),
    ("dateTime", "2026-01-02", {"value2": "2026-01-01"}, True),
    ("dateTime", "2026-01-02", {"operation": "before", "value2": "2026-01-01"}, False),
]


@pytest.mark.parametrize(("kind", "value", "row", "matches"), LEGACY)
async def test_version_1_compares_one_value(
    bench: Bench, kind: str, value: Any, row: dict[str, Any], matches: bool
) -> None:
    parameters = {"dataType": kind, "value1": value, "rules": {"rules": [{**row, "output": 2}]}, "fallbackOutput": 3}
    for version in (1, None):
        made = await bench.json("switch", version, parameters)
        assert made == ([[], [], [{}], []] if matches else [[], [], [], [{}]])


async def test_version_1_drops_the_rest_without_a_fallback(bench: Bench) -> None:
    parameters = {"value1": 5, "rules": {"rules": [{"value2": 1, "output": 1}]}}
    assert await bench.json("switch", 1, parameters) == [[], [], [], []]


async def test_version_1_sends_to_output_0_unless_the_rule_says_otherwise(bench: Bench) -> None:
    assert await bench.json("switch", 1, {"value1": 0, "rules": {"rules": [{"value2": 1}]}}) == [[{}], [], [], []]


async def test_version_1_has_no_fifth_output(bench: Bench) -> None:
    with pytest.raises(NodeError, match=r"rules\.rules\[0\]\.output of item 0 names output 4"):
        await bench.json("switch", 1, {"value1": 0, "rules": {"rules": [{"value2": 1, "output": 4}]}})


@pytest.mark.parametrize("version", [2, None])
async def test_version_2_has_an_output_per_rule(bench: Bench, version: float | None) -> None:
    rules = [{"operation": "equal", "value2": "a", "outputKey": "A"}, {"value2": "b", "outputKey": "B"}]

    def parameters(item: Any) -> dict[str, Any]:
        return {"dataType": "string", "value1": item["json"]["t"], "rules": {"rules": rules}, "fallbackOutput": 0}

    rows = items({"t": "b"}, {"t": "a"}, {"t": "c"})
    assert await bench.json("switch", version, parameters, rows) == [[{"t": "a"}, {"t": "c"}], [{"t": "b"}]]


async def test_a_flat_list_has_no_version(bench: Bench) -> None:
    rules = [
        {"field": "n", "operation": "lessThan", "value": 10},
        {"field": "$json.n", "operation": "lessThan", "value": 100},
    ]
    rows = items(*NUMBERS)
    assert await bench.json("switch", None, {"rules": rules}, rows) == [[{"n": 5}], [{"n": 50}]]
    parameters = {"rules": rules, "stopAfterFirstMatch": False, "fallbackToLast": True}
    assert await bench.json("switch", None, parameters, rows) == [[{"n": 5}], [{"n": 5}, {"n": 50}], [{"n": 500}]]


# -------------------------------------------------------------------------------------------------------------- outputs

COUNTS: list[tuple[float | None, dict[str, Any], int]] = [
    (1, {"rules": {"rules": [{}]}}, 4),
    (2, {"rules": {"rules": [{}, {}, {}]}}, 3),
    (2, {"mode": "expression", "outputsAmount": 7}, 7),
    (3, by_rules(rule(1, "gt", 1), rule(1, "gt", 1)), 2),
    (3, by_rules(rule(1, "gt", 1), options={"fallbackOutput": "extra"}), 2),
    (3, by_rules(rule(1, "gt", 1), options={"fallbackOutput": 0}), 1),
    (3.2, {}, 1),
    (3.2, {"options": {"fallbackOutput": "extra"}}, 2),
    (3.2, {"mode": "expression", "numberOutputs": "=6"}, 6),
    (3.2, {"mode": "expression", "numberOutputs": "={{ $json.n }}"}, 4),
    (3.2, {"rules": "={{ $json.rules }}"}, 1),
    (None, {"rules": [{"field": "a"}, {"field": "b"}], "fallbackToLast": True}, 3),
    (None, by_rules(rule(1, "gt", 1), rule(1, "gt", 1)), 2),
    (None, {"rules": {"rules": [{"outputKey": "a"}, {}]}}, 2),
    (None, {"rules": {"rules": [{"output": 1}]}}, 4),
]


@pytest.mark.parametrize(("version", "parameters", "count"), COUNTS)
async def test_the_outputs_are_known_before_it_runs(
    bench: Bench, version: float | None, parameters: dict[str, Any], count: int
) -> None:
    assert outputs_of(bench, version, parameters) == count
    assert await bench.outputs(bench.run("switch", version, parameters, [])) == [[] for _ in range(count)]


async def test_rules_may_not_differ_in_number_between_items(bench: Bench) -> None:
    def parameters(item: Any) -> dict[str, Any]:
        return by_rules(*[rule(1, "gt", 2)] * item["json"]["n"], rule(1, "lt", 2))

    with pytest.raises(NodeError, match="Item 1 goes to output 2, but item 0 has only 1 outputs"):
        await bench.json("switch", 3.2, parameters, items({"n": 0}, {"n": 2}))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(numbers=st.lists(st.integers(0, 1000), max_size=30), every=st.booleans())
async def test_nothing_is_lost_or_doubled(bench: Bench, numbers: list[int], every: bool) -> None:
    """With an extra output each item is somewhere; only allMatchingOutputs puts one to several outputs."""

    def parameters(item: Any) -> dict[str, Any]:
        return sizes(item, fallbackOutput="extra", allMatchingOutputs=every)

    outputs = await bench.outputs(bench.run("switch", 3.2, parameters, items(*({"n": n} for n in numbers))))
    places = [[item["pairedItem"]["item"] for item in one] for one in outputs]
    assert sorted({place for one in places for place in one}) == list(range(len(numbers)))
    assert all(one == sorted(set(one)) for one in places)
    assert every or sum(map(len, places)) == len(numbers)
