"""Summarize."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from merge_fakes import references
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.lists.summarize import Summarize, summarized

ROWS = [
    {"who": "a", "n": 3, "at": {"y": 2023}, "t": "x"},
    {"who": "b", "n": 1.5, "at": {"y": 2024}, "t": ""},
    {"who": "a", "n": "7", "at": {"y": 2024}, "t": None},
    {"who": "a", "n": 3, "at": {"y": 2023}, "t": {"o": 1}},
]


def of(*rows: tuple[str, str] | dict[str, Any], **more: Any) -> dict[str, Any]:
    values = [row if isinstance(row, dict) else {"aggregation": row[0], "field": row[1]} for row in rows]
    return {"fieldsToSummarize": {"values": values}, **more}


SUMMARIES: list[tuple[dict[str, Any], Any]] = [
    ({"field": "n"}, {"count_n": 4}),
    ({"aggregation": "count", "field": "t"}, {"count_t": 2}),
    ({"aggregation": "countUnique", "field": "n"}, {"unique_count_n": 3}),
    ({"aggregation": "sum", "field": "n"}, {"sum_n": 7.5}),
    ({"aggregation": "average", "field": "n"}, {"average_n": 2.5}),
    ({"aggregation": "average", "field": "who"}, {"average_who": None}),
    ({"aggregation": "sum", "field": "who"}, {"sum_who": 0}),
    ({"aggregation": "min", "field": "n"}, {"min_n": 1.5}),
    ({"aggregation": "max", "field": "n"}, {"max_n": "7"}),
    ({"aggregation": "max", "field": "who"}, {"max_who": "b"}),
    ({"aggregation": "min", "field": "none"}, {"min_none": None}),
    ({"aggregation": "append", "field": "t"}, {"appended_t": ["x", {"o": 1}]}),
    ({"aggregation": "append", "field": "t", "includeEmpty": True}, {"appended_t": ["x", "", None, {"o": 1}]}),
    ({"aggregation": "concatenate", "field": "t"}, {"concatenated_t": 'x,{"o":1}'}),
    (
        {"aggregation": "concatenate", "field": "n", "separateBy": "other", "customSeparator": "-"},
        {"concatenated_n": "3-1.5-7-3"},
    ),
    ({"aggregation": "concatenate", "field": "who", "separateBy": "\n"}, {"concatenated_who": "a\nb\na\na"}),
    ({"aggregation": "sum", "field": "at.y"}, {"sum_at_y": 8094}),
    ({"aggregation": "count", "field": 'at["y"]'}, {"count_aty": 4}),
]


@pytest.mark.parametrize(("row", "expected"), SUMMARIES)
async def test_summaries(bench: Bench, row: dict[str, Any], expected: Any) -> None:
    ((made,),) = await bench.outputs(bench.run("summarize", 1.1, of(row), items(*ROWS)))
    assert made["json"] == expected
    assert type(next(iter(made["json"].values()))) is type(next(iter(expected.values())))
    assert references(made) == [(0, place) for place in range(4)]


async def test_whole_numbers_have_no_point(bench: Bench) -> None:
    made = await bench.json("summarize", 1.1, of(("sum", "n"), ("average", "n")), items({"n": 1.5}, {"n": 2.5}))
    assert repr(made) == repr([[{"sum_n": 4, "average_n": 2}]])


EXTREMES: list[tuple[list[Any], Any, Any]] = [
    ([2, "10", 9], 2, "10"),
    (["b", "a", "B"], "B", "b"),
    ([True, 0], 0, True),
    ([{"o": 1}, 2], {"o": 1}, {"o": 1}),
    ([None, ""], None, None),
]


@pytest.mark.parametrize(("values", "least", "most"), EXTREMES)
async def test_values_compare_as_in_javascript(bench: Bench, values: Any, least: Any, most: Any) -> None:
    rows = items(*({"v": value} for value in values))
    assert await bench.json("summarize", 1.1, of(("min", "v"), ("max", "v")), rows) == [
        [{"min_v": least, "max_v": most}]
    ]


async def test_a_sum_that_is_no_number_is_null(bench: Bench) -> None:
    rows = items({"v": 1e308}, {"v": 1e308})
    assert await bench.json("summarize", 1.1, of(("sum", "v")), rows) == [[{"sum_v": None}]]


async def test_groups_come_in_the_order_of_their_first_items(bench: Bench) -> None:
    parameters = of(("sum", "n"), fieldsToSplitBy="who, at.y")
    ((one, two, three),) = await bench.outputs(bench.run("summarize", 1.1, parameters, items(*ROWS)))
    assert one["json"] == {"who": "a", "at_y": 2023, "sum_n": 6}
    assert two["json"] == {"who": "a", "at_y": 2024, "sum_n": 0}
    assert three["json"] == {"who": "b", "at_y": 2024, "sum_n": 1.5}
    assert [references(item) for item in (one, two, three)] == [[(0, 0), (0, 3)], [(0, 2)], [(0, 1)]]


@pytest.mark.parametrize(("version", "expected"), [(1, [2023, 2024]), (1.1, [2023, 2024]), (None, [2023, 2024])])
async def test_version_1_has_groups_as_text(bench: Bench, version: float | None, expected: list[Any]) -> None:
    (made,) = await bench.json("summarize", version, of({"field": "n"}, fieldsToSplitBy="at.y"), items(*ROWS))
    found = [item["at_y"] for item in made]
    assert found == ([str(year) for year in expected] if version == 1 else expected)


GROUPS: list[tuple[float, bool, list[Any]]] = [
    (1.1, False, [1, "1", None, "", False, '{"a":1}', "(none)"]),
    (1.1, True, [1, "1", '{"a":1}']),
    (1, False, ["1", "null", "", "false", '{"a":1}', "undefined"]),
    (1, True, ["1", "null", "false", '{"a":1}', "undefined"]),
]


@pytest.mark.parametrize(("version", "skip", "expected"), GROUPS)
async def test_empty_groups_may_be_skipped(bench: Bench, version: float, skip: bool, expected: list[Any]) -> None:
    rows = items(*({"g": value, "n": 1} for value in (1, "1", None, "", False, {"a": 1})), {"n": 1})
    parameters = of({"field": "n"}, fieldsToSplitBy="g", options={"skipEmptySplitFields": skip})
    (made,) = await bench.json("summarize", version, parameters, rows)
    assert [item.get("g", "(none)") for item in made] == expected
    assert sum(int(str(item["count_n"])) for item in made) >= len(expected)


async def test_one_item_with_the_groups_inside(bench: Bench) -> None:
    options = {"outputFormat": "singleItem"}
    parameters = of(("count", "n"), fieldsToSplitBy="who,at.y", options=options)
    ((made,),) = await bench.outputs(bench.run("summarize", 1.1, parameters, items(*ROWS)))
    assert made["json"] == {
        "a": {"2023": {"count_n": 2}, "2024": {"count_n": 1}},
        "b": {"2024": {"count_n": 1}},
    }
    assert references(made) == [(0, place) for place in range(4)]
    assert await bench.json("summarize", 1.1, of(("count", "n"), options=options), items(*ROWS)) == [[{"count_n": 4}]]


async def test_of_groups_with_the_same_text_the_last_one_stays_in_a_single_item(bench: Bench) -> None:
    rows = items({"g": 1, "n": 1}, {"g": "1", "n": 2}, {"g": None, "n": 3}, {"n": 4})
    parameters = of(("sum", "n"), fieldsToSplitBy="g", options={"outputFormat": "singleItem"})
    made = await bench.json("summarize", 1.1, parameters, rows)
    assert made == [[{"1": {"sum_n": 2}, "null": {"sum_n": 3}, "undefined": {"sum_n": 4}}]]


async def test_dot_notation_can_be_switched_off(bench: Bench) -> None:
    parameters = of(("sum", "a.b"), fieldsToSplitBy="c.d", options={"disableDotNotation": True})
    rows = items({"a.b": 1, "c.d": "x", "a": {"b": 50}}, {"a.b": 2, "c.d": "x"})
    assert await bench.json("summarize", 1.1, parameters, rows) == [[{"c_d": "x", "sum_a_b": 3}]]


async def test_a_field_that_no_item_has(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    parameters = of(("sum", "n"), ("sum", "none"))
    with pytest.raises(NodeError, match=r"'none' of fieldsToSummarize.*continueIfFieldNotFound"):
        await bench.json("summarize", 1, parameters, items(*ROWS))
    lenient = {**parameters, "options": {"continueIfFieldNotFound": True}}
    ((made,),) = await bench.outputs(bench.run("summarize", 1, lenient, items(*ROWS)))
    assert (made["json"], references(made)) == ({"sum_n": 7.5, "sum_none": 0}, [(0, place) for place in range(4)])
    with caplog.at_level(logging.WARNING):
        assert await bench.json("summarize", 1.1, parameters, items(*ROWS)) == [[{"sum_n": 7.5, "sum_none": 0}]]
    assert "none" in caplog.text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "fieldsToSummarize names no field"),
        (of(("median", "n")), "aggregation"),
        (of(("sum", "n"), options={"outputFormat": "table"}), "outputFormat"),
    ],
)
async def test_wrong_parameters_are_named(bench: Bench, parameters: Any, message: str) -> None:
    with pytest.raises(NodeError, match=message):
        await bench.json("summarize", 1.1, parameters, items(*ROWS))


KEYS = st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "1", "x"])
GROUPED = st.lists(st.fixed_dictionaries({}, optional={"a": KEYS, "b": KEYS, "n": st.integers(-5, 5)}), max_size=12)


@given(GROUPED)
def test_every_item_is_in_exactly_one_group(rows: Any) -> None:
    given_: Any = [{"json": row} for row in rows]
    parameters = Summarize.model_validate(of(("sum", "n"), ("count", "n"), fieldsToSplitBy="a,b"))
    made = summarized(given_, parameters, lambda _: None)
    places = Counter(reference for item in made for reference in references(item))
    assert places == Counter((0, place) for place in range(len(rows)))
    assert sum(item["json"]["sum_n"] for item in made) == sum(row.get("n", 0) for row in rows)  # type: ignore[misc]
    groups = [
        tuple((name in item["json"], type(item["json"].get(name)), item["json"].get(name)) for name in "ab")
        for item in made
    ]
    assert len(set(groups)) == len(groups)
