"""`[node_types]`: nodes that nobody, a role or a project may not have in its workflows."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

from .projects_lab import ProjectLab, made, manual, outcome

RULES = """
[integrations]
execute_command = true
[node_types]
exclude = ["n8n-nodes-base.ssh", "gith*"]
[[node_types.rules]]
role = "member"
exclude = ["executeCommand"]
[[node_types.rules]]
project = "Team A"
allow = ["manualTrigger", "webhook", "set", "executeWorkflow", "httpRequest"]
[[node_types.rules]]
project = "Team C"
exclude = ["executeCommand", "exeucteCommand"]
"""
SSH, SHELL = node("N", "ssh", {"command": "id"}), node("N", "executeCommand", {"command": "id"})
NO_OP = node("N", "noOp")
HEADERS = {"Accept": "application/json, text/event-stream"}


class Lab(ProjectLab):
    """Workflows of a project that had no rule before it got its name: `live` and `idle`, with a command each."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__(daemon)
        old = chain("Live", webhook("old", responseMode="lastNode"), set_fields("Set", x=1))
        old["nodes"].append({**SHELL, "name": "Unreached"})
        self.old = old
        c = self.project("Earlier", self.ann)
        self.inside = daemon.admin()
        self.inside.headers["X-Jackfield-Project"] = c
        self.live = f"/workflows/{made(self.inside.post('/workflows', json=old))['id']}"
        self.idle = f"/workflows/{made(self.inside.post('/workflows', json=manual('Idle', SHELL)))['id']}"
        self.admin.post(f"{self.live}/activate").raise_for_status()
        self.admin.patch(f"/projects/{c}", json={"name": "Team C"}).raise_for_status()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    daemon = Daemon(tmp_path_factory.mktemp("node-rules"), settings=RULES)
    try:
        yield Lab(daemon.start())
    finally:
        daemon.close()


def refused(answer: httpx.Response, setting: str, kind: str = "") -> None:
    assert answer.status_code == 403, answer.text
    body = answer.json()
    assert body["details"]["setting"] == setting
    assert body["details"]["node"] in body["message"]
    assert "ask an administrator to change that setting" in body["message"]
    assert kind in body["details"]["type"]


INNER = json.dumps({"nodes": [SSH], "connections": {}})
GLOBAL = {
    "itself": SSH,
    "its tool": node("N", "sshTool", {"command": "id"}),
    "by a pattern": node("N", "github", {}),
    "disabled": {**SSH, "disabled": True},
    "in a tool": node("N", "executeWorkflowTool", {"source": "parameter", "workflowJson": INNER}),
    "an inner workflow": node("N", "executeWorkflow", {"source": "parameter", "workflowJson": INNER}),
    "an inner object": node("N", "executeWorkflow", {"source": "parameter", "workflowJson": json.loads(INNER)}),
}


@pytest.mark.parametrize("case", GLOBAL)
def test_nobody_stores_or_runs_an_excluded_node(lab: Lab, case: str) -> None:
    document = manual("W", GLOBAL[case])
    refused(lab.admin.post("/workflows", json=document), "node_types.exclude")
    refused(lab.admin.post("/workflows/run", json={"workflow": document, "inputData": []}), "node_types.exclude")


UNREAD = {
    "the document": {"source": "parameter", "workflowJson": "={{ $json.body }}"},
    "the source": {"source": "=parameter", "workflowJson": INNER},
    "the nodes": {"source": "parameter", "workflowJson": {"nodes": "={{ $json.nodes }}", "connections": {}}},
    "a node": {"source": "parameter", "workflowJson": {"nodes": ["={{ $json.node }}"], "connections": {}}},
    "a file": {"source": "localFile", "workflowPath": "inner.json"},
}


@pytest.mark.parametrize("kind", ["executeWorkflow", "executeWorkflowTool", "langchain.toolWorkflow"])
@pytest.mark.parametrize("case", UNREAD)
def test_a_workflow_that_nobody_can_read_before_it_runs_is_refused(lab: Lab, case: str, kind: str) -> None:
    hidden = node("N", kind, UNREAD[case])
    refused(lab.admin.post("/workflows", json=manual("W", hidden)), "node_types")


def test_a_role_and_a_project_have_their_own_rules(lab: Lab) -> None:
    refused(lab.bob.api.post("/workflows", json=manual("W", SHELL)), "node_types.rules[0].exclude", "executeCommand")
    assert lab.admin.post("/workflows", json=manual("W", SHELL)).status_code == 201
    inside = lab.ann.client(lab.a)
    refused(inside.post("/workflows", json=manual("W", NO_OP)), "node_types.rules[1].allow", "noOp")
    ident = made(inside.post("/workflows", json=manual("W", set_fields("Set", x=1))))["id"]
    refused(inside.put(f"/workflows/{ident}", json=manual("W", NO_OP)), "node_types.rules[1].allow")
    refused(lab.admin.put(f"/workflows/{ident}", json=manual("W", NO_OP)), "node_types.rules[1].allow")
    assert lab.bob.client(lab.b).post("/workflows", json=manual("W", NO_OP)).status_code == 201


def test_a_caller_s_project_may_run_a_workflow_whose_own_project_allows_the_node(lab: Lab) -> None:
    target = made(lab.admin.post("/workflows", json=chain("Sub", node("From", "executeWorkflowTrigger"), NO_OP)))["id"]
    lab.admin.put(f"/placements/workflow/{target}/shares/{lab.a}").raise_for_status()
    lab.admin.post(f"/workflows/{target}/activate").raise_for_status()
    call = node("Call", "executeWorkflow", {"workflowId": target})
    ident = made(lab.ann.client(lab.a).post("/workflows", json=manual("Caller", call)))["id"]
    ran = outcome(lab.admin.post(f"/workflows/{ident}/execute"))
    assert ran["status"] == "success", ran


def listed_with_attention(lab: Lab) -> list[Any]:
    return [row.get("attention") for row in lab.inside.get("/workflows").json()["data"]]


def test_a_workflow_of_before_the_rule_stays_live_and_does_not_run(lab: Lab) -> None:
    """Also its test address, and not for a node alone that no execution reaches."""
    for path in ("/webhook/old", "/webhook-test/old"):
        assert lab.daemon.client().post(path).status_code == 500, path
    rows = lab.admin.get("/executions", params={"workflowId": lab.live.rpartition("/")[2]}).json()["data"]
    assert {(row["mode"], row["status"]) for row in rows} == {("webhook", "failed"), ("test", "failed")}, rows
    for row in rows:
        told = lab.admin.get(f"/executions/{row['id']}").json()["error"]
        assert "node_types.rules[2].exclude" in told["message"], told
        assert "ask an administrator to change that setting" in told["message"]
    renamed = {**lab.old, "name": "Renamed"}
    assert lab.admin.put(lab.live, json=renamed).raise_for_status().json()["active"]
    poll(lambda: "node_types.rules[2].exclude" in json.dumps(listed_with_attention(lab)), "the list tells it")
    told = lab.inside.post("/workflows/validate", json=renamed).json()
    assert any("node_types.rules[2].exclude" in problem["message"] for problem in told["problems"]), told
    refused(lab.admin.post(f"{lab.idle}/execute"), "node_types.rules[2].exclude")
    assert lab.admin.patch(lab.idle, json={"name": "Still idle"}).status_code == 200
    lab.admin.post(f"{lab.live}/deactivate").raise_for_status()
    refused(lab.admin.post(f"{lab.live}/activate"), "node_types.rules[2].exclude", "executeCommand")


def test_a_name_that_no_node_type_has_is_told(lab: Lab) -> None:
    told = "node_types.rules[2].exclude names exeucteCommand, and no installed node type has that name; did you mean"
    poll(lambda: told in lab.daemon.tail(1_000_000), "the log names it")
    command = [lab.daemon.command()[0], "doctor", "--config-dir", str(lab.daemon.config_dir)]
    doctor = subprocess.run(command, capture_output=True, text=True, env=lab.daemon.environment(), timeout=120)
    (line,) = [line for line in doctor.stdout.splitlines() if "exeucteCommand" in line]
    assert "executeCommand" in line.partition("did you mean")[2]
    assert "gith*" not in doctor.stdout, "a pattern that some type has"
    assert not line.startswith("BAD"), line


def test_no_way_into_a_project_is_around_its_rule(lab: Lab) -> None:
    lab.join(lab.a, lab.bob, "project:admin")
    outside, inside = lab.bob.client(lab.b), lab.bob.client()
    ident = made(outside.post("/workflows", json=manual("W", NO_OP)))["id"]
    lab.join(lab.b, lab.bob, "project:admin")
    move = {"projectId": lab.a}
    refused(inside.put(f"/placements/workflow/{ident}", json=move), "node_types.rules[1].allow", "noOp")
    ending, heir = lab.project("Ending", lab.bob), {"movingTo": lab.a}
    made(lab.bob.client(ending).post("/workflows", json=manual("W", NO_OP)))
    refused(lab.admin.delete(f"/projects/{ending}", params=heir), "node_types.rules[1].allow", "noOp")
    assert lab.admin.delete(f"/projects/{ending}", params={"movingTo": lab.b}).status_code < 300
    plain = made(outside.post("/workflows", json=manual("W", set_fields("Set", x=1))))["id"]
    assert inside.put(f"/placements/workflow/{plain}", json=move).status_code == 200
    renamed = lab.bob.api.patch(f"/projects/{lab.a}", json={"name": "Team Z"})
    assert (renamed.status_code, "node_types.rules[1]" in renamed.json()["message"]) == (409, True), renamed.text
    assert lab.bob.api.patch(f"/projects/{lab.b}", json={"name": "Team Y"}).status_code == 200


def test_a_tool_that_calls_a_draft_needs_the_scopes_of_its_nodes(lab: Lab) -> None:
    draft = made(lab.admin.post("/workflows", json=manual("Draft", SHELL)))["id"]
    key = lab.bob.key(scopes=["workflows:read", "workflows:write"])
    for kind in ("executeWorkflow", "executeWorkflowTool"):
        answer = key.post("/workflows", json=manual("W", node("N", kind, {"workflowId": draft})))
        assert (answer.status_code, answer.json().get("details", {}).get("scope")) == (403, "machine:write"), kind


def test_imports_name_the_node(lab: Lab) -> None:
    answer = lab.bob.api.post("/workflows/import", json=manual("W", SHELL))
    assert answer.status_code == 403
    (problem,) = answer.json()["results"][0]["problems"]
    assert (problem["path"], "node_types.rules[0].exclude" in problem["message"]) == ("nodes[1].type", True)
    moved = lab.bob.api.post("/import", json={"workflows": [{**manual("W", SHELL), "id": "n8n1"}]})
    assert moved.json()["results"][0]["status"] == "refused"


def kinds(client: httpx.Client) -> set[str]:
    return {row["kind"] for row in client.get("/node-types", params={"schemas": "false"}).json()["data"]}


def test_the_catalogue_offers_the_allowed_node_types_alone(lab: Lab) -> None:
    admin, bob, inside = kinds(lab.admin), kinds(lab.bob.api), kinds(lab.ann.client(lab.a))
    assert {"ssh", "github"} & admin == set()
    assert admin - bob == {"executeCommand"}
    assert inside == {"manualTrigger", "webhook", "set", "executeWorkflow", "httpRequest"}
    assert lab.bob.api.get("/node-types/executeCommand").status_code == 200, "workflows that have it are shown"


def called(client: httpx.Client, name: str, **arguments: Any) -> dict[str, Any]:
    client.base_url = httpx.URL(str(client.base_url).removesuffix("/api/v1/"))
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    answer = client.post("/mcp", json=body, headers=HEADERS).raise_for_status()
    text = next(line for line in answer.text.splitlines() if line.startswith(("data: {", "{")))
    found: dict[str, Any] = json.loads(text.removeprefix("data: "))["result"]
    return found


def test_tools_of_mcp_keep_to_rules_and_to_scopes_of_nodes(lab: Lab) -> None:
    pytest.importorskip("mcp")
    told = called(lab.bob.key(), "create_workflow", workflow=manual("W", SHELL))
    assert (told["isError"], "node_types.rules[0].exclude" in json.dumps(told)) == (True, True)
    listed = json.dumps(called(lab.bob.key(), "search_node_types", query="command"))
    assert "executeCommand" not in listed
    key = lab.bob.key(scopes=["workflows:read", "workflows:write"])
    agent = node("N", "agent", {"profile": "work", "prompt": "hi"})
    told = called(key, "create_workflow", workflow=manual("W", agent))
    assert (told["isError"], "agents:write" in json.dumps(told)) == (True, True)
