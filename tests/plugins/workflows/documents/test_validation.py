"""What `POST /workflows/validate` finds."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import Field, field_validator, model_validator

from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.workflows import Node, Problem
from jackfield.testing.context import FakeCatalog
from jackfield.testing.documents import chain, node, wires, workflow
from jackfield_workflows.documents import parse
from jackfield_workflows.validation import is_valid, problems


class Inner(NodeParameters):
    count: int


class HookParameters(NodeParameters):
    path: str
    mode: Literal["a", "b"] = "a"
    inner: list[Inner] = Field(default_factory=list)
    port: int = 1

    @field_validator("port")
    @classmethod
    def _port(cls, value: int) -> int:
        if value == 13:
            raise ValueError("13 is not a port")
        return value


class OldParameters(NodeParameters):
    pass


class BrokenParameters(NodeParameters):
    @model_validator(mode="before")
    @classmethod
    def _fail(cls, value: Any) -> Any:
        raise RuntimeError("a node's bug")


class Hook:
    kind = "hook"
    versions = (1.0, 2.0)
    description = NodeDescription("Hook", "", "trigger", trigger=True)
    effect = False

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return OldParameters if version == 1 else HookParameters

    def outputs(self, node: Node) -> int:
        return 1

    async def execute(self, run: NodeRun) -> NodeResult:
        return []


class Broken(Hook):
    kind = "broken"

    def parameters(self, version: float | None) -> type[NodeParameters]:
        return BrokenParameters


CATALOG = FakeCatalog(Hook(), Broken())


def check(document: Any) -> list[Problem]:
    return problems(parse(document), CATALOG)


def of_parameters(parameters: dict[str, Any], *, version: float | None = 2) -> dict[str, str]:
    found = check(workflow("w", [node("A", "hook", parameters, version=version)], {}))
    assert all(problem.severity == "error" for problem in found)
    return {problem.path: problem.message for problem in found}


def test_a_good_workflow_has_no_problem() -> None:
    good = chain("w", node("A", "hook", {"path": "x"}), node("B", "hook", {"path": "y"}, version=2))
    assert check(good) == []
    assert is_valid([])


@pytest.mark.parametrize(
    ("parameters", "path"),
    [
        ({}, "nodes[0].parameters.path"),
        ({"path": 5}, "nodes[0].parameters.path"),
        ({"path": "x", "mode": "c"}, "nodes[0].parameters.mode"),
        ({"path": "x", "port": 13}, "nodes[0].parameters.port"),
        ({"path": "x", "inner": [{"count": 1}, {"count": "n"}]}, "nodes[0].parameters.inner[1].count"),
    ],
)
def test_parameters_are_checked_by_the_model(parameters: dict[str, Any], path: str) -> None:
    assert list(of_parameters(parameters)) == [path]


@pytest.mark.parametrize(
    "parameters",
    [
        {"path": "=x"},
        {"path": "x", "mode": "={{ $json.m }}"},
        {"path": "x", "port": "=1"},
        {"path": "x", "inner": "=x"},
    ],
)
def test_an_expression_is_never_wrong(parameters: dict[str, Any]) -> None:
    assert of_parameters(parameters) == {}


def test_the_model_of_the_nodes_version_is_taken() -> None:
    assert of_parameters({}, version=1) == {}
    assert list(of_parameters({}, version=None)) == ["nodes[0].parameters.path"]


def test_unknown_types_and_versions_are_warnings() -> None:
    found = check(
        workflow("w", [node("A", "noSuchNode"), node("B", "hook", {"path": "x"}, version=3), node("C", "broken")], {})
    )
    assert [(problem.path, problem.severity) for problem in found] == [
        ("nodes[0].type", "warning"),
        ("nodes[1].typeVersion", "warning"),
    ]
    assert is_valid(found)


def test_wires_and_duplicate_names_are_errors() -> None:
    nodes = [node("A", "hook", {"path": "x"}), node("A", "hook"), node("B", "hook", {"path": "x"})]
    connections = wires(("A", "Nowhere"), ("A", "B"), ("Gone", "A"), ("Gone", "B"))
    connections["B"] = {"main": [[{"node": "A", "index": -1}]]}
    found = check(workflow("w", nodes, connections))
    assert [problem.path for problem in found] == [
        "nodes[1].name",
        "connections.A.main[0][0].node",
        "connections.Gone",
        "connections.B.main[0][0].index",
    ]
    assert not is_valid(found)


def test_a_missing_name_is_a_warning() -> None:
    assert [(problem.path, problem.severity) for problem in check({"nodes": []})] == [("name", "warning")]


def test_messages_are_sentences() -> None:
    found = check(workflow("", [node("A", "nope"), node("A", "nope")], wires(("A", "C"), ("X", "A"))))
    assert len(found) == 5
    assert all(problem.message.endswith(".") for problem in found)


def test_problems_are_bounded() -> None:
    found = check({"name": "w", "nodes": [node(f"N{n}", "nope") for n in range(500)]})
    assert len(found) == 100
