"""Drafts over the API of a real daemon: kept, changed, accepted, rejected, run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

Document = dict[str, Any]
CODE = "return [{ json: { broken: $input.first().json.body.price.toFixed(2) } }]"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    made = Daemon(Path(tmp_path_factory.mktemp("drafts")), settings="[copilot]\ndraft_bytes = 65536\n")
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin(timeout=60)


def saved(api: httpx.Client, name: str, *more: Document) -> Document:
    found: Document = api.post("/workflows", json=chain(name, webhook(name), *more)).raise_for_status().json()
    return found


def drafted(api: httpx.Client, workflow: Document) -> Document:
    """A draft in which a node comes behind the last one, and that one is another."""
    draft = api.post("/drafts", json={"workflowId": workflow["id"], "title": "Two\nlines"}).raise_for_status().json()
    document = draft["document"]
    last = document["nodes"][-1]
    last["parameters"] = set_fields(last["name"], x=5)["parameters"]
    document["nodes"].append(set_fields("Extra", y=2))
    document["connections"][last["name"]] = {"main": [[{"node": "Extra", "type": "main", "index": 0}]]}
    found: Document = api.put(f"/drafts/{draft['id']}", json={"document": document}).raise_for_status().json()
    return found


def decided(api: httpx.Client, draft: Document, verb: str, *labels: str, **more: Any) -> httpx.Response:
    chosen = [one["id"] for one in draft["changes"] if one["label"] in labels] if labels else None
    return api.post(f"/drafts/{draft['id']}/{verb}", json={"revision": draft["revision"], "changes": chosen, **more})


def labels(draft: Document) -> list[str]:
    return [one["label"] for one in draft["changes"]]


def test_a_draft_is_accepted_by_node_and_comes_back_with_the_version_before(api: httpx.Client) -> None:
    workflow = saved(api, "by-node", set_fields("Last", x=1))
    draft = drafted(api, workflow)
    assert (draft["title"], draft["changeCount"], draft["origin"]["kind"]) == ("Two lines", 3, "person")
    assert api.get(f"/workflows/{workflow['id']}").json()["version"] == 1, "a draft changes no workflow"

    done = decided(api, draft, "accept", "Extra").raise_for_status().json()
    assert done["workflow"]["version"] == 2
    assert (done["workflow"]["formerVersion"], done["workflow"]["active"]) == (1, False)
    assert labels(done["draft"]) == ["Last"]
    now = api.get(f"/workflows/{workflow['id']}").json()
    assert [one["name"] for one in now["nodes"]] == ["Webhook", "Last", "Extra"]
    assert now["nodes"][1]["parameters"] == workflow["nodes"][1]["parameters"]

    left = decided(api, done["draft"], "reject").raise_for_status().json()
    assert left["changes"] == []
    assert decided(api, left, "accept").json()["code"] == "DRAFT_SETTLED"
    api.post(f"/workflows/{workflow['id']}/versions/1/restore").raise_for_status()
    again = api.get(f"/drafts/{draft['id']}").json()
    assert labels(again) == ["Extra", "Last[0] -> Extra[0]"]


def test_a_live_workflow_changes_by_accepting_alone_and_stays_live(daemon: Daemon, api: httpx.Client) -> None:
    workflow = saved(api, "live", set_fields("Last", x=1))
    api.post(f"/workflows/{workflow['id']}/activate").raise_for_status()
    draft = drafted(api, workflow)
    assert api.get(f"/workflows/{workflow['id']}").json()["version"] == 1
    done = decided(api, draft, "accept").raise_for_status().json()
    assert done["workflow"]["active"]


def test_what_was_changed_meanwhile_is_kept_unless_it_is_overwritten(api: httpx.Client) -> None:
    workflow = saved(api, "conflict", set_fields("Last", x=1))
    draft = drafted(api, workflow)
    workflow["nodes"][1]["parameters"] = set_fields("Last", x=77)["parameters"]
    api.put(f"/workflows/{workflow['id']}", json=workflow).raise_for_status()
    now = api.get(f"/drafts/{draft['id']}").json()
    assert (now["baseVersion"], now["currentVersion"]) == (1, 2)
    assert [one["label"] for one in now["changes"] if one["conflict"]] == ["Last"]
    refused = decided(api, now, "accept")
    assert (refused.status_code, refused.json()["code"]) == (409, "DRAFT_CONFLICT")
    assert list(refused.json()["details"]) == [now["changes"][0]["id"]]
    part = decided(api, now, "accept", "Extra").raise_for_status().json()
    whole = decided(api, part["draft"], "accept", overwrite=True).raise_for_status().json()
    assert whole["draft"]["changes"] == []


def test_a_draft_of_nothing_makes_an_inactive_workflow(api: httpx.Client) -> None:
    document = {**chain("New one", webhook("of-nothing"), set_fields("A", x=1)), "active": True}
    draft = api.post("/drafts", json={"document": document}).raise_for_status().json()
    assert (draft["workflowId"], draft["current"], draft["title"]) == (None, None, "New one")
    assert [one["id"] for one in api.get("/drafts", params={"workflowId": "none"}).json()["data"]] == [draft["id"]]
    done = decided(api, draft, "accept").raise_for_status().json()
    assert (done["workflow"]["active"], done["workflow"]["formerVersion"]) == (False, None)
    assert done["draft"]["workflowId"] == done["workflow"]["id"]
    assert done["draft"]["changes"] == []
    rows = api.get("/drafts", params={"workflowId": done["workflow"]["id"]}).json()["data"]
    assert [(one["id"], one["workflowName"], one["changeCount"]) for one in rows] == [(draft["id"], "New one", 0)]
    api.delete(f"/workflows/{done['workflow']['id']}").raise_for_status()
    assert decided(api, done["draft"], "accept").json()["code"] == "WORKFLOW_GONE"


def test_a_draft_of_nothing_makes_one_workflow_however_often_it_is_accepted_at_once(api: httpx.Client) -> None:
    document = chain("Only one", webhook("only-one"))
    draft = api.post("/drafts", json={"document": document}).raise_for_status().json()
    with ThreadPoolExecutor(6) as several:
        answers = list(several.map(lambda _: decided(api, draft, "accept"), range(6)))
    assert {answer.status_code for answer in answers} == {200, 409}, [answer.text[:300] for answer in answers]
    assert api.get("/workflows", params={"search": "Only one"}).json()["total"] == 1
    (made,) = api.get("/workflows", params={"search": "Only one"}).json()["data"]
    assert api.get(f"/drafts/{draft['id']}").json()["workflowId"] == made["id"]


def test_secrets_of_the_workflow_are_masked_and_stay(daemon: Daemon, api: httpx.Client) -> None:
    secret = "drafts-canary-0123456789"
    headers = {"parameters": [{"name": "Authorization", "value": secret}]}
    given = {"url": "http://127.0.0.1:9/", "sendHeaders": True, "headerParameters": headers}
    workflow = saved(api, "secrets", node("Ask", "httpRequest", given, version=4.2))
    draft = drafted(api, workflow)
    document = api.get(f"/drafts/{draft['id']}").json()["document"]
    document["nodes"] = api.get(f"/workflows/{workflow['id']}").json()["nodes"]
    document["nodes"][1]["parameters"]["url"] = "http://127.0.0.1:9/other"
    document["connections"] = workflow["connections"]
    draft = api.put(f"/drafts/{draft['id']}", json={"document": document}).raise_for_status().json()
    assert secret not in json.dumps(draft)
    done = decided(api, draft, "accept").raise_for_status()
    assert secret not in done.text
    assert done.json()["draft"]["changes"] == []
    files = [path for path in daemon.directory.rglob("*") if path.is_file() and "log" not in path.suffix]
    assert not any(secret.encode() in path.read_bytes() for path in files)


def test_changes_go_into_a_document_that_is_not_saved(api: httpx.Client) -> None:
    draft = drafted(api, saved(api, "merge", set_fields("Last", x=1)))
    canvas = json.loads(json.dumps(draft["current"]))
    canvas["nodes"].append(set_fields("Mine", z=1))
    chosen = [one["id"] for one in draft["changes"] if one["label"] == "Extra"]
    body = {"document": canvas, "changes": chosen}
    made = api.post(f"/drafts/{draft['id']}/merge", json=body).raise_for_status().json()
    assert [one["name"] for one in made["document"]["nodes"]] == ["Webhook", "Last", "Mine", "Extra"]
    assert len(made["accepted"]) == 2
    assert api.get(f"/drafts/{draft['id']}").json()["revision"] == draft["revision"]


def test_each_change_is_of_the_revision_that_was_read(api: httpx.Client) -> None:
    draft = drafted(api, saved(api, "revision", set_fields("Last", x=1)))
    put = {"document": draft["document"]}
    late = api.put(f"/drafts/{draft['id']}", json=put, headers={"If-Match": '"1"'})
    assert (late.status_code, late.json()["code"]) == (409, "DRAFT_CHANGED")
    assert api.put(f"/drafts/{draft['id']}", json=put, headers={"If-Match": '"2"'}).headers["ETag"] == '"3"'
    assert decided(api, draft, "accept").json()["code"] == "DRAFT_CHANGED"
    assert decided(api, draft, "reject").json()["code"] == "DRAFT_CHANGED"
    too_large = {"document": {**draft["document"], "meta": {"text": "x" * 70_000}}}
    assert api.put(f"/drafts/{draft['id']}", json=too_large).status_code == 413
    assert api.put(f"/drafts/{draft['id']}", json={"document": {}}).json()["details"]["document"]
    for odd in ("x", None, {}, {"name": 5}, {"name": ""}, {"name": {"a": 1}}, {"id": "a", "name": ["x"]}):
        refused = api.post("/drafts", json={"document": {"nodes": [{"name": "A"}, odd], "pinData": {"A": 1}}})
        assert (refused.status_code, list(refused.json()["details"])) == (400, ["document.nodes[1]"]), odd
    for key in ("connections", "settings", "pinData"):
        refused = api.post("/drafts", json={"document": {"nodes": [], key: ["x"]}})
        assert (refused.status_code, list(refused.json()["details"])) == (400, [f"document.{key}"])
    assert api.post("/drafts", json={"workflowId": "nothing"}).status_code == 404
    assert api.delete(f"/drafts/{draft['id']}").status_code == 204
    assert api.get(f"/drafts/{draft['id']}").json()["code"] == "DRAFT_NOT_FOUND"


def test_a_draft_runs_when_somebody_allows_what_was_asked_for(api: httpx.Client) -> None:
    draft = drafted(api, saved(api, "runs", set_fields("Last", x=1)))
    path = f"/drafts/{draft['id']}"
    body = {"input": [{"json": {"a": 1}}], "until": "Last"}
    asked = api.post(f"{path}/runs", json=body).raise_for_status().json()
    assert (asked["state"], asked["executionId"]) == ("asked", None)
    assert api.post(f"{path}/runs", json={}).json()["code"] == "RUN_ASKED"
    assert api.get(path).json()["run"]["id"] == asked["id"]
    assert api.get("/executions").json()["total"] == 0, "nothing runs by itself"

    begun = api.post(f"{path}/runs/{asked['id']}", json={"allow": True}).raise_for_status().json()
    found = poll(
        lambda: (one := api.get(f"/executions/{begun['executionId']}").json())["status"] == "success" and one, "it ran"
    )
    assert list(found["nodes"]) == ["Webhook", "Last"]
    assert api.post(f"{path}/runs/{asked['id']}", json={"allow": True}).json()["code"] == "RUN_DECIDED"

    other = api.post(f"{path}/runs", json={}).raise_for_status().json()
    api.put(path, json={"document": draft["document"]}).raise_for_status()
    changed = api.post(f"{path}/runs/{other['id']}", json={"allow": True})
    assert changed.json()["code"] == "DRAFT_CHANGED", "it is not what was asked for"
    other = api.post(f"{path}/runs", json={}).raise_for_status().json()
    refused = api.post(f"{path}/runs/{other['id']}", json={"allow": False}).raise_for_status().json()
    assert refused["state"] == "refused"
    assert api.get(f"{path}/runs/{asked['id']}").json()["code"] == "RUN_NOT_FOUND"


def test_scopes_are_those_of_workflows(daemon: Daemon, api: httpx.Client) -> None:
    draft = drafted(api, saved(api, "scopes", set_fields("Last", x=1)))
    asked = api.post(f"/drafts/{draft['id']}/runs", json={}).raise_for_status().json()
    key = api.post("/api-keys", json={"name": "reads", "scopes": ["workflows:read"]}).json()["key"]
    reader = httpx.Client(base_url=f"{daemon.base_url}/api/v1", headers={"X-API-Key": key})
    with reader:
        assert reader.get(f"/drafts/{draft['id']}").status_code == 200
        for path, body in (
            ("/drafts", {}),
            (f"/drafts/{draft['id']}/accept", {"revision": 1}),
            (f"/drafts/{draft['id']}/runs/{asked['id']}", {"allow": True}),
        ):
            assert reader.post(path, json=body).status_code == 403
