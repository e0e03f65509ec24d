"""The recipes of `deploy/proxies`, run by nginx and Caddy in front of a real daemon, whose public name they serve."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from jackfield.testing.certificates import self_signed
from jackfield.testing.daemon import HOST, PASSWORD, USERNAME, Daemon, free_port, poll
from jackfield.testing.documents import chain, node, webhook
from jackfield_terminal.sandbox.bubblewrap import problem_of_sandbox
from jackfield_terminal.settings import SandboxSettings

from .composed import listens

pytestmark = pytest.mark.skipif(not os.environ.get("JACKFIELD_TEST_FRONTS"), reason="tox -e deployment")
ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "deploy" / "proxies"
AGENT = ROOT / "tests/plugins/agent_sessions/acp_agent.py"
MANIFEST = """
id = "talker"
binary = "{program}"
[detect]
commands = ["talker --version"]
[protocol]
name = "acp"
"""
NAME = "jackfield.example.com"
SETTINGS = """
[server]
public_hosts = ["{host}"]
public_url = "https://{host}"
trusted_proxies = ["127.0.0.1"]

[server.areas]
ui = ["{host}"]
agents = {agents}
"""


class FrontedDaemon(Daemon):
    """Behind a reverse proxy that listens at `front` with the certificate `trusted`."""

    def __init__(self, place: Path, agents: str) -> None:
        self.front = free_port()
        self.host = f"localhost:{self.front}"
        self.trusted, self.key = self_signed(place, "localhost")
        home = place / "home"
        home.mkdir()
        settings = SETTINGS.format(host=self.host, agents=agents)
        super().__init__(place / "daemon", settings=settings, env={"HOME": str(home)})
        (self.config_dir / "config.toml").chmod(0o600)
        self._add_agent(place / "talker")

    def _add_agent(self, program: Path) -> None:
        program.write_text(f'#!/bin/sh\nexec {sys.executable} {AGENT} "$@"\n')
        program.chmod(0o755)
        (self.config_dir / "agents.d").mkdir(mode=0o700)
        manifest = self.config_dir / "agents.d/talker.toml"
        manifest.write_text(MANIFEST.format(program=program))
        manifest.chmod(0o600)

    def public(self) -> httpx.Client:
        address = f"https://{self.host}"
        return httpx.Client(base_url=address, verify=tls(self), timeout=20, trust_env=False)


def tls(daemon: FrontedDaemon) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(daemon.trusted))


def of_nginx(daemon: FrontedDaemon, place: Path) -> list[str]:
    text = (RECIPES / "nginx.conf").read_text()
    text = text.replace("listen 443 ssl", f"listen {HOST}:{daemon.front} ssl").replace(NAME, "localhost")
    text = text.replace("/etc/ssl/jackfield.pem", str(daemon.trusted)).replace(
        "/etc/ssl/jackfield.key", str(daemon.key)
    )
    text = text.replace("127.0.0.1:8765", f"{HOST}:{daemon.port}")
    paths = "".join(
        f"{kind}_temp_path {place}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    whole = f"daemon off; pid {place}/pid; error_log {place}/error.log;\nevents {{}}\n"
    (place / "nginx.conf").write_text(f"{whole}http {{\naccess_log off;\n{paths}{text}\n}}\n")
    return ["nginx", "-c", str(place / "nginx.conf"), "-e", str(place / "error.log")]


def of_caddy(daemon: FrontedDaemon, place: Path) -> list[str]:
    text = (RECIPES / "Caddyfile").read_text().replace("127.0.0.1:8765", f"{HOST}:{daemon.port}")
    given = f"https://{daemon.host} {{\n\tbind {HOST}\n\ttls {daemon.trusted} {daemon.key}"
    text = re.sub(rf"^{re.escape(NAME)} \{{", given, text, flags=re.MULTILINE)
    (place / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + text)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(place / "Caddyfile")]


@contextlib.contextmanager
def in_front(command: list[str], daemon: FrontedDaemon, place: Path) -> Iterator[None]:
    env = {**os.environ, "HOME": str(place), "XDG_DATA_HOME": str(place), "XDG_CONFIG_HOME": str(place)}
    with (place / "output").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=env)
    try:
        poll(lambda: listens(daemon.front) or process.poll() is not None, "the reverse proxy listens", timeout=20)
        assert process.poll() is None, (place / "output").read_text()
        yield
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(params=["nginx", "caddy"])
def fronted(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FrontedDaemon]:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    daemon = FrontedDaemon(tmp_path, '["*"]')
    made = of_nginx if request.param == "nginx" else of_caddy
    daemon.start()
    try:
        with in_front(made(daemon, tmp_path), daemon, tmp_path):
            yield daemon
    finally:
        daemon.close()


def doctor(daemon: FrontedDaemon) -> dict[str, tuple[bool, str]]:
    program = daemon.command()[0]
    done = subprocess.run(
        [program, "doctor", "--json", "--config-dir", str(daemon.config_dir)],
        env={**daemon.environment(), "SSL_CERT_FILE": str(daemon.trusted)},
        capture_output=True,
        text=True,
        check=False,
    )
    return {found["subject"]: (found["good"], found["message"]) for found in json.loads(done.stdout)}


def test_everything_works_by_the_public_name(fronted: FrontedDaemon) -> None:
    own = fronted.admin()
    hook = {**webhook("far"), "parameters": {**webhook("far")["parameters"], "responseMode": "lastNode"}}
    fronted.live(chain("Far", hook, node("Echo", "noOp", {}, version=1)), own)
    with fronted.public() as public:
        _used(fronted, public)
    # A busy machine holds the event loop, too.
    bad = {name: found for name, (good, found) in doctor(fronted).items() if not good}
    assert {name: found for name, found in bad.items() if not found.startswith("held the event loop")} == {}


def _used(fronted: FrontedDaemon, public: httpx.Client) -> None:
    big = "x" * 5_000_000
    answer = public.post("/webhook/far", json={"text": big}, headers={"X-Forwarded-For": "203.0.113.9"})
    assert answer.status_code == 200, answer.text
    seen = answer.json()[0]
    assert seen["body"]["text"] == big
    assert seen["headers"]["x-forwarded-for"] == HOST  # in place of what the caller has claimed
    assert public.get("/ui/").status_code == 200
    assert public.get("/docs").status_code == 401
    login = public.post(
        "/api/session",
        json={"username": USERNAME, "password": PASSWORD},
        headers={"Origin": f"https://{fronted.host}"},
    )
    assert login.status_code in (200, 201, 204), login.text
    assert public.get("/api/v1/workflows").status_code == 200
    cookie = "; ".join(f"{name}={value}" for name, value in public.cookies.items())
    address = f"wss://{fronted.host}/ws"
    origin = f"https://{fronted.host}"
    with connect(address, ssl=tls(fronted), origin=origin, additional_headers={"Cookie": cookie}, proxy=None) as socket:
        socket.send(json.dumps({"type": "subscribe", "topics": ["*"]}))
        assert json.loads(socket.recv(10))["type"] == "subscribed"
    with pytest.raises(InvalidStatus) as refused:
        connect(address, ssl=tls(fronted), origin=origin, proxy=None)
    assert refused.value.response.status_code == 401
    _in_a_terminal(fronted, public, cookie)
    _with_an_agent(fronted, public, cookie)
    _over_mcp(fronted, public)


def _in_a_terminal(fronted: FrontedDaemon, public: httpx.Client, cookie: str) -> None:
    """A shell with a pseudo-terminal; a caller from the network has it in a sandbox, or not at all."""
    origin = f"https://{fronted.host}"
    began = public.post("/api/terminal/shell", json={}, headers={"Origin": origin})
    if problem_of_sandbox(SandboxSettings()) is not None:
        assert (began.status_code, began.json()["code"]) == (400, "SANDBOX_UNAVAILABLE")
        return
    assert began.status_code == 200, began.text
    address = f"wss://{fronted.host}/ws/terminal/{began.json()['data']['session_id']}"
    headers = {"Cookie": cookie}
    with connect(address, ssl=tls(fronted), origin=origin, additional_headers=headers, proxy=None) as socket:
        socket.send(b"stty size; echo $((40 + 2))-there\n")
        seen = b""
        while b"42-there" not in seen:
            frame = socket.recv(20)
            seen += frame if isinstance(frame, bytes) else b""
    with pytest.raises(InvalidStatus) as refused:
        connect(address, ssl=tls(fronted), origin=origin, proxy=None)
    assert refused.value.response.status_code == 401


def _with_an_agent(fronted: FrontedDaemon, public: httpx.Client, cookie: str) -> None:
    """A profile's agent session: its messages by the routes, its events by `/ws`, and nothing without a credential."""
    public.headers["Origin"] = f"https://{fronted.host}"
    body = {"agent_id": "talker", "alias": "far", "provider_id": "self", "model": "m"}
    assert fronted.client().post("/api/profiles", json=body).status_code == 200
    path = "/api/agent-sessions"
    with httpx.Client(base_url=public.base_url, verify=tls(fronted), trust_env=False) as nobody:
        assert nobody.post(path, json={"profile_alias": "far"}).status_code == 401
    address, headers = f"wss://{fronted.host}/ws", {"Cookie": cookie}
    origin = f"https://{fronted.host}"
    with connect(address, ssl=tls(fronted), origin=origin, additional_headers=headers, proxy=None) as socket:
        socket.send(json.dumps({"type": "subscribe", "topics": ["agent_sessions"]}))
        socket.recv(10)
        began = public.post(path, json={"profile_alias": "far"})
        if problem_of_sandbox(SandboxSettings()) is not None:
            assert (began.status_code, began.json()["code"]) == (400, "SANDBOX_UNAVAILABLE")
            return
        assert began.status_code == 200, began.text
        session = f"{path}/{began.json()['data']['id']}"
        assert public.post(f"{session}/messages", json={"text": "Hel|lo"}).status_code == 200
        seen: list[dict[str, Any]] = []
        while not seen or seen[-1]["data"].get("message", {}).get("message", {}).get("type") != "turn_end":
            seen.append(json.loads(socket.recv(20))["event"])
        assert [one["data"]["text"] for one in seen if one["type"] == "message_delta"] == ["Hel", "lo"]
        told = public.get(f"{session}/messages").json()["data"]["messages"]
        assert [one["message"]["text"] for one in told if one["message"]["type"] == "text"] == ["Hello"]
        assert public.delete(session).status_code == 200


def _over_mcp(fronted: FrontedDaemon, public: httpx.Client) -> None:
    """Streamable HTTP, with an API key; nobody without one."""
    key = fronted.admin().post("/api-keys", json={"name": "mcp"}).json()["key"]
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}
    accepted = {"Accept": "application/json, text/event-stream"}
    with httpx.Client(base_url=public.base_url, verify=tls(fronted), timeout=20, trust_env=False) as caller:
        assert caller.post("/mcp", json=begin, headers=accepted).status_code == 401
        answer = caller.post("/mcp", json=begin, headers={**accepted, "X-API-Key": key})
    assert answer.status_code == 200, answer.text
    assert '"serverInfo"' in answer.text


BROKEN = {
    "proxy_set_header Host $http_host;": ("area ui", "Host"),
    "proxy_set_header Upgrade $http_upgrade;": ("WebSockets", "upgrades"),
}


@pytest.mark.parametrize("left_out", BROKEN)
def test_the_doctor_names_what_a_reverse_proxy_lacks(left_out: str, tmp_path: Path) -> None:
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not installed")
    daemon = FrontedDaemon(tmp_path, "[]")
    daemon.start()
    command = of_nginx(daemon, tmp_path)
    recipe = tmp_path / "nginx.conf"
    assert left_out in recipe.read_text()
    recipe.write_text(recipe.read_text().replace(left_out, ""))
    with contextlib.closing(daemon), in_front(command, daemon, tmp_path):
        found = doctor(daemon)
    subject, word = BROKEN[left_out]
    good, message = next((good, message) for name, (good, message) in found.items() if name == subject)
    assert not good
    assert word in message
