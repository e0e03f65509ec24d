"""`n8n-mcp`: every tool that manages an instance."""

from __future__ import annotations

from typing import Any

import pytest
from clients import Mcp, set_node, stop_node, workflow

ELSEWHERE = {
    "n8n_manage_folders": ({"action": "list", "projectId": "jackfield"}, "no folders"),
    "n8n_evaluations": ({"action": "list_runs", "workflowId": "1"}, "its own evaluations"),
}
"""What Jackfield does not have: how it is asked for, and words of the answer."""
OTHER_SERVER = {"n8n_manage_agents", "n8n_explore_node_resources", "n8n_list_catalog"}
"""These ask the MCP server inside an n8n, with a token of its own, and never the public API."""
TRIED = {
    "n8n_audit_instance",
    "n8n_autofix_workflow",
    "n8n_create_workflow",
    "n8n_delete_workflow",
    "n8n_deploy_template",
    "n8n_executions",
    "n8n_get_workflow",
    "n8n_health_check",
    "n8n_list_workflows",
    "n8n_manage_credentials",
    "n8n_manage_datatable",
    "n8n_test_workflow",
    "n8n_update_full_workflow",
    "n8n_update_partial_workflow",
    "n8n_validate_workflow",
    "n8n_workflow_versions",
}


def created(mcp: Mcp, name: str, *nodes: dict[str, Any]) -> str:
    whole = workflow(name, name, nodes)
    return str(mcp.ok("n8n_create_workflow", **{key: whole[key] for key in ("name", "nodes", "connections")})["id"])


def operate(mcp: Mcp, ident: str, *operations: dict[str, Any]) -> None:
    done = mcp.ok("n8n_update_partial_workflow", id=ident, operations=list(operations))
    assert done["operationsApplied"] == len(operations)


def test_every_tool_of_an_instance_is_known_here(mcp: Mcp) -> None:
    assert {name for name in mcp.tools() if name.startswith("n8n_")} == TRIED | ELSEWHERE.keys() | OTHER_SERVER


def test_the_instance_is_healthy(mcp: Mcp) -> None:
    assert mcp.ok("n8n_health_check")["status"] == "ok"
    assert mcp.ok("n8n_health_check", mode="diagnostic")["apiConfiguration"]["status"]["connected"] is True


def test_data_tables_are_made_filled_and_read(mcp: Mcp) -> None:
    made = mcp.ok("n8n_manage_datatable", action="createTable", name="mcp", columns=[{"name": "n", "type": "number"}])
    mcp.ok("n8n_manage_datatable", action="insertRows", tableId=made["id"], data=[{"n": 1}, {"n": 2}])
    assert "'n': 2" in str(mcp.ok("n8n_manage_datatable", action="getRows", tableId=made["id"]))
    mcp.ok("n8n_manage_datatable", action="deleteTable", tableId=made["id"])


def test_workflows_are_made_read_and_changed(mcp: Mcp) -> None:
    ident = created(mcp, "mcp-one", set_node(3))
    for mode in ("full", "details", "structure", "minimal"):
        assert "mcp-one" in str(mcp.ok("n8n_get_workflow", id=ident, mode=mode))
    nodes = mcp.ok("n8n_get_workflow", id=ident, mode="filtered", nodeNames=["Set"])["nodes"]
    assert [node["name"] for node in nodes] == ["Set"]
    assert mcp.ok("n8n_validate_workflow", id=ident)["valid"] is True
    assert mcp.ok("n8n_autofix_workflow", id=ident)["preview"] is True
    mcp.ok("n8n_autofix_workflow", id=ident, applyFixes=True)
    changed = workflow("mcp-two", "mcp-one", [set_node(4)])
    parts = {key: changed[key] for key in ("name", "nodes", "connections")}
    assert mcp.ok("n8n_update_full_workflow", id=ident, **parts)["name"] == "mcp-two"
    assert mcp.call("n8n_get_workflow", id=ident, mode="active")["code"] == "NO_ACTIVE_VERSION"
    operate(mcp, ident, {"type": "activateWorkflow"})
    assert mcp.ok("n8n_get_workflow", id=ident, mode="active")["name"] == "mcp-two"
    fields = [{"id": "a", "name": "x", "value": 9, "type": "number"}]
    operate(
        mcp,
        ident,
        {"type": "addTag", "tag": "mcp-night"},
        {"type": "updateName", "name": "mcp-three"},
        {"type": "updateNode", "nodeName": "Set", "updates": {"parameters.assignments.assignments": fields}},
    )
    for found in ({"tags": ["mcp-night"]}, {"active": True, "projectId": "jackfield", "excludePinnedData": True}):
        rows = mcp.ok("n8n_list_workflows", **found)["workflows"]
        assert [(row["id"], row["name"], row["tags"][0]["name"]) for row in rows] == [(ident, "mcp-three", "mcp-night")]
    assert mcp.ok("n8n_test_workflow", workflowId=ident)["data"] == {"x": 9}
    operate(mcp, ident, {"type": "removeTag", "tag": "mcp-night"}, {"type": "deactivateWorkflow"})
    assert mcp.ok("n8n_list_workflows", tags=["mcp-night"])["workflows"] == []
    versions = mcp.ok("n8n_workflow_versions", mode="list", workflowId=ident)["versions"]
    assert mcp.ok("n8n_workflow_versions", mode="get", workflowId=ident, versionId=versions[0]["id"])
    assert mcp.ok("n8n_workflow_versions", mode="rollback", workflowId=ident)["success"] is True
    assert mcp.ok("n8n_delete_workflow", id=ident)["deleted"] is True
    assert "no workflow with this id" in mcp.call("n8n_get_workflow", id=ident)["error"]


def test_lists_have_cursors(mcp: Mcp) -> None:
    made = {created(mcp, f"mcp-page-{number}") for number in range(3)}
    seen: list[str] = []
    more: dict[str, Any] = {}
    while True:
        page = mcp.ok("n8n_list_workflows", limit=1, **more)
        seen += [row["id"] for row in page["workflows"]]
        if not page["hasMore"]:
            break
        more = {"cursor": page["nextCursor"]}
    assert len(seen) == len(set(seen))
    assert made <= set(seen)
    for ident in made:
        mcp.ok("n8n_delete_workflow", id=ident)


def test_executions(mcp: Mcp) -> None:
    ident = created(mcp, "mcp-runs", set_node(7))
    operate(mcp, ident, {"type": "activateWorkflow"})
    mcp.ok("n8n_test_workflow", workflowId=ident, method="trigger", triggerType="webhook", httpMethod="POST")
    (row,) = mcp.ok("n8n_executions", action="list", workflowId=ident, status="success", includeData=True)["executions"]
    assert row["data"]["resultData"]["lastNodeExecuted"] == "Set"
    for mode in ("preview", "summary", "filtered", "full"):
        assert mcp.ok("n8n_executions", action="get", id=row["id"], mode=mode)["status"] == "success"
    assert mcp.call("n8n_executions", action="delete", id=row["id"])["success"] is True
    bad = created(mcp, "mcp-fails", stop_node())
    operate(mcp, bad, {"type": "activateWorkflow"})
    assert mcp.call("n8n_test_workflow", workflowId=bad)["success"] is False
    (row,) = mcp.ok("n8n_executions", action="list", workflowId=bad, status="error")["executions"]
    primary = mcp.ok("n8n_executions", action="get", id=row["id"], mode="error")["errorInfo"]["primaryError"]
    assert (primary["message"], primary["nodeName"]) == ("enough", "Stop")


def test_credentials(mcp: Mcp) -> None:
    data = {"name": "X-Key", "value": "planted-55cc"}
    made = mcp.ok("n8n_manage_credentials", action="create", name="mcp", type="httpHeaderAuth", data=data)
    assert "planted-55cc" not in str(mcp.ok("n8n_manage_credentials", action="get", id=made["id"]))
    assert mcp.ok("n8n_manage_credentials", action="update", id=made["id"], name="new")["name"] == "new"
    assert mcp.ok("n8n_manage_credentials", action="list")["count"] == 1
    assert "value" in mcp.ok("n8n_manage_credentials", action="getSchema", type="httpHeaderAuth")["properties"]
    assert mcp.call("n8n_manage_credentials", action="delete", id=made["id"])["success"] is True


def test_an_audit_scans_the_workflows(mcp: Mcp) -> None:
    assert "Security Audit Report" in mcp.ok("n8n_audit_instance")["report"]


def test_a_template_is_deployed(mcp: Mcp) -> None:
    found = mcp.call("search_templates", query="webhook", limit=1)
    made = mcp.ok("n8n_deploy_template", templateId=found["items"][0]["id"], autoFix=False)
    assert mcp.ok("n8n_get_workflow", id=made["workflowId"], mode="minimal")["active"] is False


@pytest.mark.parametrize("tool", ELSEWHERE)
def test_what_jackfield_does_not_have_is_said(mcp: Mcp, tool: str) -> None:
    arguments, words = ELSEWHERE[tool]
    answer = mcp.call(tool, **arguments)
    assert answer["success"] is False
    assert words in answer["error"]
