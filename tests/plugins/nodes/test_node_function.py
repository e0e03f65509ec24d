"""Function and Function Item: n8n's older Code nodes, over the real JavaScript engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import pytest
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield.api.scripts import ScriptData, ScriptEngine, ScriptError, ScriptResult
from jackfield.testing.context import FakeContext
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_javascript.engine import engine as javascript
from jackfield_workers.pool import SharedWorkerPool


@dataclass
class ScriptedRun(FakeNodeRun):
    """Runs scripts for real, as the engine does."""

    engine: ScriptEngine | None = None
    data: Mapping[str, Any] | None = None

    async def run_script(self, language: str, source: str, *, each: bool, timeout: float | None = None) -> ScriptResult:
        assert self.engine is not None
        assert language == "javaScript"
        node = {
            "name": "n1",
            "type": self.node.kind,
            "parameters": dict(self.node.parameters),
            "onError": self.node.on_error,
            "context": {},
        }
        data = ScriptData(input=self.first, node=node, **(self.data or {}))
        try:
            return await self.engine.run(source, data, each=each, timeout=timeout or 10)
        except ScriptError as exc:
            where = f" [line {exc.line}]" if exc.line is not None else ""
            raise NodeError(f"{exc.message}{where}", item=exc.item) from None


def given_of(run: FakeNodeRun) -> dict[str, Any]:
    return {one.name: getattr(run, one.name) for one in fields(FakeNodeRun)}


@pytest.fixture
async def engine(tmp_path: Any) -> AsyncIterator[ScriptEngine]:
    found = javascript(FakeContext(tmp_path, ports={"ScriptWorkers": SharedWorkerPool()}))
    yield found
    await found.close()


@pytest.fixture
def run(bench: Bench, engine: ScriptEngine) -> Any:
    """The items that a program makes; kind is function unless told."""

    async def call(code: str | None, given: Any = None, *, kind: str = "function", **more: Any) -> Any:
        parameters = {} if code is None else {"functionCode": code}
        extra = {name: more.pop(name) for name in ("on_error",) if name in more}
        fake = bench.run(kind, 1, parameters, items({"n": 1}, {"n": 2}) if given is None else given, **extra)
        scripted = ScriptedRun(**{**given_of(fake), "engine": engine, "data": more.pop("data", None)})
        (made,) = await bench.outputs(scripted)
        return made

    return call


async def json_of(made: Any) -> list[Any]:
    return [item["json"] for item in made]


ALL = [
    ("return items;", [{"n": 1}, {"n": 2}]),
    ("items[0].json.n = 9; return items;", [{"n": 9}, {"n": 2}]),
    ("items.push({ json: { n: 3 } }); return items;", [{"n": 1}, {"n": 2}, {"n": 3}]),
    ("items = [{ json: { all: items.length } }]; return items;", [{"all": 2}]),
    ("const items = []; for (const item of $input.all()) items.push({ json: item.json }); return items;", [{"n": 1}, {"n": 2}]),  # noqa: E501
    ("for (item of items) { item.json.m = item.json.n * 2; } return items;", [{"n": 1, "m": 2}, {"n": 2, "m": 4}]),
    ("let total = 0; items.forEach(add); function add(i) { total += i.json.n; } return [{ json: { total } }];", [{"total": 3}]),  # noqa: E501
    ("const x = await Promise.resolve(4); return [{ json: { x } }]; // a comment at the end", [{"x": 4}]),
    ("return [{ json: { at: new Date(0) } }]", [{"at": "1970-01-01T00:00:00.000Z"}]),
    ("return [{ json: { first: $json.n, param: getNodeParameter('functionCode').length > 3 } }];", [{"first": 1, "param": True}]),  # noqa: E501
    ("return this.getInputData().map((i) => ({ json: { n: -i.json.n } }));", [{"n": -1}, {"n": -2}]),
    ("return $items('Other').map((i) => i);", [{"o": 1}]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), ALL)
async def test_function_runs_once_with_all_items(run: Any, code: str, expected: Any) -> None:
    other = {"Other": {"runs": [{"outputs": [[{"json": {"o": 1}}]], "params": {}}], "output": 0}}
    assert await json_of(await run(code, data={"nodes": other, "known": ["Other"]})) == expected


async def test_function_left_at_its_default_does_what_n8n_does(run: Any) -> None:
    assert await json_of(await run(None)) == [{"n": 1, "myNewField": 1}, {"n": 2, "myNewField": 1}]
    item = await run(None, kind="functionItem")
    assert await json_of(item) == [{"n": 1, "myNewField": 1}, {"n": 2, "myNewField": 1}]


async def test_function_without_input_runs(run: Any) -> None:
    assert await json_of(await run("return [{ json: { made: true } }];", [])) == [{"made": True}]


@pytest.mark.parametrize("kind", ["function", "functionItem"])
async def test_errors_name_the_line_of_the_program(run: Any, kind: str) -> None:
    with pytest.raises(NodeError, match=r"bad \[line 3\]"):
        await run("const a = 1;\n\nthrow new Error('bad');\n", kind=kind)
    with pytest.raises(NodeError, match=r"reading 'x'.*\[line 1\]"):
        await run("null.x;", kind=kind)


@pytest.mark.parametrize("kind", ["function", "functionItem"])
async def test_an_empty_program(run: Any, kind: str) -> None:
    with pytest.raises(NodeError, match="nothing"):
        await run("  ", kind=kind)


async def test_function_must_return_items(run: Any) -> None:
    with pytest.raises(NodeError, match="returned nothing"):
        await run("items[0];")


async def test_function_goes_on_with_an_item_that_tells_the_error(run: Any) -> None:
    made = await run("throw new Error('bad');", on_error="continueRegularOutput")
    assert made == [{"json": {"error": "bad [line 1]"}}]


EACH = [
    ("item.m = item.n + 1; return item;", [{"n": 1, "m": 2}, {"n": 2, "m": 3}]),
    ("return { was: item.n };", [{"was": 1}, {"was": 2}]),
    ("item = { replaced: item.n }; return item;", [{"replaced": 1}, {"replaced": 2}]),
    ("const item = { own: $json.n }; return item;", [{"own": 1}, {"own": 2}]),
    ("value = 1; files = 2; return { a: value + files };", [{"a": 3}, {"a": 3}]),
    ("const g = getWorkflowStaticData('global'); g.n = (g.n || 0) + 1; return { n: g.n };", [{"n": 1}, {"n": 2}]),
    ("return { json: { inside: item.n } }", [{"json": {"inside": 1}}, {"json": {"inside": 2}}]),
]


@pytest.mark.parametrize(("code", "expected"), EACH)
async def test_function_item_runs_for_each_items_json(run: Any, code: str, expected: Any) -> None:
    made = await run(code, kind="functionItem")
    assert await json_of(made) == expected
    assert [item["pairedItem"] for item in made] == [{"item": 0}, {"item": 1}]


FILE = {"data": "aGk=", "mimeType": "text/plain"}


async def test_function_item_keeps_the_files_and_may_change_them(run: Any) -> None:
    given = [{"json": {}, "binary": {"f": FILE}}]
    assert (await run("return {};", given, kind="functionItem"))[0]["binary"] == {"f": FILE}
    code = "const files = getBinaryData(); await setBinaryData({ g: files.f }); return { n: Object.keys(files) };"
    (made,) = await run(code, given, kind="functionItem")
    assert (made["json"], made["binary"]) == ({"n": ["f"]}, {"g": FILE})


@pytest.mark.parametrize(("code", "what"), [("item.x = 1;", "nothing"), ("return [item];", "an array"), ("return 5;", "a number")])  # fmt: skip  # noqa: E501
async def test_function_item_must_return_an_object(run: Any, code: str, what: str) -> None:
    with pytest.raises(NodeError, match=f"must return one object, not {what}") as caught:
        await run(code, kind="functionItem")
    assert caught.value.item == 0


async def test_function_item_goes_on_with_the_others(run: Any) -> None:
    code = "if (item.n === 1) throw new Error('bad'); return item;"
    made = await run(code, kind="functionItem", on_error="continueRegularOutput")
    assert await json_of(made) == [{"error": "bad [line 1]"}, {"n": 2}]
    with pytest.raises(NodeError) as caught:
        await run(code, kind="functionItem")
    assert caught.value.item == 0


async def test_function_item_without_items_runs_nothing(run: Any) -> None:
    assert await run("throw new Error('never');", [], kind="functionItem") == []


async def test_function_reads_and_sets_files_by_the_asynchronous_calls(run: Any) -> None:
    code = (
        "await setBinaryDataAsync(items[0], {f: {data: 'aGk=', mimeType: 'text/plain'}});"
        "items[0].json.read = (await getBinaryDataAsync(items[0])).f.data; return items;"
    )
    assert (await json_of(await run(code)))[0]["read"] == "aGk="
    code = (
        "await setBinaryDataAsync({f: {data: 'aGk=', mimeType: 'text/plain'}});"
        "item.read = (await getBinaryDataAsync()).f.data; return item;"
    )
    assert (await json_of(await run(code, kind="functionItem")))[0]["read"] == "aGk="


async def test_keys_beside_those_of_an_item_are_left_out(run: Any) -> None:
    assert await json_of(await run("return [{json: {a: 1}, other: 2}];")) == [{"a": 1}]
