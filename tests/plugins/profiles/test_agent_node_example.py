"""The shipped example, through the real daemon: a signed webhook puts a stand-in for an agent to work, and what it says
reaches a stand-in for GitHub."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

EXAMPLE = Path(__file__).resolve().parents[3] / "examples/github-issue-triage.json"
SECRET = "webhook-secret"
AGENT = """
import json, os, sys
if "--version" in sys.argv:
    print("triager 1.0.0"); sys.exit()
asked = sys.stdin.read()
found = {"labels": ["bug", "not-allowed"], "comment": "Seen." if "It crashes" in asked else ""}
answer = "Here it is:\\n```json\\n" + json.dumps(found) + "\\n```"
print(json.dumps({"result": answer, "session_id": "s1", "home": os.environ["HOME"]}))
"""
MANIFEST = """
id = "triager"
binary = "triager"
[detect]
commands = ["triager --version"]
[profile]
source_home = "{homes}/{{alias}}"
[headless]
args = ["--print"]
output = "json"
result = "result"
session = "session_id"
"""
PROVIDER = 'id = "own"\ntype = "self"\n[endpoints]\nnative = ""\n[auth]\nrequired = false\n'


class GitHub(BaseHTTPRequestHandler):
    seen: list[tuple[str, str, str, Any]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.command, self.path, self.headers["Authorization"], json.loads(body)))
        self.send_response(201)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "9")
        self.end_headers()
        self.wfile.write(b'{"id": 1}')

    do_PATCH = do_POST  # noqa: N815 - the base class looks for it

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture
def github() -> Iterator[str]:
    GitHub.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), GitHub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    program = tmp_path / "bin/triager"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable} -IS\n{AGENT}")
    program.chmod(0o755)
    settings = '[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    made = Daemon(tmp_path, settings=settings, env={"PATH": path, "HOME": str(tmp_path)})
    for folder, name, text in (
        ("agents.d", "triager.toml", MANIFEST.format(homes=tmp_path / "homes")),
        ("providers.d", "own.toml", PROVIDER),
    ):
        (made.config_dir / folder).mkdir()
        (made.config_dir / folder / name).write_text(text)
    try:
        yield made.start()
    finally:
        made.close()


@pytest.fixture
def api(daemon: Daemon, github: str) -> httpx.Client:
    """Everything that the example needs is set up; it is active."""
    profile = {"alias": "triage", "agent_id": "triager", "provider_id": "own", "model": "m"}
    made = daemon.client().post("/api/profiles", json=profile)
    assert made.status_code == 200, made.text
    api = daemon.admin()
    ids = {}
    for kind, values in (
        ("githubApi", {"server": github, "user": "me", "accessToken": "gh-token-1"}),
        ("hmacAuth", {"secret": SECRET}),
    ):
        stored = api.post("/credentials", json={"name": kind, "kind": kind, "values": values})
        assert stored.status_code == 201, stored.text
        ids[kind] = stored.json()["id"]
    document = json.loads(EXAMPLE.read_text())
    for node in document["nodes"]:
        for kind, credential in node.get("credentials", {}).items():
            credential["id"] = ids[kind]
    validation = api.post("/workflows/validate", json=document).json()
    assert (validation["activatable"], validation["problems"]) == (True, [])
    workflow = api.post("/workflows", json=document)
    assert workflow.status_code == 201, workflow.text
    api.post(f"/workflows/{workflow.json()['id']}/activate").raise_for_status()
    return api


def call(daemon: Daemon, body: str, action: str = "opened") -> httpx.Response:
    owner = {"login": "acme"}
    event = {
        "action": action,
        "issue": {"number": 7, "title": "Help", "body": body, "labels": [{"name": "new"}]},
        "repository": {"name": "tool", "full_name": "acme/tool", "owner": owner},
    }
    content = json.dumps(event).encode()
    signature = hmac.new(SECRET.encode(), content, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json", "X-GitHub-Event": "issues", "X-Hub-Signature-256": f"sha256={signature}"
    }  # fmt: skip
    return daemon.client().post("/webhook/github-issues", content=content, headers=headers)


def finished(api: httpx.Client, count: int) -> Any:
    def probe() -> Any:
        found = api.get("/executions").json()["data"]
        done = [one for one in found if one["status"] in ("success", "failed")]
        return done if len(done) == count else None

    for one in poll(probe, "the execution ends"):
        full = api.get(f"/executions/{one['id']}").json()
        assert full["status"] == "success", full.get("error")
    return full


def test_an_opened_issue_is_triaged(daemon: Daemon, api: httpx.Client, tmp_path: Path) -> None:
    answer = call(daemon, "It crashes with `--profile`")
    assert (answer.status_code, answer.json()) == (202, {"triage": "started"})
    execution = finished(api, 1)
    issue = "/repos/acme/tool/issues/7"
    assert GitHub.seen == [
        ("POST", f"{issue}/comments", "Bearer gh-token-1", {"body": "Seen."}),
        ("PATCH", issue, "Bearer gh-token-1", {"labels": ["new", "bug"]}),
    ]
    triage = execution["nodes"]["Triage"][0]["outputs"][0][0]["json"]
    assert (triage["exitCode"], triage["session"], triage["data"]["labels"]) == (0, "s1", ["bug", "not-allowed"])
    assert (tmp_path / "homes/triage").is_dir()


def test_an_issue_without_a_comment_is_labelled_only_and_other_events_are_ignored(
    daemon: Daemon, api: httpx.Client
) -> None:
    assert call(daemon, "hm").status_code == 202
    finished(api, 1)
    assert [method for method, *_ in GitHub.seen] == ["PATCH"]
    assert call(daemon, "hm", "closed").json() == {"triage": "not needed"}
    finished(api, 2)
    assert len(GitHub.seen) == 1
