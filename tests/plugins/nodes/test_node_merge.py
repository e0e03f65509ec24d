"""Merge, versions 2 and 3: append, by position, all combinations, choose branch."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from merge_fakes import combined, file, jsons, origins, references
from node_fakes import Bench

from jackfield.api.nodes import NodeError
from jackfield_nodes.merging.append import appended
from jackfield_nodes.merging.by_position import by_position
from jackfield_nodes.merging.conflicts import MergeSource, Resolution, merged
from jackfield_nodes.merging.parameters import FieldConflict
from jackfield_nodes.merging.settings import MergeSettings

A = [{"n": 1, "a": "x"}, {"n": 2, "a": "y"}]
B = [{"n": 7, "b": "p"}, {"n": 8, "b": "q"}, {"n": 9, "b": "r"}]
POSITION3 = {"mode": "combine", "combineBy": "combineByPosition"}
POSITION2 = {"mode": "combine", "combinationMode": "mergeByPosition"}
ALL3 = {"mode": "combine", "combineBy": "combineAll"}
ALL2 = {"mode": "combine", "combinationMode": "multiplex"}


def clash(parameters: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {**parameters, "options": {"clashHandling": {"values": values}}}


@pytest.mark.parametrize("version", [None, 1, 2, 2.1, 3, 3.1, 3.2])
async def test_without_parameters_items_are_appended(bench: Bench, version: float | None) -> None:
    assert await jsons(bench, version, {}, A, B) == A + B
    assert [one for (one,) in await origins(bench, version, {}, A, B)] == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]


async def test_three_and_more_inputs_are_appended_in_order(bench: Bench) -> None:
    inputs = [[{"n": number}] for number in range(10)]
    assert await jsons(bench, 3.2, {"numberInputs": 10}, *inputs) == [{"n": number} for number in range(10)]


@pytest.mark.parametrize("number", [1, 11])
async def test_there_are_two_to_ten_inputs(bench: Bench, number: int) -> None:
    with pytest.raises(NodeError, match="numberInputs"):
        await jsons(bench, 3.2, {"numberInputs": number}, A, B)


async def test_an_input_that_nothing_reached_counts_as_empty(bench: Bench) -> None:
    assert await jsons(bench, 3, {}, [], B) == B
    assert await jsons(bench, 3, {}, A) == A
    assert await jsons(bench, 3, POSITION3, A) == []
    assert await jsons(bench, 3, {**POSITION3, "numberInputs": 3}, A, B) == []


@pytest.mark.parametrize(
    ("version", "parameters"), [(2, POSITION2), (2.1, POSITION2), (3, POSITION3), (3.2, POSITION3)]
)
async def test_by_position_the_last_input_prevails_and_the_rest_is_dropped(
    bench: Bench, version: float, parameters: dict[str, Any]
) -> None:
    before = copy.deepcopy((A, B))
    assert await jsons(bench, version, parameters, A, B) == [
        {"n": 7, "a": "x", "b": "p"},
        {"n": 8, "a": "y", "b": "q"},
    ]
    again = version >= 3  # the item that prevails is put in twice
    assert await origins(bench, version, parameters, A, B) == [
        [(0, place), (1, place)] + [(1, place)] * again for place in (0, 1)
    ]
    assert before == (A, B)


async def test_by_position_with_unpaired_items(bench: Bench) -> None:
    parameters = {**POSITION3, "options": {"includeUnpaired": True}}
    assert (await jsons(bench, 3, parameters, A, B))[2:] == [{"n": 9, "b": "r"}]
    assert (await origins(bench, 3, parameters, A, B))[2:] == [[(1, 2), (1, 2)]]


async def test_by_position_with_three_inputs(bench: Bench) -> None:
    third = [{"n": 0, "c": 5}]
    parameters = {**POSITION3, "numberInputs": 3}
    assert await jsons(bench, 3.1, parameters, A, B, third) == [{"n": 0, "a": "x", "b": "p", "c": 5}]
    preferring = clash(parameters, resolveClash="preferInput2")
    assert await jsons(bench, 3.1, preferring, A, B, third) == [{"n": 7, "a": "x", "b": "p", "c": 5}]
    suffixed = clash(parameters, resolveClash="addSuffix")
    assert await jsons(bench, 3.1, suffixed, A, B, third) == [
        {"n_1": 1, "a_1": "x", "n_2": 7, "b_2": "p", "n_3": 0, "c_3": 5, "n": 0, "c": 5}
    ]


@pytest.mark.parametrize(("version", "parameters"), [(2, ALL2), (2.1, ALL2), (3, ALL3), (3.2, ALL3)])
async def test_all_combinations(bench: Bench, version: float, parameters: dict[str, Any]) -> None:
    made = await jsons(bench, version, parameters, A, B)
    assert made == [{**left, **right} for left in A for right in B]
    expected = [[(0, left), (1, right)] for left in range(2) for right in range(3)]
    assert await origins(bench, version, parameters, A, B) == expected
    assert await jsons(bench, version, parameters, [], B) == []
    preferring = clash(parameters, resolveClash="preferInput1")
    assert (await jsons(bench, version, preferring, A, B))[0] == {"n": 1, "a": "x", "b": "p"}


async def test_too_many_combinations_are_an_error_that_names_the_setting(make_bench: Any) -> None:
    bench = make_bench(MergeSettings(max_items=5))
    with pytest.raises(NodeError, match=r"6 items, more than 5.*nodes\.merge\.max_items"):
        await jsons(bench, 3, ALL3, A, B)
    with pytest.raises(NodeError, match="more than 5"):
        await jsons(bench, 1, {"mode": "multiplex"}, A, B)


LAST = {"resolveClash": "preferLast"}
CLASHES: list[tuple[dict[str, Any], Any, Any, Any]] = [
    ({}, {"o": {"a": 1, "b": 1}}, {"o": {"b": 2}}, {"o": {"a": 1, "b": 2}}),
    ({}, {"l": [{"a": 1}, 2, 3]}, {"l": [{"b": 1}, 5]}, {"l": [{"a": 1, "b": 1}, 5, 3]}),
    ({}, {"v": {"a": 1}}, {"v": [1]}, {"v": [1]}),
    ({}, {"v": 1}, {"v": None}, {"v": None}),
    ({**LAST, "mergeMode": "shallowMerge"}, {"o": {"a": 1}}, {"o": {"b": 2}}, {"o": {"b": 2}}),
    ({**LAST, "overrideEmpty": True}, {"v": 1, "w": 2, "z": 3}, {"v": None, "w": "", "z": 0}, {"v": 1, "w": 2, "z": 0}),
    ({"overrideEmpty": True}, {}, {"v": None}, {"v": None}),
    (
        {**LAST, "overrideEmpty": True},
        {"o": {"a": 1}, "l": [1]},
        {"o": {"a": ""}, "l": [None]},
        {"o": {"a": 1}, "l": [1]},
    ),
    ({**LAST, "overrideEmpty": True, "mergeMode": "shallowMerge"}, {"v": 1}, {"v": ""}, {"v": 1}),
    ({"resolveClash": "preferInput1"}, {"v": 1}, {"v": 2, "w": 3}, {"v": 1, "w": 3}),
    ({"resolveClash": "preferInput1", "overrideEmpty": True}, {"v": ""}, {"v": 2}, {"v": 2}),
    ({"resolveClash": "preferLast"}, {"v": 1}, {"v": 2}, {"v": 2}),
]


@pytest.mark.parametrize(("values", "left", "right", "expected"), CLASHES)
async def test_how_clashes_end(bench: Bench, values: dict[str, Any], left: Any, right: Any, expected: Any) -> None:
    before = copy.deepcopy((left, right))
    assert await jsons(bench, 3, clash(POSITION3, **values), [left], [right]) == [expected]
    assert await jsons(bench, 2.1, clash(POSITION2, **values), [left], [right]) == [expected]
    assert before == (left, right)


async def test_suffixes_tell_the_inputs_apart(bench: Bench) -> None:
    left, right, expected = {"v": 1}, {"v": 2, "w": 3}, {"v_1": 1, "v_2": 2, "w_2": 3}
    assert await jsons(bench, 2.1, clash(POSITION2, resolveClash="addSuffix"), [left], [right]) == [expected]
    assert await jsons(bench, 3, clash(POSITION3, resolveClash="addSuffix"), [left], [right]) == [{**expected, **right}]


async def test_an_unknown_way_to_end_clashes_is_named(bench: Bench) -> None:
    with pytest.raises(NodeError, match=r"resolveClash is 'preferNobody'.*preferInput1"):
        await jsons(bench, 3, clash(POSITION3, resolveClash="preferNobody"), A, B)


async def test_files_are_those_of_all_items_and_the_preferred_one_prevails(bench: Bench) -> None:
    left: Any = [{"json": {}, "binary": {"f": file("1"), "g": file("2")}}]
    right: Any = [{"json": {}, "binary": {"f": file("3")}}]
    ((made,),) = await combined(bench, 3, POSITION3, left, right)
    assert made["binary"] == {"f": file("3"), "g": file("2")}
    ((made,),) = await combined(bench, 3, clash(POSITION3, resolveClash="preferInput1"), left, right)
    assert made["binary"] == {"f": file("1"), "g": file("2")}
    ((first, second),) = await combined(bench, 3, {}, left, right)
    assert (first["binary"], second["binary"]) == (left[0]["binary"], right[0]["binary"])


BRANCHES: list[tuple[float, dict[str, Any], int | None]] = [
    (2, {}, 0),
    (2.1, {"output": "input2"}, 1),
    (2, {"output": "empty"}, None),
    (3, {}, 0),
    (3, {"useDataOfInput": 2}, 1),
    (3.2, {"useDataOfInput": "2"}, 1),
    (3.1, {"useDataOfInput": "input2"}, 1),
    (3, {"output": "empty"}, None),
]


@pytest.mark.parametrize(("version", "parameters", "source"), BRANCHES)
async def test_choose_branch(bench: Bench, version: float, parameters: dict[str, Any], source: int | None) -> None:
    parameters = {"mode": "chooseBranch", **parameters}
    (made,) = await combined(bench, version, parameters, A, B)
    if source is None:
        assert [item["json"] for item in made] == [{}]
        assert references(made[0]) == [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]
    else:
        assert [item["json"] for item in made] == (A, B)[source]
        assert [references(item) for item in made] == [[(source, place)] for place in range(len((A, B)[source]))]


async def test_choose_branch_waits_for_every_wired_input(bench: Bench) -> None:
    assert await jsons(bench, 3, {"mode": "chooseBranch"}, A, []) == []
    assert await jsons(bench, 3, {"mode": "chooseBranch"}, A) == A
    assert await jsons(bench, 3, {"mode": "chooseBranch", "useDataOfInput": 2}, A) == []


@pytest.mark.parametrize("number", [0, 3, "x", None])
async def test_choose_branch_needs_an_input_that_there_is(bench: Bench, number: Any) -> None:
    with pytest.raises(NodeError, match=r"useDataOfInput.*1 to 2"):
        await jsons(bench, 3, {"mode": "chooseBranch", "useDataOfInput": number}, A, B)


UNVERSIONED: list[tuple[dict[str, Any], Any]] = [
    ({"mode": "passThrough", "output": "input2"}, B),
    ({"mode": "chooseBranch", "output": "input2"}, B),
    ({"mode": "chooseBranch", "useDataOfInput": 2}, B),
    (ALL2, [{**left, **right} for left in A for right in B]),
    (ALL3, [{**left, **right} for left in A for right in B]),
]


@pytest.mark.parametrize(("parameters", "expected"), UNVERSIONED)
async def test_without_type_version_the_keys_tell_the_form(
    bench: Bench, parameters: dict[str, Any], expected: Any
) -> None:
    assert await jsons(bench, None, parameters, A, B) == expected


async def test_parameters_are_those_of_the_first_item(bench: Bench) -> None:
    run = bench.run(
        "merge",
        3,
        lambda item: {"mode": "chooseBranch", "useDataOfInput": item["json"].get("n", 2)},
        [{"json": {"n": 1}}, {"json": {"n": 9}}],
        others=[[{"json": {"b": 1}}]],
    )
    ((first, second),) = await bench.outputs(run)
    assert (first["json"], second["json"]) == ({"n": 1}, {"n": 9})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=6,
)
JSON = st.dictionaries(st.sampled_from("pqr"), VALUES, max_size=3)
INPUTS = st.lists(st.lists(JSON.map(lambda json: {"json": json}), max_size=4), min_size=2, max_size=4)


@given(INPUTS)
def test_append_loses_and_doubles_nothing(inputs: Any) -> None:
    made = appended(inputs)
    places = [reference for item in made for reference in references(item)]
    assert places == [(source, place) for source, items in enumerate(inputs) for place in range(len(items))]
    assert all(
        inputs[source][place]["json"] is item["json"] for item, (source, place) in zip(made, places, strict=True)
    )


@given(INPUTS)
def test_by_position_with_unpaired_items_has_each_item_once(inputs: Any) -> None:
    made = by_position(inputs, Resolution(), unpaired=True)
    places = [reference for item in made for reference in references(item)]
    assert sorted(places) == [(source, place) for source, items in enumerate(inputs) for place in range(len(items))]
    assert all(len({place for _, place in references(item)}) == 1 for item in made)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(JSON, JSON, st.booleans(), st.booleans())
def test_a_merge_has_every_field_and_changes_no_item(left: Any, right: Any, deep: bool, keep: bool) -> None:
    before = copy.deepcopy((left, right))
    made = merged(
        (MergeSource({"json": left}, 0, 0), MergeSource({"json": right}, 0, 1)), Resolution(False, deep, keep)
    )["json"]
    assert made.keys() == left.keys() | right.keys()
    assert all(made[name] == value for name, value in left.items() if name not in right)
    assert deep or keep or all(made[name] == value for name, value in right.items())
    assert before == (left, right)


@given(JSON)
def test_a_merge_with_itself_changes_nothing(json: Any) -> None:
    parts = (MergeSource({"json": json}, 0, 0), MergeSource({"json": json}, 0, 1))
    assert merged(parts, Resolution())["json"] == json


def test_the_preferred_input_may_be_any() -> None:
    assert FieldConflict(resolve_clash="preferInput10").preferred() == 9


async def test_an_item_that_is_nested_too_deeply_is_a_clear_error(bench: Bench) -> None:
    deep: Any = 1
    for _ in range(3000):
        deep = [deep]
    with pytest.raises(NodeError, match="nested too deeply"):
        await jsons(bench, 3, POSITION3, [{"d": deep}], [{"d": deep}])
