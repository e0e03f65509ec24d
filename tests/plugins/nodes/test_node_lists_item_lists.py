"""Item Lists: every operation gives what its own node gives."""

from __future__ import annotations

from typing import Any

import pytest
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError

ROWS = items({"a": 2, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "z"})
VERSIONS = [None, 1, 2, 2.1, 2.2, 3, 3.1]
SUMMARY = {"fieldsToSummarize": {"values": [{"aggregation": "sum", "field": "a"}]}, "fieldsToSplitBy": "a"}
COLUMN = {"fieldsToAggregate": {"fieldToAggregate": [{"fieldToAggregate": "a"}]}}

SAME: list[tuple[str, str, float, dict[str, Any]]] = [
    ("limit", "limit", 1, {"maxItems": 2}),
    ("limit", "limit", 1, {"maxItems": 1, "keep": "lastItems"}),
    ("sort", "sort", 1, {"sortFieldsUi": {"sortField": [{"fieldName": "a", "order": "descending"}]}}),
    ("removeDuplicates", "removeDuplicates", 1, {"compare": "selectedFields", "fieldsToCompare": "a"}),
    ("removeDuplicates", "removeDuplicates", 1, {}),
    ("aggregateItems", "aggregate", 1, COLUMN),
]


@pytest.mark.parametrize(("operation", "kind", "its_version", "parameters"), SAME)
@pytest.mark.parametrize("version", VERSIONS)
async def test_an_operation_is_its_own_node(
    bench: Bench, version: float | None, operation: str, kind: str, its_version: float, parameters: dict[str, Any]
) -> None:
    own = await bench.outputs(bench.run(kind, its_version, parameters, ROWS))
    assert own[0]
    made = await bench.outputs(bench.run("itemLists", version, {"operation": operation, **parameters}, ROWS))
    assert made == own


@pytest.mark.parametrize("version", VERSIONS)
async def test_groups_of_a_summary_stand_as_an_object_has_them(bench: Bench, version: float | None) -> None:
    own = await bench.outputs(bench.run("summarize", 1, SUMMARY, ROWS))
    made = await bench.outputs(bench.run("itemLists", version, {"operation": "summarize", **SUMMARY}, ROWS))
    assert sorted(made[0], key=str) == sorted(own[0], key=str)


@pytest.mark.parametrize("version", VERSIONS)
async def test_without_an_operation_items_are_split_out(bench: Bench, version: float | None) -> None:
    parameters = {"fieldToSplitOut": "l", "include": "allOtherFields"}
    run = bench.run("itemLists", version, parameters, items({"l": [1, 2], "o": 3}))
    (made,) = await bench.outputs(run)
    assert [item["json"] for item in made] == [{"l": 1, "o": 3}, {"l": 2, "o": 3}]


def names(*fields: str) -> dict[str, Any]:
    return {"fields": [{"fieldName": field} for field in fields]}


ROWED: list[tuple[dict[str, Any], Any]] = [
    (
        {"operation": "removeDuplicates", "compare": "selectedFields", "fieldsToCompare": names("a")},
        [{"a": 2, "b": "x"}, {"a": 1, "b": "y"}],
    ),
    (
        {"operation": "removeDuplicates", "compare": "allFieldsExcept", "fieldsToExclude": names("b")},
        [{"a": 2, "b": "x"}, {"a": 1, "b": "y"}],
    ),
    (
        {
            "operation": "concatenateItems",
            "aggregate": "aggregateAllItemData",
            "include": "specifiedFields",
            "fieldsToInclude": names("b"),
        },
        [{"data": [{"b": "x"}, {"b": "y"}, {"b": "z"}]}],
    ),
]


@pytest.mark.parametrize(("parameters", "expected"), ROWED)
async def test_names_may_be_rows_of_a_list(bench: Bench, parameters: dict[str, Any], expected: Any) -> None:
    assert await bench.json("itemLists", 1, parameters, ROWS) == [expected]


async def test_other_fields_may_be_rows_of_a_list(bench: Bench) -> None:
    parameters = {"fieldToSplitOut": "l", "include": "selectedOtherFields", "fieldsToInclude": names("o")}
    assert await bench.json("itemLists", 1, parameters, items({"l": [1], "o": 2, "p": 3})) == [[{"l": 1, "o": 2}]]


@pytest.mark.parametrize("version", [1, 2])
async def test_up_to_version_2_only_lists_are_split(bench: Bench, version: float) -> None:
    with pytest.raises(NodeError, match="'none' of fieldToSplitOut is not in item 0"):
        await bench.json("itemLists", version, {"fieldToSplitOut": "none"}, ROWS)
    with pytest.raises(NodeError, match="'a' of item 0 is no list but number") as caught:
        await bench.json("itemLists", version, {"fieldToSplitOut": "a"}, ROWS)
    assert caught.value.item == 0


@pytest.mark.parametrize("version", [3, 3.1, None])
async def test_from_version_3_on_anything_is_split(bench: Bench, version: float | None) -> None:
    assert await bench.json("itemLists", version, {"fieldToSplitOut": "a"}, ROWS) == [[{"a": 2}, {"a": 1}, {"a": 2}]]
    assert await bench.json("itemLists", version, {"fieldToSplitOut": "none"}, ROWS) == [[]]


@pytest.mark.parametrize("operation", ["shuffle", 5, None])
async def test_an_unknown_operation_is_named(bench: Bench, operation: Any) -> None:
    with pytest.raises(NodeError, match="operation"):
        await bench.json("itemLists", 3, {"operation": operation}, ROWS)
