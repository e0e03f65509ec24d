"""A credential whose values are elsewhere, in a real daemon: used, tried, shown, imported, and told by commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

VALUE = "value-that-stays-in-its-file"
HEADER = "={{ $secrets.mounted['api-key'] }}"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    directory = tmp_path_factory.mktemp("daemon")
    mount = directory / "mount"
    mount.mkdir()
    (mount / "api-key").write_text(f"{VALUE}\n")
    settings = f"""
[nodes.http]
allowed_networks = ["127.0.0.0/8"]

[secrets.sources.mounted]
kind = "files"
directory = "{mount}"

[secrets.sources.broken]
kind = "files"

[secrets.sources.team]
kind = "files"
directory = "{mount}"
projects = ["0192aaaa-0000-7000-8000-000000000000"]
"""
    daemon = Daemon(directory, settings=settings)
    try:
        yield daemon.start()
    finally:
        daemon.close()


@pytest.fixture(scope="module")
def api(daemon: Daemon) -> httpx.Client:
    return daemon.admin()


def _made(api: httpx.Client, value: str, status: int = 201) -> Any:
    body = {"name": "Elsewhere", "kind": "httpHeaderAuth", "values": {"name": "X-Key", "value": value}}
    answer = api.post("/credentials", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def _workflow(credential: str, url: str) -> dict[str, object]:
    node = {
        "id": "n2", "name": "Ask", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [0, 0],
        "parameters": {"url": url, "authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth"},
        "credentials": {"httpHeaderAuth": {"id": credential, "name": "Elsewhere"}},
    }  # fmt: skip
    trigger = {
        "id": "n1", "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0],
        "parameters": {},
    }  # fmt: skip
    wires = {"Start": {"main": [[{"node": "Ask", "type": "main", "index": 0}]]}}
    return {"name": "Asks", "nodes": [trigger, node], "connections": wires, "settings": {}}


def test_the_value_is_sent_and_stored_nowhere(daemon: Daemon, api: httpx.Client) -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    seen: list[str] = []

    class Echo(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers["X-Key"])
            body = json.dumps({"you": "sent it"}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Echo)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        credential = _made(api, HEADER)["id"]
        shown = api.get(f"/credentials/{credential}").json()
        assert shown["values"] == {"name": "X-Key", "value": HEADER}
        url = f"http://127.0.0.1:{server.server_port}/"
        tried = api.post(f"/credentials/{credential}/test", json={"url": url}).json()
        assert tried["valid"], tried
        started = api.post("/workflows/run", json={"workflow": _workflow(credential, url)})
        assert started.status_code < 300, started.text
        poll(lambda: len(seen) == 2, "the workflow has asked")
    finally:
        server.shutdown()
        server.server_close()
    assert seen == [VALUE, VALUE]
    poll(lambda: api.get("/executions").json()["data"][0]["status"] == "success", "the execution has ended")
    everything = b"".join(file.read_bytes() for file in daemon.config_dir.rglob("*") if file.is_file())
    assert VALUE.encode() not in everything


def test_what_cannot_be_is_refused_when_it_is_written(api: httpx.Client) -> None:
    told = _made(api, "={{ $secrets.nowhere.x }}", 400)["details"]["values.value"]
    assert "secrets.sources has mounted, broken, team" in told
    assert "write a path" in _made(api, "={{ $secrets.mounted.x.trim() }}", 400)["details"]["values.value"]


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("={{ $secrets.mounted.nothing }}", "There is no file nothing"),
        ("={{ $secrets.broken.x }}", "secrets.sources.broken.directory"),
        ("={{ $secrets.team['api-key'] }}", "not for this credential's project"),
    ],
)
def test_a_test_tells_why_there_is_no_value(api: httpx.Client, reference: str, told: str) -> None:
    credential = _made(api, reference)["id"]
    verdict = api.post(f"/credentials/{credential}/test", json={}).json()
    assert not verdict["valid"]
    assert told in verdict["message"]


def test_n8n_s_export_keeps_its_references(api: httpx.Client) -> None:
    document = {
        "id": "n8n-1", "name": "From n8n", "type": "httpHeaderAuth", "data": {"name": "X-Key", "value": HEADER}
    }  # fmt: skip
    answer = api.post("/import", json={"credentials": [document]})
    assert answer.status_code == 200, answer.text
    found = next(row for row in api.get("/credentials").json()["data"] if row["name"] == "From n8n")
    assert api.get(f"/credentials/{found['id']}").json()["values"]["value"] == HEADER


def _command(daemon: Daemon, *words: str) -> subprocess.CompletedProcess[str]:
    program = str(Path(sys.executable).with_name("jackfield"))
    given = ["--config-dir", str(daemon.config_dir)]
    if words[0] != "doctor":
        given += ["--url", daemon.base_url]
    return subprocess.run(
        [program, *words, *given], capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}, timeout=60
    )


def test_commands(daemon: Daemon) -> None:
    listed = _command(daemon, "secrets", "sources")
    assert listed.returncode == 0, listed.stderr
    assert "mounted" in listed.stdout
    assert "secrets.sources.broken.directory" in listed.stdout
    assert '$secrets.mounted["api-key"]' in _command(daemon, "secrets", "names", "mounted").stdout
    assert _command(daemon, "secrets", "test", "mounted").returncode == 0
    failed = _command(daemon, "secrets", "test", "broken")
    assert failed.returncode == 1
    assert "cannot be used" in failed.stdout
    doctor = _command(daemon, "doctor")
    assert "secrets mounted" in doctor.stdout
    assert VALUE not in doctor.stdout + listed.stdout


def test_who_may_see_sources(daemon: Daemon, api: httpx.Client) -> None:
    assert daemon.client().get("/api/v1/secret-sources").status_code == 401
    assert api.get("/secret-sources").json()["total"] == 3
    assert api.get("/secret-sources/nowhere/names").status_code == 404
    assert api.get("/secret-sources/broken/names").status_code == 502
