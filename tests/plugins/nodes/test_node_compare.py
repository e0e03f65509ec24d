"""Compare Datasets."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from merge_fakes import combined, entries, file, references
from node_fakes import Bench

from jackfield.api.nodes import NodeError
from jackfield_nodes.comparing.node import compared
from jackfield_nodes.comparing.parameters import CompareParameters
from jackfield_nodes.merging.settings import MergeSettings

A = [{"id": 1, "v": "same"}, {"id": 2, "v": "old", "w": 1}, {"id": 3, "v": "a only"}]
B = [{"id": 2, "v": "new", "w": 1}, {"id": 1, "v": "same"}, {"id": 4, "v": "b only"}]


def by(*rows: tuple[str, str], **more: Any) -> dict[str, Any]:
    values = [{"field1": left, "field2": right} for left, right in rows or [("id", "id")]]
    return {"mergeByFields": {"values": values}, **more}


async def outputs(bench: Bench, version: float | None, parameters: Any, *inputs: Any) -> list[Any]:
    made = await combined(bench, version, parameters, *inputs, kind="compareDatasets")
    return [[item["json"] for item in rows] for rows in made]


@pytest.mark.parametrize("version", [None, 1, 2, 2.1, 2.2, 2.3])
async def test_four_outputs(bench: Bench, version: float | None) -> None:
    made = await combined(bench, version, by(resolve="preferInput1"), A, B, kind="compareDatasets")
    assert [[item["json"] for item in rows] for rows in made] == [[A[2]], [A[0]], [A[1]], [B[2]]]
    assert [[references(item) for item in rows] for rows in made] == [
        [[(0, 2)]],
        [[(0, 0)]],
        [[(0, 1)]],
        [[(1, 2)]],
    ]


def both(first: str, second: str) -> dict[str, Any]:
    return {"keys": {"id": 2}, "same": {"id": 2, "w": 1}, "different": {"v": {first: "old", second: "new"}}}


RESOLVED: list[tuple[float, dict[str, Any], Any]] = [
    (1, {}, B[0]),
    (2, {}, B[0]),
    (2.1, {}, both("inputA", "inputB")),
    (2.3, {"resolve": "includeBoth"}, both("inputA", "inputB")),
    (1, {"resolve": "includeBoth"}, both("input1", "input2")),
    (2.3, {"resolve": "preferInput1"}, A[1]),
    (2.3, {"resolve": "preferInput2"}, B[0]),
    (2.3, {"resolve": "mix"}, A[1]),
    (2.3, {"resolve": "mix", "exceptWhenMix": "v, gone"}, {"id": 2, "w": 1, "v": "new", "gone": None}),
    (2.3, {"resolve": "mix", "preferWhenMix": "input2", "exceptWhenMix": ["v"]}, {"id": 2, "w": 1, "v": "old"}),
]


@pytest.mark.parametrize(("version", "parameters", "expected"), RESOLVED)
async def test_what_goes_out_for_items_that_differ(
    bench: Bench, version: float, parameters: Any, expected: Any
) -> None:
    assert (await outputs(bench, version, by(**parameters), A, B))[2] == [expected]


async def test_a_field_that_only_one_item_has_is_a_difference(bench: Bench) -> None:
    made = await outputs(bench, 2.3, by(), [{"id": 1, "x": None}], [{"id": 1}])
    assert made[2] == [{"keys": {"id": 1}, "same": {"id": 1}, "different": {"x": {"inputA": None, "inputB": None}}}]
    loose = await outputs(bench, 2.3, by(fuzzyCompare=True), [{"id": 1, "x": None}], [{"id": "1"}])
    assert loose[1] == [{"id": 1, "x": None}]


FUZZY: list[tuple[float, dict[str, Any]]] = [(2.3, {"fuzzyCompare": True}), (1, {"options": {"fuzzyCompare": True}})]


@pytest.mark.parametrize(("version", "parameters"), FUZZY)
async def test_fuzzy_comparison_is_of_keys_and_fields(bench: Bench, version: float, parameters: Any) -> None:
    left, right = [{"id": 1, "v": True}], [{"id": "1", "v": "True"}]
    preferring = by(**parameters, resolve="preferInput1")
    assert await outputs(bench, version, preferring, left, right) == [[], left, [], []]
    assert await outputs(bench, version, by(), left, right) == [left, [], [], right]


async def test_keys_of_different_names_are_a_difference(bench: Bench) -> None:
    assert (await outputs(bench, 2.3, by(("id", "key")), [{"id": 1, "v": 1}], [{"key": 1, "v": 1}]))[2] == [
        {
            "keys": {"id": 1},
            "same": {"v": 1},
            "different": {"id": {"inputA": 1, "inputB": None}, "key": {"inputA": None, "inputB": 1}},
        }
    ]


async def test_fields_may_be_skipped_also_nested_ones(bench: Bench) -> None:
    left = [{"person": {"language": "de", "name": "A"}}]
    right = [{"person": {"language": "de", "name": "B"}}]
    parameters = by(("person.language", "person.language"))
    assert len((await outputs(bench, 2.3, parameters, left, right))[2]) == 1
    skipping = {**parameters, "options": {"skipFields": "person.name"}}
    assert (await outputs(bench, 2.3, skipping, left, right))[1] == left
    told = {**by(), "options": {"skipFields": "w"}}
    ((made,),) = [(await outputs(bench, 2.3, told, [{"id": 1, "v": 1, "w": 2}], [{"id": 1, "v": 2, "w": 3}]))[2]]
    assert made == {
        "keys": {"id": 1},
        "same": {"id": 1},
        "different": {"v": {"inputA": 1, "inputB": 2}},
        "skipped": {"w": {"inputA": 2, "inputB": 3}},
    }


async def test_dot_notation_can_be_switched_off(bench: Bench) -> None:
    parameters = by(("a.b", "a.b"), options={"disableDotNotation": True})
    assert (await outputs(bench, 2.3, parameters, [{"a.b": 1}], [{"a.b": 1}]))[1] == [{"a.b": 1}]
    with pytest.raises(NodeError, match=r"'a\.b'.*first input"):
        await outputs(bench, 2.1, parameters, [{"a": {"b": 1}}], [{"a.b": 1}])


async def test_the_first_match_or_all_of_them(bench: Bench) -> None:
    left, right = [{"id": 1, "v": 1}], [{"id": 1, "v": 1}, {"id": 1, "v": 2}]
    first = await outputs(bench, 2.3, by(resolve="preferInput2"), left, right)
    assert first == [[], left, [], [right[1]]]
    every = await outputs(bench, 2.3, by(resolve="preferInput2", options={"multipleMatches": "all"}), left, right)
    assert every == [[], left, [right[1]], []]


async def test_an_empty_input(bench: Bench) -> None:
    assert await outputs(bench, 2.3, by(), A, []) == [A, [], [], []]
    assert await outputs(bench, 2.3, by(), A) == [A, [], [], []]
    assert await outputs(bench, 2.3, by(), [], B) == [[], [], [], B]


async def test_files_go_along(bench: Bench) -> None:
    left: Any = [{"json": {"id": 1}, "binary": {"f": file("1")}}]
    right: Any = [{"json": {"id": 1}, "binary": {"f": file("2"), "g": file("3")}}]
    made = await combined(bench, 2.3, by(), left, right, kind="compareDatasets")
    assert made[1][0]["binary"] == {"f": file("1")}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, r"mergeByFields\.values\[0\] needs field1 and field2"),
        (by(("id", " ")), r"mergeByFields\.values\[0\] needs field1 and field2"),
        (by(("none", "id")), "'none' to match by is in no item of the first input"),
        (by(("id", "none")), "'none' to match by is in no item of the second input"),
        (by(resolve="fight"), "resolve"),
    ],
)
async def test_wrong_parameters_are_named(bench: Bench, parameters: Any, message: str) -> None:
    with pytest.raises(NodeError, match=message):
        await outputs(bench, 2.1, parameters, A, B)


async def test_too_many_pairs_are_an_error(make_bench: Any) -> None:
    bench = make_bench(MergeSettings(max_items=8))
    with pytest.raises(NodeError, match="9 matching pairs, more than 8"):
        await outputs(bench, 2.3, by(options={"multipleMatches": "all"}), [{"id": 1}] * 3, [{"id": 1}] * 3)


async def test_ten_thousand_items_are_compared_at_once(bench: Bench) -> None:
    rows = [{"id": number, "v": number} for number in range(10_000)]
    began = time.process_time()
    made = await outputs(bench, 2.3, by(), rows, rows[::-1])
    assert time.process_time() - began < 3
    assert list(map(len, made)) == [0, 10_000, 0, 0]


ROWS = st.lists(st.fixed_dictionaries({}, optional={"id": st.integers(0, 3), "v": st.integers(0, 1)}), max_size=6)


@given(ROWS, ROWS, st.sampled_from(["first", "all"]))
def test_no_item_is_lost(left: Any, right: Any, matches: str) -> None:
    left, right = [*left, {"id": 7}], [*right, {"id": 8}]
    parameters = CompareParameters.model_validate(by(options={"multipleMatches": matches}, resolve="includeBoth"))
    made = compared(entries(left), entries(right), parameters, 1000)
    places = {reference for rows in made for item in rows for reference in references(item)}
    assert {place for source, place in places if source == 0} == {place for place, row in enumerate(left) if row}
    for item in made[2]:
        (_, one), (_, two) = references(item)
        assert left[one]["id"] == right[two]["id"]
        assert left[one] != right[two]
    assert all(any(item["json"] == row for row in right) for item in made[1])
