"""`FakeNodeRun` gives for a node what the engine gives: outputs, pairing, error items, and failures."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Act, Kind, Lab, doc, request
from hypothesis import given, settings
from hypothesis import strategies as st

from jackfield.api.binary import BinaryError
from jackfield.api.nodes import NodeError, NodeRun, NodeType
from jackfield.api.nodes.items import all_pairs, new_item, pass_all
from jackfield.api.nodes.running import made_at_once, made_per_group, made_per_item, made_side_by_side, mapped, routed
from jackfield.api.workflows import Items, Outputs
from jackfield.testing.context import made
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_nodes.catalogue import MODULES, node_types

OPTIONS: Sequence[str] = ("stopWorkflow", "continueRegularOutput", "continueErrorOutput")


async def given_as_told(run: NodeRun) -> Outputs:
    """The items that the parameter `gives` has, per output."""
    told: Any = run.node.parameters["gives"]
    return [[dict(item) for item in made] for made in told]


def checked(run: NodeRun, index: int) -> Items:
    """An item of its own for an input item that is not bad."""
    json = run.items[index]["json"]
    if json.get("bad") == "file":
        raise BinaryError("The file is gone.")
    if json.get("bad"):
        raise NodeError(f"Item {index} is bad.")
    return [new_item({"was": json}, index)]


async def by_mapping(run: NodeRun) -> Outputs:
    return [await mapped(run, run.items, lambda index, _: checked(run, index))]


async def by_item(run: NodeRun) -> Outputs:
    async def work(index: int, _: object) -> Items:
        return checked(run, index)

    return [await made_per_item(run, run.items, work)]


async def by_group(run: NodeRun) -> Outputs:
    async def work(group: Sequence[int]) -> Items:
        return [made for index in group for made in checked(run, index)]

    indexes = range(len(run.items))
    return [await made_per_group(run, [indexes[start : start + 2] for start in indexes[::2]], work)]


async def by_side(run: NodeRun) -> Outputs:
    async def work(index: int) -> Items:
        return checked(run, index)

    return [await made_side_by_side(run, range(len(run.items)), work, size=2)]


async def by_route(run: NodeRun) -> Outputs:
    return await routed(run, run.items, 2, lambda index, _: [len(checked(run, index)), index % 2][index % 2 :][:1])


async def at_once(run: NodeRun) -> Outputs:
    async def work() -> Outputs:
        return [[made for index in range(len(run.items)) for made in checked(run, index)]]

    return await made_at_once(run, work)


async def together(run: NodeRun) -> Outputs:
    return [[{"json": {"count": len(run.items)}, "pairedItem": all_pairs(run.inputs)}]]


async def passed(run: NodeRun) -> Outputs:
    return pass_all(run.items)


WAYS: Mapping[str, Act] = {
    "told": given_as_told,
    "passed": passed,
    "mapped": by_mapping,
    "item": by_item,
    "group": by_group,
    "side": by_side,
    "route": by_route,
    "once": at_once,
    "together": together,
}


async def in_the_engine(
    path: Path, kind: NodeType, fields: dict[str, Any], items: Items, version: float | None
) -> tuple[object, object]:
    """What the engine keeps of the node's run: its outputs, and why it failed."""
    lab = Lab(path)
    lab.kinds[kind.kind] = kind
    node = {**fields, "typeVersion": version} if version is not None else fields
    workflow = await lab.save(doc(("Start", "webhook"), ("N", kind.kind, node)))
    execution = lab.engine().submit(request(workflow, items=items))
    async with asyncio.timeout(60):
        await execution.stored
    records = [one for one in await lab.records(execution.id) if one["node"] == "N"]
    return records[0].get("outputs"), records[0].get("error", {}).get("message")


async def in_the_fake(
    kind: NodeType, fields: dict[str, Any], items: Items, version: float | None
) -> tuple[object, object]:
    run = FakeNodeRun(
        kind,
        fields.get("parameters", {}),
        items,
        version=version,
        name="N",
        on_error=fields.get("onError", "stopWorkflow"),
        execute_once=fields.get("executeOnce", False),
        always_output_data=fields.get("alwaysOutputData", False),
        mode="webhook",
    )
    try:
        outcome = await run.outcome()
    except NodeError as exc:
        return None, exc.message
    return outcome.outputs, None if outcome.error is None else outcome.error.message


def compared(
    kind: Callable[[Path], NodeType], fields: dict[str, Any], items: Items, version: float | None = None
) -> None:
    async def both() -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory)
            real = await in_the_engine(path, kind(path), dict(fields), items, version)
            assert await in_the_fake(kind(path), fields, items, version) == real

    asyncio.run(both())


jsons = st.fixed_dictionaries({"n": st.integers(0, 9)}, optional={"bad": st.sampled_from([True, "file"])})
inputs = st.lists(jsons, min_size=1, max_size=5).map(lambda rows: [{"json": row} for row in rows])
SHAPES: Sequence[dict[str, Any]] = (
    {"a": 1},
    {"error": "no"},
    {"error": "no", "message": "m"},
    {"error": "x", "b": 1},
)
told = st.lists(
    st.lists(
        st.fixed_dictionaries(
            {
                "json": st.sampled_from(
                    [{"a": 1}, {"error": "no"}, {"error": "no", "message": "m"}, {"error": "x", "b": 1}]
                )
            },
            optional={
                "pairedItem": st.sampled_from([0, {"item": 1}, {"item": 0, "input": 1}, [{"item": 0}], {"item": 9}]),
                "error": st.sampled_from([None, {"message": "it failed"}]),
            },
        ),
        max_size=4,
    ),
    min_size=1,
    max_size=3,
)
nodes = st.fixed_dictionaries(
    {"onError": st.sampled_from(OPTIONS), "executeOnce": st.booleans(), "alwaysOutputData": st.booleans()}
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(WAYS)), nodes, inputs, told, st.integers(1, 3))
def test_every_way_through_the_items(
    way: str, fields: dict[str, Any], items: Items, gives: list[Items], outputs: int
) -> None:
    compared(lambda _: Kind("tested", WAYS[way], count=outputs), {**fields, "parameters": {"gives": gives}}, items)


class Odd:
    def __str__(self) -> str:
        return "odd"


def nested(depth: int) -> Any:  # a list in a list in a list
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


@pytest.mark.parametrize("on_error", OPTIONS)
@pytest.mark.parametrize(
    "value",
    [
        Odd(),
        datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC),
        float("nan"),
        [float("nan"), Odd()],
        {1: "a", None: "b", False: "c"},
        (1, (2, 3)),
        1 << 70,
        "\ud800",
        {"of": {1, 2} - {2}},
        b"bytes",
        nested(200),
        nested(300),
    ],
)
def test_outputs_that_are_no_json(value: object, on_error: str) -> None:
    async def gives(run: NodeRun) -> Outputs:
        return [[new_item({"value": value}, index) for index in range(len(run.items))]]  # type: ignore[dict-item]

    compared(lambda _: Kind("tested", gives), {"onError": on_error}, [{"json": {}}, {"json": {}}])


@pytest.mark.parametrize("error", [ValueError("odd"), SystemExit(3)])
async def test_a_mistake_of_the_node_reaches_its_author(error: BaseException) -> None:
    """The engine makes an item or a failure of it, in which the traceback is lost."""

    async def fails(run: NodeRun) -> Outputs:
        raise error

    run = FakeNodeRun(Kind("tested", fails), {}, [{"json": {}}], on_error="continueErrorOutput")
    with pytest.raises(type(error)):
        await run.outcome()


def built_in(kind: str, path: Path) -> NodeType:
    context = Lab(path).context()
    (offer,) = [one for one in node_types(context) if one.kind == kind]
    return made([offer])[0]


CASES: Sequence[tuple[str, float | None, dict[str, Any]]] = (
    ("set", 3.4, {"assignments": {"assignments": [{"id": "1", "name": "n", "type": "number", "value": "x"}]}}),
    ("set", 3.4, {"assignments": {"assignments": [{"id": "1", "name": "m", "type": "string", "value": "x"}]}}),
    ("set", 2, {"values": {"string": [{"name": "a.b", "value": "c"}]}, "keepOnlySet": True}),
    ("if", 1, {"conditions": {"number": [{"value1": 1, "operation": "larger", "value2": 0}]}}),
    ("filter", 1, {"conditions": {"number": [{"value1": "x", "operation": "larger", "value2": 0}]}}),
    ("switch", 1, {"dataType": "number", "value1": 1, "rules": {"rules": [{"operation": "equal", "value2": 1}]}}),
    ("renameKeys", 1, {"keys": {"key": [{"currentKey": "n", "newKey": "m"}]}}),
    ("splitOut", 1, {"fieldToSplitOut": "n"}),
    ("limit", 1, {"maxItems": 2, "keep": "lastItems"}),
    ("sort", 1, {"sortFieldsUi": {"sortField": [{"fieldName": "n", "order": "descending"}]}}),
    ("aggregate", 1, {"aggregate": "aggregateAllItemData"}),
    ("summarize", 1.1, {"fieldsToSummarize": {"values": [{"aggregation": "sum", "field": "n"}]}}),
    ("removeDuplicates", 1, {}),
    ("noOp", 1, {}),
    ("stopAndError", 1, {"errorMessage": "enough"}),
    ("html", 1.2, {"operation": "convertToHtmlTable"}),
    ("html", 1.2, {"operation": "extractHtmlContent", "dataPropertyName": "n"}),
    ("markdown", 1, {"mode": "markdownToHtml", "markdown": "# n"}),
    ("xml", 1, {"mode": "jsonToxml"}),
    ("crypto", 1, {"action": "hash", "value": "x"}),
    ("dateTime", 2, {"operation": "formatDate", "date": "nonsense", "format": "yyyy"}),
    ("convertToFile", 1.1, {"operation": "toText", "sourceProperty": "n"}),
    ("convertToFile", 1.1, {"operation": "csv"}),
    ("extractFromFile", 1, {"operation": "csv", "binaryPropertyName": "data"}),
    ("compression", 1.1, {"operation": "decompress", "binaryPropertyName": "data"}),
    ("limit", 1, {"maxItems": "many"}),
)


@pytest.mark.parametrize("on_error", OPTIONS)
@pytest.mark.parametrize(("kind", "version", "parameters"), CASES)
def test_built_in_nodes(kind: str, version: float | None, parameters: dict[str, Any], on_error: str) -> None:
    items: Items = [{"json": {"n": number}} for number in (3, 1, 2)]
    compared(lambda path: built_in(kind, path), {"parameters": parameters, "onError": on_error}, items, version)


def test_the_cases_are_nodes_of_the_catalogue() -> None:
    assert {kind for kind, _, _ in CASES} <= set(MODULES)
