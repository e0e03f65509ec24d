"""A key stores, activates and starts nodes that reach the machine or agents only with the scopes that they name."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import node, set_fields, webhook, wires

SHELL = "jackfield.executeCommand"
PLUGIN = """
from jackfield.api.nodes import NodeDescription
from jackfield.api.nodes.running import PassingNode
from jackfield.api.plugin import Plugin, hookimpl


def made(kind, scope):
    node = PassingNode(kind, (1.0,), NodeDescription(kind, "Digs.", "code", scopes=(scope,)))
    node.effect = False
    return node


class MolePlugin(Plugin):
    name = "mole"

    @hookimpl
    def jackfield_nodes(self):
        return [made("mole", "machine:write")]


class OddPlugin(Plugin):
    name = "odd"

    @hookimpl
    def jackfield_nodes(self):
        return [made("odd", "moon:write")]
"""


def stranger(directory: Path) -> str:
    """Where Python finds two plugins of somebody else."""
    (directory / "molehill.py").write_text(PLUGIN, encoding="utf-8")
    info = directory / "molehill-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: molehill\nVersion: 1.0\n", encoding="utf-8")
    points = "[jackfield]\nmole = molehill:MolePlugin\nodd = molehill:OddPlugin\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    return str(directory)


class Lab:
    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.admin = daemon.admin()

    def key(self, *scopes: str, header: str = "X-API-Key") -> httpx.Client:
        body = {"name": "limited", "scopes": ["workflows:read", "workflows:write", "workflows:execute", *scopes]}
        made = self.admin.post("/api-keys", json=body).raise_for_status().json()["key"]
        client = self.daemon.client(headers={header: made})
        client.base_url = httpx.URL(f"{self.daemon.base_url}/api/v1")
        return client

    def saved(self, document: dict[str, Any]) -> str:
        answer = self.admin.post("/workflows", json=document)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    found = stranger(tmp_path_factory.mktemp("molehill"))
    settings = "[integrations]\nexecute_command = true\n"
    daemon = Daemon(tmp_path_factory.mktemp("scopes"), settings=settings, env={"PYTHONPATH": found})
    try:
        yield Lab(daemon.start())
    finally:
        daemon.close()


def document(command: str = "id", path: str = "p", *, last: dict[str, Any] | None = None) -> dict[str, Any]:
    nodes = [
        webhook(path, responseMode="lastNode"),
        set_fields("Before", x=1),
        last or node("Shell", "executeCommand", {"command": command}),
        set_fields("After", y=2),
    ]
    names = [str(each["name"]) for each in nodes]
    lines = wires((names[0], names[1]), (names[1], names[2]), (names[2], names[3]))
    return {"name": "W", "nodes": nodes, "connections": lines}


def changed(found: dict[str, Any], name: str, **parameters: object) -> dict[str, Any]:
    made: dict[str, Any] = copy.deepcopy(found)
    part = next(each for each in made["nodes"] if each["name"] == name)
    part["parameters"] = parameters
    return made


def denied(answer: httpx.Response, scope: str = "machine:write", name: str = "Shell", kind: str = SHELL) -> None:
    assert answer.status_code == 403, answer.text
    body = answer.json()
    assert body["code"] == "ACCESS_DENIED"
    assert body["details"] == {"scope": scope, "node": name, "type": kind}
    assert all(each in body["message"] for each in (scope, name, kind))


INNER = json.dumps({"nodes": [node("S", "executeCommand", {"command": "id"})], "connections": {}})
NODES = {
    "command": (node("N", "executeCommand", {"command": "id"}), "machine:write"),
    "n8n's name": ({**node("N", "x"), "type": "n8n-nodes-base.executeCommand"}, "machine:write"),
    "as a tool": ({**node("N", "x"), "type": "n8n-nodes-base.executeCommandTool"}, "machine:write"),
    "disabled": ({**node("N", "executeCommand", {"command": "id"}), "disabled": True}, "machine:write"),
    "files": (node("N", "readWriteFile", {"fileSelector": "/etc/hosts"}), "machine:write"),
    "ssh": (node("N", "ssh", {"command": "id"}), "machine:write"),
    "agent": (node("N", "agent", {"profile": "work", "prompt": "hi"}), "agents:write"),
    "terminal": (node("N", "terminalSession", {"operation": "read", "sessionId": "x"}), "agents:write"),
    "a stranger's": (node("N", "mole", version=1), "machine:write"),
    "inner workflow": (node("N", "executeWorkflow", {"source": "parameter", "workflowJson": INNER}), "machine:write"),
    "inner object": (
        node("N", "executeWorkflow", {"source": "parameter", "workflowJson": json.loads(INNER)}),
        "machine:write",
    ),
    "made by an expression": (
        node("N", "executeWorkflow", {"source": "parameter", "workflowJson": "={{ $json.body }}"}),
        "agents:write",
    ),
    "by an expression": (node("N", "executeWorkflow", {"workflowId": "={{ $json.id }}"}), "agents:write"),
    "an inner workflow's expression": (
        node(
            "N",
            "executeWorkflow",
            {"source": "parameter", "workflowJson": {"nodes": [node("I", "executeWorkflow", {"workflowId": "=1"})]}},
        ),
        "agents:write",
    ),
    "from a file": (node("N", "executeWorkflow", {"source": "localFile", "workflowPath": "/x"}), "agents:write"),
    "a tool's workflow": (
        node("N", "langchain.toolWorkflow", {"source": "parameter", "workflowJson": INNER}),
        "machine:write",
    ),
}


@pytest.mark.parametrize("case", NODES)
def test_a_node_is_stored_with_its_scope_alone(lab: Lab, case: str) -> None:
    part, scope = NODES[case]
    plain = document(path=f"stored {case}", last=part)
    denied(lab.key().post("/workflows", json=plain), scope, "N", str(part["type"]))
    allowed = lab.key("machine:write", "agents:write")
    assert allowed.post("/workflows", json=plain).status_code == 201
    assert lab.admin.post("/workflows", json=plain).status_code == 201


def test_the_daemons_own_user_with_scopes_of_the_role_keeps_everything(lab: Lab) -> None:
    made = lab.admin.post("/users", json={"username": "mia", "password": "correct-horse-mia", "role": "member"})
    assert made.status_code == 201, made.text
    login = {"username": "mia", "password": "correct-horse-mia"}
    token = lab.daemon.client().post("/api/v1/auth/login", json=login).json()["token"]
    member = lab.daemon.client(headers={"Authorization": f"Bearer {token}"})
    assert member.post("/api/v1/workflows", json=document(path="mia")).status_code == 201


HARMLESS = {
    "a harmless inner workflow": node(
        "N", "executeWorkflow", {"source": "parameter", "workflowJson": '{"nodes": [{"type": "jackfield.noOp"}]}'}
    ),
    "a saved one": node("N", "executeWorkflow", {"workflowId": "abc"}),
    "code": node("N", "code", {"jsCode": "return []"}),
}


@pytest.mark.parametrize("case", HARMLESS)
def test_other_nodes_need_no_scope(lab: Lab, case: str) -> None:
    assert lab.key().post("/workflows", json=document(path=f"ok {case}", last=HARMLESS[case])).status_code == 201


def test_every_way_to_store_activate_or_start_asks_for_the_scope(lab: Lab) -> None:
    key, n8n = lab.key(), lab.key(header="X-N8N-API-KEY")
    ident = lab.saved(document("exit 3", path="ways"))
    one, other = f"/workflows/{ident}", changed(document("exit 3", path="ways"), "Shell", command="whoami")
    plain = lab.key().post(
        "/workflows", json={**document(path="plain"), "nodes": [webhook("plain")], "connections": {}}
    )
    own = f"/workflows/{plain.json()['id']}"
    run = {"workflow": document(), "inputData": []}
    for answer in (
        n8n.post("/workflows", json=document()),
        key.put(one, json=other),
        n8n.put(one, json=other),
        key.patch(one, json={"nodes": other["nodes"]}),
        key.put(own, json=document(path="plain")),
        key.patch(own, json={"nodes": document(path="plain")["nodes"]}),
        key.post(f"{one}/duplicate"),
        key.post(f"{one}/activate"),
        n8n.post(f"{one}/activate"),
        n8n.post(f"{one}/publish"),
        key.patch(one, json={"active": True}),
        key.put(one, json={**document("exit 3", path="ways"), "active": True}),
        key.post(f"{one}/execute"),
        key.post(f"{one}/execute-async"),
        key.post("/workflows/run", json=run),
        key.post("/workflows/run-async", json=run),
    ):
        denied(answer)
    assert lab.admin.get(one).json()["version"] == 1
    ran = lab.admin.post(f"{one}/execute").raise_for_status().json()
    denied(key.post(f"/executions/{ran['id']}/retry"))
    denied(n8n.post(f"/executions/{ran['id']}/retry"))
    assert lab.key("machine:write").post(f"{one}/activate").status_code == 200
    assert key.post(f"{one}/deactivate").status_code == 200


def test_a_restored_version_brings_no_node_back_without_its_scope(lab: Lab) -> None:
    bare = {**document(path="restored"), "nodes": [webhook("restored")], "connections": {}}
    ident = lab.saved(document(path="restored"))
    lab.admin.put(f"/workflows/{ident}", json=bare).raise_for_status()
    denied(lab.key().post(f"/workflows/{ident}/versions/1/restore"))
    assert lab.key("machine:write").post(f"/workflows/{ident}/versions/1/restore").status_code == 200


def test_imports_name_the_node_document_by_document(lab: Lab) -> None:
    key = lab.key()
    good = {**document(path="good"), "nodes": [webhook("good")], "connections": {}}
    refused = key.post("/workflows/import", json=document(path="bad"))
    assert refused.status_code == 403
    assert "Shell" in refused.json()["message"]
    assert refused.json()["results"][0]["problems"][0]["path"] == "nodes[2].type"
    partly = key.post("/workflows/import?partial=true", json=[good, document(path="bad")])
    assert partly.status_code == 207
    assert [row["status"] for row in partly.json()["results"]] == ["created", "refused"]
    report = key.post("/import", json={"workflows": [{**document(path="bad"), "id": "n8n1"}, {**good, "id": "n8n2"}]})
    rows = {row["foreignId"]: row for row in report.raise_for_status().json()["results"]}
    assert (rows["n8n1"]["status"], rows["n8n2"]["status"]) == ("refused", "created")
    assert "machine:write" in rows["n8n1"]["problems"][0]["message"]
    whole = lab.key("machine:write").post("/workflows/import", json=document(path="bad"))
    assert whole.status_code == 200


def test_what_is_unchanged_may_stay(lab: Lab) -> None:
    key = lab.key()
    ident = lab.saved(document(path="stays"))
    one = f"/workflows/{ident}"
    lab.admin.post(f"{one}/activate").raise_for_status()
    moved = copy.deepcopy(document(path="stays"))
    for part in moved["nodes"]:
        part["position"] = [300, 300]
    for change in (
        {**moved, "name": "Renamed"},
        changed(document(path="stays"), "After", assignments={"assignments": []}),
        changed(document(path="stays"), "Before", assignments={"assignments": []}),
    ):
        answer = key.put(one, json=change)
        assert (answer.status_code, answer.json().get("active")) == (200, True), answer.text
    assert key.patch(one, json={"name": "Again"}).status_code == 200
    assert lab.daemon.client().post("/webhook/stays").json()[0]["y"] == 2
    without = {**document(path="stays"), "nodes": [webhook("stays")], "connections": {}}
    assert key.put(one, json=without).status_code == 200
    denied(key.put(one, json=document(path="stays")))


def test_what_leads_to_a_node_that_reads_items_stays_too(lab: Lab) -> None:
    key = lab.key()
    first = document("={{ $json.x }}", path="leads")
    one = f"/workflows/{lab.saved(first)}"
    more = copy.deepcopy(first)
    more["nodes"].append(webhook("second") | {"name": "Second"})
    more["connections"]["Second"] = {"main": [[{"node": "Shell", "type": "main", "index": 0}]]}
    pinned = {**first, "pinData": {"Before": [{"json": {"x": "reboot"}}]}}
    cases: list[Callable[[], httpx.Response]] = [
        lambda: key.put(one, json=changed(first, "Before", assignments={"assignments": []})),
        lambda: key.put(one, json=more),
        lambda: key.put(one, json=pinned),
    ]
    for case in cases:
        answer = case()
        denied(answer)
        assert "has changed" in answer.json()["message"]
    assert key.put(one, json=changed(first, "After", assignments={"assignments": []})).status_code == 200


def calling(ident: str, kind: str = "executeWorkflow") -> dict[str, Any]:
    nodes = [node("Start", "manualTrigger"), node("Call", kind, {"workflowId": ident})]
    return {"name": "Caller", "nodes": nodes, "connections": wires(("Start", "Call"))}


def called(command: str = "={{ 'echo ' + $json.word }}", **settings: str) -> dict[str, Any]:
    nodes = [
        node("From", "executeWorkflowTrigger", {"inputSource": "passthrough"}),
        node("Shell", "executeCommand", {"command": command}),
    ]
    return {"name": "Called", "nodes": nodes, "connections": wires(("From", "Shell")), "settings": settings}


def test_a_workflow_that_is_not_live_is_called_with_its_nodes_scopes(lab: Lab) -> None:
    key, target = lab.key(), lab.saved(called())
    between = lab.saved({**calling(target), "name": "Between"})
    items = [{"json": {"word": "hello"}}]
    for ident in (target, between):
        for answer in (
            key.post("/workflows/run", json={"workflow": calling(ident), "inputData": items}),
            key.post("/workflows", json=calling(ident)),
            key.post("/workflows", json=calling(ident, "langchain.toolWorkflow")),
        ):
            assert (answer.status_code, answer.json()["details"]["node"]) == (403, "Call"), answer.text
            assert answer.json()["details"]["scope"] == "machine:write"
    own, foreign = {**called(), "id": "n8nTarget", "name": "Theirs"}, {**calling("n8nTarget"), "id": "n8nCaller"}
    lab.admin.post("/import", json={"workflows": [own]}).raise_for_status()
    assert key.post("/import", json={"workflows": [foreign]}).json()["results"][0]["status"] == "refused"
    assert lab.key("machine:write").post("/workflows", json=calling(target)).status_code == 201
    lab.admin.post(f"/workflows/{target}/activate").raise_for_status()
    ran = key.post("/workflows/run", json={"workflow": calling(target), "inputData": items})
    assert ran.json()["data"][0]["json"]["stdout"] == "hello"


def test_a_key_lets_no_further_workflows_call_one(lab: Lab) -> None:
    key = lab.key()
    one = f"/workflows/{lab.saved(called(callerPolicy='none'))}"
    for settings in ({"callerPolicy": "any"}, {}, {"callerPolicy": "none", "callerIds": "x"}):
        denied(key.patch(one, json={"settings": settings}))
    assert key.patch(one, json={"settings": {"callerPolicy": "none", "timezone": "Europe/Berlin"}}).status_code == 200
    fixed = f"/workflows/{lab.saved(called('id', callerPolicy='none'))}"
    assert key.patch(fixed, json={"settings": {"callerPolicy": "any"}}).status_code == 200


@pytest.mark.parametrize("kind", ["executeWorkflow", "langchain.toolWorkflow"])
def test_a_name_that_is_not_the_documents_gives_no_parameter(lab: Lab, kind: str) -> None:
    inner = {"nodes": [node("From", "manualTrigger"), node("Shell", "executeCommand", {"command": "echo hello"})]}
    inner["connections"] = wires(("From", "Shell"))  # type: ignore[assignment]  # JSON
    parameters = {"source": "parameter", "workflow_json": json.dumps(inner)}
    whole = {**calling("x"), "nodes": [node("Start", "manualTrigger"), node("Call", kind, parameters)]}
    ran = lab.key().post("/workflows/run", json={"workflow": whole, "inputData": []})
    assert ran.status_code == 403 or ran.json()["status"] == "failed", ran.text


def test_a_nodes_scopes_are_in_its_type_and_must_be_scopes(lab: Lab) -> None:
    assert lab.admin.get("/node-types/executeCommand").json()["scopes"] == ["machine:write"]
    assert lab.admin.get("/node-types/mole").json()["scopes"] == ["machine:write"]
    assert lab.admin.get("/node-types/odd").status_code == 404
    plugins = lab.daemon.client().get("/api/plugins").text
    assert "moon:write" in plugins
