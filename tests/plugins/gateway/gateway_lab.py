"""A real daemon with real proxies before a provider on loopback that speaks both families' dialects."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
from stored_things import StoredThings

from jackfield.testing.daemon import Daemon, free_port, poll

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
default = "claude-sonnet-4-5"
supported = ["claude-sonnet-4-5"]
"""
PROVIDER = """
id = "{name}"
name = "{name}"
type = "{kind}"
[endpoints]
main = "{url}"
default = "main"
[auth]
required = false
[models]
available = {models}
default = "{first}"
"""
MODELS = {
    "north": ["claude-sonnet-4-5", "claude-haiku-4-5"],
    "south": ["gpt-4o", "gpt-4o-mini"],
    "west": ["gpt-5", "gpt-5-mini"],
}
ASKED = {"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": [{"role": "user", "content": "ping"}]}
INPUT, OUTPUT = 10, 1000
"""Tokens of each answer."""


class ModelProvider(ThreadingHTTPServer):
    """gate: while it is clear, requests wait. asked: path and headers of each request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.gate = threading.Event()
        self.gate.set()
        self.cut = False
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.stored = StoredThings()

    def handle_error(self, *_: object) -> None:
        """Proxies that are killed leave in the middle."""


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelProvider

    def do_GET(self) -> None:
        self._told()
        self._say(*self.server.stored.asked(self.command, self.path, {}))

    def do_DELETE(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        self._told()
        self.server.gate.wait(30)
        if not self.path.endswith(("/messages", "/chat/completions")):
            kind = self.headers["Content-Type"]
            body = json.loads(sent) if "json" in kind else {"content": _file_in(kind, sent)}
            self._say(*self.server.stored.asked("POST", self.path, body))
            return
        asked = json.loads(sent)
        number = len(self.server.asked)
        chat = "chat" in self.path
        if asked.get("stream"):
            self._stream(_chat_events(number, asked) if chat else _message_events(number, asked["model"]))
            return
        self._say(200, _chat(number, asked["model"]) if chat else _message(number, asked["model"]))

    def _told(self) -> None:
        self.server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))

    def _say(self, status: int, answer: dict[str, Any] | list[dict[str, Any]] | str) -> None:
        """A list: as a stream of events. A text: a file's content."""
        if isinstance(answer, dict):
            kind, text = "application/json", json.dumps(answer)
        elif isinstance(answer, list):
            kind, text = (
                "text/event-stream",
                "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in answer),
            )
        else:
            kind, text = "application/octet-stream", answer
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, events: list[bytes]) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events[: 2 if self.server.cut else None]:
            self.wfile.write(event)

    def log_message(self, *_: object) -> None:
        pass


def _file_in(kind: str, sent: bytes) -> str:
    """Of a form, the content of its file."""
    form = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + sent)
    parts = [part for part in form.walk() if part.get_filename()]
    return parts[0].get_payload(decode=True).decode() if parts else ""


def _message(number: int, model: str) -> dict[str, Any]:
    said = {"content": [{"type": "text", "text": "pong"}], "stop_reason": "end_turn", "stop_sequence": None}
    usage = {"input_tokens": INPUT, "output_tokens": OUTPUT}
    return {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": model, "usage": usage, **said}


def _message_events(number: int, model: str) -> list[bytes]:
    start = {**_message(number, model), "content": [], "stop_reason": None}
    start["usage"] = {"input_tokens": INPUT, "output_tokens": 1}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "pong"}}
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": OUTPUT}}
    events = [
        {"type": "message_start", "message": start},
        block,
        delta,
        {"type": "content_block_stop", "index": 0},
        end,
        {"type": "message_stop"},
    ]
    return [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events]


def _chat(number: int, model: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": "pong"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}
    return {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": model,
            "choices": [choice], "usage": usage}  # fmt: skip


def _chat_events(number: int, asked: dict[str, Any]) -> list[bytes]:
    base = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": asked["model"]}
    chunks: list[dict[str, Any]] = [
        {**base, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "pong"}, "finish_reason": None}]},
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    if (asked.get("stream_options") or {}).get("include_usage"):
        chunks.append({**base, "choices": [], "usage": _chat(number, "")["usage"]})
    return [*(f"data: {json.dumps(one)}\n\n".encode() for one in chunks), b"data: [DONE]\n\n"]


class GatewayLab:
    """shared: the port of the shared listener."""

    def __init__(self, daemon: Daemon, provider: ModelProvider, shared: int) -> None:
        self.daemon, self.provider, self.shared = daemon, provider, shared

    @property
    def shared_url(self) -> str:
        return f"http://127.0.0.1:{self.shared}"

    @property
    def api(self) -> httpx.Client:
        return self.daemon.client()

    @staticmethod
    def data(answer: httpx.Response) -> Any:
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def profile(self, alias: str, provider: str = "north", **config: Any) -> str:
        """The base address of its proxy, which runs."""
        body = {"alias": alias, "agent_id": "echo-agent", "provider_id": provider, "model": MODELS[provider][0]}
        self.data(self.api.post("/api/profiles", json={**body, "proxy_config": {"enabled": True, **config}}))
        return self.start(alias)

    def start(self, alias: str) -> str:
        return f"http://127.0.0.1:{self.data(self.api.post(f'/api/proxy/{alias}/start'))['port']}"

    def key(self, label: str, **limits: Any) -> tuple[str, str]:
        """The key and its id."""
        made = self.data(self.api.post("/api/gateway/keys", json={"label": label, **limits}))
        return made["key"], made["id"]

    def shown(self, key_id: str) -> Any:
        return self.data(self.api.get(f"/api/gateway/keys/{key_id}"))

    def usage(self, key_id: str) -> list[Any]:
        found: list[Any] = self.data(self.api.get("/api/gateway/usage", params={"key": key_id}))
        return found

    def settled(self, key_id: str, requests: int) -> list[dict[str, Any]]:
        """The usage of a key, once so many requests are counted."""

        def found() -> list[dict[str, Any]] | None:
            rows = self.usage(key_id)
            return rows if sum(row["requests"] for row in rows) >= requests else None

        return poll(found, f"{requests} requests are counted")

    def ask(self, base: str, key: str, path: str = "/v1/messages", profile: str = "", **changes: Any) -> httpx.Response:
        headers = {"x-api-key": key, **({"x-jackfield-profile": profile} if profile else {})}
        return httpx.post(base + path, json={**ASKED, **changes}, headers=headers, trust_env=False, timeout=20)

    def command(self, *arguments: str, code: int = 0) -> str:
        program = str(Path(sys.executable).with_name("jackfield"))
        command = [program, *arguments, "--config-dir", str(self.daemon.config_dir)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def files(self) -> bytes:
        """Everything that lies in the configuration directory, and what the daemon has written."""
        found = [path.read_bytes() for path in self.daemon.config_dir.rglob("*") if path.is_file()]
        return b"\n".join([*found, self.daemon.tail(1 << 30).encode()])


@contextlib.contextmanager
def gateway_lab(place: Path) -> Iterator[GatewayLab]:
    program = place / "bin" / "echo-agent"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 1.0\n")
    program.chmod(0o755)
    home = place / "user"
    home.mkdir()
    provider = ModelProvider()
    threading.Thread(target=provider.serve_forever, daemon=True).start()
    env = {"HOME": str(home), "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "ANTHROPIC_API_KEY": None}
    shared = free_port()
    daemon = Daemon(place, env=env, settings=f"[proxy]\nshared_port = {shared}\n")
    base = f"http://127.0.0.1:{provider.server_port}"
    urls = {
        "north": ("anthropic-compatible", f"{base}/north"),
        "south": ("openai-compatible", f"{base}/south/v1"),
        "west": ("openai", f"{base}/west/v1"),
    }
    files = {
        "agents.d/echo-agent.toml": AGENT.format(homes=place / "homes"),
        "scripts/plain.rhai": "#{ files: #{}, env: #{}, args: [] }\n",
        **{
            f"providers.d/{name}.toml": PROVIDER.format(
                name=name, kind=kind, url=url, models=json.dumps(MODELS[name]), first=MODELS[name][0]
            )
            for name, (kind, url) in urls.items()
        },
    }
    for name, text in files.items():
        path = daemon.config_dir / name
        path.parent.mkdir(exist_ok=True, mode=0o700)
        path.write_text(text)
    try:
        daemon.start()
        yield GatewayLab(daemon, provider, shared)
    finally:
        provider.gate.set()
        daemon.close()
        provider.shutdown()
