"""Rename Keys: one by one and by regular expressions."""

from __future__ import annotations

from typing import Any

import pytest
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError


def keys(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"keys": {"key": [{"currentKey": old, "newKey": new} for old, new in pairs]}}


def regex(search: str, replace: str, **options: Any) -> dict[str, Any]:
    return {"searchRegex": search, "replaceRegex": replace, "options": options}


def regexes(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"additionalOptions": {"regexReplacement": {"replacements": list(rows)}}}


RENAMED: list[tuple[list[tuple[str, str]], dict[str, Any], dict[str, Any]]] = [
    ([("a", "b")], {"a": 1, "c": 2}, {"c": 2, "b": 1}),
    ([("a", "b")], {"c": 2}, {"c": 2}),
    ([("a", "b")], {"a": None}, {"b": None}),
    ([("a", "")], {"a": 1}, {"a": 1}),
    ([("", "b")], {"a": 1}, {"a": 1}),
    ([("a", "a")], {"a": 1}, {"a": 1}),
    ([("a.b", "c")], {"a": {"b": 1, "d": 2}}, {"a": {"d": 2}, "c": 1}),
    ([("a", "b.c")], {"a": 1}, {"b": {"c": 1}}),
    ([("a", "a.b")], {"a": 1}, {}),
    ([("a.b", "a")], {"a": {"b": 1}}, {"a": 1}),
    ([("a", "b"), ("b", "a")], {"a": 1, "b": 2}, {"a": 2}),
    ([("a", "b"), ("b", "c")], {"a": 1, "b": 2}, {"c": 2}),
    ([("a.b", "c")], {"a.b": 1}, {"c": 1}),
]


@pytest.mark.parametrize(("pairs", "json", "expected"), RENAMED)
async def test_fields_get_other_names(
    bench: Bench, pairs: list[tuple[str, str]], json: dict[str, Any], expected: dict[str, Any]
) -> None:
    given = items(json)
    assert await bench.json("renameKeys", 1, keys(*pairs), given) == [[expected]]
    assert given == items(json)


async def test_items_stay_in_place_with_their_files(bench: Bench) -> None:
    rows: Any = [{"json": {"a": 1}}, {"json": {"a": 2}, "binary": {"data": {"data": "", "mimeType": "a/b"}}}]
    (made,) = await bench.outputs(bench.run("renameKeys", 1, keys(("a", "b")), rows))
    assert [item["pairedItem"] for item in made] == [{"item": 0}, {"item": 1}]
    assert made[1]["binary"] == rows[1]["binary"]


async def test_a_name_that_cannot_be_is_told(bench: Bench) -> None:
    parameters, rows = keys(("a", "list.x")), items({"a": 1}, {"a": 1, "list": []})
    with pytest.raises(NodeError, match=r"keys\.key of item 1 cannot name 'list\.x'") as caught:
        await bench.json("renameKeys", 1, parameters, rows)
    assert caught.value.item == 1
    (made,) = await bench.outputs(bench.run("renameKeys", 1, parameters, rows, on_error="continueRegularOutput"))
    assert made[0]["json"] == {"list": {"x": 1}}
    assert list(made[1]["json"]) == ["error"]


NESTED = {"aX": 1, "b": {"aX": {"aX": 2}}, "c": [{"aX": 3}]}
BY_REGEX: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (regex("^a", "z"), {"b": {"zX": {"zX": 2}}, "c": [{"zX": 3}], "zX": 1}),
    (regex("^a", "z", depth=-1), {"b": {"zX": {"zX": 2}}, "c": [{"zX": 3}], "zX": 1}),
    (regex("^a", "z", depth=0), {"b": {"aX": {"aX": 2}}, "c": [{"aX": 3}], "zX": 1}),
    (regex("^a", "z", depth=1), {"b": {"zX": {"aX": 2}}, "c": [{"aX": 3}], "zX": 1}),
    (regex("^A", "z", caseInsensitive=True, depth=0), {"b": {"aX": {"aX": 2}}, "c": [{"aX": 3}], "zX": 1}),
    (regex("^A", "z"), NESTED),
    (regex("(a)(X)", "$2$1", depth=0), {"b": {"aX": {"aX": 2}}, "c": [{"aX": 3}], "Xa": 1}),
]


@pytest.mark.parametrize(("row", "expected"), BY_REGEX)
async def test_regular_expressions_rename_down_to_a_depth(
    bench: Bench, row: dict[str, Any], expected: dict[str, Any]
) -> None:
    (((made),),) = await bench.json("renameKeys", 1, regexes(row), items(NESTED))
    assert made == expected
    assert list(made) == list(expected)


async def test_only_the_first_match_in_a_name_is_replaced(bench: Bench) -> None:
    assert await bench.json("renameKeys", 1, regexes(regex("a", "b")), items({"aa": 1})) == [[{"ba": 1}]]


async def test_regular_expressions_follow_each_other_and_the_renamed_keys(bench: Bench) -> None:
    parameters = {**keys(("a", "b")), **regexes(regex("b", "c"), regex("c", "d"))}
    assert await bench.json("renameKeys", 1, parameters, items({"a": 1})) == [[{"d": 1}]]


async def test_a_wrong_regular_expression_is_named(bench: Bench) -> None:
    parameters = regexes(regex("a", "b"), regex("(", ""))
    with pytest.raises(NodeError, match=r"replacements\[1\]\.searchRegex of item 0 is no valid regular expression"):
        await bench.json("renameKeys", 1, parameters, items({"a": 1}))
    run = bench.run("renameKeys", 1, parameters, items({"a": 1}), on_error="continueErrorOutput")
    (((made),),) = await bench.outputs(run)
    assert list(made["json"]) == ["error"]
