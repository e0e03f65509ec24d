"""Sort: by fields, at random, by code."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield.api.scripts import ScriptData, ScriptResult
from jackfield_javascript.engine import JavaScriptEngine
from jackfield_javascript.settings import JavaScriptSettings
from jackfield_nodes.lists import ordering
from jackfield_nodes.lists.ordering import PART, SortBy, order
from jackfield_nodes.lists.sort import script
from jackfield_workers.pool import SharedWorkerPool


def by(*fields: tuple[str, str] | str, **options: Any) -> dict[str, Any]:
    rows = [{"fieldName": field} if isinstance(field, str) else dict(zip(("fieldName", "order"), field, strict=True))
            for field in fields]  # fmt: skip
    return {"sortFieldsUi": {"sortField": rows}, "options": options}


async def ordered(bench: Bench, parameters: dict[str, Any], values: list[Any]) -> list[Any]:
    """The values of the field v in their new order; None where it is missing or null."""
    rows = items(*({} if value is ... else {"v": value} for value in values))
    ((*made,),) = await bench.outputs(bench.run("sort", 1, parameters, rows))
    assert all(item["json"] is rows[item["pairedItem"]["item"]]["json"] for item in made)
    return [item["json"].get("v") for item in made]


ORDERS: list[tuple[list[Any], list[Any]]] = [
    ([3, 1, 2], [1, 2, 3]),
    ([10, 9.5, -1], [-1, 9.5, 10]),
    (["b", "A", "c", "B"], ["A", "b", "B", "c"]),  # without upper and lower case; equal ones stay in order
    (["10", "9"], ["10", "9"]),  # text is text
    ([10, "9", 8], [8, "9", 10]),  # beside numbers it is a number
    ([True, False], [False, True]),
    (["\U0001f600", "\uffee"], ["\U0001f600", "\uffee"]),  # by UTF-16 code units
]


@pytest.mark.parametrize(("values", "expected"), ORDERS)
async def test_ascending(bench: Bench, values: list[Any], expected: list[Any]) -> None:
    assert await ordered(bench, by("v"), values) == expected
    assert await ordered(bench, by(("v", "ascending")), values) == expected


async def test_descending(bench: Bench) -> None:
    assert await ordered(bench, by(("v", "descending")), [1, 3, None, 2]) == [3, 2, 1, None]  # null is 0


async def test_several_fields(bench: Bench) -> None:
    rows = items({"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2})
    made = await bench.json("sort", 1, by("a", ("b", "descending")), rows)
    assert made == [[{"a": 1, "b": 2}, {"a": 1, "b": 1}, {"a": 2, "b": 1}]]


async def test_dot_notation(bench: Bench) -> None:
    rows = items({"a": {"b": 2}}, {"a": {"b": 1}})
    assert await bench.json("sort", 1, by("a.b"), rows) == [[{"a": {"b": 1}}, {"a": {"b": 2}}]]
    with pytest.raises(NodeError, match=r"No item has the field 'a\.b' to sort by\. Dot notation is off"):
        await bench.json("sort", 1, by("a.b", disableDotNotation=True), rows)
    rows = items({"a.b": 2}, {"a.b": 1})
    assert await bench.json("sort", 1, by("a.b", disableDotNotation=True), rows) == [[{"a.b": 1}, {"a.b": 2}]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, r"sortFieldsUi\.sortField is empty"),
        (by(""), "No item has the field ''"),
        (by("none"), "No item has the field 'none'"),
        ({"type": "code", "code": "a - b"}, "The parameter code returns nothing"),
    ],
)
async def test_a_mistake_is_told(bench: Bench, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(NodeError, match=message):
        await bench.outputs(bench.run("sort", 1, parameters))


async def test_no_items_are_in_order(bench: Bench) -> None:
    assert await bench.outputs(bench.run("sort", 1, by("v"), [])) == [[]]


async def test_files_go_along(bench: Bench) -> None:
    rows: Any = [{"json": {"v": 1}, "binary": {"data": {"data": "", "mimeType": "a/b"}}}]
    (((item),),) = await bench.outputs(bench.run("sort", 1, by("v"), rows))
    assert item["binary"] == rows[0]["binary"]


async def test_at_random_everything_stays(bench: Bench) -> None:
    for count in (5, 2000):
        values = await ordered(bench, {"type": "random"}, list(range(count)))
        assert sorted(values) == list(range(count))
    assert values != sorted(values)


async def test_code_gives_the_order(bench: Bench) -> None:
    run = bench.run("sort", 1, {"type": "code", "code": "return 1"}, items({"v": 1}, {"v": 2}))
    run.script = ScriptResult({"order": [1, 0]})
    ((first, second),) = await bench.outputs(run)
    assert [first["json"], second["json"]] == [{"v": 2}, {"v": 1}]
    assert [first["pairedItem"], second["pairedItem"]] == [{"item": 1}, {"item": 0}]
    assert run.scripts == [("javaScript", script("return 1"), False)]


@pytest.mark.parametrize("value", [None, {}, {"order": [0, 0]}, {"order": [0]}, {"order": ["0", "1"]}, [1, 0]])
async def test_code_that_gives_no_order_is_told(bench: Bench, value: Any) -> None:
    run = bench.run("sort", 1, {"type": "code", "code": "return 1"}, items({}, {}), script=ScriptResult(value))
    with pytest.raises(NodeError, match="The parameter code gave no order"):
        await bench.outputs(run)


async def test_code_compares_items_in_javascript() -> None:
    """Undeclared names and a comment at the end are fine, as in n8n's example."""
    engine = JavaScriptEngine(JavaScriptSettings(expression_workers=1, code_workers=1), SharedWorkerPool())
    try:
        code = "name = 'v';\nreturn a.json[name] - b.json[name]; // smallest first"
        data = ScriptData(input=items({"v": 3}, {"v": 1}, {"v": 2}))
        result = await engine.run(script(code), data, each=False, timeout=10)
    finally:
        await engine.close()
    assert result.value == {"order": [1, 2, 0]}


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.fixed_dictionaries({"a": st.integers(0, 3), "b": st.sampled_from("xYz")}), max_size=30),
    down=st.booleans(),
)
def test_the_order_is_total_and_stable(rows: list[dict[str, Any]], down: bool) -> None:
    fields = [SortBy(name, down) for name in ("a", "b") if any(name in row for row in rows)]
    places = order(rows, fields, dots=True)
    assert sorted(places) == list(range(len(rows)))

    def rank(place: int) -> list[int]:
        values = [rows[place][field.name] for field in fields]
        keys = [value if isinstance(value, int) else "xyz".index(value.lower()) for value in values]
        return [-key if down else key for key in keys]

    assert places == sorted(range(len(rows)), key=lambda place: (rank(place), place))


def test_many_items_are_sorted_in_parts_with_the_same_result() -> None:
    rows: list[Any] = [{"v": (number * 7919) % 101, "n": number} for number in range(3 * PART + 5)]
    for down in (False, True):
        places = order(rows, [SortBy("v", down)], dots=True)
        expected = sorted(range(len(rows)), key=lambda place: rows[place]["v"] * (-1 if down else 1))
        assert places == expected


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(values=st.lists(st.one_of(st.none(), st.integers(), st.text(max_size=3), st.booleans()), min_size=1))
async def test_nothing_is_lost_or_doubled(bench: Bench, values: list[Any]) -> None:
    ((*made,),) = await bench.outputs(bench.run("sort", 1, by("v"), items(*({"v": value} for value in values))))
    assert sorted(item["pairedItem"]["item"] for item in made) == list(range(len(values)))


async def test_the_event_loop_turns_while_many_items_are_sorted(bench: Bench) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counter = asyncio.create_task(count())
    rows = items(*({"v": (number * 7919) % 20_011} for number in range(20_000)))
    await bench.outputs(bench.run("sort", 1, by("v"), rows))
    counter.cancel()
    assert turns > 20


@given(
    st.lists(st.one_of(st.integers(-3, 9), st.floats(-2, 2)) | st.integers(0, 3), max_size=60)
    | st.lists(st.text("aÄz\uffee\U0001f600", max_size=2), max_size=60),
    st.booleans(),
    st.integers(1, 7),
)
def test_sorting_in_parts_is_sorting(values: list[Any], descending: bool, part: int) -> None:
    rows = [*values, *values[:1], 0 if not values or not isinstance(values[0], str) else ""]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordering, "PART", part)
        found = order([{"v": value} for value in rows], [SortBy("v", descending)], dots=True)
    keys = [value.lower().encode("utf-16-be") if isinstance(value, str) else value for value in rows]
    assert found == sorted(range(len(rows)), key=keys.__getitem__, reverse=descending)
