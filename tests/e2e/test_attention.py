"""A live workflow that can no longer be started says so: in the API, the metrics, the event stream and the log."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import httpx

from jackfield.testing.daemon import Daemon, poll


def hook(path: str, **more: Any) -> dict[str, Any]:
    return {
        "id": "h", "name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
        "parameters": {"path": path, "httpMethod": "POST"}, **more,
    }  # fmt: skip


def protected(path: str, credential: str) -> dict[str, Any]:
    found = hook(path, credentials={"httpHeaderAuth": {"id": credential, "name": "c"}})
    found["parameters"]["authentication"] = "headerAuth"
    return {"name": path, "nodes": [found], "connections": {}}


def credential(api: httpx.Client) -> str:
    body = {"name": "c", "kind": "httpHeaderAuth", "values": {"name": "X-Key", "value": "a-secret-of-this-test"}}
    return str(api.post("/credentials", json=body).json()["id"])


def needing(daemon: Daemon) -> int:
    text = daemon.admin().get(f"{daemon.base_url}/metrics").text
    found = re.search(r"^jackfield_workflows_needing_attention (\d+)", text, re.MULTILINE)
    return int(found[1]) if found else -1


def events(daemon: Daemon, act: Callable[[], object]) -> dict[str, Any]:
    """The first `workflow.attention` after `act`."""
    with daemon.admin().stream("GET", "/events?topics=workflows", timeout=20) as stream:
        lines = stream.iter_lines()
        next(line for line in lines if line)
        act()
        name = ""
        for line in lines:
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name == "workflow.attention":
                found: dict[str, Any] = json.loads(line.removeprefix("data: "))
                return found
    raise AssertionError("the stream ended")


def test_a_credential_that_is_gone_is_told(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    key = credential(api)
    ident = daemon.live(protected("closed", key))
    assert "attention" not in api.get(f"/workflows/{ident}").json()
    shown = api.get(f"/webhooks/{api.get('/webhooks').json()['data'][0]['id']}").json()["authConfig"]
    assert shown == {"headerName": "X-Key", "credential": {"kind": "httpHeaderAuth", "id": key, "name": "c"}}
    told = events(daemon, lambda: api.delete(f"/credentials/{key}"))
    assert (told["data"]["id"], told["data"]["name"]) == (ident, "closed")
    assert told["data"]["attention"][0]["path"].startswith("nodes[0].")
    shown = api.get(f"/workflows/{ident}").json()
    assert (shown["active"], shown["attention"]) == (True, told["data"]["attention"])
    listed = {row["id"]: row.get("attention") for row in api.get("/workflows").json()["data"]}
    assert listed == {ident: shown["attention"]}
    assert needing(daemon) == 1
    assert any("needs attention" in str(line.get("message")) for line in daemon.logs())

    daemon.stop()
    daemon.start()
    poll(lambda: needing(daemon) == 1, "it is known after a restart")
    back = protected("closed", credential(daemon.admin()))
    told = events(daemon, lambda: daemon.admin().put(f"/workflows/{ident}", json=back))
    assert told["data"]["attention"] == []
    assert needing(daemon) == 0
    assert "attention" not in daemon.admin().get(f"/workflows/{ident}").json()


def test_an_idle_trigger_beside_a_good_one_is_told_at_once(daemon: Daemon) -> None:
    api = daemon.admin()
    talk = {"type": "@n8n/n8n-nodes-langchain.chatTrigger", "typeVersion": 1.1, "parameters": {}}
    idle = {**hook("x"), "id": "t", "name": "Talk", **talk}
    document = {"name": "both", "nodes": [hook("both"), idle], "connections": {}}
    ident = api.post("/workflows", json=document).json()["id"]
    answer = api.post(f"/workflows/{ident}/activate").json()
    assert (answer["active"], [each["path"] for each in answer["attention"]]) == (True, ["nodes[1]"])
    api.post(f"/workflows/{ident}/deactivate")
    assert "attention" not in api.get(f"/workflows/{ident}").json()


def test_a_deleted_sub_workflow_is_told(daemon: Daemon) -> None:
    api = daemon.admin()
    other = api.post("/workflows", json={"name": "other", "nodes": [], "connections": {}}).json()["id"]
    call = {
        **hook("x"), "id": "c", "name": "Call", "type": "n8n-nodes-base.executeWorkflow", "typeVersion": 1.2,
        "parameters": {"workflowId": other},
    }  # fmt: skip
    wires = {"Hook": {"main": [[{"node": "Call", "type": "main", "index": 0}]]}}
    ident = daemon.live({"name": "caller", "nodes": [hook("caller"), call], "connections": wires})
    api.delete(f"/workflows/{other}")
    found = poll(lambda: api.get(f"/workflows/{ident}").json().get("attention"), "the missing workflow is told")
    assert [each["path"] for each in found] == ["nodes[1].parameters.workflowId"]


def test_a_plugin_that_is_gone_is_told(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    form = {**hook("f"), "type": "n8n-nodes-base.formTrigger", "parameters": {"formTitle": "T", "path": "f"}}
    ident = daemon.live({"name": "form", "nodes": [form], "connections": {}})
    daemon.stop()
    (daemon.config_dir / "config.toml").write_text('[plugins]\ndisabled = ["forms"]\n', encoding="utf-8")
    daemon.start()
    api = daemon.admin()
    found = poll(lambda: api.get(f"/workflows/{ident}").json().get("attention"), "the missing plugin is told")
    assert "not installed" in found[0]["message"]


def test_a_short_path_that_another_has_is_told(daemon: Daemon) -> None:
    api = daemon.admin()
    first = {"name": "first", "nodes": [hook("same/:id", webhookId="one-1")], "connections": {}}
    daemon.live(first)
    second = {"name": "second", "nodes": [hook("same/:id", webhookId="two-2")], "connections": {}}
    found = api.get(f"/workflows/{daemon.live(second)}").json()["attention"]
    assert "/same/:id is served by the workflow first" in found[0]["message"]


def test_a_live_workflow_without_its_trigger_can_be_saved(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon()
    timer = {**hook("x"), "name": "Timer", "type": "n8n-nodes-base.scheduleTrigger", "typeVersion": 1.2}
    timer["parameters"] = {"rule": {"interval": [{"field": "days"}]}}
    document: dict[str, Any] = {"name": "W", "nodes": [timer], "connections": {}}
    ident = daemon.live(document)
    daemon.stop()
    (daemon.config_dir / "config.toml").write_text('[plugins]\ndisabled = ["schedule"]\n', encoding="utf-8")
    daemon.start()
    api = daemon.admin()
    shown = poll(lambda: (found := api.get(f"/workflows/{ident}").json()).get("attention") and found, "it is told")
    renamed = api.put(f"/workflows/{ident}", json={**shown, "name": "Renamed"})
    assert renamed.status_code == 200, renamed.text
    after = api.get(f"/workflows/{ident}").json()
    assert (after["name"], after["active"], after["version"]) == ("Renamed", True, 2)
    assert after["attention"] == shown["attention"]
    moved = {**document, "nodes": [{**hook("y"), "type": "n8n-nodes-base.noOp", "name": "First", "id": "f"}, timer]}
    assert api.patch(f"/workflows/{ident}", json={"nodes": moved["nodes"]}).status_code == 200
    assert api.get(f"/workflows/{ident}").json()["attention"][0]["path"].startswith("nodes[1]")

    worse = {**document, "nodes": [timer, protected("closed", "00000000-0000-4000-8000-000000000000")["nodes"][0]]}
    refused = api.put(f"/workflows/{ident}", json=worse)
    assert refused.status_code == 400
    assert {path.split(".")[0] for path in refused.json()["details"]} == {"nodes[1]"}
    none_left = api.put(f"/workflows/{ident}", json={**document, "nodes": []})
    assert none_left.status_code == 400
    assert api.put(f"/workflows/{ident}", json={**document, "nodes": [hook("open")]}).status_code == 200
    assert "attention" not in api.get(f"/workflows/{ident}").json()
    assert api.put(f"/workflows/{ident}", json=document).status_code == 400
    assert api.put(f"/workflows/{ident}", json={**document, "active": False}).status_code == 200
    assert api.patch(f"/workflows/{ident}", json={"active": True}).status_code == 400


def test_a_schedule_is_told_as_a_sentence(daemon: Daemon) -> None:
    rule = {"interval": [{"field": "weeks", "triggerAtDay": [1, 2, 3, 4, 5], "triggerAtHour": 9}]}
    node = {**hook("x"), "name": "Mornings", "type": "jackfield.scheduleTrigger", "parameters": {"rule": rule}}
    document = {"name": "S", "nodes": [node], "connections": {}, "settings": {"timezone": "Europe/Berlin"}}
    told = [{"node": "Mornings", "text": "Every weekday at 09:00 (Europe/Berlin)"}]
    api = daemon.admin()
    assert api.post("/workflows/validate", json=document).json()["starts"] == told
    made = api.post("/workflows", json={**document, "active": True}).raise_for_status().json()["id"]
    rows = api.get("/workflows?search=S").json()["data"]
    assert [row["starts"] for row in rows if row["id"] == made] == [told]
    api.post(f"/workflows/{made}/deactivate").raise_for_status()
    assert ["starts" in row for row in api.get("/workflows?search=S").json()["data"] if row["id"] == made] == [False]
