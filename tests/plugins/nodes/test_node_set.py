"""Set (Edit Fields), every form."""

from __future__ import annotations

import contextlib
import copy
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield_nodes.fields.set_node import SetNode

FILE = {"data": {"data": "aGk=", "mimeType": "text/plain"}}


def latest(*rows: tuple[str, Any, str], **extra: Any) -> dict[str, Any]:
    return {"assignments": {"assignments": [{"id": n, "name": n, "value": v, "type": t} for n, v, t in rows]}, **extra}


async def one(bench: Bench, version: float | None, parameters: dict[str, Any], json: dict[str, Any]) -> Any:
    (((made,)),) = await bench.json("set", version, parameters, items(json))
    return made


TYPES: list[tuple[Any, str, Any]] = [
    ("fixed", "string", "fixed"),
    (5, "string", "5"),
    ({"a": 1}, "string", '{"a":1}'),
    ("5", "number", 5),
    (1.5, "number", 1.5),
    ("true", "boolean", True),
    (0, "boolean", False),
    ('[1, "two"]', "array", [1, "two"]),
    ([1], "array", [1]),
    ('{"a": {"b": null}}', "object", {"a": {"b": None}}),
    (None, "number", None),
    (None, "string", None),
    ("kept", "unheardOf", "kept"),
]


@pytest.mark.parametrize(("value", "kind", "expected"), TYPES)
@pytest.mark.parametrize("version", [3.3, 3.4, None])
async def test_values_get_their_type(bench: Bench, version: float | None, value: Any, kind: str, expected: Any) -> None:
    assert await one(bench, version, latest(("f", value, kind)), {"old": 1}) == {"f": expected}


WRONG: list[tuple[Any, str]] = [
    ("abc", "number"),
    ({}, "number"),
    ("maybe", "boolean"),
    (5, "array"),
    ('{"a": 1}', "array"),
    ("[1]", "object"),
    ("text", "object"),
]


@pytest.mark.parametrize(("value", "kind"), WRONG)
async def test_a_value_of_another_type_names_the_field(bench: Bench, value: Any, kind: str) -> None:
    run = bench.run(
        "set", 3.4, lambda item: latest(("total", item["json"]["v"], kind)), items({"v": None}, {"v": value})
    )
    with pytest.raises(NodeError, match=f"'total' expects an? {kind}") as caught:
        await bench.outputs(run)
    assert caught.value.item == 1
    lenient = latest(("total", value, kind), options={"ignoreConversionErrors": True})
    assert await one(bench, 3.4, lenient, {}) == {"total": value}


async def test_a_failing_item_goes_on_as_an_error(bench: Bench) -> None:
    run = bench.run(
        "set",
        3.4,
        lambda item: latest(("n", item["json"]["v"], "number")),
        items({"v": "1"}, {"v": "x"}, {"v": "3"}),
        on_error="continueRegularOutput",
    )
    ((first, second, third),) = await bench.outputs(run)
    assert (first["json"], third["json"]) == ({"n": 1}, {"n": 3})
    assert list(second["json"]) == ["error"]
    assert [row["pairedItem"] for row in (first, second, third)] == [{"item": 0}, {"item": 1}, {"item": 2}]


FIELDS = {"a": {"b": 1, "c": 2}, "x": 3, "y": 4}
INCLUDES: list[tuple[dict[str, Any], Any]] = [
    ({}, {"n": 1}),
    ({"includeOtherFields": True}, {**FIELDS, "n": 1}),
    ({"includeOtherFields": True, "include": "selected", "includeFields": "x, a.b, none"}, {"x": 3, "b": 1, "n": 1}),
    ({"includeOtherFields": True, "include": "except", "excludeFields": "a.b,x"}, {"a": {"c": 2}, "y": 4, "n": 1}),
    ({"include": "all"}, {"n": 1}),
]


@pytest.mark.parametrize(("extra", "expected"), INCLUDES)
async def test_which_other_fields_stay(bench: Bench, extra: dict[str, Any], expected: Any) -> None:
    before = copy.deepcopy(FIELDS)
    assert await one(bench, 3.4, latest(("n", 1, "number"), **extra), FIELDS) == expected
    assert before == FIELDS


async def test_dot_notation_nests_unless_switched_off(bench: Bench) -> None:
    rows = latest(("a.b", 5, "number"), ("a.d[1]", 6, "number"), includeOtherFields=True)
    assert await one(bench, 3.4, rows, {"a": {"c": 2}}) == {"a": {"c": 2, "b": 5, "d": [None, 6]}}
    plain = latest(("a.b", 5, "number"), options={"dotNotation": False})
    assert await one(bench, 3.4, plain, {}) == {"a.b": 5}


async def test_an_impossible_path_names_the_field(bench: Bench) -> None:
    with pytest.raises(NodeError, match=r"'a\.b' cannot be set"):
        await one(bench, 3.4, latest(("a.b", 5, "number"), includeOtherFields=True), {"a": [1]})


RAW: list[tuple[Any, Any]] = [
    ('{"a": 1, "b.c": 2}', {"a": 1, "b": {"c": 2}}),
    ({"a": [1]}, {"a": [1]}),
]


@pytest.mark.parametrize(("output", "expected"), RAW)
async def test_raw_mode(bench: Bench, output: Any, expected: Any) -> None:
    assert await one(bench, 3.4, {"mode": "raw", "jsonOutput": output}, {"x": 1}) == expected
    kept = {"mode": "raw", "jsonOutput": output, "includeOtherFields": True}
    assert await one(bench, 3.4, kept, {"x": 1}) == {"x": 1, **expected}


OBJECT = {"name": "o", "type": "object", "value": "="}
JSON_TEXTS: list[tuple[float | None, dict[str, Any], set[str]]] = [
    (3.4, {"mode": "raw", "jsonOutput": "="}, {"jsonOutput"}),
    (
        3.4,
        {"assignments": {"assignments": [{**OBJECT, "type": "string"}, OBJECT]}},
        set(),
    ),
    (3, {"fields": {"values": [{"name": "o", "objectValue": "="}]}}, {"fields.values[0].objectValue"}),
    (None, {"fields": {"values": [{"objectValue": "="}]}}, {"fields.values[0].objectValue"}),
    (None, {"jsonOutput": "="}, {"jsonOutput"}),
    (None, {"values": {"string": []}}, set()),
    (1, {"values": {"string": []}}, set()),
    (3.4, {"assignments": "odd"}, set()),
    (3.4, {"assignments": {"assignments": [None, 1]}}, set()),
]


@pytest.mark.parametrize(("version", "parameters", "expected"), JSON_TEXTS)
def test_which_parameters_are_json_texts(version: float | None, parameters: dict[str, Any], expected: set[str]) -> None:
    model = SetNode().parameters(version)
    assert set(model.json_templates(parameters)) - {"jsonOutput"} == expected - {"jsonOutput"}
    assert set(model.json_templates(parameters)) >= expected


@pytest.mark.parametrize("output", ["{no", "[1]", 5, None, ""])
async def test_raw_mode_needs_an_object(bench: Bench, output: Any) -> None:
    with pytest.raises(NodeError, match="jsonOutput"):
        await one(bench, 3.4, {"mode": "raw", "jsonOutput": output}, {})


BINARY: list[tuple[float | None, dict[str, Any], bool]] = [
    (3.4, {"includeOtherFields": True}, True),
    (3.4, {}, False),
    (3.4, {"includeOtherFields": True, "options": {"stripBinary": True}}, False),
    (3.3, {"includeOtherFields": True}, False),
    (3.3, {"options": {"includeBinary": True}}, True),
    (3, {"options": {"includeBinary": True}}, True),
    (1, {}, True),
    (2, {"keepOnlySet": True}, False),
]


@pytest.mark.parametrize(("version", "parameters", "stays"), BINARY)
async def test_files(bench: Bench, version: float, parameters: dict[str, Any], stays: bool) -> None:
    given: Any = [{"json": {}, "binary": FILE}]
    ((made,),) = await bench.outputs(bench.run("set", version, parameters, given))
    assert ("binary" in made) is stays


LEGACY = {
    "values": {
        "string": [{"name": "s", "value": "text"}, {"name": "deep.er", "value": "x"}],
        "number": [{"name": "n", "value": 5}],
        "boolean": [{"name": "b", "value": True}],
    }
}


@pytest.mark.parametrize("version", [1, 2, None])
async def test_versions_1_and_2(bench: Bench, version: float | None) -> None:
    made = {"s": "text", "deep": {"er": "x"}, "n": 5, "b": True}
    assert await one(bench, version, LEGACY, {"old": 1}) == {"old": 1, **made}
    assert await one(bench, version, {**LEGACY, "keepOnlySet": True}, {"old": 1}) == made


TYPED = {
    "fields": {
        "values": [
            {"name": "s", "stringValue": "text"},
            {"name": "n", "type": "numberValue", "numberValue": "7"},
            {"name": "b", "type": "booleanValue", "booleanValue": "false"},
            {"name": "a", "type": "arrayValue", "arrayValue": "[1]"},
            {"name": "o", "type": "objectValue", "objectValue": {"k": 1}},
        ]
    },
    "options": {},
}


@pytest.mark.parametrize("version", [3, 3.1, 3.2, None])
async def test_versions_3_to_3_2(bench: Bench, version: float | None) -> None:
    made = {"s": "text", "n": 7, "b": False, "a": [1], "o": {"k": 1}}
    assert await one(bench, version, TYPED, {"old": 1}) == {"old": 1, **made}
    assert await one(bench, version, {**TYPED, "include": "none"}, {"old": 1}) == made
    selected = {**TYPED, "include": "selected", "includeFields": "old"}
    assert await one(bench, version, selected, {"old": 1, "other": 2}) == {"old": 1, **made}


async def test_a_flat_list_of_assignments_keeps_the_fields(bench: Bench) -> None:
    rows = {"assignments": [{"name": "a", "value": {"x": 1}}, {"name": "b", "value": "5"}]}
    assert await one(bench, None, rows, {"old": 1}) == {"old": 1, "a": {"x": 1}, "b": "5"}


@pytest.mark.parametrize(("mode", "count"), [("manual", 3), ("test", 3), ("webhook", 1)])
async def test_copies_are_made_when_a_workflow_is_tried_out(bench: Bench, mode: str, count: int) -> None:
    parameters = latest(("n", 1, "number"), duplicateItem=True, duplicateCount=2)
    (rows,) = await bench.json("set", 3.4, parameters, items({}), mode=mode)
    assert rows == [{"n": 1}] * count


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@given(
    st.dictionaries(st.text("abc.[]0", max_size=5), st.recursive(st.integers(), st.lists, max_leaves=3), max_size=4),
    st.lists(st.tuples(st.text("abc.[]0", min_size=1, max_size=6), st.integers()), max_size=4),
)
async def test_the_input_is_never_changed(bench: Bench, json: dict[str, Any], rows: list[tuple[str, int]]) -> None:
    before = copy.deepcopy(json)
    parameters = latest(*((name, value, "number") for name, value in rows), includeOtherFields=True)
    with contextlib.suppress(NodeError):
        await one(bench, 3.4, parameters, json)
    assert json == before


async def test_a_handful_of_fields_is_quick(bench: Bench) -> None:
    run = bench.run("set", 3.4, latest(*((f"f{n}", f"v{n}", "string") for n in range(5))), items({"a": 1}))
    resolved = await run.resolve()
    run.resolve = lambda: _ready(resolved)  # type: ignore[method-assign]
    best = 1.0
    for _ in range(200):
        start = time.perf_counter()
        await run.type.execute(run)
        best = min(best, time.perf_counter() - start)
    assert best < 100e-6


async def _ready(resolved: list[Any]) -> list[Any]:
    return resolved
