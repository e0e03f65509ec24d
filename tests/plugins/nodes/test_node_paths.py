"""Dot notation."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield_nodes.values.paths import MAX_INDEX, get_path, parse_path, remove_path, set_path

PATHS = [
    ("a", ("a",)),
    ("a.b", ("a", "b")),
    ("a[0].b", ("a", 0, "b")),
    ("a.0", ("a", 0)),
    ('a["x.y"].z', ("a", "x.y", "z")),
    ("a['0']", ("a", "0")),
    ("a..b", ("a", "", "b")),
    (".", ("", "")),
    ("a[b", ("a[b",)),
]


@pytest.mark.parametrize(("name", "keys"), PATHS)
def test_parse(name: str, keys: tuple[Any, ...]) -> None:
    assert parse_path(name) == keys


SETS: list[tuple[dict[str, Any], str, Any]] = [
    ({}, "a.b", {"a": {"b": 1}}),
    ({"a": {"c": 2}}, "a.b", {"a": {"c": 2, "b": 1}}),
    ({"a": "text"}, "a.b", {"a": {"b": 1}}),
    ({}, "a[1]", {"a": [None, 1]}),
    ({"a": [5, 6]}, "a[0]", {"a": [1, 6]}),
    ({"a": {}}, "a.0", {"a": {"0": 1}}),
    ({"a.b": 5}, "a.b", {"a.b": 1}),
    ({"a": [{"b": 2, "c": 3}]}, "a[0].b", {"a": [{"b": 1, "c": 3}]}),
]


@pytest.mark.parametrize(("data", "name", "expected"), SETS)
def test_set(data: dict[str, Any], name: str, expected: Any) -> None:
    set_path(data, name, 1)
    assert data == expected


@pytest.mark.parametrize("name", [f"a[{MAX_INDEX + 1}]", "a[0].b.c[99999999]"])
def test_an_index_out_of_reason_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="at most"):
        set_path({}, name, 1)


def test_a_list_has_no_named_fields() -> None:
    with pytest.raises(ValueError, match="list has no field"):
        set_path({"a": []}, "a.b", 1)


REMOVES: list[tuple[dict[str, Any], str, Any]] = [
    ({"a": {"b": 1, "c": 2}}, "a.b", {"a": {"c": 2}}),
    ({"a": 1}, "b.c", {"a": 1}),
    ({"a": [1, 2]}, "a[0]", {"a": [None, 2]}),
    ({"a.b": 1, "a": {"b": 2}}, "a.b", {"a": {"b": 2}}),
]


@pytest.mark.parametrize(("data", "name", "expected"), REMOVES)
def test_remove(data: dict[str, Any], name: str, expected: Any) -> None:
    remove_path(data, name)
    assert data == expected


KEYS = st.one_of(st.text("abcxyz_ ", min_size=1, max_size=4), st.integers(0, 5))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abcxyz", max_size=3), inner, max_size=3),
    max_leaves=8,
)


def spelled(keys: list[Any]) -> str:
    return str(keys[0]) + "".join(f"[{key}]" if isinstance(key, int) else f'["{key}"]' for key in keys[1:])


@given(
    st.dictionaries(st.text("abcxyz", max_size=3), VALUES, max_size=4),
    st.text("abcxyz", min_size=1, max_size=3),
    st.lists(KEYS, min_size=1, max_size=4),
    VALUES,
)
def test_what_is_set_is_found_and_the_source_is_untouched(
    source: dict[str, Any], first: str, rest: list[Any], value: Any
) -> None:
    before = copy.deepcopy(source)
    name = spelled([first, *rest])
    mine = dict(source)
    try:
        set_path(mine, name, value)
    except ValueError:
        pass
    else:
        assert get_path(mine, name) == (True, value)
        assert {key: mine[key] for key in mine if key != first} == {key: before[key] for key in before if key != first}
    assert source == before


@given(st.dictionaries(st.text("abcxyz", max_size=3), VALUES, max_size=4), st.text("abxy.[]0", max_size=8))
def test_removing_never_touches_the_source(source: dict[str, Any], name: str) -> None:
    before = copy.deepcopy(source)
    mine = dict(source)
    remove_path(mine, name)
    assert source == before
    assert mine.keys() <= before.keys()
