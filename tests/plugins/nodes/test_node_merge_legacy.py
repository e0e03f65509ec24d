"""Merge version 1."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from merge_fakes import combined, entries, file, jsons, origins, references
from node_fakes import Bench

from jackfield_nodes.merging.legacy import combined as merged_legacy
from jackfield_nodes.merging.legacy_parameters import LegacyMerge

A = [{"id": 1, "v": "a"}, {"id": 2, "v": ""}, {"v": "c"}]
B = [{"key": 2, "v": "x", "w": 1}, {"key": "1", "v": "y"}, {"key": 2, "v": "z", "w": 2}, {"v": "no key"}]
KEYS = {"propertyName1": "id", "propertyName2": "key"}

MODES: list[tuple[dict[str, Any], Any, Any]] = [
    ({"mode": "passThrough"}, A, [[(0, 0)], [(0, 1)], [(0, 2)]]),
    ({"mode": "passThrough", "output": "input2"}, B, [[(1, 0)], [(1, 1)], [(1, 2)], [(1, 3)]]),
    ({"mode": "wait"}, [{}], [[(0, 0), (0, 1), (0, 2)]]),
    (
        {"mode": "mergeByIndex"},
        [{**left, **right} for left, right in zip(A, B, strict=False)],
        [[(0, 0), (1, 0)], [(0, 1), (1, 1)], [(0, 2), (1, 2)]],
    ),
    (
        {"mode": "mergeByKey", **KEYS},
        [{"id": 1, "v": "y"}, {"id": 2, "v": "z", "w": 2}],
        [[(0, 0)], [(0, 1)]],
    ),
    (
        {"mode": "mergeByKey", **KEYS, "overwrite": "blank"},
        [{"id": 1, "v": "a"}, {"id": 2, "v": "z", "w": 2}],
        [[(0, 0)], [(0, 1)]],
    ),
    (
        {"mode": "mergeByKey", **KEYS, "overwrite": "undefined"},
        [{"id": 1, "v": "a"}, {"id": 2, "v": "", "w": 2}],
        [[(0, 0)], [(0, 1)]],
    ),
    ({"mode": "keepKeyMatches", **KEYS}, A[:2], [[(0, 0)], [(0, 1)]]),
    ({"mode": "removeKeyMatches", **KEYS}, A[2:], [[(0, 2)]]),
    ({"mode": "removeKeyMatches", "propertyName1": "v", "propertyName2": "v"}, A, [[(0, 0)], [(0, 1)], [(0, 2)]]),
]


@pytest.mark.parametrize(("parameters", "expected", "places"), MODES)
async def test_every_mode(bench: Bench, parameters: dict[str, Any], expected: Any, places: Any) -> None:
    assert await jsons(bench, 1, parameters, A, B) == expected
    assert await origins(bench, 1, parameters, A, B) == places


async def test_multiplex_makes_every_pair(bench: Bench) -> None:
    assert await jsons(bench, 1, {"mode": "multiplex"}, A, B) == [{**left, **right} for left in A for right in B]


@pytest.mark.parametrize(("join", "sizes"), [("inner", (1, 1)), ("left", (1, 3)), ("outer", (3, 3))])
async def test_joins_by_index(bench: Bench, join: str, sizes: tuple[int, int]) -> None:
    parameters = {"mode": "mergeByIndex", "join": join}
    assert len(await jsons(bench, 1, parameters, A[:1], A)) == sizes[0]
    assert len(await jsons(bench, 1, parameters, A, A[:1])) == sizes[1]


async def test_by_index_objects_inside_fields_are_replaced(bench: Bench) -> None:
    made = await jsons(bench, 1, {"mode": "mergeByIndex"}, [{"o": {"a": 1}}], [{"o": {"b": 2}}])
    assert made == [{"o": {"b": 2}}]


async def test_keys_may_be_paths(bench: Bench) -> None:
    parameters = {"mode": "keepKeyMatches", "propertyName1": "a.b", "propertyName2": "c"}
    assert await jsons(bench, 1, parameters, [{"a": {"b": 1}}, {"a": 1}], [{"c": 1}]) == [{"a": {"b": 1}}]


@pytest.mark.parametrize("name", ["propertyName1", "propertyName2"])
@pytest.mark.parametrize(("mode", "expected"), [("mergeByKey", A), ("keepKeyMatches", []), ("removeKeyMatches", A)])
async def test_without_names_of_keys_nothing_matches(bench: Bench, mode: str, expected: Any, name: str) -> None:
    assert await jsons(bench, 1, {"mode": mode, **KEYS, name: ""}, A, B) == expected


async def test_files_by_key_are_those_of_the_first_input(bench: Bench) -> None:
    left: Any = [{"json": {"id": 1}, "binary": {"f": file("1")}}]
    right: Any = [{"json": {"key": 1}, "binary": {"f": file("2"), "g": file("3")}}]
    ((made,),) = await combined(bench, 1, {"mode": "mergeByKey", **KEYS}, left, right)
    assert made["binary"] == {"f": file("1")}
    ((made,),) = await combined(bench, 1, {"mode": "mergeByIndex"}, left, right)
    assert made["binary"] == {"f": file("2"), "g": file("3")}


KEYED = st.lists(st.fixed_dictionaries({}, optional={"k": st.integers(0, 3) | st.sampled_from(["1", "", None])}))


@given(KEYED, KEYED)
def test_matches_and_the_rest_are_the_first_input(left: Any, right: Any) -> None:
    places = [
        reference
        for mode in ("keepKeyMatches", "removeKeyMatches")
        for item in merged_legacy(
            [entries(left), entries(right)],
            LegacyMerge(mode=mode, property_name1="k", property_name2="k"),  # type: ignore[arg-type]
        )
        for reference in references(item)
    ]
    assert sorted(places) == [(0, place) for place in range(len(left))]
