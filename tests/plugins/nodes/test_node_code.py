"""Code: what a program may return."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield.api.scripts import ScriptResult

JS = {"jsCode": "=return [];"}
EACH = {"mode": "runOnceForEachItem", **JS}


async def returned(bench: Bench, value: Any, parameters: dict[str, Any] = JS, count: int = 2) -> Any:
    run = bench.run("code", 2, parameters, items(*({"n": n} for n in range(count))), script=ScriptResult(value))
    (made,) = await bench.outputs(run)
    return made


ALL: list[tuple[Any, Any]] = [
    ({}, [{"json": {}}]),
    ({"a": 1}, [{"json": {"a": 1}}]),
    ([], []),
    ([{"a": 1}, {"b": 2}], [{"json": {"a": 1}}, {"json": {"b": 2}}]),
    ({"json": None}, [{"json": {"json": None}}]),
    ([{"binary": {}}], [{"json": {}}]),
    ({"json": {"a": 1}, "pairedItem": 1}, [{"json": {"a": 1}, "pairedItem": 1}]),
    ([{"json": {}, "pairedItem": {"item": 1}}], [{"json": {}, "pairedItem": {"item": 1}}]),
    ([{"json": {}, "pairedItem": "no"}], [{"json": {}}]),
    (
        [{"json": {}, "binary": {"f": {"data": "aGk=", "mimeType": "text/plain"}}}],
        [{"json": {}, "binary": {"f": {"data": "aGk=", "mimeType": "text/plain"}}}],
    ),
]


@pytest.mark.parametrize(("value", "expected"), ALL)
async def test_all_items_at_once(bench: Bench, value: Any, expected: Any) -> None:
    assert await returned(bench, value) == expected


WRONG: list[tuple[Any, str]] = [
    (None, "returned nothing"),
    ("text", "returned a string"),
    (5, "returned a number"),
    ([1], "an element is a number"),
    ([{"a": 1}, None], "an element is nothing"),
    ([{"json": [1]}], "json of item 0 .* it is an array"),
    ([{"json": {}, "jsn": 1}], "also has jsn"),
    ([{"json": {}}, {"error": "x"}], "Some of the items"),
    ([{"json": {}, "binary": {"f": "text"}}], "file 'f'"),
]


@pytest.mark.parametrize(("value", "told"), WRONG)
async def test_anything_else_is_told(bench: Bench, value: Any, told: str) -> None:
    with pytest.raises(NodeError, match=told):
        await returned(bench, value)


async def test_each_item(bench: Bench) -> None:
    made = await returned(bench, [{"a": 1}, {"json": {"b": 2}}], EACH)
    assert made == [{"json": {"a": 1}, "pairedItem": {"item": 0}}, {"json": {"b": 2}, "pairedItem": {"item": 1}}]
    assert await returned(bench, [None, {"a": 1}], EACH) == [{"json": {"a": 1}, "pairedItem": {"item": 1}}]
    assert await returned(bench, "not asked", EACH, count=0) == []


@pytest.mark.parametrize(("value", "item"), [([{}, [1]], 1), ([5, {}], 0)])
async def test_each_item_is_one_object(bench: Bench, value: Any, item: int) -> None:
    with pytest.raises(NodeError) as caught:
        await returned(bench, value, EACH)
    assert caught.value.item == item


MODES = ["continueRegularOutput", "continueErrorOutput"]


@pytest.mark.parametrize("mode", MODES)
async def test_an_error_in_the_program_is_one_item_for_all(bench: Bench, mode: str) -> None:
    def fails(language: str, source: str) -> ScriptResult:
        raise NodeError("no [line 1]")

    run = bench.run("code", 2, JS, items({}, {}, {}), script=fails, on_error=mode)
    assert await bench.outputs(run) == [[{"json": {"error": "no [line 1]"}}]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("parameters", "value"), [(JS, 5), (EACH, [{"a": 1}, [1], {}])])
async def test_results_of_another_shape_fail_the_node(
    bench: Bench, mode: str, parameters: dict[str, Any], value: Any
) -> None:
    run = bench.run("code", 2, parameters, items({}, {}, {}), script=ScriptResult(value), on_error=mode)
    with pytest.raises(NodeError, match=r"returned a number|it is an array"):
        await bench.outputs(run)


async def test_what_counts_as_false_leaves_an_item_out(bench: Bench) -> None:
    made = await returned(bench, [None, False, 0, "", {"a": 1}], EACH)
    assert [item["json"] for item in made] == [{"a": 1}]


async def test_all_items_are_not_there_once_per_item(bench: Bench) -> None:
    with pytest.raises(NodeError, match=r"\$input\.all"):
        await bench.outputs(bench.run("code", 2, {**EACH, "jsCode": "return $input.all();"}))
    with pytest.raises(NodeError, match=r"\$input\.first"):
        await bench.outputs(bench.run("code", 2, {**EACH, "jsCode": "return $input.first();"}))


SOURCES: list[tuple[dict[str, Any], tuple[str, str, bool]]] = [
    (JS, ("javaScript", "=return [];", False)),
    (EACH, ("javaScript", "=return [];", True)),
    ({"language": "javascript", "code": "x"}, ("javaScript", "x", False)),
    ({"language": "python", "pythonCode": "y"}, ("python", "y", False)),
    ({"language": "pythonNative", "pythonCode": "y"}, ("python", "y", False)),
    ({"language": "rhai", "rhaiCode": "z"}, ("rhai", "z", False)),
    ({"language": "rhai", "code": "z"}, ("rhai", "z", False)),
]


@pytest.mark.parametrize(("parameters", "expected"), SOURCES)
async def test_the_source_is_taken_as_it_is(tmp_path: Path, parameters: dict[str, Any], expected: Any) -> None:
    bench = Bench(tmp_path, engines=("javaScript", "python", "rhai"))
    run = bench.run("code", 2, parameters, script=ScriptResult([]))
    await bench.outputs(run)
    assert run.scripts == [expected]


async def test_a_missing_language_is_named(bench: Bench) -> None:
    for language in ("python", "pythonNative", "cobol"):
        with pytest.raises(NodeError, match=f"language {language}.*javaScript"):
            await bench.outputs(bench.run("code", 2, {"language": language, "pythonCode": "x"}))


async def test_an_empty_program_is_told(bench: Bench) -> None:
    with pytest.raises(NodeError, match="jsCode is empty"):
        await bench.outputs(bench.run("code", 2, {"jsCode": ""}))


async def test_what_it_prints_is_logged(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    await bench.outputs(bench.run("code", 2, JS, script=ScriptResult([], logs=["hello"])))
    assert caplog.messages == ["code: hello"]
