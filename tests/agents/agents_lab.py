"""A daemon with the real agents on its PATH, a model server as its providers, and a user's home that must stay as it
is."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from model_server import ModelServer
from model_streams import Used

from jackfield.testing.daemon import Daemon

PREFIX = os.environ.get("JACKFIELD_TEST_AGENTS", "")
PROGRAMS = Path(PREFIX).absolute() / "node_modules/.bin"
PACKAGES = {"claude": "@anthropic-ai/claude-code", "codex": "@openai/codex", "opencode": "opencode-ai"}
KEY = "key-canary-0123456789"
LOGS = {"claude": ".claude", "codex": ".codex", "opencode": ".local/share/opencode"}
"""Where each keeps its log, below a profile's home."""
SETTINGS = '[profiles]\nkey_store = "file"\n[nodes.http]\nallowed_networks = ["127.0.0.0/8"]\n'
PROVIDERS = {
    "messages": ("anthropic-compatible", ""),
    "completions": ("openai-compatible", "/v1"),
    "responses": ("openai", "/v1"),
    "native": ("anthropic", ""),
    "gemini-by-openai": ("openai-compatible", "/v1beta/openai"),
    "gemini": ("gemini", ""),
}
"""Name -> type, and what comes after the server's address."""
PROVIDER = """
id = "{name}"
name = "Models of the test"
type = "{type}"
[endpoints]
local = "{url}"
default = "local"
[auth]
env_key = "TEST_MODELS_KEY"
"""
USERS_OWN = {
    ".claude/settings.json": json.dumps({"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, "model": "users-own"}),
    ".claude.json": json.dumps({"hasCompletedOnboarding": False}),
    ".codex/config.toml": 'model = "users-own"\nmodel_provider = "nowhere"\n',
    ".config/opencode/opencode.json": json.dumps({"model": "nowhere/users-own"}),
}
"""With any of these no run would succeed."""


def user_home(place: Path) -> Path:
    for name, text in USERS_OWN.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def contents(home: Path) -> dict[str, str]:
    """Path below the home -> digest, of every file and directory that is not in a profile's home."""
    return {
        str(path.relative_to(home)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "directory"
        for path in home.rglob("*")
        if not path.relative_to(home).parts[0].endswith("-profiles")
    }


def agents_daemon(place: Path, home: Path, models: ModelServer) -> Daemon:
    """Not started. Web requests to elsewhere would go through the model server, which counts and refuses them."""
    web = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), models.url)
    near = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    path = f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}"
    own = {name: None for name in os.environ if name.startswith(("ANTHROPIC_", "CLAUDE", "CODEX_", "OPENAI_", "XDG_"))}
    # Codex makes no helpers of its sandbox below the temporary directory, where these homes are.
    (place / "temporary").mkdir()
    env = {**own, **web, **near, "HOME": str(home), "PATH": path, "TMPDIR": str(place / "temporary")}
    daemon = Daemon(place, settings=SETTINGS, env=env)
    (daemon.config_dir / "providers.d").mkdir()
    for name, (family, below) in PROVIDERS.items():
        text = PROVIDER.format(name=name, type=family, url=models.url + below)
        (daemon.config_dir / "providers.d" / f"{name}.toml").write_text(text)
    return daemon


@dataclass
class Lab:
    """What the tests work with."""

    daemon: Daemon
    models: ModelServer
    home: Path

    def __post_init__(self) -> None:
        self.api = self.daemon.client(timeout=120)

    def data(self, answer: httpx.Response) -> Any:
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def profile(self, alias: str, agent: str, provider: str, **more: Any) -> None:
        """Its model has the alias in its name, so that usage can be told apart by it."""
        body = {"alias": alias, "agent_id": agent, "provider_id": provider, "model": f"model-{alias}", "api_key": KEY}
        # For providers that it knows OpenCode fetches their models.
        offline = {"OPENCODE_DISABLE_MODELS_FETCH": "1"}
        env = {**(offline if agent == "opencode" else {}), **more.pop("env", {})}
        self.data(self.api.post("/api/profiles", json={**body, "env": env, **more}))

    def run(self, alias: str, prompt: str, **more: Any) -> Any:
        return self.data(self.api.post(f"/api/profiles/{alias}/run", json={"prompt": prompt, "timeout": 90, **more}))

    def usage(self, alias: str) -> Any:
        return self.data(self.api.get("/api/usage", params={"period": "all", "profile": alias}))

    def log(self, alias: str, agent: str) -> Path:
        return self.home / f".{agent}-profiles" / alias / LOGS[agent]


def said(body: Any) -> Iterator[str]:
    """Every text in a request."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, dict):
        for value in body.values():
            yield from said(value)
    elif isinstance(body, list):
        for value in body:
            yield from said(value)


def tokens(used: Sequence[Used]) -> dict[str, int]:
    """As the API tells them."""
    return {
        "input_tokens": sum(one.fresh for one in used),
        "output_tokens": sum(one.output for one in used),
        "cache_creation_input_tokens": sum(one.written for one in used),
        "cache_read_input_tokens": sum(one.cached for one in used),
    }
