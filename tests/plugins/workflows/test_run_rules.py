"""`[node_types]` for executions: a node of a known type is refused, and a role's rule is about people alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from jackfield.api.jsontext import Json
from jackfield.api.workflows import Node, Workflow, WorkflowSettings
from jackfield.testing.context import FakeContext
from jackfield_workflows.activation.run_rules import RunRules
from jackfield_workflows.settings import NodeTypesRule, NodeTypesSettings

MADE: dict[str, Json] = {"source": "parameter", "workflowJson": "={{ $json.body }}"}
ROLE = NodeTypesRule(role="member", exclude=["ssh"])


def _workflow(kind: str, parameters: dict[str, Json]) -> Workflow:
    node = Node(
        id="1", name="N", type=kind, kind=kind, version=1, parameters=parameters, disabled=False, credentials={},
        webhook_id=None,
    )  # fmt: skip
    return Workflow("w", "W", 1, True, {"N": node}, {}, WorkflowSettings(), {}, {})


@pytest.mark.parametrize(
    ("kind", "parameters", "settings", "refused"),
    [
        ("ssh", {}, NodeTypesSettings(exclude=["n8n-nodes-base.ssh"]), True),
        ("ssh", {}, NodeTypesSettings(rules=[ROLE]), False),
        ("executeWorkflow", MADE, NodeTypesSettings(exclude=["ssh"]), False),
        ("executeWorkflow", MADE, NodeTypesSettings(rules=[ROLE]), False),
        ("executeWorkflow", MADE, NodeTypesSettings(allow=["set"]), True),
    ],
)
async def test_the_rules_that_hold_for_an_execution(
    tmp_path: Path, kind: str, parameters: dict[str, Json], settings: NodeTypesSettings, refused: bool
) -> None:
    context = FakeContext(tmp_path)
    context.tables = [settings]
    found = await RunRules(context).excluded(_workflow(kind, parameters))
    assert (found is not None and found.node == "N") == refused, found
