"""The real daemon and a service that misbehaves: what is new starts the workflow once, whatever happens."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from trigger_lab import SETTINGS, executions, made, numbers, polling, subscribing, until

from jackfield.testing.daemon import Daemon
from jackfield.testing.documents import chain, node, set_fields
from jackfield.testing.vendor import Drop, Garbage, Refuse, Reordered, Repeated, Slow, VendorDouble


def test_polls_tell_what_is_new_once(daemon: Daemon, vendor: VendorDouble) -> None:
    vendor.add(7)
    api = daemon.admin()
    workflow = daemon.live(polling(), api)
    until(lambda: api.get(f"/workflows/{workflow}/triggers").json()["data"][0].get("next"), "the first poll")
    vendor.misbehave(Refuse(429, 1), Garbage(), Repeated(), Drop(), Reordered(3), Slow(0.3), Refuse(503))
    for _ in range(4):
        vendor.add(3)
        count = len(vendor.items) - 7
        until(lambda count=count: len(numbers(api, workflow)) >= count, f"{count} items")
    assert sorted(numbers(api, workflow)) == list(range(8, 20))


def test_events_start_the_workflow_once(daemon: Daemon, vendor: VendorDouble) -> None:
    api = daemon.admin()
    workflow = daemon.live(subscribing(), api)
    (hook,) = vendor.hooks.values()
    assert hook.url == f"{daemon.base_url}/webhook/bell-1/webhook"
    assert vendor.send({"id": "e1", "n": 1}) == [200]
    assert vendor.send({"id": "e1", "n": 1}) == [200]
    assert vendor.send({"id": "e2", "n": 2}, secret="another") == [401]
    assert vendor.send({"id": "e3", "n": 3}) == [200]
    for number, end in ((4, "a"), (5, "b"), (5, "b")):  # only the end tells them apart
        assert vendor.send({"id": "e" * 250 + end, "n": number}) == [200]
    until(lambda: len(numbers(api, workflow)) >= 4, "all have ended")
    assert numbers(api, workflow) == [1, 3, 4, 5]
    (row,) = api.get(f"/workflows/{workflow}/triggers").json()["data"]
    assert (row["state"], row["events"], row["url"]) == ("live", 4, hook.url)
    history = api.get(f"/webhooks/{row['id']}/history").raise_for_status().json()
    assert [call["status"] for call in history["data"]] == ["success"] * 3 + ["rejected", "success"]
    newest, first = history["data"][0], history["data"][-1]
    assert (newest["executionId"], json.loads(first["requestBody"])) == (
        executions(api, workflow)[0],
        {"id": "e1", "n": 1},
    )
    api.post(f"/workflows/{workflow}/deactivate").raise_for_status()
    until(lambda: not vendor.hooks, "the subscription has ended")


def test_calls_that_nobody_can_read_are_refused(daemon: Daemon, vendor: VendorDouble) -> None:
    """Before their proof is looked at."""
    daemon.live(subscribing(), daemon.admin())
    (hook,) = vendor.hooks.values()
    form = {"content-type": "application/x-www-form-urlencoded"}
    with httpx.Client(trust_env=False) as client:
        fields = client.post(hook.url, content=b"&".join([b"a=1"] * 10_001), headers=form)
        assert (fields.status_code, "more than 10,000 fields" in fields.text) == (400, True)
        assert client.post(hook.url + "?" + "&".join(["a=1"] * 1001), content=b"{}").status_code == 400
        large = client.post(hook.url, content=b"a=%41" * 200_000, headers=form)
        assert large.status_code == 401
        longest = client.post(hook.url, content=b" " * (16 * 1024 * 1024 + 1))
        assert (longest.status_code, "triggers.event_bytes" in longest.text) == (413, True)


def test_what_keeps_a_trigger_from_its_events_is_told_beside_the_workflow(daemon: Daemon, vendor: VendorDouble) -> None:
    """And so is that anybody can make them up."""
    api = daemon.admin()
    vendor.always = Refuse(503)
    refused = daemon.live(subscribing(), api)
    (told,) = api.get(f"/workflows/{refused}").raise_for_status().json()["attention"]
    assert (told["path"], told["message"].startswith("Bell gets no events: ")) == ("nodes[0]", True)
    hive: Any = node("Hive", "theHiveTrigger", {"events": ["*"]}, version=2)
    hive["webhookId"] = "hive-1"
    workflow = daemon.live(chain("Alerts", hive, node("End", "noOp", version=1)), api)
    (told,) = api.get(f"/workflows/{workflow}").raise_for_status().json()["attention"]
    assert told["message"].startswith("Hive: TheHive signs nothing")


def test_test_events(daemon: Daemon, vendor: VendorDouble) -> None:
    """Nothing starts, whatever is fetched; the command line gives the same."""
    vendor.add(3)
    api = daemon.admin()
    polls = api.post("/workflows", json=polling()).json()["id"]
    found = api.post(f"/workflows/{polls}/triggers/test", json={"node": "Acme"}).raise_for_status().json()
    assert [item["json"]["n"] for item in found["items"]] == [3]
    command = [str(Path(sys.executable).with_name("jackfield")), "trigger", "test", polls, "Acme"]
    told = subprocess.run(
        [*command, "--config-dir", str(daemon.config_dir)], capture_output=True, check=True, timeout=60
    )
    assert [item["json"]["n"] for item in json.loads(told.stdout)] == [3]
    rings = daemon.live(subscribing(), api)
    (hook,) = vendor.hooks
    asked = {"node": "Bell", "seconds": 0.3}
    none = api.post(f"/workflows/{rings}/triggers/test", json=asked)
    assert (none.status_code, none.json()["code"]) == (404, "NO_TEST_EVENT")
    until(lambda: list(vendor.hooks) == [hook], "the test subscription has ended")
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(api.post, f"/workflows/{rings}/triggers/test", json={"node": "Bell", "seconds": 15})
        until(lambda: len(vendor.hooks) == 2, "the test subscription")
        assert vendor.send({"id": "t", "n": 9})
        got = waiting.result().raise_for_status().json()
    assert [item["json"]["n"] for item in got["items"]] == [9]
    until(lambda: list(vendor.hooks) == [hook], "the test subscription has ended")
    until(lambda: numbers(api, rings), "the live subscription's own event has ended")
    assert numbers(api, rings) == [9]
    assert not numbers(api, polls)


def test_a_run_by_hand_begins_with_a_test_event(daemon: Daemon, vendor: VendorDouble) -> None:
    """As in n8n; what is given or pinned comes first, and what is seen stays as it is."""
    api = daemon.admin()
    polls = api.post("/workflows", json=polling()).json()["id"]
    nothing = api.post(f"/workflows/{polls}/execute").raise_for_status().json()
    assert (nothing["status"], nothing["data"]) == ("success", [])
    vendor.add(3)
    found = api.post(f"/workflows/{polls}/execute").raise_for_status().json()
    assert [item["json"]["n"] for item in found["data"]] == [3]
    reused = api.post(f"/workflows/{polls}/execute", params={"reuse": found["id"], "until": "End"})
    assert [item["json"]["n"] for item in reused.raise_for_status().json()["data"]] == [3]
    asked = len(vendor.asked("/items"))
    given = api.post(f"/workflows/{polls}/execute", json=[{"json": {"n": 7}}]).raise_for_status().json()
    assert [item["json"]["n"] for item in given["data"]] == [7]
    pinned = {**polling(), "pinData": {"Acme": [{"json": {"n": 8}}]}}
    shown = api.post("/workflows/run", json={"workflow": pinned}).raise_for_status().json()
    assert [item["json"]["n"] for item in shown["data"]] == [8]
    assert len(vendor.asked("/items")) == asked
    vendor.misbehave(Refuse(503))
    refused = api.post(f"/workflows/{polls}/execute")
    assert (refused.status_code, refused.json()["code"]) == (502, "TEST_EVENT_FAILED")


def test_the_error_workflow_gets_n8ns_item_of_a_failing_trigger(daemon: Daemon, vendor: VendorDouble) -> None:
    api = daemon.admin()
    catching = chain("Catches", node("Caught", "errorTrigger", version=1), node("End", "noOp", version=1))
    handler = api.post("/workflows", json=catching).json()["id"]
    workflow = daemon.live({**polling(), "settings": {"errorWorkflow": handler}}, api)
    until(lambda: vendor.asked("/items"), "the first poll")
    vendor.always = Refuse(503)
    until(lambda: executions(api, handler), "the error workflow")
    asked = len(vendor.asked("/items"))
    until(lambda: len(vendor.asked("/items")) > asked + 2, "more failures")
    (ident,) = executions(api, handler)
    (item,) = api.get(f"/executions/{ident}").json()["data"]
    error = item["json"]["trigger"].pop("error")
    assert item["json"] == {"trigger": {"mode": "trigger"}, "workflow": {"id": workflow, "name": "Polls"}}
    assert (error["node"], error["name"]) == ({"name": "Acme"}, "NodeError")
    assert "503" in error["message"]


def test_activation_is_refused_without_an_address(daemon: Daemon, vendor: VendorDouble) -> None:
    daemon.stop()
    settings = daemon.config_dir / "config.toml"
    settings.write_text(re.sub(r"\[server\]\n.*\n", "", settings.read_text()))
    api = daemon.start().admin()
    saved = api.post("/workflows", json=subscribing()).json()["id"]
    refused = api.post(f"/workflows/{saved}/activate")
    assert refused.status_code == 400
    assert "Set server.public_url to the address" in refused.text
    assert not vendor.hooks


def test_no_secret_is_shown(daemon: Daemon, vendor: VendorDouble) -> None:
    api = daemon.admin()
    workflow = daemon.live(subscribing(), api)
    (hook,) = vendor.hooks.values()
    vendor.send({"id": "e1", "n": 1})
    shown = "".join(
        api.get(path).text
        for path in (f"/workflows/{workflow}", f"/workflows/{workflow}/triggers", "/executions?limit=10")
    )
    files = [file.read_bytes() for file in daemon.config_dir.rglob("*") if file.is_file()]
    assert hook.secret not in shown + daemon.output.read_text()
    assert not any(hook.secret.encode() in content for content in files)


def test_an_event_comes_out_of_its_own_output(daemon: Daemon) -> None:
    api = daemon.admin()
    names = ("Status", "Message")
    document: Any = chain("WhatsApp", *(set_fields(name, branch=name) for name in names))
    start = node("WAHA", "x", {}, version=202502) | {
        "type": "@devlikeapro/n8n-nodes-waha.wahaTrigger",
        "webhookId": "w",
    }
    document["nodes"] = [start, *document["nodes"]]
    document["connections"] = {"WAHA": {"main": [[{"node": name, "type": "main", "index": 0}] for name in names]}}
    workflow = daemon.live(document, api)
    (shown,) = api.get(f"/workflows/{workflow}/triggers").json()["data"]
    with httpx.Client(trust_env=False) as client:
        for event in ("message", "unheard", "session.status"):
            body = {"id": event, "event": event, "session": "default"}
            assert client.post(shown["url"], json=body).status_code == 200
    until(lambda: len(executions(api, workflow)) == 2, "two events")
    ran = [api.get(f"/executions/{ident}").json()["data"][0]["json"]["branch"] for ident in executions(api, workflow)]
    assert ran == ["Status", "Message"]


def test_events_have_the_rate_limit_of_webhooks(tmp_path: Path) -> None:
    with VendorDouble(challenge="get") as vendor:
        daemon = made(tmp_path, vendor, settings=f"{SETTINGS}\n[webhooks.rate_limit]\nenabled = true\nrequests = 4\n")
        try:
            api = daemon.start().admin()
            workflow = daemon.live(subscribing(), api)
            answers = [vendor.send({"id": f"e{number}", "n": number}) for number in range(4)]
            assert answers == [[200]] * 3 + [[429]]  # one was the challenge
            until(lambda: len(numbers(api, workflow)) == 3, "what passed")
        finally:
            daemon.close()


def test_a_test_event_of_a_service_with_one_address_gives_it_back(tmp_path: Path) -> None:
    """A bot has one address: the test takes it from the live workflow, which gets it again."""
    with VendorDouble(one=True) as vendor:
        daemon = made(tmp_path, vendor)
        try:
            api = daemon.start().admin()
            workflow = daemon.live(subscribing(), api)
            (live,) = [hook.url for hook in vendor.hooks.values()]
            asked = {"node": "Bell", "seconds": 0.2}
            assert api.post(f"/workflows/{workflow}/triggers/test", json=asked).status_code == 404
            until(lambda: [hook.url for hook in vendor.hooks.values()] == [live], "the live one is there again")
        finally:
            daemon.close()
