"""n8n's public API on the real daemon: X-N8N-API-KEY, n8n's shapes, and queries of every operation."""

from __future__ import annotations

import base64
import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

MASK = "***"
UNKNOWN = "00000000-0000-4000-8000-000000000000"
N8N = "/n8n/api/v1"


class Lab:
    """own: our own client; n8n: n8n's, with the same key."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.bearer = {"Authorization": f"Bearer {daemon.login()}"}
        made = daemon.client(headers=self.bearer).post("/api/v1/api-keys", json={"name": "n8n"})
        self.key = str(made.raise_for_status().json()["key"])
        self.own = daemon.client(headers={"X-API-Key": self.key})
        self.n8n = daemon.client(headers={"X-N8N-API-KEY": self.key})
        self._paths = itertools.count()

    def saved(self, **more: Any) -> Any:
        path = f"p{next(self._paths)}"
        document = {**chain(path, webhook(path, responseMode="lastNode"), set_fields("Set", x=1)), **more}
        return self.n8n.post("/api/v1/workflows", json=document).raise_for_status().json()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    daemon = Daemon(tmp_path_factory.mktemp("n8n-api"), settings=SETTINGS)
    try:
        yield Lab(daemon.start())
    finally:
        daemon.close()


SETTINGS = """
[security.cors]
enabled = true
allowed_origins = ["https://tool.example"]
"""


def test_the_header_decides_the_shape(lab: Lab) -> None:
    saved = lab.saved()
    ours = lab.own.get("/api/v1/workflows").json()
    theirs = lab.n8n.get("/api/v1/workflows").json()
    assert {"total", "offset", "limit"} <= ours.keys()
    assert "nodes" not in ours["data"][0]
    assert theirs.keys() == {"data", "nextCursor"}
    assert saved in theirs["data"]
    both = lab.own.get("/api/v1/workflows", headers={"X-N8N-API-KEY": lab.key})
    assert both.json() == theirs
    assert lab.own.get(f"{N8N}/workflows").json() == theirs
    assert lab.n8n.get("/api/v1/webhooks").json() == lab.own.get("/api/v1/webhooks").json()
    assert lab.n8n.get("/api/v1/auth/me").json()["username"] == "admin"


def test_the_header_is_a_credential(lab: Lab) -> None:
    anyone = lab.daemon.client()
    for name in ("X-N8N-API-KEY", "x-n8n-api-key"):
        assert anyone.get("/api/v1/workflows", headers={name: lab.key}).is_success
    for wrong in ("", "eyJhbGciOiJIUzI1NiJ9.e30.x", lab.key[:-1] + "~"):
        answer = anyone.get("/api/v1/workflows", headers={"X-N8N-API-KEY": wrong})
        assert (answer.status_code, answer.json()["code"]) == (401, "API_KEY_INVALID")
        assert answer.json().keys() >= {"message", "error", "requestId"}
    other = anyone.post("/api/v1/api-keys", json={"name": "two"}, headers=lab.bearer).json()["key"]
    two = anyone.get("/api/v1/workflows", headers={"X-N8N-API-KEY": lab.key, "X-API-Key": other})
    assert (two.status_code, two.json()["code"]) == (401, "API_KEY_INVALID")
    assert anyone.get("/api/daemon/status", headers={"X-N8N-API-KEY": "wrong"}).status_code == 401
    reads = anyone.post("/api/v1/api-keys", json={"name": "r", "scopes": ["workflows:read"]}, headers=lab.bearer)
    reader = lab.daemon.client(headers={"X-N8N-API-KEY": reads.json()["key"]})
    assert reader.get("/api/v1/workflows").is_success
    assert reader.post("/api/v1/workflows", json={"name": "w", "nodes": []}).status_code == 403
    assert reader.get("/api/v1/executions").status_code == 403


def test_pages_of_other_origins_may_send_it(lab: Lab) -> None:
    asked = {"Origin": "https://tool.example", "Access-Control-Request-Method": "GET"}
    answer = lab.daemon.client().options("/api/v1/workflows", headers=asked)
    assert "X-N8N-API-KEY" in answer.headers["Access-Control-Allow-Headers"]


def test_the_key_of_a_call_is_kept_nowhere(lab: Lab) -> None:
    saved = lab.saved()
    assert lab.n8n.post(f"/api/v1/workflows/{saved['id']}/activate").is_success
    path = saved["nodes"][0]["parameters"]["path"]
    sent = {"X-N8N-API-KEY": "planted-n8n-key-90210"}
    assert lab.daemon.client().post(f"/webhook/{path}", json={}, headers=sent).json() == [{"x": 1}]
    (row,) = poll(
        lambda: lab.n8n.get(f"/api/v1/executions?workflowId={saved['id']}").json()["data"], "the execution is stored"
    )
    whole = lab.n8n.get(f"/api/v1/executions/{row['id']}?includeData=true").json()
    headers = whole["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0]["json"]["headers"]
    assert headers["x-n8n-api-key"] == MASK
    hooks = lab.own.get(f"/api/v1/webhooks?workflowId={saved['id']}").json()["data"]
    calls = lab.own.get(f"/api/v1/webhooks/{hooks[0]['id']}/history").json()["data"]
    assert {name.lower(): value for name, value in calls[0]["requestHeaders"].items()}["x-n8n-api-key"] == MASK
    kept = b"".join(file.read_bytes() for file in lab.daemon.config_dir.rglob("*") if file.is_file())
    assert b"planted-n8n-key-90210" not in kept
    assert "planted-n8n-key-90210" not in lab.daemon.tail(1_000_000)


def test_every_operation_refuses_a_parameter_that_it_does_not_know(lab: Lab) -> None:
    described = lab.own.get("/openapi.json").json()["paths"]
    found = [
        (method, path)
        for path, methods in described.items()
        for method in methods
        if path.startswith(("/api/v1/", f"{N8N}/")) and "{absent}" not in path  # it takes whatever comes
    ]
    assert len(found) > 100
    for method, path in found:
        target = re.sub(r"\{[^}]*\}", UNKNOWN, path.replace("{number}", "1"))
        answer = lab.own.request(method, target, params={"nonsense": "1"}, headers=lab.bearer)
        where = f"{method} {path}: {answer.status_code} {answer.text[:200]}"
        assert answer.status_code == 400, where
        assert list(answer.json()["details"]) == ["nonsense"], where
        assert "nonsense" in answer.json()["message"], where


@pytest.mark.parametrize(("asked", "hint"), [("nmae", "name"), ("activ", "active"), ("offset2", "offset")])
def test_a_similar_parameter_is_proposed(lab: Lab, asked: str, hint: str) -> None:
    details = lab.n8n.get(f"/api/v1/workflows?{asked}=1").json()["details"]
    assert details == {asked: f"did you mean {hint}?"}


@pytest.mark.parametrize(
    "cursor",
    [b"x", b"{}", b"[1]", b'{"offset":-1,"of":"PATH"}', b'{"offset":0,"limit":"a","of":"PATH"}', b"A" * 5000],
)
def test_a_cursor_that_nobody_gave_is_refused(lab: Lab, cursor: bytes) -> None:
    for path in ("workflows", "executions", "tags", "credentials", "variables", "users", "projects"):
        own = cursor.replace(b"PATH", f"/api/v1/{path}".encode())
        for text in (own.decode(), base64.b64encode(own).decode()):
            answer = lab.n8n.get(f"/api/v1/{path}", params={"cursor": text})
            assert (answer.status_code, list(answer.json()["details"])) == (400, ["cursor"]), path


def test_a_cursor_of_another_list_is_refused(lab: Lab) -> None:
    for _ in range(2):
        lab.saved()
    cursor = lab.n8n.get("/api/v1/workflows?limit=1").json()["nextCursor"]
    for path in ("executions", "tags", "credentials", "variables"):
        answer = lab.n8n.get(f"/api/v1/{path}", params={"cursor": cursor})
        assert (answer.status_code, list(answer.json()["details"])) == (400, ["cursor"]), path


def test_lists_go_on_at_their_cursor(lab: Lab) -> None:
    made = {lab.saved(tags=["paged"])["id"] for _ in range(5)}
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        params = {"limit": "2", "tags": "paged", **({"cursor": cursor} if cursor else {})}
        page = lab.n8n.get("/api/v1/workflows", params=params).json()
        seen += [row["id"] for row in page["data"]]
        assert len(page["data"]) <= 2
        cursor = page["nextCursor"]
    assert (len(seen), set(seen)) == (5, made)
    # An execution that begins meanwhile moves nothing.
    ident = next(iter(made))
    for _ in range(3):
        lab.own.post(f"/api/v1/workflows/{ident}/execute", json={}).raise_for_status()
    first = lab.n8n.get(f"/api/v1/executions?workflowId={ident}&limit=2").json()
    lab.own.post(f"/api/v1/workflows/{ident}/execute", json={}).raise_for_status()
    params = {"workflowId": ident, "cursor": first["nextCursor"]}
    rest = lab.n8n.get("/api/v1/executions", params=params).json()
    assert len({row["id"] for row in first["data"] + rest["data"]}) == 3
    assert rest["nextCursor"] is None


def test_a_workflow_is_shown_and_taken_as_n8n_does(lab: Lab) -> None:
    saved = lab.saved(pinData={"Webhook": [{"json": {}}]}, projectId="jackfield")
    path = f"/api/v1/workflows/{saved['id']}"
    assert (saved["versionId"], saved["activeVersionId"], saved["isArchived"]) == ("1", None, False)
    assert "projectId" not in saved
    for active in (True, False, None):
        for refused in (lab.n8n.put(path, json={**saved, "active": active}),
                        lab.n8n.post("/api/v1/workflows", json={**saved, "active": active})):  # fmt: skip
            assert refused.status_code == 400
            assert "active" in refused.json()["details"]
            assert refused.json()["message"] == "request/body/active is read-only"
    assert lab.n8n.get(path).json()["versionId"] == "1"
    del saved["active"]
    again = lab.n8n.put(path, json={**saved, "name": "second"}).json()
    assert (again["name"], again["versionId"]) == ("second", "2")
    ours = lab.own.get(path).json()
    assert not {"shared", "versionId", "activeVersion", "isArchived", "triggerCount"} & ours.keys()
    live = lab.n8n.post(f"{path}/activate", json={}).json()
    assert (live["active"], live["activeVersionId"], live["triggerCount"]) == (True, "2", 1)
    assert live["activeVersion"]["nodes"] == live["nodes"]
    assert lab.n8n.post(f"{path}/publish", json={"versionId": "1"}).status_code == 501
    assert lab.n8n.put(f"{path}?publishIfActive=false", json=saved).status_code == 501
    assert "pinData" not in lab.n8n.get(f"{path}?excludePinnedData=true").json()
    assert lab.n8n.get(path).json()["pinData"] == {"Webhook": [{"json": {}}]}
    history = lab.n8n.get(f"{path}/history").json()["data"]
    assert [row["versionId"] for row in history] == ["2", "1"]
    for old in (f"{path}/versions/1", f"{path}/1"):
        assert lab.n8n.get(old).json()["name"] == saved["name"]
    assert lab.n8n.post(f"{path}/deactivate").json()["active"] is False
    for wrong in ({"projectId": "other"}, {"parentFolderId": "f"}):
        assert lab.n8n.put(path, json={**saved, **wrong}).status_code in (400, 501)
    assert lab.n8n.get("/api/v1/workflows?projectId=other").json() == {"data": [], "nextCursor": None}
    assert lab.n8n.delete(path).json()["id"] == saved["id"]
    assert lab.n8n.get(path).status_code == 404


def test_statuses_have_the_words_of_n8n(lab: Lab) -> None:
    bad = chain("bad", webhook("bad"), node("Stop", "stopAndError", {"errorMessage": "enough"}))
    ident = lab.n8n.post("/api/v1/workflows", json=bad).json()["id"]
    lab.own.post(f"/api/v1/workflows/{ident}/execute", json={})
    (row,) = lab.n8n.get(f"/api/v1/executions?status=error&workflowId={ident}").json()["data"]
    assert (row["status"], row["finished"], row["mode"]) == ("error", False, "manual")
    assert lab.own.get(f"/api/v1/executions/{row['id']}").json()["status"] == "failed"
    assert lab.n8n.get("/api/v1/executions?status=failed").status_code == 400
    assert lab.n8n.get("/api/v1/executions?status=crashed").json() == {"data": [], "nextCursor": None}
    again = lab.n8n.post(f"/api/v1/executions/{row['id']}/retry", json={"loadWorkflow": True}).json()
    assert again["retryOf"] == row["id"]
    lab.n8n.put(f"/api/v1/workflows/{ident}", json={"name": "bad", "nodes": [], "connections": {}})
    lost = lab.n8n.post(f"/api/v1/executions/{row['id']}/retry", json={"loadWorkflow": True})
    assert lost.status_code == 409


def test_waiting_executions_are_stopped_together(lab: Lab) -> None:
    document = chain("wait", webhook("wait"), node("Wait", "wait", {"amount": 1, "unit": "hours"}, version=1.1))
    ident = lab.n8n.post("/api/v1/workflows", json=document).json()["id"]
    for _ in range(3):
        lab.own.post(f"/api/v1/workflows/{ident}/execute-async", json={}).raise_for_status()

    def waiting() -> bool:
        found = lab.n8n.get(f"/api/v1/executions?status=waiting&workflowId={ident}").json()["data"]
        return len(found) == 3

    poll(waiting, "three executions wait")
    body = {"status": ["waiting", "running"], "workflowId": ident}
    assert lab.n8n.post("/api/v1/executions/stop", json=body).json() == {"stopped": 3}
    rows = lab.n8n.get(f"/api/v1/executions?workflowId={ident}").json()["data"]
    assert {row["status"] for row in rows} == {"canceled"}
    wrong = {"status": ["waiting"], "startedAfter": "yesterday"}
    assert lab.n8n.post("/api/v1/executions/stop", json=wrong).status_code == 400


def test_credentials_have_type_and_data(lab: Lab) -> None:
    data = {"user": "ada", "password": "planted-18-x", "allowedHosts": ""}
    body = {"name": "c", "type": "httpBasicAuth", "data": data}
    made = lab.n8n.post("/api/v1/credentials", json=body).json()
    assert made["type"] == "httpBasicAuth"
    assert lab.own.get(f"/api/v1/credentials/{made['id']}").json()["values"]["user"] == "ada"
    path = f"/api/v1/credentials/{made['id']}"
    changed = lab.n8n.patch(path, json={"data": {"user": "bob"}, "isPartialData": True})
    assert changed.is_success
    assert "planted-18-x" not in changed.text
    assert lab.own.get(path).json()["values"]["user"] == "bob"
    assert lab.n8n.patch(path, json={"data": {"user": "bob"}}).json()["details"] == {"data.password": "is required"}
    assert list(lab.n8n.patch(path, json={"type": "httpHeaderAuth"}).json()["details"]) == ["type"]
    flags = {"name": "f", "type": "unknownKind", "data": {"secure": True, "port": 25, "more": {"a": 1}, "none": None}}
    assert lab.n8n.post("/api/v1/credentials", json=flags).is_success
    assert lab.n8n.post("/api/v1/credentials", json={**body, "isGlobal": True}).status_code == 400
    assert lab.n8n.post(f"{path}/test").json()["status"] in ("OK", "Error")
    assert lab.n8n.delete(path).json()["id"] == made["id"]


def test_the_role_of_a_user_is_changed(lab: Lab) -> None:
    body = {"username": "eve", "password": "another-horse-battery", "role": "viewer"}
    made = lab.own.post("/api/v1/users", json=body).json()
    assert lab.n8n.get("/api/v1/users/eve").json()["role"] == "global:viewer"
    role = {"newRoleName": "global:member"}
    assert lab.n8n.patch(f"/api/v1/users/{made['id']}/role", json=role).json()["role"] == "global:member"
    assert lab.n8n.patch("/api/v1/users/eve/role", json={"newRoleName": "owner"}).status_code == 400
    assert lab.n8n.delete("/api/v1/users/eve").status_code == 204
    assert lab.n8n.get("/api/v1/users/eve").status_code == 404


def test_users_are_invited_by_a_link(lab: Lab) -> None:
    asked = [{"email": "a@example.com"}, {"email": "b@example.com", "role": "global:owner"}]
    first, second = lab.n8n.post("/api/v1/users", json=asked).json()
    assert (first["user"]["email"], first["error"]) == ("a@example.com", "")
    assert "#token=jf_al_" in first["user"]["inviteAcceptUrl"]
    assert "global:member" in second["error"]
    assert lab.own.delete(f"/api/v1/invitations/{first['user']['id']}").status_code == 204


def test_an_audit_names_what_it_finds(lab: Lab) -> None:
    lab.saved(nodes=[node("Code", "code", {"jsCode": "return []"})], connections={})
    answer = lab.n8n.post("/api/v1/audit", json={"additionalOptions": {"categories": ["nodes"]}})
    assert list(answer.json()) == ["Nodes Risk Report"]
    places = answer.json()["Nodes Risk Report"]["sections"][0]["location"]
    assert "Code" in [place["nodeName"] for place in places]
    assert lab.n8n.post("/api/v1/audit").is_success
    assert lab.n8n.post("/api/v1/audit", json={"additionalOptions": {"categories": ["x"]}}).status_code == 400
    assert lab.daemon.client().post("/api/v1/audit", headers={"X-N8N-API-KEY": "x"}).status_code == 401
