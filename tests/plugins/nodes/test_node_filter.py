"""Filter, every form. The conditions themselves are tested with IF."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.conditions.item_tests import form_of


async def kept(bench: Bench, *given: Any, **more: Any) -> list[Any]:
    """The output of what passes; the second one has the rest."""
    return (await bench.json("filter", *given, **more))[:1]


def block(left: Any, kind: str, operation: str, right: Any, **extra: Any) -> dict[str, Any]:
    row = {"id": "1", "leftValue": left, "rightValue": right, "operator": {"type": kind, "operation": operation}}
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
    return {"conditions": {"options": options, "conditions": [row], "combinator": "and"}, **extra}


@pytest.mark.parametrize("version", [2, 2.1, 2.2, 2.3, None])
async def test_items_that_meet_the_conditions_stay(bench: Bench, version: float | None) -> None:
    rows = items({"n": 11}, {"n": 10}, {"n": 12})
    run = bench.run("filter", version, lambda item: block(item["json"]["n"], "number", "gt", 10), rows)
    outputs = await bench.outputs(run)
    assert [[(row["json"]["n"], row["pairedItem"]) for row in one] for one in outputs] == [
        [(11, {"item": 0}), (12, {"item": 2})],
        [(10, {"item": 1})],
    ]


async def test_files_go_along(bench: Bench) -> None:
    rows: Any = [{"json": {}, "binary": {"data": {"data": "", "mimeType": "a/b"}}}]
    ((passed,), _) = await bench.outputs(bench.run("filter", 2, block(1, "number", "equals", 1), rows))
    assert passed["binary"] == rows[0]["binary"]


@pytest.mark.parametrize("version", [1, None])
@pytest.mark.parametrize(("combine", "passes"), [("OR", True), ("AND", False), (None, False)])
async def test_version_1_combines(bench: Bench, version: float | None, combine: str | None, passes: bool) -> None:
    rows = {"string": [{"value1": "a", "value2": "a"}], "number": [{"value1": 2, "value2": 1}]}
    parameters = {"conditions": rows, **({"combineConditions": combine} if combine else {})}
    assert await kept(bench, version, parameters) == [[{}] if passes else []]


async def test_a_flat_list_has_no_version(bench: Bench) -> None:
    parameters = {"conditions": [{"leftValue": "$json.n", "operator": "greaterThan", "rightValue": 1}]}
    assert await kept(bench, None, parameters, items({"n": 1}, {"n": 2})) == [[{"n": 2}]]


LOOSE = {"typeValidation": "loose", "version": 2}


async def test_types_are_converted_when_the_conditions_say_so(bench: Bench) -> None:
    parameters = block("5", "number", "equals", 5)
    parameters["conditions"]["options"] = LOOSE
    assert await kept(bench, 2.2, parameters) == [[{}]]


async def test_case_is_ignored_when_the_conditions_say_so(bench: Bench) -> None:
    parameters = block("A", "string", "equals", "a")
    parameters["conditions"]["options"] = {"caseSensitive": False}
    assert await kept(bench, 2.2, parameters) == [[{}]]


async def test_a_mismatch_names_condition_and_item(bench: Bench) -> None:
    with pytest.raises(NodeError, match="Condition 0 of item 0") as caught:
        await kept(bench, 2.2, block("5", "number", "equals", 5))
    assert caught.value.item == 0


@pytest.mark.parametrize(("on_error", "outputs"), [("continueRegularOutput", 2), ("continueErrorOutput", 1)])
async def test_after_errors_the_item_does_not_pass(bench: Bench, on_error: str, outputs: int) -> None:
    """The error output gets nothing: the item is no error."""
    run = bench.run("filter", 2.2, block("5", "number", "equals", 5), items({"n": 1}), on_error=on_error)
    found = await bench.outputs(run)
    assert [[item["json"] for item in one] for one in found] == [[], [{"n": 1}]][:outputs]


async def test_without_conditions_everything_stays(bench: Bench) -> None:
    assert await kept(bench, 2.2, {}) == [[{}]]


@pytest.mark.parametrize(
    ("conditions", "form"),
    [([], "flat"), ({"string": []}, "legacy"), ({"conditions": [], "string": []}, "block"), (None, "block")],
)
def test_the_form_is_told_from_the_keys(conditions: Any, form: str) -> None:
    assert form_of({"conditions": conditions}) == form


LEFT_OUT: list[tuple[str, dict[str, Any], bool]] = [
    ("boolean", {"value1": False}, True),
    ("boolean", {"value1": True}, False),
    ("string", {"value1": ""}, True),
    ("number", {"value1": -1}, True),
    ("number", {"operation": "equal"}, True),
]


@pytest.mark.parametrize(("kind", "row", "passes"), LEFT_OUT)
async def test_version_1_has_untouched_values_left_out(
    bench: Bench, kind: str, row: dict[str, Any], passes: bool
) -> None:
    """What an editor does not write down is false, 0 or empty text."""
    assert await kept(bench, 1, {"conditions": {kind: [row]}}) == [[{}] if passes else []]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(numbers=st.lists(st.integers(-5, 5), max_size=40))
async def test_nothing_is_lost_or_doubled(bench: Bench, numbers: list[int]) -> None:
    rows = items(*({"n": number} for number in numbers))

    def parameters(item: Any) -> dict[str, Any]:
        return block(item["json"]["n"], "number", "gt", 0)

    found = await bench.outputs(bench.run("filter", 2.2, parameters, rows))
    true, false = await bench.outputs(bench.run("if", 2.2, parameters, rows))
    assert found == [true, false]
    assert sorted(item["pairedItem"]["item"] for item in true + false) == list(range(len(numbers)))
