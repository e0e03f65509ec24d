"""A workflow that is live can be started, and what keeps it from that is said."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon

CORE, CHAIN = "n8n-nodes-base.", "@n8n/n8n-nodes-langchain."


def node(name: str, kind: str, version: float = 1, **parameters: Any) -> dict[str, Any]:
    made = {"id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0]}
    return {**made, "parameters": parameters}


def hook(path: str) -> dict[str, Any]:
    return node("Hook", CORE + "webhook", 2, path=path, httpMethod="POST")


def chain(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    names = [each["name"] for each in nodes]
    wires = {left: {"main": [[{"node": right, "type": "main", "index": 0}]]} for left, right in pairwise(names)}
    return {"name": "W", "nodes": list(nodes), "connections": wires, **more}


def details(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 400, answer.text
    found: dict[str, str] = answer.json()["details"]
    return found


NOT_LIVE = {
    "gmail": (node("G", CORE + "gmailTrigger"), "nodes[0].credentials.gmailOAuth2", "credential"),
    "unknown": (node("U", "n8n-nodes-strange.oddTrigger"), "nodes[0]", "not installed"),
    "manual": (node("By hand", CORE + "manualTrigger"), "nodes[0]", "By hand"),
    "manual chat": (node("Talk", CHAIN + "manualChatTrigger"), "nodes[0]", "Talk"),
    "private chat": ({**node("C", CHAIN + "chatTrigger", 1.1), "webhookId": "w"}, "nodes[0]", "public"),
    "no trigger": (node("S", CORE + "set"), "nodes", "trigger"),
    "disabled": ({**hook("off"), "disabled": True}, "nodes", "trigger"),
}


@pytest.mark.parametrize("case", NOT_LIVE)
def test_nothing_that_nothing_can_start_is_live(daemon: Daemon, case: str) -> None:
    trigger, place, word = NOT_LIVE[case]
    api, document = daemon.admin(), chain(trigger, node("After", CORE + "noOp"))
    ident = api.post("/workflows", json=document).json()["id"]
    for answer in (
        api.post(f"/workflows/{ident}/activate"),
        api.put(f"/workflows/{ident}", json={**document, "active": True}),
        api.patch(f"/workflows/{ident}", json={"active": True}),
        api.post("/workflows", json={**document, "active": True}),
    ):
        found = details(answer)
        assert list(found) == [place]
        assert word in found[place]
    assert api.get(f"/workflows/{ident}").json()["active"] is False
    checked = api.post("/workflows/validate", json=document).json()
    assert (checked["valid"], checked["activatable"]) == (True, False)
    assert [each["path"] for each in checked["problems"] if each["severity"] == "activation"] == [place]


def test_a_node_that_keeps_the_workflow_from_starting_is_told(daemon: Daemon) -> None:
    api, document = daemon.admin(), chain(hook("lacking"), node("C", CORE + "crypto", action="hash"))
    ident = api.post("/workflows", json=document).json()["id"]
    found = details(api.post(f"/workflows/{ident}/activate"))
    assert list(found) == ["nodes[1].parameters.value"]
    assert "The node C" in found["nodes[1].parameters.value"]
    run = api.post("/workflows/run", json={"workflow": document}).json()
    told = api.get(f"/executions/{run['executionId']}").json()
    assert told["status"] == "failed"
    assert "Node 'C', parameter value: It is empty" in told["error"]["message"]
    assert told["nodes"] == {}
    document["connections"] = {}
    daemon.live(document)


@pytest.mark.parametrize("kind", ["executeWorkflowTrigger", "errorTrigger"])
def test_triggers_that_other_workflows_start_may_be_live(daemon: Daemon, kind: str) -> None:
    daemon.live(chain(node("T", CORE + kind), node("After", CORE + "noOp")))


def test_one_good_trigger_is_enough(daemon: Daemon) -> None:
    document = chain(hook("good"), {**node("T", CHAIN + "chatTrigger", 1.1), "webhookId": "w"})
    daemon.live(document)
    checked = daemon.admin().post("/workflows/validate", json=document).json()
    assert checked["activatable"] is True
    assert [each["message"] for each in checked["problems"] if each["path"] == "nodes[1]"] == [
        next(each["message"] for each in checked["problems"] if "starts nothing" in each["message"])
    ]


def test_the_state_of_a_document_is_obeyed(daemon: Daemon) -> None:
    api, document = daemon.admin(), chain(hook("switched"))
    made = api.post("/workflows", json={**document, "active": True}).json()
    one = f"/workflows/{made['id']}"
    assert made["active"] is True
    assert daemon.client().post("/webhook/switched").status_code == 200
    assert api.put(one, json=document).json()["active"] is True, "without a word it stays"
    off = api.patch(one, json={"active": False}).json()
    assert (off["active"], off["version"]) == (False, 2)
    assert daemon.client().post("/webhook/switched").status_code == 503
    on = api.put(one, json={**document, "active": True}).json()
    assert (on["active"], on["version"]) == (True, 3)
    assert daemon.client().post("/webhook/switched").status_code == 200
    assert list(details(api.patch(one, json={"active": "yes"}))) == ["active"]
    taken = api.post("/workflows", json={**document, "active": True})
    assert taken.status_code == 409
    assert [row["id"] for row in api.get("/workflows?search=W&active=true").json()["data"]].count(made["id"]) == 1


def test_a_missing_credential_of_a_node_that_runs_is_refused(daemon: Daemon) -> None:
    api = daemon.admin()
    mail = node("Mail", CORE + "emailSend", 2.1, fromEmail="a@b.c", toEmail="a@b.c")
    alone = {**node("Lonely", CORE + "postgres", 2.4), "credentials": {"postgres": {"id": "gone", "name": "x"}}}
    document = chain(hook("mailed"), mail)
    document["nodes"].append(alone)
    ident = api.post("/workflows", json=document).json()["id"]
    assert "Mail" in details(api.post(f"/workflows/{ident}/activate"))["nodes[1].credentials.smtp"]
    checked = api.post("/workflows/validate", json=document).json()["problems"]
    severities = {each["path"]: each["severity"] for each in checked}
    assert severities["nodes[1].credentials.smtp"] == "activation"
    assert severities["nodes[2].credentials.postgres"] == "warning"
    mail["credentials"] = {"smtp": {"id": "01a20dd0-0000-7000-8000-000000000000", "name": "gone"}}
    assert (
        "does not exist"
        in details(api.put(f"/workflows/{ident}", json={**document, "active": True}))["nodes[1].credentials.smtp"]
    )
    made = api.post("/credentials", json={"name": "m", "kind": "smtp", "values": {"host": "127.0.0.1", "port": "25"}})
    assert made.status_code == 201, made.text
    mail["credentials"]["smtp"]["id"] = made.json()["id"]
    assert api.put(f"/workflows/{ident}", json={**document, "active": True}).json()["active"] is True


def test_a_missing_sub_workflow_is_refused(daemon: Daemon) -> None:
    api = daemon.admin()
    call = node("Call", CORE + "executeWorkflow", 1.2, workflowId={"__rl": True, "mode": "list", "value": "none"})
    document = chain(hook("calling"), call, settings={"errorWorkflow": "none"})
    ident = api.post("/workflows", json=document).json()["id"]
    assert list(details(api.post(f"/workflows/{ident}/activate"))) == ["nodes[1].parameters.workflowId"]
    checked = api.post("/workflows/validate", json=document).json()["problems"]
    assert {"settings.errorWorkflow": "warning"}.items() <= {p["path"]: p["severity"] for p in checked}.items()
    told = api.post("/workflows/import", json=document).json()["results"][0]["problems"]
    assert "nodes[1].parameters.workflowId" in [each["path"] for each in told]
    call["parameters"]["workflowId"]["value"] = api.post("/workflows", json=chain(node("S", CORE + "noOp"))).json()[
        "id"
    ]
    assert api.put(f"/workflows/{ident}", json={**document, "active": True}).json()["active"] is True
