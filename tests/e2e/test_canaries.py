"""Thirty secrets are planted and used in a real daemon; then every place is searched for them: the files of its
directory, what it answered and told, its logs, and the arguments and environments of its processes."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll
from jackfield.testing.documents import chain, node, set_fields, webhook
from jackfield.testing.websocket import TEXT, RawWebSocket

SETTINGS = '[logs]\nlevel = "debug"\n[store.sqlite]\ncompress_from = 0\n'
"""Everything is told, and stands in the store's file as it is."""
NAMES = (
    "hmac", "header", "basic", "jwt", "credential-header", "credential-basic", "crypto-secret", "crypto-key",
    "wait-header", "nobodys-key", "nobodys-password", "proxy-url", "replaced", "imported", "unsaved",
    "caller-bearer", "caller-cookie", "caller-key", "caller-basic", "caller-proxy", "caller-query", "caller-wrong",
    "caller-failed", "own-header", "user-password", "wrong-password", "admin-password", "encryption-key", "passphrase",
    "jwt-setting",
    "pinned", "pinned-query", "request-header", "request-json", "request-query", "request-field",
)  # fmt: skip
SECRETS = {name: f"canary-{name}-{hashlib.sha256(name.encode()).hexdigest()[:24]}" for name in NAMES}
PUBLIC = "canary-that-everybody-may-see"
IN_BODIES = {name: f"canary-body-{name}-5b1f" for name in ("password", "api_key", "clientSecret")}
"""The history of calls must not have them; executions do, as they are their data."""


class Lab:
    """The daemon, and everything that it has said so far."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon, self.said = daemon, []  # type: tuple[Daemon, list[str]]
        self.api = daemon.admin(event_hooks={"response": [self._note]})
        self.anyone = daemon.client()
        self.keys: dict[str, str] = {}

    def _note(self, response: httpx.Response) -> None:
        response.read()
        self.said.append(f"{response.request.url.path} {response.headers} {response.text}")

    def ok(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.api.request(method, path, json=body)
        assert answer.is_success, f"{method} {path}: {answer.text}"
        return answer.json() if answer.content and "json" in answer.headers["content-type"] else answer.text

    def live(self, name: str, *nodes: Any) -> str:
        return self.daemon.live(chain(name, *nodes), self.api)

    def call(self, path: str, status: int = 200, **options: Any) -> httpx.Response:
        answer = self.anyone.post(f"/webhook/{path}", **options)
        assert answer.status_code == status, f"{path}: {answer.text}"
        return answer

    def command(self, *arguments: str, statuses: Sequence[int] = (0,), **env: str) -> str:
        program = str(Path(sys.executable).with_name("jackfield"))
        plain = {name: value for name, value in os.environ.items() if not name.startswith("JACKFIELD_")}
        asked = [program, *arguments, "--config-dir", str(self.daemon.config_dir)]
        env = {**plain, "JACKFIELD_ENCRYPTION_KEY": SECRETS["encryption-key"], **env}
        done = subprocess.run(asked, capture_output=True, text=True, timeout=60, env=env)
        self.said.append(done.stdout + done.stderr)
        assert done.returncode in statuses, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    env = {
        "JACKFIELD_ENCRYPTION_KEY": SECRETS["encryption-key"],
        "JACKFIELD_SECURITY_JWT_SECRET": SECRETS["jwt-setting"],
        "JACKFIELD_ADMIN_PASSWORD": SECRETS["admin-password"],
    }
    daemon = Daemon(tmp_path_factory.mktemp("canaries"), settings=SETTINGS, env=env)
    daemon.login = lambda: _login(daemon, "admin", SECRETS["admin-password"])  # type: ignore[method-assign]
    try:
        yield Lab(daemon.start())
    finally:
        daemon.close()


def _login(daemon: Daemon, name: str, password: str) -> str:
    body = {"username": name, "password": password}
    answer = httpx.post(f"{daemon.base_url}/api/v1/auth/login", json=body, trust_env=False, timeout=20)
    assert answer.is_success, answer.text
    return str(answer.json()["token"])


def plant(lab: Lab) -> dict[str, str]:
    """Save them in every way; the ids of the workflows."""
    ids = {}
    hmac_auth = {"authentication": "hmac", "authConfig": {"secret": SECRETS["hmac"], "preset": "github"}}
    ids["hmac"] = lab.live(PUBLIC, webhook("hmac", **hmac_auth), node("End", "noOp"))
    header = {"headerName": "X-Door", "headerValue": SECRETS["header"]}
    ids["header"] = lab.live("header", webhook("header", authentication="headerAuth", authConfig=header))
    basic = {"username": "ada", "password": SECRETS["basic"]}
    ids["basic"] = lab.live("basic", webhook("basic", authentication="basicAuth", authConfig=basic))
    ids["jwt"] = lab.live("jwt", webhook("jwt", authentication="jwtAuth", authConfig={"secret": SECRETS["jwt"]}))
    for kind, values in (
        ("httpHeaderAuth", {"name": "X-Key", "value": SECRETS["credential-header"]}),
        ("httpBasicAuth", {"user": "ada", "password": SECRETS["credential-basic"]}),
    ):
        lab.ok("POST", "/credentials", {"name": kind, "kind": kind, "values": values})
    wait = {"resume": "webhook", "authentication": "headerAuth", "authConfig": {"headerName": "X-W",
            "headerValue": SECRETS["wait-header"]}}  # fmt: skip
    http = {"url": f"{lab.daemon.base_url}/health",
            "sendHeaders": True, "headerParameters": {"parameters": [
                {"name": "Authorization", "value": f"Bearer {SECRETS['request-header']}"}]},
            "jsonHeaders": json.dumps({"X-Api-Key": SECRETS["request-json"]}),
            "sendQuery": True, "queryParameters": {"parameters": [
                {"name": "access_token", "value": SECRETS["request-query"]}]},
            "sendBody": True, "bodyParameters": {"parameters": [
                {"name": "password", "value": SECRETS["request-field"]}]},
            "options": {"proxy": f"http://ada:{SECRETS['proxy-url']}@127.0.0.1:9"}}  # fmt: skip
    ids["many"] = lab.live(
        "many",
        webhook("many"),
        node("Sign", "crypto", {"action": "hmac", "type": "SHA256", "value": "a", "secret": SECRETS["crypto-secret"],
                                "privateKey": SECRETS["crypto-key"]}),
        node("Ask", "httpRequest", http, version=4.2),
        node("Rest", "wait", wait),
    )  # fmt: skip
    nobodys = {"apiKey": SECRETS["nobodys-key"], "o": {"password": SECRETS["nobodys-password"]}}
    unknown = chain("unknown", webhook("unknown"), node("Unknown", "nobodys", nobodys))
    ids["unknown"] = lab.ok("POST", "/workflows", unknown)["id"]
    lab.ok("POST", f"/workflows/{ids['unknown']}/execute", {})
    other = chain("versions", webhook("versions", **{**hmac_auth, "authConfig": {"secret": SECRETS["replaced"]}}))
    item = {
        "json": {
            "headers": {"authorization": f"Bearer {SECRETS['pinned']}"},
            "query": {"token": SECRETS["pinned-query"]},
        }
    }
    pinned = chain("pinned", webhook("pinned"), node("End", "noOp")) | {"pinData": {"Webhook": [item]}}
    ids["pinned"] = lab.ok("POST", "/workflows", pinned)["id"]
    lab.ok("PUT", f"/workflows/{ids['pinned']}", lab.ok("GET", f"/workflows/{ids['pinned']}"))
    lab.ok("POST", f"/workflows/{ids['pinned']}/execute", {})
    ids["versions"] = lab.ok("POST", "/workflows", other)["id"]
    one = f"/workflows/{ids['versions']}"
    lab.ok("PUT", one, chain("versions", webhook("versions", **hmac_auth)))
    lab.ok("POST", f"{one}/versions/1/restore")
    lab.ok("POST", f"{one}/duplicate", {})
    crypto = {"action": "hmac", "type": "SHA256", "value": "a"}
    imported = chain(
        "in", node("Start", "manualTrigger"), node("S", "crypto", {**crypto, "secret": SECRETS["imported"]})
    )
    lab.ok("POST", "/workflows/import", [imported])
    unsaved = chain("unsaved", node("Start", "manualTrigger"),
                    node("S", "crypto", {**crypto, "secret": SECRETS["unsaved"]}))  # fmt: skip
    lab.ok("POST", "/workflows/run", {"workflow": unsaved})
    lab.ok("POST", "/users", {"username": "eve", "password": SECRETS["user-password"], "role": "viewer"})
    lab.keys["api"] = lab.ok("POST", "/api-keys", {"name": "k"})["key"]
    lab.said = [said for said in lab.said if lab.keys["api"] not in said]  # told once, that is what it is for
    lab.keys["token"] = _login(lab.daemon, "eve", SECRETS["user-password"])
    return ids


def use(lab: Lab, ids: dict[str, str]) -> None:
    signature = hmac.new(SECRETS["hmac"].encode(), b"{}", hashlib.sha256).hexdigest()
    lab.call("hmac", content=b"{}", headers={"X-Hub-Signature-256": f"sha256={signature}"})
    lab.call("header", headers={"X-Door": SECRETS["header"]})
    lab.call("header", 401, headers={"X-Door": SECRETS["caller-wrong"]})
    lab.call("basic", auth=("ada", SECRETS["basic"]))
    lab.call("many")
    copies = {"a": "={{ $json.headers.authorization }}", "c": "={{ $json.headers.cookie }}",
              "q": "={{ $json.query.access_token }}", "all": "={{ JSON.stringify($json.headers) }}"}  # fmt: skip
    ids["copies"] = lab.live("copies", webhook("copies", responseMode="lastNode"), set_fields("Copy", **copies))
    headers = {"Authorization": f"Bearer {SECRETS['caller-bearer']}", "Cookie": f"a=b; sid={SECRETS['caller-cookie']}",
               "X-Api-Key": SECRETS["caller-key"], "Proxy-Authorization": SECRETS["caller-proxy"],
               "Idempotency-Key": "i"}  # fmt: skip
    options = {"json": IN_BODIES, "headers": headers, "params": {"access_token": SECRETS["caller-query"]}}
    assert SECRETS["caller-bearer"] in lab.call("copies", **options).text
    lab.call("copies", auth=("ada", SECRETS["caller-basic"]))
    door = {"headerName": "X-Porch", "headerValue": SECRETS["own-header"]}
    own = {"own": "={{ 'it is ' + $json.headers['x-porch'] }}", "all": "={{ JSON.stringify($json.headers) }}"}
    guarded = webhook("own", responseMode="lastNode", authentication="headerAuth", authConfig=door)
    ids["own"] = lab.live("own", guarded, set_fields("Copy", **own))
    told = lab.call("own", headers={"X-Porch": SECRETS["own-header"], "Idempotency-Key": "own"}).text
    assert told.count(SECRETS["own-header"]) >= 2
    says = {"respondWith": "text", "responseBody": "={{ 'it is ' + $json.headers['x-porch'] }}"}
    guarded = webhook("chunks", responseMode="streaming", authentication="headerAuth", authConfig=door)
    ids["chunks"] = lab.live("chunks", guarded, node("Say", "respondToWebhook", says, version=1.5))
    asked = {"X-Porch": SECRETS["own-header"], "Idempotency-Key": "chunks"}
    assert SECRETS["own-header"] in lab.call("chunks", headers=asked).text
    stop = node("Stop", "stopAndError", {"errorMessage": "={{ 'no: ' + $json.headers.authorization }}"})
    ids["fails"] = lab.live("fails", webhook("fails", responseMode="lastNode"), stop)
    lab.call("fails", 500, headers={"Authorization": SECRETS["caller-failed"]})
    lab.anyone.post("/api/v1/auth/login", json={"username": "eve", "password": SECRETS["wrong-password"]})
    assert lab.anyone.get("/api/v1/workflows", headers={"X-API-Key": lab.keys["api"]}).is_success


def look(lab: Lab, ids: dict[str, str], tmp: Path) -> None:
    """Everything that shows something, as the administrator and as a viewer."""
    viewer = lab.daemon.client(headers={"Authorization": f"Bearer {lab.keys['token']}"},
                               event_hooks={"response": [lab._note]})  # fmt: skip
    paths = ["/workflows", "/executions?limit=100", "/webhooks?stats=true", "/variables", "/api-keys"]
    for ident in ids.values():
        paths += [f"/workflows/{ident}", f"/workflows/{ident}/versions", f"/workflows/{ident}/versions/1"]
    paths += [f"/executions/{row['id']}?items=50" for row in lab.ok("GET", "/executions?limit=100")["data"]]
    paths += [f"/webhooks/{row['id']}/history" for row in lab.ok("GET", "/webhooks?limit=100")["data"]]
    paths += [f"/credentials/{row['id']}" for row in lab.ok("GET", "/credentials")["data"]] + ["/credentials"]
    for path in paths:
        lab.ok("GET", path)
        viewer.get(f"/api/v1{path}")
    for path in ("/metrics", "/ready", "/health", "/api/logs", "/openapi.json"):
        lab.api.get(f"{lab.daemon.base_url}{path}")
    (tmp / "phrase").write_text(SECRETS["passphrase"])
    everything = ("--all", "--with-secrets", "--passphrase-file", str(tmp / "phrase"))
    lab.command("workflow", "export", *everything)
    lab.command("workflow", "export", "--all", JACKFIELD_API_KEY=lab.keys["api"])
    lab.command("backup", str(tmp / "backup"), "--without-keys")
    lab.command("doctor", statuses=(0, 1))  # what it says of this machine does not matter
    lab.command("config")


def forms(secret: str) -> set[bytes]:
    """As it stands, in base64 at each of the three places that it may begin, and in a URL."""
    found = {secret.encode(), quote(secret, safe="").encode()}
    for shift in range(3):
        text = base64.b64encode(b"x" * shift + secret.encode()).decode()
        found.add(text[(0, 2, 3)[shift] :].rstrip("=")[:-1].encode())
    return found


def processes(daemon: Daemon) -> list[int]:
    """The daemon and all below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = [daemon.pid]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def places(lab: Lab, *directories: Path) -> Iterator[tuple[str, bytes]]:
    """Every place with what is there."""
    for directory in directories:
        for file in directory.rglob("*"):
            if file.is_file() and not file.is_symlink():
                yield str(file), file.read_bytes()
    for pid in processes(lab.daemon):
        for name in ("cmdline", "environ"):
            try:
                yield f"/proc/{pid}/{name}", Path(f"/proc/{pid}/{name}").read_bytes()
            except OSError:
                continue
    for said in lab.said:
        yield f"said {said[:60]}", said.encode()
    yield "output", lab.daemon.output.read_bytes()


def database(file: Path) -> Iterator[tuple[str, bytes]]:
    """Rows, whatever pages they are spread over."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                yield table, b"\0".join(cell if isinstance(cell, bytes) else str(cell).encode() for cell in row)


def test_planted_secrets_are_nowhere(lab: Lab, tmp_path: Path) -> None:
    with RawWebSocket(lab.daemon.port, "/ws") as socket:
        socket.send(TEXT, json.dumps({"type": "subscribe", "topics": ["*"]}).encode())
        ids = plant(lab)
        use(lab, ids)
        poll(lambda: lab.ok("GET", "/executions?status=running")["total"] == 0, "all runs have ended")
        look(lab, ids, tmp_path)
        lab.ok("POST", "/workflows", chain("the last", node("Start", "manualTrigger")))
        while not (lab.said[-1].startswith("{") and "the last" in lab.said[-1]):
            frame = socket.receive()
            assert frame is not None
            lab.said.append(frame.payload.decode())
    assert any('"error":' in said and "no: ***" in said for said in lab.said if said.startswith("{"))
    sought = {**SECRETS, **lab.keys}
    assert len(sought) >= 30
    backup, rows = tmp_path / "backup", database(lab.daemon.config_dir / "jackfield.db")
    looked = [*places(lab, lab.daemon.config_dir, backup), *rows]
    found = [
        f"{name} in {place}"
        for place, content in looked
        for name, secret in sought.items()
        if any(form in content for form in forms(secret))
    ]
    assert found == []
    seen = [place for place, content in looked if PUBLIC.encode() in content]
    assert "workflows" in seen
    assert any(place.startswith("said /api/v1/workflows") for place in seen)
    assert any(place.startswith(str(lab.daemon.config_dir)) for place in seen)
    assert any(b"JACKFIELD_ADMIN_USERNAME=" in content for place, content in looked if place.endswith("/environ"))
    told = [said for said in lab.said if "/history" in said[:80] and any(value in said for value in IN_BODIES.values())]
    assert told == []


def test_the_search_finds_what_is_there() -> None:
    """Else it would prove nothing."""
    for shift in range(3):
        assert any(
            form in base64.b64encode(b"y" * shift + SECRETS["hmac"].encode() + b"z") for form in forms(SECRETS["hmac"])
        )
