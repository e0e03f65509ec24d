"""A stranger's telemetry sink is told of the requests that proxies serve, and of no secret in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from jackfield.testing.daemon import Daemon, poll

Install = Callable[..., dict[str, str]]
KEY = "provider-key-9f31c5"
AGENT = """
id = "echo-agent"
name = "Echo"
binary = "echo-agent"
version_flag = "--version"
[detect]
commands = ["echo-agent --version"]
files = []
[profile]
strategy = "home-wrapper"
source_home = "{homes}/{{alias}}"
script = "plain.rhai"
[models]
default = "m-one"
supported = ["m-one"]
"""
PROVIDER = """
id = "north"
name = "North"
type = "anthropic-compatible"
[endpoints]
main = "{url}"
default = "main"
[auth]
env_key = "NORTH_KEY"
prompt = "Key"
[models]
available = ["m-one"]
default = "m-one"
"""


class Models(BaseHTTPRequestHandler):
    """Answers, unless the client's model is `refused`; the error quotes the key, as some providers do."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        refused = asked["messages"][0]["content"] == "refuse"
        if refused:
            found: dict[str, Any] = {
                "type": "error",
                "error": {"type": "invalid_request_error", "message": f"bad {KEY}"},
            }
        else:
            usage = {"input_tokens": 11, "output_tokens": 7}
            found = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "usage": usage,
                     "content": [{"type": "text", "text": "pong"}], "stop_reason": "end_turn"}  # fmt: skip
        body = json.dumps(found).encode()
        self.send_response(400 if refused else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def daemon(install: Install, tmp_path: Path) -> Iterator[Daemon]:
    pytest.importorskip("rhai", reason="rhai-python is not installed")
    program = tmp_path / "bin" / "echo-agent"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 1.0\n")
    program.chmod(0o755)
    home = tmp_path / "user"
    home.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Models)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    env = {**install("execution-log"), "HOME": str(home), "PATH": path, "NORTH_KEY": KEY}
    made = Daemon(tmp_path / "daemon", env=env)
    for name, text in {
        "agents.d/echo-agent.toml": AGENT.format(homes=tmp_path / "homes"),
        "scripts/plain.rhai": "#{ files: #{}, env: #{}, args: [] }\n",
        "providers.d/north.toml": PROVIDER.format(url=f"http://127.0.0.1:{server.server_port}"),
    }.items():
        file = made.config_dir / name
        file.parent.mkdir(exist_ok=True, mode=0o700)
        file.write_text(text)
    try:
        yield made.start()
    finally:
        made.close()
        server.shutdown()


def test_proxied_requests_are_lines_of_the_file(daemon: Daemon) -> None:
    body = {"alias": "mine", "agent_id": "echo-agent", "provider_id": "north", "model": "m-one"}
    made = daemon.client().post("/api/profiles", json={**body, "proxy_config": {"enabled": True}})
    assert made.status_code == 200, made.text
    address, token = started(daemon)
    for content, status in (("ping", 200), ("refuse", 400)):
        asked = {"model": "m-one", "max_tokens": 9, "messages": [{"role": "user", "content": content}]}
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.post(f"{address}/v1/messages", json=asked, headers=headers, trust_env=False, timeout=20)
        assert answer.status_code == status, answer.text
    log = daemon.config_dir / "execution-log.jsonl"
    poll(lambda: log.exists() and len(log.read_text().splitlines()) == 2, "both requests are written")
    good, bad = (json.loads(line) for line in log.read_text().splitlines())
    assert (good["type"], good["profile"], good["provider"], good["model"]) == (
        "ProxiedRequest",
        "mine",
        "north",
        "m-one",
    )
    assert (good["status"], good["tokens"], good["error"]) == (200, {"input": 11, "output": 7, "total": 18}, None)
    assert good["duration_ms"] >= good["first_byte_ms"] >= 0
    assert (bad["status"], bad["tokens"], bad["cost"]) == (400, None, None)
    assert KEY not in log.read_text()
    assert token not in log.read_text()


def started(daemon: Daemon) -> tuple[str, str]:
    """Address and token of the profile's proxy, which runs then."""
    assert daemon.client().post("/api/proxy/mine/start").status_code == 200
    program = str(Path(sys.executable).with_name("jackfield"))
    command = [program, "profiles", "env", "mine", "--show-secrets", "--config-dir", str(daemon.config_dir)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=daemon.environment())
    assert done.returncode == 0, done.stderr
    pairs = (line.removeprefix("export ").partition("=") for line in done.stdout.splitlines())
    found = {name: value.strip("'\"") for name, _, value in pairs}
    return found["ANTHROPIC_BASE_URL"], found["ANTHROPIC_AUTH_TOKEN"]
