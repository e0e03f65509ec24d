"""Secrets of nodes in a real daemon: nobody reads them, what was read can be written, and the owner exports them."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook

PLANTED = "planted-e2e-4f0c"
PLAIN = "[store.sqlite]\ncompress_from = 0\n"
"""Settings with which everything stands in the file as it is, so that a secret would be found."""
MASK = "***"
AUTH: dict[str, Any] = {"authentication": "hmac", "authConfig": {"secret": PLANTED, "preset": "github"}}
VIEWER = {"username": "eve", "password": "a-viewers-password", "role": "viewer"}


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    found = Daemon(tmp_path_factory.mktemp("secrets"), settings=PLAIN)
    try:
        yield found.start()
    finally:
        found.close()


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def live(daemon: Daemon, api: httpx.Client, path: str) -> str:
    return daemon.live(chain(path, webhook(path, **AUTH), node("End", "noOp")), api)


def called(daemon: Daemon, path: str) -> int:
    """The status of a call that is signed with the planted secret."""
    signature = hmac.new(PLANTED.encode(), b"{}", hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": f"sha256={signature}"}
    return daemon.client().post(f"/webhook/{path}", content=b"{}", headers=headers).status_code


def command(daemon: Daemon, *arguments: str, key: str = "") -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("jackfield"))
    env = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
    asked = [program, "workflow", *arguments, "--config-dir", str(daemon.config_dir)]
    return subprocess.run(
        asked, capture_output=True, text=True, timeout=60, env={**env, "JACKFIELD_API_KEY": key} if key else env
    )


def test_a_viewer_reads_no_secret(daemon: Daemon, api: httpx.Client) -> None:
    ident = live(daemon, api, "viewed")
    assert called(daemon, "viewed") == httpx.codes.OK
    assert api.post("/users", json=VIEWER).status_code == httpx.codes.CREATED
    asked = {name: VIEWER[name] for name in ("username", "password")}
    token = daemon.client().post("/api/v1/auth/login", json=asked).json()["token"]
    viewer = daemon.client(headers={"Authorization": f"Bearer {token}"})
    one = f"/api/v1/workflows/{ident}"
    execution = viewer.get("/api/v1/executions", params={"workflowId": ident}).json()["data"][0]["id"]
    answers = [
        viewer.get(path)
        for path in (
            one,
            "/api/v1/workflows",
            f"{one}/versions",
            f"{one}/versions/1",
            f"/api/v1/executions/{execution}",
        )
    ]
    answers.append(viewer.post("/api/v1/workflows/validate", json=answers[0].json()))
    assert [answer.status_code for answer in answers] == [httpx.codes.OK] * len(answers)
    assert [answer.text for answer in answers if PLANTED in answer.text] == []
    assert answers[0].json()["nodes"][0]["parameters"]["authConfig"] == {"secret": MASK, "preset": "github"}


def test_a_save_after_a_read_keeps_the_secret(daemon: Daemon, api: httpx.Client) -> None:
    one = f"/workflows/{live(daemon, api, 'kept')}"
    read = api.get(one).json()
    for answer in (
        api.put(one, json={**read, "name": "renamed"}),
        api.patch(one, json={"nodes": read["nodes"]}),
        api.post("/workflows/import", json=[read]),
        api.post(f"{one}/versions/1/restore"),
    ):
        assert answer.status_code == httpx.codes.OK, answer.text
        assert PLANTED not in answer.text
        assert called(daemon, "kept") == httpx.codes.OK
    emptied = {**read["nodes"][0], "id": "other", "name": "Other"}
    refused = api.put(one, json={**read, "nodes": [emptied], "connections": {}})
    assert refused.status_code == httpx.codes.BAD_REQUEST
    assert "secret" in refused.text
    assert called(daemon, "kept") == httpx.codes.OK


def test_a_preview_shows_no_secret_of_a_saved_workflow(daemon: Daemon, api: httpx.Client) -> None:
    ident = live(daemon, api, "previewed")
    done = api.post(f"/workflows/{ident}/execute", json=[{"json": {"body": {}}}]).json()
    asked = {"workflowId": ident, "executionId": done["id"], "node": "End"}
    templates = {"params": "={{ JSON.stringify($('Webhook').params) }}"}
    found = api.post("/expressions/preview", json={**asked, "templates": templates})
    assert "github" in found.text
    assert PLANTED not in found.text


def test_exports_have_none_but_for_the_owner(daemon: Daemon, api: httpx.Client, tmp_path: Path) -> None:
    ident = live(daemon, api, "exported")
    key = api.post("/api-keys", json={"name": "cli", "scopes": ["workflows:read", "workflows:write"]}).json()["key"]
    plain = command(daemon, "export", ident, key=key)
    assert plain.returncode == 0, plain.stderr
    assert PLANTED not in plain.stdout
    place, phrase = tmp_path / "whole.json", tmp_path / "phrase"
    phrase.write_text("a long passphrase\nwith another line")
    sealed = ("--with-secrets", "--passphrase-file", str(phrase))
    whole = command(daemon, "export", ident, *sealed, "-o", str(place))
    assert whole.returncode == 0, whole.stderr
    assert PLANTED not in place.read_text()
    assert json.loads(place.read_text())["nodes"][0]["parameters"]["authConfig"]["secret"] == MASK
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert command(daemon, "export", ident, "--with-secrets").returncode == 1
    phrase.write_text("short")
    assert "12 characters" in command(daemon, "export", ident, *sealed).stderr
    assert command(daemon, "export", ident, "--with-secrets", "--url", daemon.base_url).returncode == 2
    (tmp_path / "plain.json").write_text(plain.stdout)
    again = command(daemon, "import", str(tmp_path / "plain.json"), key=key)
    assert again.stdout.split()[:2] == ["updated", ident], again.stderr
    assert called(daemon, "exported") == httpx.codes.OK


def test_without_a_daemon_too(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path)
    document = tmp_path / "flow.json"
    document.write_text(json.dumps(chain("flow", webhook("offline", **AUTH))))
    ident = command(daemon, "import", str(document)).stdout.split()[1]
    plain = command(daemon, "export", "--all")
    assert json.loads(plain.stdout)[0]["nodes"][0]["parameters"]["authConfig"]["secret"] == MASK
    (tmp_path / "phrase").write_text("a long passphrase")
    (tmp_path / "other").write_text("another passphrase")
    sealed = command(daemon, "export", ident, "--with-secrets", "--passphrase-file", str(tmp_path / "phrase")).stdout
    assert PLANTED not in sealed
    # Into another installation, with another key.
    document.write_text(sealed)
    there = Daemon(tmp_path / "there")
    refused = command(there, "import", str(document), "--passphrase-file", str(tmp_path / "other"))
    assert (refused.returncode, "passphrase is not the one" in refused.stderr) == (1, True)
    assert command(there, "import", str(document)).returncode != 0
    done = command(there, "import", str(document), "--passphrase-file", str(tmp_path / "phrase"))
    assert done.returncode == 0, done.stderr
    assert "enter it" not in done.stderr
    again = command(there, "export", ident, "--with-secrets", "--passphrase-file", str(tmp_path / "other")).stdout
    assert PLANTED not in again
    assert planted(there) == []
    try:
        api = there.start().admin()
        assert api.post(f"/workflows/{ident}/activate").is_success
        assert called(there, "offline") == httpx.codes.OK
    finally:
        there.close()


def test_a_type_that_is_gone_shows_no_secret(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path).start()
    try:
        stored = live(daemon, daemon.admin(), "gone")
        daemon.stop()
        (daemon.config_dir / "config.toml").write_text('[plugins]\ndisabled = ["webhooks"]\n')
        api = daemon.start().admin()
        shown = api.get(f"/workflows/{stored}")
        assert shown.json()["nodes"][0]["parameters"]["authConfig"] == {"secret": MASK, "preset": "github"}
        saved = api.put(f"/workflows/{stored}", json={**shown.json(), "name": "Renamed", "active": False})
        assert saved.is_success, saved.text
        daemon.stop()
        exported = command(daemon, "export", stored, "-o", str(tmp_path / "out.json"))
        assert exported.returncode == 0, exported.stderr
        assert PLANTED not in (tmp_path / "out.json").read_text() + saved.text
        (daemon.config_dir / "config.toml").write_text("")
        api = daemon.start().admin()
        assert api.post(f"/workflows/{stored}/activate").is_success
        assert called(daemon, "gone") == 200
    finally:
        daemon.close()


@pytest.mark.parametrize(
    "expression",
    [
        "={{ $('Webhook').params.authConfig.secret }}",
        "={{ JSON.stringify($('Webhook').params) }}",
        "={{ Object.values($('Webhook').params.authConfig).join() }}",
    ],
)
def test_results_hold_no_secret_of_another_node(daemon: Daemon, api: httpx.Client, expression: str) -> None:
    document = chain("spy", webhook("spy", **AUTH), set_fields("Spy", seen=expression))
    run = api.post("/workflows/run", json={"workflow": document, "inputData": [{"json": {}}]})
    assert run.is_success, run.text
    assert PLANTED not in run.text
    assert MASK in run.text


def test_results_hold_no_secret_of_the_node_itself(api: httpx.Client) -> None:
    value = "={{ $parameter.secret + JSON.stringify($rawParameter) }}"
    parameters = {"action": "hmac", "type": "SHA256", "value": value, "secret": PLANTED}
    crypto = node("Crypto", "crypto", {**parameters, "dataPropertyName": "made"}, version=1)
    source = "return [{ json: { all: JSON.stringify($('Crypto').params) } }];"
    code = node("Code", "code", {"jsCode": source}, version=2)
    document = chain("own", node("Start", "manualTrigger"), crypto, code)
    run = api.post("/workflows/run", json={"workflow": document, "inputData": [{"json": {}}]})
    assert run.is_success, run.text
    assert PLANTED not in run.text
    assert MASK in run.text


def planted(daemon: Daemon, text: str = PLANTED) -> list[str]:
    """Files of the configuration directory that have the secret in clear."""
    files = [file for file in daemon.config_dir.rglob("*") if file.is_file()]
    return [file.name for file in files if text.encode() in file.read_bytes()]


def grown_old(daemon: Daemon, ident: str, copies: int) -> None:
    """Make the stored document what an earlier version has written, in so many versions."""
    document = json.dumps(chain("old", webhook("old", **AUTH), node("End", "noOp"))).encode()
    with closing(sqlite3.connect(daemon.config_dir / "jackfield.db")) as database:
        database.execute("UPDATE workflow_versions SET document = ?, digest = NULL", (document,))
        rows = ((ident, number, "old", 0, None, document) for number in range(2, copies + 2))
        database.executemany("INSERT INTO workflow_versions VALUES (?, ?, ?, ?, ?, ?, NULL, '')", rows)
        database.execute("UPDATE workflows SET version = ?", (copies + 1,))
        database.execute("INSERT INTO unsealed_versions SELECT workflow_id, version FROM workflow_versions")
        database.commit()


def left(daemon: Daemon) -> int:
    with closing(sqlite3.connect(daemon.config_dir / "jackfield.db", timeout=10)) as database:
        return int(database.execute("SELECT count(*) FROM unsealed_versions").fetchone()[0])


def test_nothing_stored_has_them_and_old_documents_are_sealed(tmp_path: Path) -> None:
    daemon = Daemon(tmp_path, settings=PLAIN)
    try:
        ident = live(daemon.start(), daemon.admin(), "old")
        assert called(daemon, "old") == httpx.codes.OK
        assert planted(daemon) == []
        daemon.stop()
        grown_old(daemon, ident, 400)
        assert planted(daemon) != []
        daemon.start()
        assert called(daemon, "old") == httpx.codes.OK
        daemon.kill()
        daemon.start()
        assert called(daemon, "old") == httpx.codes.OK
        poll(lambda: not left(daemon), "all are sealed", timeout=60)
        poll(lambda: not planted(daemon), "nothing is left in clear", timeout=20)
        assert called(daemon, "old") == httpx.codes.OK
        api = daemon.admin()
        assert api.post(f"/workflows/{ident}/versions/7/restore").is_success
        assert called(daemon, "old") == httpx.codes.OK
    finally:
        daemon.close()


def test_what_a_caller_proves_itself_with_is_in_memory_alone(daemon: Daemon, api: httpx.Client) -> None:
    token, secret = "a-callers-token-77d1", "a-fields-secret-9a2e"
    copies = {"copy": "={{ $json.headers.authorization }}", "password": "={{ $json.body.password }}"}
    document = chain("caller", webhook("caller", responseMode="lastNode"), set_fields("Copy", **copies))
    ident = daemon.live(document, api)
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "one"}
    call = {"json": {"password": secret}, "headers": headers, "params": {"access_token": token}}
    first = daemon.client().post("/webhook/caller", **call)
    assert first.json() == [{"copy": f"Bearer {token}", "password": secret}]
    assert daemon.client().post("/webhook/caller", **call).json() == [{"copy": "***", "password": secret}]
    (row,) = api.get("/executions", params={"workflowId": ident}).json()["data"]
    shown = api.get(f"/executions/{row['id']}")
    assert token not in shown.text
    (hook,) = api.get("/webhooks", params={"workflowId": ident}).json()["data"]
    history = api.get(f"/webhooks/{hook['id']}/history").text
    assert token not in history
    assert secret not in history
    assert planted(daemon, token) == []
    retried = api.post(f"/executions/{row['id']}/retry").json()["executionId"]
    poll(lambda: api.get(f"/executions/{retried}").json()["status"] == "success", "the retry ends")
    assert token not in api.get(f"/executions/{retried}").text


def test_after_a_restart_it_stays_masked(tmp_path: Path) -> None:
    daemon, token = Daemon(tmp_path, settings=PLAIN), "a-callers-token-55b0"
    try:
        api = daemon.start().admin()
        rest = node("Rest", "wait", {"resume": "timeInterval", "amount": 90, "unit": "seconds"})
        seen = "={{ $('Webhook').item.json.headers.authorization }}"
        document = chain("rests", webhook("rests"), rest, set_fields("Seen", seen=seen))
        ident = daemon.live(document, api)
        assert daemon.client().post("/webhook/rests", headers={"Authorization": token}).is_success
        poll(lambda: api.get("/executions", params={"status": "waiting"}).json()["total"], "it waits")
        assert planted(daemon, token) == []
        daemon.kill()
        assert planted(daemon, token) == []
        api = daemon.start().admin()
        (row,) = api.get("/executions", params={"workflowId": ident}).json()["data"]
        assert token not in api.get(f"/executions/{row['id']}").text
    finally:
        daemon.close()
