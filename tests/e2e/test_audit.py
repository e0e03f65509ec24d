"""The audit log of a real daemon, with its commands."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, set_fields, webhook

SECRET_OF_N8N = {"id": "c1", "name": "Of n8n", "type": "httpHeaderAuth", "data": {"name": "X-Key", "value": "v"}}
StartDaemon = Callable[..., Daemon]
AT_ONCE = 8
"""Workflows that an import stores at the same time, which its caller may leave."""


@pytest.fixture(scope="module")
def daemon(module_daemons: StartDaemon) -> Daemon:
    return module_daemons()


def records(daemon: Daemon, **query: object) -> list[dict[str, Any]]:
    answer = daemon.admin().get("/audit", params={"limit": 250, **query})
    assert answer.status_code == 200, answer.text
    return list(answer.json()["data"])


def command(daemon: Daemon, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("jackfield"))
    return subprocess.run(
        [program, *arguments, "--config-dir", str(daemon.config_dir)],
        capture_output=True, text=True, input=given, env=daemon.environment(), check=False, timeout=60,
    )  # fmt: skip


def test_acts_are_recorded_before_their_answer(daemon: Daemon) -> None:
    api = daemon.admin()
    made = api.post("/workflows", json={"name": "Audited", "nodes": [], "connections": {}}).json()
    api.patch(f"/workflows/{made['id']}", json={"name": "Renamed"})
    values = {"host": "127.0.0.1", "port": "25", "password": "s3cret-value-of-mine"}
    secret = {"name": "C", "kind": "smtp", "values": values}
    credential = api.post("/credentials", json=secret)
    assert credential.status_code == 201, credential.text
    api.delete(f"/workflows/{made['id']}")
    api.post(f"/workflows/{made['id']}/activate")
    found = records(daemon, kind="workflow", subject=made["id"])
    assert [(row["act"], row["outcome"]) for row in reversed(found)] == [
        ("workflow.create", "success"), ("workflow.update", "success"), ("workflow.delete", "success"),
        ("workflow.activate", "failed"),
    ]  # fmt: skip
    failed, _deleted, changed, created = found
    assert (changed["fields"], changed["actor"]["name"], changed["actor"]["method"]) == (["name"], "admin", "jwt")
    assert (created["name"], created["project"], created["n8nEvent"]) == (
        "Audited", "jackfield", "n8n.audit.workflow.created",
    )  # fmt: skip
    assert failed["code"] == "NOT_FOUND"
    assert [row["fields"] for row in records(daemon, act="credential.create")] == [["name", "kind", "values"]]
    assert "s3cret-value-of-mine" not in json.dumps(records(daemon))


@pytest.mark.parametrize("path", ["/import", "/workflows/import"])
def test_an_import_whose_caller_leaves_tells_what_it_has_stored(new_daemon: StartDaemon, path: str) -> None:
    daemon = new_daemon()
    documents = [{"name": f"W{number}", "nodes": [], "connections": {}} for number in range(1000)]
    api = daemon.admin()

    def stored() -> int:
        return int(api.get("/workflows", params={"limit": 1}).json()["total"])

    request = api.build_request("POST", path, json={"workflows": documents} if path == "/import" else documents)
    lines = [f"POST {request.url.path} HTTP/1.1", *(f"{name}: {value}" for name, value in request.headers.items())]
    with socket.create_connection(("127.0.0.1", daemon.port)) as caller:
        caller.sendall("\r\n".join([*lines, "", ""]).encode() + request.content)
        poll(lambda: stored() > AT_ONCE, "some workflows are stored")
    (failed,) = poll(lambda: records(daemon, act="workflow.import", outcome="failed"), "the act is recorded")
    told = api.get("/audit/export", params={"act": "workflow.import", "outcome": "success"}).text.splitlines()
    assert failed["code"] == "CLIENT_GONE"
    assert stored() < len(documents)
    assert stored() - AT_ONCE <= len(told) <= stored()


def test_each_imported_thing_has_its_record(daemon: Daemon) -> None:
    api = daemon.admin()
    live = [chain(f"Audited {number}", webhook(f"audited-{number}"), set_fields("Set", x=1)) for number in (1, 2)]
    assert api.post("/import", json=live, params={"dryRun": "true"}).status_code == 200
    assert [row["name"] for row in records(daemon, act="workflow.import")] == [""]  # nothing has come
    imported = api.post("/import", json={"workflows": live, "credentials": [SECRET_OF_N8N]}).json()["results"]
    ids = {row["name"]: row["id"] for row in imported if row["kind"] == "workflow"}
    found = [row for row in records(daemon, act="workflow.import") if row["name"]]
    assert {row["name"]: row["subject"] for row in found} == ids
    assert {row["project"] for row in found} == {"jackfield"}
    assert [row["name"] for row in records(daemon, act="credential.import")] == ["Of n8n"]
    assert api.post("/import/activate", json={"workflows": [*ids.values(), "none"]}).status_code == 200
    activated = {row["subject"]: row["outcome"] for row in records(daemon, act="workflow.activate")}
    assert {**dict.fromkeys(ids.values(), "success"), "none": "failed"}.items() <= activated.items()
    again = api.post("/workflows/import", json=[{**live[0], "name": "By the list"}]).json()["results"]
    assert next(row["subject"] for row in records(daemon, act="workflow.import")) == again[0]["id"]


def test_logins_and_refusals_are_recorded_and_strangers_fill_nothing(daemon: Daemon) -> None:
    client = daemon.client()
    client.post("/api/v1/auth/login", json={"username": "admin", "password": "wrong-password"})
    client.post("/api/v1/auth/login", json={"username": "hunter2-typed-here", "password": "wrong-password"})
    assert client.post("/api/v1/workflows", json={}).status_code == 401
    known, unknown = reversed(records(daemon, act="user.login", outcome="refused"))
    assert (known["name"], unknown["name"], known["actor"]["id"]) == ("admin", "", "")
    assert known["actor"]["address"] == "127.0.0.1"
    assert "hunter2" not in json.dumps(records(daemon))
    assert not records(daemon, act="workflow.create", outcome="refused")
    member = daemon.admin().post("/users", json={"username": "eve", "password": "longpassword1", "role": "viewer"})
    assert member.status_code == 201, member.text
    token = client.post("/api/v1/auth/login", json={"username": "eve", "password": "longpassword1"}).json()["token"]
    eve = {"Authorization": f"Bearer {token}"}
    assert client.post("/api/v1/workflows", json={}, headers=eve).status_code == 403
    (refused,) = records(daemon, actor=member.json()["id"], outcome="refused")
    assert (refused["act"], refused["code"]) == ("workflow.create", "ACCESS_DENIED")
    for path in ("", "/export", "/verification"):
        assert client.get(f"/api/v1/audit{path}", headers=eve).status_code == 403


def test_a_projects_administrator_sees_its_records_alone(daemon: Daemon) -> None:
    api = daemon.admin()
    project = api.post("/projects", json={"name": "Team"}).json()["id"]
    bob = api.post("/users", json={"username": "bob", "password": "longpassword1", "role": "member"}).json()["id"]
    api.put(f"/projects/{project}/members/{bob}", json={"role": "project:admin"})
    login = daemon.client().post("/api/v1/auth/login", json={"username": "bob", "password": "longpassword1"}).json()
    client = daemon.client(headers={"Authorization": f"Bearer {login['token']}"})
    made = client.post(
        "/api/v1/workflows",
        json={"name": "Of the team", "nodes": [], "connections": {}},
        headers={"X-Jackfield-Project": project},
    )
    assert made.status_code == 201, made.text
    found = client.get("/api/v1/audit").json()["data"]
    assert ("workflow.create", made.json()["id"]) in {(row["act"], row["subject"]) for row in found}
    assert {row["project"] for row in found} <= {project, bob}
    assert client.get("/api/v1/audit", params={"projectId": "jackfield"}).status_code == 403


def test_webhook_calls_are_no_acts(daemon: Daemon) -> None:
    api = daemon.admin()
    daemon.live(chain("Quiet", webhook("quiet", responseMode="lastNode"), set_fields("Set", x=1)), api)
    before = records(daemon)[0]["number"]
    assert all(daemon.client().post("/webhook/quiet").status_code == 200 for _ in range(3))
    assert records(daemon, since="2020-01-01T00:00:00Z")[0]["number"] <= before + 2  # the logins of this test


def test_pages_exports_and_commands(daemon: Daemon) -> None:
    made = command(daemon, "user", "add", "carl", "--role", "viewer", given="longpassword1\n")
    assert made.returncode == 0, made.stderr
    (row,) = records(daemon, act="user.create", actor="owner")
    assert (row["name"], row["actor"]["method"], row["outcome"]) == ("carl", "command", "success")
    api = daemon.admin()
    first = api.get("/audit", params={"limit": 2}).json()
    second = api.get("/audit", params={"limit": 2, "before": first["next"]}).json()
    numbers = [row["number"] for page in (first, second) for row in page["data"]]
    assert numbers == [*range(numbers[0], numbers[0] - 4, -1)]
    exported = api.get("/audit/export", params={"format": "jsonl", "act": "user."})
    assert exported.headers["Content-Disposition"].startswith("attachment")
    lines = [json.loads(line) for line in exported.text.splitlines()]
    assert {line["act"].partition(".")[0] for line in lines} == {"user"}
    whole = api.get("/audit/export", params={"format": "csv"})
    assert whole.text.splitlines()[0].startswith("number,time,act,outcome,")
    assert api.get("/audit/verification").json()["whole"]
    told = re.search(r'audit_records_total{outcome="success"} (\d+)', daemon.admin().get("../../metrics").text)
    assert told is not None
    assert int(told[1]) > 10


def test_what_is_answered_survives_kill_and_changes_of_the_file_are_found(new_daemon: StartDaemon) -> None:
    daemon = new_daemon()
    api = daemon.admin()
    tag = api.post("/tags", json={"name": "kept"}).json()["id"]
    anchor = daemon.config_dir / "audit-head.json"
    poll(anchor.exists, "the end of the chain stands in the directory")
    os.kill(daemon.pid, signal.SIGKILL)
    daemon.wait()
    exported = command(daemon, "audit", "export", "--act", "tag.create")
    assert [json.loads(line)["subject"] for line in exported.stdout.splitlines()] == [tag]
    with sqlite3.connect(daemon.config_dir / "jackfield.db") as database:
        changed = "CAST(replace(CAST(data AS TEXT), 'admin', 'eve__') AS BLOB)"
        database.execute(f"UPDATE audit_records SET data = {changed} WHERE number = 1")
    broken = command(daemon, "audit", "verify")
    assert (broken.returncode, "broken at record 1" in broken.stderr) == (1, True), broken.stderr
