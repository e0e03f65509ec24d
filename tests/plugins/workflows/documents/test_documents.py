"""Parsing the workflow document: liberal with values, strict with structure."""

from __future__ import annotations

import contextlib
import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackfield.api.errors import InvalidInput
from jackfield.api.workflows import Node, Wire
from jackfield.testing.documents import chain, node, set_fields, webhook, wires, workflow
from jackfield_workflows.documents.parsing import parse


def only(**keys: Any) -> Node:
    """The node of a workflow that has one, with these keys."""
    given_node = {"name": "A", "type": "n8n-nodes-base.set", **keys}
    (found,) = parse({"name": "w", "nodes": [given_node]}).nodes.values()
    return found


def details(document: Any) -> dict[str, str]:
    with pytest.raises(InvalidInput) as caught:
        parse(document)
    assert caught.value.status == 400
    return dict(caught.value.details or {})


def test_a_chain_is_parsed() -> None:
    found = parse(chain("greet", webhook("hello"), set_fields("Greet", text="hi")), id="1", version=3, active=True)
    assert (found.id, found.name, found.version, found.active) == ("1", "greet", 3, True)
    assert list(found.nodes) == ["Webhook", "Greet"]
    assert found.wires == {"Webhook": ((Wire("Greet", 0),),)}
    assert found.nodes["Webhook"].version is None
    assert found.nodes["Greet"].version == 3.4


@pytest.mark.parametrize("written", ["jackfield.set", "n8n-nodes-base.set", "@n8n/n8n-nodes-base.set"])
def test_the_namespace_does_not_count(written: str) -> None:
    found = only(type=written)
    assert (found.type, found.kind) == (written, "set")


def test_a_foreign_type_stays() -> None:
    assert only(type="@somebody/n8n-nodes-other.agent").kind == "@somebody/n8n-nodes-other.agent"


@pytest.mark.parametrize(
    ("written", "expected"), [(2, 2.0), (3.4, 3.4), ("2.1", 2.1), (None, None)], ids=["int", "float", "text", "null"]
)
def test_type_versions(written: Any, expected: float | None) -> None:
    assert only(typeVersion=written).version == expected


@pytest.mark.parametrize(
    ("written", "expected"), [("x", "x"), (7, "7"), (1.5, "1.5"), (None, "A"), ("", "A"), ({}, "A"), (10**400, "A")]
)
def test_ids_of_any_kind(written: Any, expected: str) -> None:
    assert only(id=written).id == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ([1, 2], (1, 2)),
        ([1.5, -2.25], (1.5, -2.25)),
        ({"x": 3, "y": 4}, (3, 4)),
        ([], (0, 0)),
        (None, (0, 0)),
        ("x", (0, 0)),
        ([None, "a"], (0, 0)),
    ],
)
def test_positions(written: Any, expected: tuple[float, float]) -> None:
    assert only(position=written).position == expected


@pytest.mark.parametrize(
    ("keys", "tries", "pause"),
    [
        ({}, 1, 1000),
        ({"retryOnFail": False, "maxTries": 5}, 1, 1000),
        ({"retryOnFail": True}, 3, 1000),
        ({"retryOnFail": True, "maxTries": 1, "waitBetweenTries": -5}, 2, 0),
        ({"retryOnFail": True, "maxTries": 99, "waitBetweenTries": 60_000}, 5, 5000),
        ({"retryOnFail": True, "maxTries": "4", "waitBetweenTries": "x"}, 4, 1000),
    ],
)
def test_retries_are_clamped(keys: dict[str, Any], tries: int, pause: int) -> None:
    found = only(**keys)
    assert (found.tries, found.wait_between_tries_ms) == (tries, pause)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, "stopWorkflow"),
        ({"continueOnFail": True}, "continueRegularOutput"),
        ({"continueOnFail": True, "onError": "continueErrorOutput"}, "continueErrorOutput"),
        ({"onError": "stopWorkflow", "continueOnFail": True}, "stopWorkflow"),
        ({"onError": "whatever"}, "stopWorkflow"),
        ({"onError": []}, "stopWorkflow"),
    ],
)
def test_error_modes(keys: dict[str, Any], expected: str) -> None:
    assert only(**keys).on_error == expected


def test_flags_and_credentials() -> None:
    found = only(
        disabled=True,
        executeOnce=True,
        alwaysOutputData=True,
        webhookId="w",
        credentials={"httpHeaderAuth": "old style", "jwtAuth": {"id": "1", "name": "x"}},
    )
    assert (found.disabled, found.execute_once, found.always_output_data, found.webhook_id) == (True, True, True, "w")
    assert found.credentials == {"httpHeaderAuth": "old style", "jwtAuth": {"id": "1", "name": "x"}}
    assert only(disabled="false", credentials=None).credentials == {}
    assert only(disabled="false").disabled is False


@pytest.mark.parametrize("written", [None, [], {}])
def test_absent_parameters(written: Any) -> None:
    assert only(parameters=written).parameters == {}


def test_of_two_nodes_with_one_name_the_first_counts() -> None:
    found = parse({"name": "w", "nodes": [node("A", "set"), node("A", "if"), node("B", "noOp")]})
    assert {name: item.kind for name, item in found.nodes.items()} == {"A": "set", "B": "noOp"}


def test_every_node_gets_an_id_of_its_own() -> None:
    nodes = [{**node(name, "noOp"), "id": "same"} for name in ("A", "B", "C")]
    found = parse({"name": "w", "nodes": nodes})
    ids = [item.id for item in found.nodes.values()]
    assert ids[0] == "same"
    assert len(set(ids)) == 3


def test_wires_keep_their_order_and_indexes() -> None:
    target = {"node": "B", "type": "main", "index": 1}
    connections = {
        "A": {
            "main": [None, [target, {"node": "C"}], [], [{"node": "A", "index": "0"}]],
            "ai_tool": [[{"node": "B", "type": "ai_tool", "index": 0}]],
        }
    }
    found = parse({"nodes": [node(name, "noOp") for name in "ABC"], "connections": connections})
    assert found.wires == {"A": ((), (Wire("B", 1), Wire("C", 0)), (), (Wire("A", 0),))}


@pytest.mark.parametrize("target", ["Nowhere", ""])
def test_wires_to_missing_nodes_are_left_out(target: str) -> None:
    found = parse(workflow("w", [node("A", "noOp")], wires(("A", target), ("Gone", "A"))))
    assert found.wires == {}


@pytest.mark.parametrize("index", [-1, 256, 10**30, "x", True, [0], 1e300])
def test_wires_to_impossible_inputs_are_left_out(index: Any) -> None:
    connections = {"A": {"main": [[{"node": "B", "index": index}, {"node": "B"}]]}}
    found = parse({"nodes": [node("A", "noOp"), node("B", "noOp")], "connections": connections})
    assert found.wires == {"A": ((Wire("B", 0),),)}


def test_settings() -> None:
    given_settings = {
        "executionOrder": "v1",
        "timezone": "Europe/Lisbon",
        "errorWorkflow": "7",
        "executionTimeout": 60,
        "future": 1,
    }
    found = parse({"settings": given_settings}).settings
    assert (found.order, found.timezone, found.error_workflow, found.timeout_s) == ("v1", "Europe/Lisbon", "7", 60)
    assert found.raw == given_settings
    for nothing in ({}, {"executionTimeout": -1, "timezone": "DEFAULT", "errorWorkflow": "DEFAULT"}, None):
        found = parse({"settings": nothing}).settings
        assert (found.order, found.timezone, found.error_workflow, found.timeout_s) == ("v0", None, None, None)


def test_pin_data_is_wrapped_where_it_must_be() -> None:
    pinned = {"A": [{"json": {"n": 1}}, {"n": 2}], "B": "x", "C": [1]}
    assert parse({"pinData": pinned}).pin_data == {"A": [{"json": {"n": 1}}, {"json": {"n": 2}}], "C": []}


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ([], "body"),
        (None, "body"),
        ({"name": 5}, "name"),
        ({"name": "x" * 256}, "name"),
        ({"nodes": None}, "nodes"),
        ({"nodes": "none"}, "nodes"),
        ({"nodes": {}}, "nodes"),
        ({"nodes": [1]}, "nodes[0]"),
        ({"nodes": [None]}, "nodes[0]"),
        ({"nodes": [{"type": "x"}]}, "nodes[0].name"),
        ({"nodes": [{"name": 3, "type": "x"}]}, "nodes[0].name"),
        ({"nodes": [{"name": "a"}]}, "nodes[0].type"),
        ({"nodes": [{"name": "a", "type": "x", "parameters": "p"}]}, "nodes[0].parameters"),
        ({"nodes": [{"name": "a", "type": "x", "typeVersion": "new"}]}, "nodes[0].typeVersion"),
        ({"connections": []}, "connections"),
        ({"connections": None}, "connections"),
        ({"connections": {"a b": 1}}, 'connections["a b"]'),
        ({"connections": {"a": {"main": {}}}}, "connections.a.main"),
        ({"connections": {"a": {"main": [1]}}}, "connections.a.main[0]"),
        ({"connections": {"a": {"main": [[], ["b"]]}}}, "connections.a.main[1][0]"),
        ({"settings": 1}, "settings"),
        ({"pinData": []}, "pinData"),
    ],
)
def test_mistakes_of_structure_name_their_place(document: Any, path: str) -> None:
    found = details(document)
    assert list(found) == [path]
    assert found[path].endswith(".")


def test_all_mistakes_are_told_at_once_but_no_more_than_a_hundred() -> None:
    assert set(details({"name": 1, "nodes": [1], "connections": []})) == {"name", "nodes[0]", "connections"}
    assert len(details({"nodes": [1] * 5000})) == 100


def test_the_document_stays_as_it_is() -> None:
    document = {
        "name": "w",
        "nodes": [{**node("A", "set"), "future": {"a": [1, None]}, "notes": "n"}],
        "connections": {},
        "meta": {"instanceId": "0"},
        "tags": ["a", {"id": 1, "name": "b"}],
        "future": True,
    }
    before = copy.deepcopy(document)
    found = parse(document)
    assert found.document is document
    assert document == before
    assert found.nodes["A"].raw["future"] == {"a": [1, None]}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
names = st.sampled_from(["A", "B", "C d", ""]) | json_values
ODD_KEYS = (
    *("id", "typeVersion", "position", "parameters", "credentials"),
    *("onError", "maxTries", "waitBetweenTries", "webhookId"),
)
node_like = st.fixed_dictionaries(
    {},
    optional={
        "name": names,
        "type": st.sampled_from(["jackfield.set", "x"]) | json_values,
        **dict.fromkeys(ODD_KEYS, json_values),
        "retryOnFail": st.booleans(),
    },
)
target_like = st.fixed_dictionaries({}, optional={"node": names, "type": json_values, "index": json_values})
outputs_like = st.lists(st.lists(target_like | json_values, max_size=3) | json_values, max_size=3)
documents = st.fixed_dictionaries(
    {},
    optional={
        "name": json_values,
        "nodes": st.lists(node_like | json_values, max_size=4) | json_values,
        "connections": st.dictionaries(
            st.text(max_size=5) | st.just("A"),
            st.fixed_dictionaries({"main": outputs_like | json_values}) | json_values,
        )
        | json_values,
        "settings": st.dictionaries(
            st.sampled_from(["executionOrder", "timezone", "errorWorkflow", "executionTimeout"]), json_values
        )
        | json_values,
        "pinData": st.dictionaries(st.text(max_size=3), json_values) | json_values,
    },
)


@given(documents | json_values)
def test_parse_raises_nothing_but_invalid_input(document: Any) -> None:
    before = repr(document)
    with contextlib.suppress(InvalidInput):
        found = parse(document)
        targets = {wire.node for outputs in found.wires.values() for output in outputs for wire in output}
        assert targets | set(found.wires) <= set(found.nodes)
        assert len({item.id for item in found.nodes.values()}) == len(found.nodes)
        assert all(1 <= item.tries <= 5 and 0 <= item.wait_between_tries_ms <= 5000 for item in found.nodes.values())
    assert repr(document) == before


def corpus() -> list[Path]:
    shared = Path(__file__).parents[5] / "shared" / "corpus"
    return sorted(Path(os.environ.get("JACKFIELD_CORPUS", shared)).glob("workflows/*.json"))


@pytest.mark.skipif(not corpus(), reason="no corpus: set JACKFIELD_CORPUS")
def test_every_public_workflow_loads() -> None:
    for path in corpus():
        document = json.loads(path.read_bytes())
        found = parse(document)
        assert found.document is document
        assert len(found.nodes) == len({item["name"] for item in document["nodes"]}), path
