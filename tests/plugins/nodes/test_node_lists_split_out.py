"""Split Out."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.lists.split_out import SplitOut, columns_of, plan, split_out

FILES = {"a": {"data": "1", "mimeType": "text/plain"}, "b": {"data": "2", "mimeType": "text/plain"}}


def field(name: str = "l", **more: Any) -> dict[str, Any]:
    return {"fieldToSplitOut": name, **more}


ALL = {"include": "allOtherFields"}
CASES: list[tuple[dict[str, Any], dict[str, Any], list[Any]]] = [
    (field(), {"l": [1, "two", None], "o": 3}, [{"l": 1}, {"l": "two"}, {"l": None}]),
    (field(), {"l": [{"a": 1}, {"b": [2]}], "o": 3}, [{"a": 1}, {"b": [2]}]),
    (field(), {"l": [[1, "b"], [], {"a": 1}]}, [{"0": 1, "1": "b"}, {}, {"a": 1}]),
    (field(**ALL), {"l": [[1, 2]], "o": 3}, [{"o": 3, "l": [1, 2]}]),
    (field("$json.l"), {"l": [1]}, [{"l": 1}]),
    (field(), {"l": []}, []),
    (field(), {"l": {"x": {"a": 1}, "y": {"a": 2}}}, [{"a": 1}, {"a": 2}]),
    (field(), {"l": "text"}, [{"l": "text"}]),
    (field(), {"l": None}, [{"l": None}]),
    (field(), {"o": 1}, []),
    (field("a.l"), {"a": {"l": [1, 2]}}, [{"a.l": 1}, {"a.l": 2}]),
    (field("a.l"), {"a": {"l": [{"x": 1}]}}, [{"x": 1}]),
    (field("a.l", options={"disableDotNotation": True}), {"a": {"l": [1]}}, []),
    (field("a.l", options={"disableDotNotation": True}), {"a.l": [1]}, [{"a.l": 1}]),
    (field(options={"destinationFieldName": "d"}), {"l": [{"a": 1}, 2]}, [{"d": {"a": 1}}, {"d": 2}]),
    (field(**ALL), {"l": [{"a": 1}, 2], "o": 3}, [{"o": 3, "l": {"a": 1}}, {"o": 3, "l": 2}]),
    (field("a.l", **ALL), {"a": {"l": [1], "m": 2}, "o": 3}, [{"a": {"m": 2}, "o": 3, "a.l": 1}]),
    (
        field(include="selectedOtherFields", fieldsToInclude="o, a.b, none"),
        {"l": [1], "o": 3, "a": {"b": 4}, "p": 5},
        [{"o": 3, "a.b": 4, "l": 1}],
    ),
    (field("l, m"), {"l": [1, 2], "m": [{"a": 3}]}, [{"l": 1, "m": {"a": 3}}, {"l": 2}]),
    (
        field("l,m", options={"destinationFieldName": "x, y"}, **ALL),
        {"l": [1, 2], "m": [3, 4], "o": 5},
        [{"o": 5, "x": 1, "y": 3}, {"o": 5, "x": 2, "y": 4}],
    ),
    (field(include=""), {"l": [1], "o": 2}, [{"l": 1}]),
]


@pytest.mark.parametrize(("parameters", "json", "expected"), CASES)
async def test_one_item_per_element(bench: Bench, parameters: Any, json: Any, expected: Any) -> None:
    before = copy.deepcopy(json)
    assert await bench.json("splitOut", 1, parameters, items(json)) == [expected]
    assert before == json


async def test_new_items_come_from_the_item_that_held_the_list(bench: Bench) -> None:
    run = bench.run("splitOut", 1, field(), items({"l": [1, 2]}, {"l": []}, {"l": [3]}))
    (made,) = await bench.outputs(run)
    assert [(item["json"], item["pairedItem"]) for item in made] == [
        ({"l": 1}, {"item": 0}),
        ({"l": 2}, {"item": 0}),
        ({"l": 3}, {"item": 2}),
    ]


async def test_the_field_may_be_another_one_per_item(bench: Bench) -> None:
    rows = items({"of": "a", "a": [1]}, {"of": "b", "b": [2]})
    assert await bench.json("splitOut", 1, lambda item: field(item["json"]["of"]), rows) == [[{"a": 1}, {"b": 2}]]


async def test_files_are_split_and_kept(bench: Bench) -> None:
    given_: Any = [{"json": {"l": [1], "o": 2}, "binary": FILES}]
    (made,) = await bench.outputs(bench.run("splitOut", 1, field("$binary"), given_))
    assert [(item["json"], item["binary"]) for item in made] == [({}, {"a": FILES["a"]}), ({}, {"b": FILES["b"]})]
    (made,) = await bench.outputs(bench.run("splitOut", 1, field("$binary", **ALL), given_))
    assert [item["json"] for item in made] == [{"l": [1], "o": 2}] * 2
    ((row,),) = await bench.outputs(bench.run("splitOut", 1, field(), given_))
    assert "binary" not in row
    ((row,),) = await bench.outputs(bench.run("splitOut", 1, field(options={"includeBinary": True}), given_))
    assert row["binary"] == FILES


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "fieldToSplitOut is empty"),
    (field(" , "), "fieldToSplitOut is empty"),
    ({"fieldToSplitOut": [1, 2]}, "fieldToSplitOut must be the name of a field"),
    (field("l,m", options={"destinationFieldName": "x"}), "destinationFieldName names 1 fields, but 2"),
    (field(include="selectedOtherFields"), "fieldsToInclude is empty"),
    (field(include="some"), "include"),
]


@pytest.mark.parametrize(("parameters", "message"), WRONG)
async def test_wrong_parameters_are_named_with_the_item(bench: Bench, parameters: Any, message: str) -> None:
    with pytest.raises(NodeError, match=message) as caught:
        await bench.json("splitOut", 1, lambda _: parameters, items({"l": [1]}))
    assert caught.value.item == 0


async def test_an_item_that_fails_fails_all(bench: Bench) -> None:
    run = bench.run(
        "splitOut",
        1,
        lambda item: field(item["json"]["of"]),
        items({"of": "l", "l": [1]}, {"of": ""}),
        on_error="continueRegularOutput",
    )
    with pytest.raises(NodeError) as caught:
        await bench.outputs(run)
    assert caught.value.item == 1


async def test_a_long_list_is_split_at_once(bench: Bench) -> None:
    began = time.process_time()
    (made,) = await bench.json("splitOut", 1, field(), items({"l": [{"n": number} for number in range(50_000)]}))
    assert (len(made), made[-1]) == (50_000, {"n": 49_999})
    assert time.process_time() - began < 3


ELEMENTS = st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)


@given(st.lists(ELEMENTS), st.dictionaries(st.sampled_from("opq"), ELEMENTS))
def test_no_element_is_lost_or_doubled(elements: Any, others: Any) -> None:
    item: Any = {"json": {**others, "l": elements}}
    split = plan(SplitOut(field_to_split_out="l", include="allOtherFields"))
    made = split_out(item, 4, columns_of(item, 4, split), split)
    assert [one["json"]["l"] for one in made] == elements
    assert all(one["json"] == {**others, "l": one["json"]["l"]} for one in made)
    assert all(one["pairedItem"] == {"item": 4} for one in made)
