"""Remove Duplicates: of the input, and across executions."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items
from jackfield.testing.node_runs import FakeNodeRun

KEY, NUMBER, DATE = (
    "removeItemsWithAlreadySeenKeyValues",
    "removeItemsUpToStoredIncrementalKey",
    "removeItemsUpToStoredDate",
)
NAMES = {KEY: "dedupeValue", NUMBER: "incrementalDedupeValue", DATE: "dateDedupeValue"}

# ------------------------------------------------------------------------------------------------------- of the input

ALL: list[tuple[list[dict[str, Any]], list[int]]] = [
    ([{"a": 1}, {"a": 2}, {"a": 1}], [0, 1]),
    ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], [0]),
    ([{"a": 1}, {"a": 1.0}], [0]),
    ([{"a": "1"}, {"a": "x"}, {"a": "1"}], [0, 1]),
    ([{"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}], [0, 2]),
]


@pytest.mark.parametrize("version", [1, 1.1, 2, None])
@pytest.mark.parametrize(("rows", "kept"), ALL)
async def test_of_equal_items_the_first_stays(
    bench: Bench, version: float | None, rows: list[dict[str, Any]], kept: list[int]
) -> None:
    (made,) = await bench.outputs(bench.run("removeDuplicates", version, {}, items(*rows)))
    assert [item["pairedItem"] for item in made] == [{"item": place} for place in kept]


FIELDS: list[tuple[dict[str, Any], list[int]]] = [
    ({"compare": "selectedFields", "fieldsToCompare": "a"}, [0, 2]),
    ({"compare": "selectedFields", "fieldsToCompare": "a, n.x"}, [0, 1, 2]),
    ({"compare": "selectedFields", "fieldsToCompare": ["a", "n.x"]}, [0, 1, 2]),
    ({"compare": "allFieldsExcept", "fieldsToExclude": "b"}, [0, 1, 2]),
    ({"compare": "allFieldsExcept", "fieldsToExclude": "b,n.x"}, [0, 2]),
    ({"compare": "allFieldsExcept", "fieldsToExclude": "b,n.x", "options": {"disableDotNotation": True}}, [0, 1, 2]),
]
ROWS = [{"a": 1, "b": 1, "n": {"x": 1}}, {"a": 1, "b": 2, "n": {"x": 2}}, {"a": 2, "b": 2, "n": {"x": 2}}]


@pytest.mark.parametrize("version", [1, 1.1, 2])
@pytest.mark.parametrize(("parameters", "kept"), FIELDS)
async def test_only_some_fields_count(
    bench: Bench, version: float, parameters: dict[str, Any], kept: list[int]
) -> None:
    (made,) = await bench.outputs(bench.run("removeDuplicates", version, parameters, items(*ROWS)))
    assert [item["pairedItem"]["item"] for item in made] == kept
    assert [item["json"] for item in made] == [ROWS[place] for place in kept]


async def test_other_fields_can_be_removed(bench: Bench) -> None:
    parameters = {"compare": "selectedFields", "fieldsToCompare": "a,n.x", "options": {"removeOtherFields": True}}
    made = await bench.json("removeDuplicates", 2, parameters, items(*ROWS[:1]))
    assert made == [[{"a": 1, "n": {"x": 1}}]]
    parameters = {"compare": "allFieldsExcept", "fieldsToExclude": "a", "options": {"removeOtherFields": True}}
    made = await bench.json("removeDuplicates", 2, parameters, items(*ROWS[:1]))
    assert made == [[{"b": 1, "n": {"x": 1}}]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"compare": "selectedFields"}, "fieldsToCompare names no field"),
        ({"compare": "allFieldsExcept", "fieldsToExclude": " , "}, "fieldsToExclude names no field"),
        ({"compare": "selectedFields", "fieldsToCompare": "a,c"}, "Item 0 lacks the field 'c', which is compared"),
    ],
)
async def test_a_mistake_is_told(bench: Bench, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(NodeError, match=message):
        await bench.json("removeDuplicates", 2, parameters, items({"a": 1}))


@pytest.mark.parametrize("rows", [[{"a": 1}, {}], [{"a": 1}, {"a": True}], [{"a": 1}, {"a": "1"}]])
async def test_items_with_other_fields_or_types_are_a_mistake(bench: Bench, rows: list[dict[str, Any]]) -> None:
    with pytest.raises(NodeError, match="'a'"):
        await bench.json("removeDuplicates", 1.1, {}, items(*rows))


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(values=st.lists(st.integers(0, 3), max_size=30))
async def test_what_stays_is_every_value_once(bench: Bench, values: list[int]) -> None:
    ((*made,),) = await bench.outputs(bench.run("removeDuplicates", 2, {}, items(*({"v": v} for v in values))))
    texts = [orjson.dumps(value) for value in values]
    assert [item["pairedItem"]["item"] for item in made] == [
        place for place, text in enumerate(texts) if text not in texts[:place]
    ]


# --------------------------------------------------------------------------------------------------- across executions


class Past:
    """Executions of one workflow in a row, each with a node run that shares the workflow's static data."""

    def __init__(self, bench: Bench, logic: str = KEY, **options: Any) -> None:
        self.bench = bench
        self.name = NAMES[logic]
        self.parameters = {
            "operation": "removeItemsSeenInPreviousExecutions",
            "logic": logic,
            "options": options,
        }
        self.statics: dict[str, Any] = {}

    def run(self, execution: str, values: list[Any]) -> FakeNodeRun:
        rows: Items = items(*({"v": value} for value in values))
        return self.bench.run(
            "removeDuplicates",
            2,
            lambda item: {**self.parameters, self.name: item["json"]["v"]},
            rows,
            execution_id=execution,
            statics=self.statics,
        )

    async def kept(self, execution: str, *values: Any) -> list[Any]:
        (made,) = await self.bench.outputs(self.run(execution, list(values)))
        self.statics = orjson.loads(orjson.dumps(self.statics))  # as the store keeps it
        return [item["json"]["v"] for item in made]


async def test_values_that_were_seen_are_dropped(bench: Bench) -> None:
    past = Past(bench)
    assert await past.kept("e1", "a", "b", "a") == ["a", "b", "a"]  # within one input nothing is compared
    assert await past.kept("e2", "a", "c", "b") == ["c"]
    assert await past.kept("e3", "c") == []


async def test_values_of_any_type_tell_items_apart_by_their_text(bench: Bench) -> None:
    past = Past(bench)
    assert await past.kept("e1", 1, {"a": 1}, None) == [1, {"a": 1}, None]
    assert await past.kept("e2", "1", {"a": 1}, "") == []


async def test_a_node_run_that_is_repeated_sees_what_it_saw(bench: Bench) -> None:
    """After a crash nothing may be lost because the first try had remembered it."""
    for logic, values in ((KEY, ["a", "b"]), (NUMBER, [1, 2]), (DATE, ["2026-01-01", "2026-01-02"])):
        past = Past(bench, logic)
        assert await past.kept("e1", *values) == values
        assert await past.kept("e1", *values) == values
        assert await past.kept("e2", *values) == []
        assert await past.kept("e1", *values) == values


async def test_higher_numbers_stay(bench: Bench) -> None:
    past = Past(bench, NUMBER)
    assert await past.kept("e1", 5, "7", 6) == [5, "7", 6]
    assert await past.kept("e2", 7, 7.5, 1, 9) == [7.5, 9]
    assert await past.kept("e3", 8, 9) == []
    assert await past.kept("e4", 10) == [10]


async def test_later_dates_stay(bench: Bench) -> None:
    past = Past(bench, DATE)
    assert await past.kept("e1", "2026-01-02T00:00:00Z") == ["2026-01-02T00:00:00Z"]
    assert await past.kept("e2", "2026-01-01", "2026-01-02T01:00:00+01:00", "2026-01-03") == ["2026-01-03"]


@pytest.mark.parametrize(("logic", "value"), [(NUMBER, "many"), (DATE, "soon"), (DATE, None)])
async def test_a_value_that_does_not_fit_names_parameter_and_item(bench: Bench, logic: str, value: Any) -> None:
    past = Past(bench, logic)
    good = 1
    with pytest.raises(NodeError, match=f"The parameter {NAMES[logic]} of item 1 must be") as caught:
        await past.kept("e1", good, value)
    assert caught.value.item == 1
    assert past.statics == {}


async def test_the_oldest_values_are_forgotten(bench: Bench) -> None:
    past = Past(bench, historySize=3)
    await past.kept("e1", "a", "b")
    await past.kept("e2", "c", "d")
    assert await past.kept("e3", "d", "c", "b") == []
    assert await past.kept("e4", "a") == ["a"]


async def test_more_new_values_than_can_be_remembered_are_an_error(bench: Bench) -> None:
    with pytest.raises(NodeError, match=r"options\.historySize, which is 2"):
        await Past(bench, historySize=2).kept("e1", "a", "b", "c")


async def test_the_values_themselves_are_not_kept(bench: Bench) -> None:
    past = Past(bench)
    await past.kept("e1", "a secret value")
    assert "secret" not in str(past.statics)


async def test_the_scope_is_the_node_or_the_workflow(bench: Bench) -> None:
    past = Past(bench)
    await past.kept("e1", "a")
    assert list(past.statics) == ["node"]
    past = Past(bench, scope="workflow")
    await past.kept("e1", "a")
    assert list(past.statics) == ["deduplication"]


async def test_two_nodes_that_share_a_history_see_each_others_items(bench: Bench) -> None:
    past = Past(bench, scope="workflow")
    await past.kept("e1", "a")
    other = past.run("e1", ["a", "b"])
    other.node = type(other.node)("n2", "Other", "jackfield.removeDuplicates", "removeDuplicates", 2, {})
    ((item,),) = await bench.outputs(other)
    assert item["json"] == {"v": "b"}


async def test_the_history_can_be_cleared(bench: Bench) -> None:
    past = Past(bench)
    await past.kept("e1", "a")
    clear = bench.run(
        "removeDuplicates", 2, {"operation": "clearDeduplicationHistory"}, items({"v": 1}), statics=past.statics
    )
    assert [[item["json"] for item in one] for one in await bench.outputs(clear)] == [[{"v": 1}]]
    assert await past.kept("e2", "a") == ["a"]


async def test_static_data_in_another_shape_counts_as_nothing(bench: Bench) -> None:
    past = Past(bench)
    past.statics = {"node": {"values": [1, 2]}}
    assert await past.kept("e1", "a") == ["a"]
