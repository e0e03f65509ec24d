"""Merge: combining by matching fields."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from merge_fakes import combined, entries, file, jsons, origins, references
from node_fakes import Bench

from jackfield.api.javascript import UNDEFINED
from jackfield.api.nodes import NodeError
from jackfield_nodes.merging.by_fields import joined
from jackfield_nodes.merging.parameters import Merge2, Merge3
from jackfield_nodes.merging.settings import MergeSettings
from jackfield_nodes.values.matching import FuzzyLookup, alike, same_value

PEOPLE = [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}, {"id": 2, "name": "Cy"}, {"name": "Dan"}]
CITIES = [{"id": 2, "city": "Rome"}, {"id": 3, "city": "Oslo"}, {"id": 2, "city": "Bern"}]
ADA, BOB, CY, DAN = PEOPLE
ROME, OSLO, BERN = CITIES


def fields(**more: Any) -> dict[str, Any]:
    return {"mode": "combine", "fieldsToMatchString": "id", **more}


def pairs(*rows: tuple[str, str], **more: Any) -> dict[str, Any]:
    values = [{"field1": left, "field2": right} for left, right in rows]
    return {"mode": "combine", "advanced": True, "mergeByFields": {"values": values}, **more}


MATCHED = [{**BOB, **ROME}, {**BOB, **BERN}, {**CY, **ROME}, {**CY, **BERN}]
MATCHED_FROM = [[(0, 1), (1, 0)], [(0, 1), (1, 2)], [(0, 2), (1, 0)], [(0, 2), (1, 2)]]
ALONE_1 = [{"id": 1, "name": "Ada"}, {"name": "Dan"}]
JOINS: list[tuple[dict[str, Any], list[Any], list[Any]]] = [
    ({}, MATCHED, MATCHED_FROM),
    ({"outputDataFrom": "input1"}, [BOB, CY], [[(0, 1)], [(0, 2)]]),
    ({"outputDataFrom": "input2"}, [ROME, BERN], [[(1, 0)], [(1, 2)]]),
    (
        {"joinMode": "keepNonMatches"},
        [{**ADA, "_source": "input1"}, {**DAN, "_source": "input1"}, {**OSLO, "_source": "input2"}],
        [[(0, 0)], [(0, 3)], [(1, 1)]],
    ),
    ({"joinMode": "keepNonMatches", "outputDataFrom": "input1"}, ALONE_1, [[(0, 0)], [(0, 3)]]),
    ({"joinMode": "keepNonMatches", "outputDataFrom": "input2"}, [OSLO], [[(1, 1)]]),
    ({"joinMode": "keepEverything"}, [*MATCHED, *ALONE_1, OSLO], [*MATCHED_FROM, [(0, 0)], [(0, 3)], [(1, 1)]]),
    ({"joinMode": "enrichInput1"}, [*MATCHED, *ALONE_1], [*MATCHED_FROM, [(0, 0)], [(0, 3)]]),
    ({"joinMode": "enrichInput2"}, [*MATCHED, OSLO], [*(found[::-1] for found in MATCHED_FROM), [(1, 1)]]),
]


@pytest.mark.parametrize(("more", "expected", "places"), JOINS)
@pytest.mark.parametrize("version", [3, 3.1, 3.2])
async def test_every_join(bench: Bench, version: float, more: dict[str, Any], expected: Any, places: Any) -> None:
    assert await jsons(bench, version, fields(**more), PEOPLE, CITIES) == expected
    assert await origins(bench, version, fields(**more), PEOPLE, CITIES) == places


@pytest.mark.parametrize("version", [2, 2.1])
async def test_version_2_names_pairs_of_fields(bench: Bench, version: float) -> None:
    parameters = {"mode": "combine", "mergeByFields": {"values": [{"field1": "id", "field2": "id"}]}}
    assert await jsons(bench, version, parameters, PEOPLE, CITIES) == MATCHED
    assert await jsons(bench, version, {"mode": "combine", "fieldsToMatchString": "id"}, PEOPLE, CITIES) == MATCHED


async def test_fields_of_different_names_and_several_fields(bench: Bench) -> None:
    left, right = [{"a": 1, "b": 2}, {"a": 1, "b": 3}], [{"x": 1, "y": 3}]
    assert await jsons(bench, 3, pairs(("a", "x"), (" b ", "y")), left, right) == [{"a": 1, "b": 3, "x": 1, "y": 3}]
    both = [{"a": 1, "b": 3, "c": 1}]
    assert await jsons(bench, 3, fields(fieldsToMatchString=" a , b"), left, both) == [{"a": 1, "b": 3, "c": 1}]


async def test_the_first_of_several_matches(bench: Bench) -> None:
    parameters = fields(options={"multipleMatches": "first"})
    assert await jsons(bench, 3, parameters, PEOPLE, CITIES) == [{**BOB, **ROME}, {**CY, **ROME}]
    strangers = {**parameters, "joinMode": "keepNonMatches", "outputDataFrom": "input2"}
    assert await jsons(bench, 3, strangers, PEOPLE, CITIES) == [OSLO]


CLASHING = ([{"k": 1, "v": "one"}], [{"k": 1, "v": "two"}])


@pytest.mark.parametrize(
    ("more", "values", "expected"),
    [
        ({}, None, {"k": 1, "v": "two"}),
        ({"joinMode": "enrichInput1"}, None, {"k": 1, "v": "two"}),
        ({"joinMode": "enrichInput2"}, None, {"k": 1, "v": "one"}),
        ({"joinMode": "enrichInput2"}, {"resolveClash": "preferInput2"}, {}),
        ({}, {"mergeMode": "shallowMerge"}, {}),
        ({"joinMode": "enrichInput2"}, {"resolveClash": "preferLast"}, {"k": 1, "v": "two"}),
        ({}, {"resolveClash": "preferInput1"}, {"k": 1, "v": "one"}),
        ({}, {"resolveClash": "addSuffix"}, {"k_1": 1, "v_1": "one", "k_2": 1, "v_2": "two"}),
    ],
)
async def test_the_input_that_enriches_prevails(bench: Bench, more: Any, values: Any, expected: Any) -> None:
    options = {} if values is None else {"clashHandling": {"values": values}}
    parameters = fields(fieldsToMatchString="k", options=options, **more)
    assert await jsons(bench, 3, parameters, *CLASHING) == [expected]


async def test_suffixes_are_also_those_of_items_without_a_partner(bench: Bench) -> None:
    parameters = fields(joinMode="keepEverything", options={"clashHandling": {"values": {"resolveClash": "addSuffix"}}})
    assert await jsons(bench, 3, parameters, [{"id": 1}], [{"id": 2}]) == [{"id_1": 1}, {"id_2": 2}]


async def test_dot_notation_reads_nested_fields_unless_switched_off(bench: Bench) -> None:
    left, right = [{"a": {"b": 1}, "n": 1}], [{"a": {"b": 1}, "m": 2}]
    parameters = fields(fieldsToMatchString="a.b")
    assert await jsons(bench, 3, parameters, left, right) == [{"a": {"b": 1}, "n": 1, "m": 2}]
    plain = {**parameters, "options": {"disableDotNotation": True}}
    assert await jsons(bench, 3, plain, left, right) == []
    assert await jsons(bench, 3, plain, [{"a.b": 1}], [{"a.b": 1, "m": 2}]) == [{"a.b": 1, "m": 2}]


async def test_values_match_by_type_and_depth(bench: Bench) -> None:
    left = [{"k": value} for value in (1, "1", True, None, [1, {"a": 2}], "")]
    right = [{"k": value, "n": index} for index, value in enumerate((1.0, "1", True, None, [1, {"a": 2.0}], ""))]
    made = await origins(bench, 3, fields(fieldsToMatchString="k"), left, right)
    assert made == [[(0, place), (1, place)] for place in range(6)]


LOOSE: list[tuple[Any, Any, bool]] = [
    (3, "3", True),
    (3.5, "3.5", True),
    (3, "3.0", False),
    (True, "TRUE", True),
    (False, "false", True),
    (True, 1, True),
    (0, False, True),
    ("1", True, True),
    ("true", "TRUE", False),
    ("1", "true", False),
    (None, "", True),
    (None, [], True),
    ("", {}, False),
    (None, 0, False),
    ([1, 2], "[1, 2]", True),
    ({"a": 1}, '{"a":1}', True),
    ({"a": 1}, '{"a":2}', False),
    ([1], "[1", False),
    ("[]", [], True),
    ("[]", "{}", False),
    ("a", "A", False),
    ([1], {"0": 1}, False),
]


@pytest.mark.parametrize(("left", "right", "expected"), LOOSE)
async def test_fuzzy_comparison(bench: Bench, left: Any, right: Any, expected: bool) -> None:
    parameters = fields(fieldsToMatchString="k", options={"fuzzyCompare": True})
    assert alike(left, right) is alike(right, left) is expected
    assert len(await jsons(bench, 3, parameters, [{"k": left}], [{"k": right}])) == expected
    assert len(await jsons(bench, 3, parameters, [{"k": right}], [{"k": left}])) == expected


WRONG: list[tuple[float, dict[str, Any], str]] = [
    (3, {"mode": "combine"}, "fieldsToMatchString is empty"),
    (3, fields(fieldsToMatchString=" , "), "fieldsToMatchString is empty"),
    (3, {"mode": "combine", "advanced": True}, "mergeByFields"),
    (3, pairs(("id", "")), r"mergeByFields\.values\[0\] needs field1 and field2"),
    (2, {"mode": "combine"}, "mergeByFields"),
    (2, pairs(("none", "id")), "'none' to match by is in no item of the first input"),
    (2, pairs(("id", "none")), "'none' to match by is in no item of the second input"),
    (3, fields(joinMode="sideways"), "joinMode"),
]


@pytest.mark.parametrize(("version", "parameters", "message"), WRONG)
async def test_wrong_parameters_are_named(bench: Bench, version: float, parameters: Any, message: str) -> None:
    with pytest.raises(NodeError, match=message):
        await jsons(bench, version, parameters, PEOPLE, CITIES)


async def test_an_empty_input_matches_nothing(bench: Bench) -> None:
    assert await jsons(bench, 3, fields(), PEOPLE, []) == []
    assert await jsons(bench, 3, fields(joinMode="enrichInput1"), PEOPLE, []) == PEOPLE
    assert await jsons(bench, 3, fields(joinMode="keepEverything"), [], CITIES) == CITIES


@pytest.mark.parametrize("version", [2.1, 3, 3.2])
async def test_a_field_that_no_item_has_matches_nothing(bench: Bench, version: float) -> None:
    given_ = {**pairs(("id", "id")), "combinationMode": "mergeByFields"}
    assert await jsons(bench, version, given_, PEOPLE, [{}]) == []
    assert await jsons(bench, version, {**given_, "joinMode": "enrichInput1"}, PEOPLE, [{}]) == PEOPLE
    assert await jsons(bench, version, {**given_, "joinMode": "enrichInput2"}, [{}], CITIES) == CITIES


@pytest.mark.parametrize(
    ("more", "first", "second"),
    [
        ({"joinMode": "keepMatches"}, [], []),
        ({"joinMode": "keepNonMatches"}, PEOPLE, CITIES),
        ({"joinMode": "keepNonMatches", "outputDataFrom": "input1"}, PEOPLE, []),
        ({"joinMode": "keepNonMatches", "outputDataFrom": "input2"}, [], CITIES),
        ({"joinMode": "keepEverything"}, PEOPLE, CITIES),
        ({"joinMode": "enrichInput1"}, PEOPLE, []),
        ({"joinMode": "enrichInput2"}, [], CITIES),
    ],
)
async def test_items_stay_as_they_are_when_the_other_input_is_empty(
    bench: Bench, more: Any, first: Any, second: Any
) -> None:
    given_ = fields(**more, options={"clashHandling": {"values": {"resolveClash": "addSuffix"}}})
    assert await jsons(bench, 3.2, given_, PEOPLE, []) == first
    assert await jsons(bench, 3.2, given_, [], CITIES) == second
    assert await origins(bench, 3.2, given_, [], CITIES) == [[(1, place)] for place in range(len(second))]


async def test_files_of_partners_are_together(bench: Bench) -> None:
    left: Any = [{"json": {"id": 1}, "binary": {"f": file("1")}}, {"json": {"id": 5}, "binary": {"h": file("5")}}]
    right: Any = [{"json": {"id": 1}, "binary": {"g": file("2")}}]
    (made,) = await combined(bench, 3, fields(joinMode="enrichInput1"), left, right)
    assert [item["binary"] for item in made] == [{"f": file("1"), "g": file("2")}, {"h": file("5")}]


async def test_too_many_pairs_are_an_error_before_they_are_made(make_bench: Any) -> None:
    bench = make_bench(MergeSettings(max_items=1_000_000))
    rows = [{"k": 1}] * 10_000
    began = time.monotonic()
    with pytest.raises(NodeError, match=r"100000000 matching pairs.*nodes\.merge\.max_items"):
        await jsons(bench, 3, fields(fieldsToMatchString="k"), rows, rows)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("options", [{}, {"fuzzyCompare": True}])
async def test_ten_thousand_by_ten_thousand_items_are_joined_at_once(bench: Bench, options: Any) -> None:
    left = [{"json": {"k": number, "a": number}} for number in range(10_000)]
    right = [{"json": {"k": number, "b": number}} for number in reversed(range(10_000))]
    began = time.process_time()
    (made,) = await combined(bench, 3, fields(fieldsToMatchString="k", options=options), left, right)  # type: ignore[arg-type]
    assert time.process_time() - began < 2  # some hundredths on an idle machine; nested loops take half a minute
    assert (len(made), made[9_999]["json"]) == (10_000, {"k": 9_999, "a": 9_999, "b": 9_999})


SMALL = st.sampled_from([0, 1, 2, "0", "1", "true", "TRUE", "", True, False, None, [], {}, [1], "[1]", "a"])
ROW = st.dictionaries(st.sampled_from("kl"), SMALL, max_size=2)
ROWS = st.lists(ROW, max_size=7)


def fits(left: Any, right: Any, names: str, fuzzy: bool) -> bool:
    test = alike if fuzzy else same_value
    return all(name in left and test(left[name], right.get(name, UNDEFINED)) for name in names)


@given(ROWS, ROWS, st.sampled_from(["k", "kl"]), st.booleans())
def test_a_join_equals_comparing_each_with_each(left: Any, right: Any, names: str, fuzzy: bool) -> None:
    needed = [{"k": "only here", "l": "only here"}], [{"k": "only there", "l": "only there"}]
    left, right = left + needed[0], right + needed[1]  # so that no field is missing everywhere
    parameters = Merge3(
        fields_to_match_string=",".join(names), join_mode="keepEverything", options={"fuzzyCompare": fuzzy}
    )  # type: ignore[arg-type]
    made = joined([entries(left), entries(right)], parameters, 10_000)
    expected = [
        [(0, index), (1, other)]
        for index, one in enumerate(left)
        for other, two in enumerate(right)
        if fits(one, two, names, fuzzy)
    ]
    lonely = [[(0, i)] for i, one in enumerate(left) if not any(fits(one, two, names, fuzzy) for two in right)]
    lonely += [[(1, i)] for i, two in enumerate(right) if not any(fits(one, two, names, fuzzy) for one in left)]
    assert [references(item) for item in made] == expected + lonely


@given(ROWS, ROWS)
def test_matches_and_strangers_of_an_input_are_the_whole_input(left: Any, right: Any) -> None:
    inputs = [entries([*left, {"k": "x"}]), entries([*right, {"k": "y"}])]
    for source in ("input1", "input2"):
        places = [
            reference
            for mode in ("keepMatches", "keepNonMatches")
            for item in joined(
                inputs, Merge2(fields_to_match_string="k", join_mode=mode, output_data_from=source), 1_000
            )
            for reference in references(item)
        ]
        number = int(source[-1]) - 1
        assert sorted(places) == [(number, place) for place in range(len(inputs[number]))]


@given(st.lists(SMALL, max_size=8), SMALL)
def test_a_fuzzy_lookup_finds_all_that_is_alike(values: Any, wanted: Any) -> None:
    found = FuzzyLookup([(value,) for value in values]).find((wanted,))
    assert list(found) == [index for index, value in enumerate(values) if alike(value, wanted)]
