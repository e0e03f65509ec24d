"""Settings of workflows: obeyed, or refused when they are saved."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon, poll

FAST = "[executions]\nunsaved_for = 0.2\nprune_interval = 0.1\n"


def node(name: str, kind: str, version: float, **parameters: Any) -> dict[str, Any]:
    made = {"id": name, "name": name, "type": f"n8n-nodes-base.{kind}", "typeVersion": version, "position": [0, 0]}
    return {**made, "parameters": parameters}


def flow(name: str, *nodes: dict[str, Any], **settings: Any) -> dict[str, Any]:
    names = [each["name"] for each in nodes]
    wires = {a: {"main": [[{"node": b, "type": "main", "index": 0}]]} for a, b in pairwise(names)}
    return {"name": name, "nodes": list(nodes), "connections": wires, "settings": settings}


def hook(path: str) -> dict[str, Any]:
    return node("Hook", "webhook", 2, path=path, httpMethod="POST", responseMode="lastNode")


STOP = node("Stop", "stopAndError", 1, errorMessage="wrong")


def test_what_is_not_to_be_saved_is_gone_soon(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon(FAST)
    api, client = daemon.admin(), daemon.client()
    kept = daemon.live(flow("kept", hook("kept")))
    quiet = daemon.live(flow("quiet", hook("quiet"), saveDataSuccessExecution="none", saveDataErrorExecution="all"))
    failing = daemon.live(flow("failing", hook("failing"), STOP, saveDataErrorExecution="none"))
    loud = daemon.live(flow("loud", hook("loud"), STOP, saveDataSuccessExecution="none"))
    for path in ("kept", "quiet", "failing", "loud"):
        assert client.post(f"/webhook/{path}").status_code == (200 if path in ("kept", "quiet") else 500)

    def left() -> set[str]:
        return {row["workflowId"] for row in api.get("/executions").json()["data"]}

    poll(lambda: left() == {kept, loud}, "the others are gone")
    assert (quiet, failing) != (kept, loud)
    manual = api.post("/workflows", json=flow("manual", node("M", "manualTrigger", 1), saveManualExecutions=False))
    done = api.post(f"/workflows/{manual.json()['id']}/execute", json=[{"json": {"a": 1}}]).json()
    assert (done["status"], done["data"][0]["json"]) == ("success", {"a": 1}), "whoever runs it gets the result"
    poll(lambda: api.get(f"/executions/{done['id']}").status_code == 404, "the run by hand is gone")


def test_what_is_not_to_be_saved_survives_a_crash_while_it_runs(new_daemon: Callable[..., Daemon]) -> None:
    daemon = new_daemon(FAST)
    wait = node("Wait", "wait", 1.1, amount=1, unit="seconds")
    trigger = hook("slow")
    trigger["parameters"]["responseMode"] = "onReceived"
    daemon.live(flow("slow", trigger, wait, saveDataSuccessExecution="none"))
    ident = daemon.client().post("/webhook/slow").json()["executionId"]
    daemon.kill()
    daemon.start()
    api = daemon.admin()
    poll(lambda: api.get(f"/executions/{ident}").status_code == 404, "it ends and is gone", timeout=20)
    history = api.get(f"/webhooks/{api.get('/webhooks').json()['data'][0]['id']}/history").json()
    assert [call["status"] for call in history["data"]] == ["success"], "it ran to its end"


@pytest.mark.parametrize(
    ("policy", "listed", "allowed"),
    [
        ("any", "", True), ("workflowsFromSameOwner", "", True), (None, "", True), ("none", "", False),
        ("workflowsFromAList", "", False), ("workflowsFromAList", "x, {caller}", True),
    ],
)  # fmt: skip
def test_a_workflow_says_who_may_run_it(daemon: Daemon, policy: str | None, listed: str, allowed: bool) -> None:
    api = daemon.admin()
    call = node("Call", "executeWorkflow", 1.2, workflowId="unknown")
    caller = api.post("/workflows", json=flow("caller", node("M", "manualTrigger", 1), call)).json()["id"]
    settings = {"callerIds": listed.format(caller=caller)} | ({"callerPolicy": policy} if policy else {})
    called = flow("called", node("T", "executeWorkflowTrigger", 1), **settings)
    call["parameters"]["workflowId"] = api.post("/workflows", json=called).json()["id"]
    api.put(f"/workflows/{caller}", json=flow("caller", node("M", "manualTrigger", 1), call))
    done = api.post(f"/workflows/{caller}/execute", json=[{"json": {}}]).json()
    assert done["status"] == ("success" if allowed else "failed")
    if not allowed:
        assert "does not let this one run it" in done["error"]["message"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("saveDataSuccessExecution", "some"), ("saveDataErrorExecution", True), ("saveManualExecutions", 1),
        ("saveExecutionProgress", "yes"), ("executionTimeout", "long"), ("callerPolicy", "friends"),
        ("callerIds", ["a"]), ("timezone", "Moon/Crater"), ("errorWorkflow", []), ("executionOrder", "v7"),
        ("redactionPolicy", "all"),
    ],
)  # fmt: skip
def test_what_would_be_ignored_is_not_saved(daemon: Daemon, name: str, value: Any) -> None:
    api, document = daemon.admin(), flow("w", hook("never"), **{name: value})
    place = f"settings.{name}"
    refused = api.post("/workflows", json=document)
    assert (refused.status_code, list(refused.json()["details"])) == (400, [place])
    good = api.post("/workflows", json=flow("w", hook("never"))).json()["id"]
    assert list(api.patch(f"/workflows/{good}", json={"settings": {name: value}}).json()["details"]) == [place]
    checked = api.post("/workflows/validate", json=document).json()
    assert (checked["valid"], [p["path"] for p in checked["problems"] if p["severity"] == "error"]) == (False, [place])
    api.delete(f"/workflows/{good}")


def test_defaults_are_saved(daemon: Daemon) -> None:
    names = ("saveDataSuccessExecution", "saveManualExecutions", "timezone", "errorWorkflow", "executionTimeout")
    for value in ("DEFAULT", ""):
        made = daemon.admin().post("/workflows", json=flow("w", hook("x"), **dict.fromkeys(names, value)))
        assert made.status_code == 201, made.text
