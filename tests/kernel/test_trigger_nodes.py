"""What triggers ask of a document: their nodes, where these stand, and which node a registration is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from jackfield.api.jsontext import Json
from jackfield.api.triggers import node_path, registered_node, served_nodes
from jackfield.api.workflows import Node, Workflow, WorkflowSettings


def a_node(id: str, name: str, kind: str = "tick", *, disabled: bool = False, **more: Json) -> Node:
    return Node(id, name, f"jackfield.{kind}", kind, None, {}, disabled=disabled, credentials=more)


def a_workflow(*nodes: Node, listed: Json = None) -> Workflow:
    document: dict[str, Json] = {"nodes": listed}
    return Workflow("w", "W", 1, True, {node.name: node for node in nodes}, {}, WorkflowSettings(), {}, document)


def test_a_trigger_serves_enabled_nodes_of_its_kinds_in_order() -> None:
    found = served_nodes(
        a_workflow(a_node("1", "a"), a_node("2", "b", "other"), a_node("3", "c", disabled=True), a_node("4", "d")),
        ("tick", "tock"),
    )
    assert [node.name for node in found] == ["a", "d"]


@pytest.mark.parametrize(
    ("listed", "path"),
    [([{"name": "b"}, {"name": "a"}], "nodes[1]"), ([7, {"name": "a"}], "nodes[1]"), ([], "nodes"), ("none", "nodes")],
)
def test_a_problem_names_the_nodes_place_in_the_document(listed: Json, path: str) -> None:
    node = a_node("1", "a")
    assert node_path(a_workflow(node, listed=listed), node) == path


@pytest.mark.parametrize(
    ("nodes", "found"),
    [
        ([a_node("1", "a"), a_node("1", "b")], "b"),
        ([a_node("1", "a"), a_node("2", "b")], "a"),
        ([a_node("", "a"), a_node("", "b")], None),
        ([a_node("2", "b")], None),
    ],
)
def test_a_registration_is_the_node_of_its_id_and_best_with_its_name(nodes: Sequence[Node], found: str | None) -> None:
    node = registered_node(nodes, "1", "b")
    assert (node.name if node else None) == found


@pytest.mark.parametrize(
    ("named", "ident"), [({"id": "c1"}, "c1"), ({"id": ""}, None), ({"id": 5}, None), ({}, None), ("c1", None)]
)
def test_a_node_names_a_stored_credential_by_its_id(named: Json, ident: str | None) -> None:
    node = a_node("1", "a", acmeApi=named)
    assert (node.credential_id("acmeApi"), node.credential_id("otherApi")) == (ident, None)
