"""What `POST /workflows/validate` finds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, field_validator, model_validator

from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeDescription, NodeParameters, NodeResult, NodeRun
from jackfield.api.workflows import Node, Problem
from jackfield.testing.context import FakeCatalog, FakeContext
from jackfield.testing.documents import chain, node, wires, workflow
from jackfield_expressions.service import ExpressionsService
from jackfield_workflows.documents.parsing import parse
from jackfield_workflows.documents.validation import problems
from jackfield_workflows.saved.views import validation_view


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
    @classmethod
    def doubts(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        return {"rules.first": "It does nothing; leave it out."} if "rules" in parameters else {}


class BrokenParameters(NodeParameters):
    @classmethod
    def doubts(cls, parameters: Mapping[str, Json]) -> Mapping[str, str]:
        raise RuntimeError("a node's bug")

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


def is_valid(found: list[Problem]) -> bool:
    return validation_view(found)["valid"] is True


def check(document: Any) -> list[Problem]:
    return problems(parse(document), CATALOG, ExpressionsService(FakeContext(Path())))


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


def test_an_expression_that_is_never_closed_is_a_warning() -> None:
    parameters = {
        "path": "={{ $json.a }} and {{ $json.b",
        "fine": ["={{ {a: {b: 1}} }}", "{{ no expression", "=text"],
        "deep er": [{"x": "={{ 1"}],
    }
    found = check(workflow("w", [node("A", "hook", parameters, version=1)], {}))
    assert [(problem.path, problem.severity) for problem in found] == [
        ("nodes[0].parameters.path", "warning"),
        ('nodes[0].parameters["deep er"][0].x', "warning"),
    ]


def test_what_is_allowed_and_hardly_meant_is_a_warning() -> None:
    nodes = [node("A", "hook", {"rules": {}}, version=1), node("B", "hook", version=1), node("C", "broken")]
    assert check(workflow("w", nodes, {})) == [
        Problem("nodes[0].parameters.rules.first", "It does nothing; leave it out.", "warning")
    ]


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


GOOD = workflow("W", [node("A", "hook", {"path": "x"})], {})


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"executionTimeout": "soon"}, "settings.executionTimeout"),
        ({"executionTimeout": True}, "settings.executionTimeout"),
        ({"errorWorkflow": []}, "settings.errorWorkflow"),
        ({"timezone": "Mars/North"}, "settings.timezone"),
        ({"timezone": "../../etc/passwd"}, "settings.timezone"),
        ({"timezone": 5}, "settings.timezone"),
    ],
)
def test_settings_that_would_be_ignored_are_errors(settings: dict[str, Any], path: str) -> None:
    found = check({**GOOD, "settings": settings})
    assert [(problem.path, problem.severity) for problem in found] == [(path, "error")]


def test_settings_as_exports_have_them_are_no_problem() -> None:
    for settings in (
        {"executionTimeout": -1, "errorWorkflow": "", "timezone": "DEFAULT"},
        {"executionTimeout": "30", "errorWorkflow": "lYgdNzdEapw2W8gK", "timezone": "Europe/Lisbon"},
        {"executionTimeout": None, "errorWorkflow": None, "timezone": None},
    ):
        assert check({**GOOD, "settings": settings}) == []


@pytest.mark.parametrize("items", ["x", [1], {"json": {}}])
def test_pinned_data_that_is_ignored_is_a_warning(items: Any) -> None:
    found = check({**GOOD, "pinData": {"A": items}})
    assert [(problem.path, problem.severity) for problem in found] == [("pinData.A", "warning")]


def test_messages_are_sentences() -> None:
    found = check(workflow("", [node("A", "nope"), node("A", "nope")], wires(("A", "C"), ("X", "A"))))
    assert len(found) == 5
    assert all(problem.message.endswith(".") for problem in found)


def test_problems_are_bounded() -> None:
    found = check({"name": "w", "nodes": [node(f"N{n}", "nope") for n in range(500)]})
    assert len(found) == 100


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["={{ a }}", "={{", "=x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
parts = st.fixed_dictionaries(
    {"name": st.sampled_from("ABC"), "type": st.sampled_from(["jackfield.hook", "jackfield.broken", "x"])},
    optional={
        "typeVersion": st.sampled_from([1, 2, 3.5]),
        "parameters": st.dictionaries(
            st.sampled_from(["path", "mode", "inner", "port"]) | st.text(max_size=5), json_values
        ),
    },
)
targets = st.fixed_dictionaries({"node": st.sampled_from("ABCD")}, optional={"index": json_values})
connected = st.dictionaries(
    st.sampled_from("ABCD"), st.fixed_dictionaries({"main": st.lists(st.lists(targets, max_size=2), max_size=2)})
)


@given(st.lists(parts, max_size=4), connected)
def test_every_problem_names_a_place_of_the_document(nodes: list[Any], connections: Any) -> None:
    for problem in check({"name": "w", "nodes": nodes, "connections": connections}):
        assert problem.path.startswith(("nodes[", "connections"))
        assert problem.message
        assert problem.severity in ("error", "warning")
