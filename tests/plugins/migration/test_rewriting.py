"""References of n8n's documents become ours."""

from __future__ import annotations

from typing import Any

import pytest
from n8n_documents import MAIN, SUB, main_workflow, node, workflow

from jackfield_migration.rewriting import rewritten
from jackfield_migration.verdicts import cycles


def made(document: dict[str, Any]) -> Any:
    return rewritten(document, lambda ident: f"own-{ident}", lambda kind, ident, name: None, lambda ident: ident == SUB)


def test_references() -> None:
    found = made(main_workflow())
    _, call = found.document["nodes"]
    assert call["parameters"]["workflowId"] == {"__rl": True, "value": f"own-{SUB}", "mode": "list"}
    settings = found.document["settings"]
    assert settings["errorWorkflow"] == "own-ErrorWorkflow001"
    assert settings["callerIds"] == f"own-{SUB},own-ErrorWorkflow001"
    assert [link.path for link in found.links] == ["nodes[1].parameters.workflowId", "settings.errorWorkflow"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (SUB, f"own-{SUB}"),
        (17, "own-17"),
        (
            f"={{{{ $json.a ? '{SUB}' : 'OtherWorkflow001' }}}}",
            f"={{{{ $json.a ? 'own-{SUB}' : 'OtherWorkflow001' }}}}",
        ),
        ("={{ $json.id }}", "={{ $json.id }}"),
        ({"__rl": True, "mode": "id", "value": SUB}, {"__rl": True, "mode": "id", "value": f"own-{SUB}"}),
        ("", ""),
        (None, None),
        (True, True),
    ],
)
@pytest.mark.parametrize("kind", ["executeWorkflow", "toolWorkflow", "retrieverWorkflow"])
def test_every_way_to_name_a_workflow(kind: str, given: Any, wanted: Any) -> None:
    found = made(workflow("a", "A", [node("Call", kind, {"workflowId": given})]))
    assert found.document["nodes"][0]["parameters"]["workflowId"] == wanted


def test_a_workflow_that_stands_in_the_node_itself_is_no_reference() -> None:
    parameters = {"source": "parameter", "workflowId": SUB, "workflowJson": "{}"}
    found = made(workflow("a", "A", [node("Call", "executeWorkflow", parameters)]))
    assert found.document["nodes"][0]["parameters"] == parameters


def test_what_n8n_says_of_its_own_store_is_left_out() -> None:
    document = {**main_workflow(), "versionId": "v", "staticData": {"a": 1}, "shared": [], "meta": {"instanceId": "x"}}
    found = made(document).document
    assert found.keys() & {"versionId", "staticData", "shared"} == set()
    assert found["meta"] == {"instanceId": "x"}


def test_circles_are_found_once_per_member() -> None:
    found = cycles({"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"], "e": ["e"], "f": [MAIN]})
    assert found == {"a": ("a", "b", "c", "a"), "b": ("b", "c", "a", "b"), "c": ("c", "a", "b", "c"), "e": ("e", "e")}
