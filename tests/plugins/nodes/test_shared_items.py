"""Nodes share the items that pass unchanged: none that writes an item changes what another node gave."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError, NodeType
from jackfield.api.nodes import items as kit
from jackfield.api.nodes.items import NodeInputs, entered, finished_outputs, passed_on
from jackfield.api.workflows import Item, Items, Node, Outputs
from jackfield.testing.context import FakeContext
from jackfield.testing.node_runs import FakeNodeRun
from jackfield_nodes.catalogue import MODULES

FIELD = {"fieldName": "n"}
FILE = {"f": {"data": "YQ==", "mimeType": "text/plain", "fileName": "a.txt"}}
NODES: Sequence[tuple[str, Mapping[str, Json]]] = (
    ("noOp", {}),
    ("limit", {"maxItems": 5}),
    ("sort", {"sortFieldsUi": {"sortField": [{**FIELD, "order": "descending"}]}}),
    ("filter", {"conditions": {"conditions": [
        {"leftValue": 1, "rightValue": 1, "operator": {"type": "number", "operation": "equals"}}
    ]}}),
    ("set", {"includeOtherFields": True, "assignments": {"assignments": [
        {"name": "deep.er", "value": "new", "type": "string"}, {"name": "n", "value": 7, "type": "number"},
    ]}}),
    ("renameKeys", {"keys": {"key": [{"currentKey": "deep", "newKey": "renamed"}]}}),
    ("removeDuplicates", {}),
    ("aggregate", {"aggregate": "aggregateAllItemData", "options": {"includeBinaries": True}}),
    ("aggregate", {"aggregate": "aggregateAllItemData", "include": "allFieldsExcept", "fieldsToExclude": "n"}),
    ("splitOut", {"fieldToSplitOut": "data"}),
    ("splitOut", {"fieldToSplitOut": "rows", "include": "allOtherFields"}),
    ("moveBinaryData", {"mode": "jsonToBinary", "options": {}}),
    ("merge", {"mode": "combine", "combineBy": "combineByPosition", "options": {}}),
    ("merge", {"mode": "combine", "combineBy": "combineByFields", "fieldsToMatchString": "n", "options": {
        "clashHandling": {"values": {"resolveClash": "preferInput1", "mergeMode": "deepMerge"}}}}),
    ("merge", {"mode": "append"}),
)  # fmt: skip
ITEMS = st.lists(
    st.builds(
        lambda n, rows, file, pairing: {
            "json": {"n": n, "deep": {"er": [n]}, "rows": rows, "data": [{"n": n, "rows": []}]},
            **({"binary": copy.deepcopy(FILE)} if file else {}),
            **({} if pairing is None else {"pairedItem": pairing}),
        },
        st.integers(0, 3),
        st.lists(st.integers(0, 9), max_size=3),
        st.booleans(),
        st.sampled_from([None, {"item": 0}, {"item": 1}, {"item": 0, "input": 0}, [{"item": 0}], 0]),
    ),
    max_size=6,
)


@pytest.fixture(scope="module")
def types(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, NodeType]:
    context = FakeContext(tmp_path_factory.mktemp("nodes"))
    kinds = {kind for kind, _ in NODES}
    return {kind: import_module(f"jackfield_nodes.{MODULES[kind]}").node(context) for kind in kinds}


async def gave(types: Mapping[str, NodeType], place: int, items: Items) -> Outputs:
    """The outputs of a node of the list, as the engine keeps them; a node with two inputs gets the items at both."""
    kind, parameters = NODES[place]
    others = [items] if kind == "merge" else []
    run = FakeNodeRun(types[kind], parameters, items, others, on_error="continueRegularOutput")
    try:
        result = await run.type.execute(run)
    except NodeError:
        return [list(run.items)]
    assert isinstance(result, list)
    return finished_outputs(NodeInputs(run.node, list(run.inputs), list(run.inputs), 0, None), result)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ITEMS, st.lists(st.integers(0, len(NODES) - 1), min_size=1, max_size=5), st.booleans())
async def test_a_chain_that_shares_items_gives_what_one_with_copies_does(
    types: Mapping[str, NodeType], given: Any, chain: list[int], long: bool
) -> None:
    before, most = orjson.dumps(given), kit.LONG
    kept: list[tuple[Outputs, bytes]] = []
    shared: Items = given
    copies: Items = copy.deepcopy(given)
    kit.LONG = 0 if long else most  # type: ignore[misc]  # the way of long lists, for these few
    try:
        for place in chain:
            outputs = await gave(types, place, shared)
            alone = await gave(types, place, copies)
            assert outputs == alone
            kept.append((outputs, orjson.dumps(outputs)))
            shared, copies = next(filter(None, outputs), []), copy.deepcopy(next(filter(None, alone), []))
    finally:
        kit.LONG = most  # type: ignore[misc]
    assert orjson.dumps(given) == before
    assert [orjson.dumps(outputs) for outputs, _ in kept] == [written for _, written in kept]


@pytest.mark.parametrize("long", [False, True])
def test_an_item_is_copied_unless_it_says_its_place(monkeypatch: pytest.MonkeyPatch, long: bool) -> None:
    monkeypatch.setattr(kit, "LONG", 0 if long else 5000)
    own: Item = {"json": {}, "pairedItem": {"item": 0}}
    odd: list[Any] = [{"item": 1}, {"item": 0.0}, {"item": False}, {"item": 0, "run": 1}, [{"item": 0}], 0, None]
    assert entered([own], 0)[0] is own
    assert passed_on(own, 0) is own
    assert entered([own], 1) == [{"json": {}, "pairedItem": {"item": 0, "input": 1}}]
    assert passed_on(own, 0, 1)["pairedItem"] == {"item": 0, "input": 1}
    for pairing in odd:
        given: Any = {"json": {}, "pairedItem": pairing}
        for made in (entered([given], 0)[0], passed_on(given, 0)):
            assert made is not given
            assert orjson.dumps(made["pairedItem"]) == b'{"item":0}'
        assert given["pairedItem"] is pairing


def test_what_failed_does_not_pass_on_its_error() -> None:
    failed: Any = {"json": {}, "pairedItem": {"item": 0}, "error": {"message": "no"}}
    assert entered([failed], 0)[0] is failed
    assert passed_on(failed, 0) == {"json": {}, "pairedItem": {"item": 0}}
    filed: Any = {"json": {}, "pairedItem": {"item": 0}, "binary": FILE}
    assert passed_on(filed, 0) is filed
    assert passed_on({**filed, "error": "no"}, 0) == filed


def test_errors_are_told_beside_an_item_that_stands_for_nothing() -> None:
    failed: Any = {"json": {"n": 1}, "pairedItem": {"item": 0}, "error": {"message": "no"}}
    node = Node("n", "N", "n8n-nodes-base.if", "if", 2, {}, always_output_data=True)
    first, second = finished_outputs(NodeInputs(node, [[failed]], [[failed]], 0, None), [[], [failed]])
    assert first == [{"json": {}, "pairedItem": [{"item": 0}]}]
    assert second[0]["json"] == {"error": "no"}


def test_the_nodes_of_the_chain_take_their_parameters(tmp_path: Path) -> None:
    """Else the chain would prove nothing."""
    context = FakeContext(tmp_path)
    for kind, parameters in NODES:
        node = import_module(f"jackfield_nodes.{MODULES[kind]}").node(context)
        assert node.parameters(max(node.versions)).model_validate(parameters)
