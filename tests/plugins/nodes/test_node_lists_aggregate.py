"""Aggregate."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.lists.aggregate import Aggregate, aggregated

ROWS = [{"a": 1, "b": {"c": "x"}, "l": [1, None]}, {"a": None, "b": {"c": "y"}, "l": [2]}, {"a": 3, "b": {}}]


def fields(*names: str | tuple[str, str], **options: Any) -> dict[str, Any]:
    rows = [
        {"fieldToAggregate": name}
        if isinstance(name, str)
        else {"fieldToAggregate": name[0], "renameField": True, "outputFieldName": name[1]}
        for name in names
    ]
    return {"fieldsToAggregate": {"fieldToAggregate": rows}, "options": options}


def everything(**more: Any) -> dict[str, Any]:
    return {"aggregate": "aggregateAllItemData", **more}


CASES: list[tuple[dict[str, Any], Any]] = [
    (fields("a"), {"a": [1, 3]}),
    (fields("a", keepMissing=True), {"a": [1, None, 3]}),
    (fields("b.c"), {"c": ["x", "y"]}),
    (fields("b.c", keepMissing=True), {"c": ["x", "y", None]}),
    (fields("b.c", disableDotNotation=True), {"b.c": []}),
    (fields("a", "b.c"), {"a": [1, 3], "c": ["x", "y"]}),
    (fields(("a", "all"), ("b.c", "x.y")), {"all": [1, 3], "x": {"y": ["x", "y"]}}),
    (fields(("a", "x.y"), disableDotNotation=True), {"x.y": [1, 3]}),
    (fields(("a", "")), {"a": [1, 3]}),
    ({}, {}),
    (fields("a.c", "b.c"), {"c": ["x", "y"]}),
    (fields("l"), {"l": [[1], [2]]}),
    (fields("l", mergeLists=True), {"l": [1, 2]}),
    (fields("l", mergeLists=True, keepMissing=True), {"l": [1, None, 2, None]}),
    (fields("none"), {"none": []}),
    (everything(), {"data": ROWS}),
    (everything(destinationFieldName="x.y"), {"x.y": ROWS}),
    (
        everything(include="specifiedFields", fieldsToInclude="a, b.c"),
        {"data": [{"a": 1}, {"a": None}, {"a": 3}]},
    ),
    (
        everything(include="allFieldsExcept", fieldsToExclude=["l", "b"]),
        {"data": [{"a": 1}, {"a": None}, {"a": 3}]},
    ),
]


@pytest.mark.parametrize(("parameters", "expected"), CASES)
async def test_one_item_of_all(bench: Bench, parameters: dict[str, Any], expected: Any) -> None:
    before = copy.deepcopy(ROWS)
    ((made,),) = await bench.outputs(bench.run("aggregate", 1, parameters, items(*ROWS)))
    assert made["json"] == expected
    assert made["pairedItem"] == [{"item": 0}, {"item": 1}, {"item": 2}]
    assert before == ROWS


def file(name: str, data: str) -> dict[str, Any]:
    return {"data": data, "mimeType": "text/plain", "fileName": name}


@pytest.mark.parametrize("parameters", [fields("a"), everything()])
async def test_files_are_kept_only_if_wanted(bench: Bench, parameters: dict[str, Any]) -> None:
    one, two = file("one", "1"), file("two", "2")
    given_: Any = [
        {"json": {}, "binary": {"f": one, "f_1": two}},
        {"json": {}},
        {"json": {}, "binary": {"f": one}},
        {"json": {}, "binary": {"f": two}},
    ]
    ((made,),) = await bench.outputs(bench.run("aggregate", 1, parameters, given_))
    assert "binary" not in made
    kept = {**parameters, "options": {"includeBinaries": True}}
    ((made,),) = await bench.outputs(bench.run("aggregate", 1, kept, given_))
    assert made["binary"] == {"f": one, "f_1": two, "f_2": one, "f_3": two}
    kept["options"]["keepOnlyUnique"] = True
    ((made,),) = await bench.outputs(bench.run("aggregate", 1, kept, given_))
    assert made["binary"] == {"f": one}


async def test_items_without_a_chosen_field_have_no_part(bench: Bench) -> None:
    parameters = everything(include="specifiedFields", fieldsToInclude="l")
    ((made,),) = await bench.outputs(bench.run("aggregate", 1, parameters, items(*ROWS)))
    assert (made["json"], made["pairedItem"]) == ({"data": [{"l": [1, None]}, {"l": [2]}]}, [{"item": 0}, {"item": 1}])


WRONG: list[tuple[dict[str, Any], str]] = [
    (fields(), "fieldsToAggregate is empty"),
    (fields("a", "a"), "'a' twice"),
    (fields(("a", "x"), ("b.c", "x.y")), "'x.y' cannot be set"),
    ({"aggregate": "other"}, "aggregate"),
]


@pytest.mark.parametrize(("parameters", "message"), WRONG)
async def test_wrong_parameters_are_named(bench: Bench, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(NodeError, match=message):
        await bench.json("aggregate", 1, parameters, items(*ROWS))


VALUES = st.none() | st.integers() | st.text(max_size=3)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), max_size=20))
def test_no_value_is_lost_or_doubled(rows: Any) -> None:
    given_ = [{"json": row} for row in rows]
    (whole,) = aggregated(given_, Aggregate.model_validate(everything()))  # type: ignore[arg-type]
    assert whole["json"]["data"] == rows
    (column,) = aggregated(given_, Aggregate.model_validate(fields("a", keepMissing=True)))  # type: ignore[arg-type]
    assert column["json"]["a"] == [row.get("a") for row in rows]
