"""A configuration directory that has everything, and what may befall its files."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from jackfield.testing.daemon import Daemon

ROUTES = ("/api/profiles", "/api/agents", "/api/providers", "/api/usage?period=all", "/api/registry")
OTHERS = ("/api/daemon/status", "/metrics")
KEY = "sk-test-0123456789abcdef"
TRANSIENT = ("config.toml", "daemon.lock", "logs/", "jackfield.db", "telemetry/ledger.db-", "registry/.syncing")
"""What is no subject of the flips: a broken configuration refuses the start by design, logs are appended to, the
databases' journals live with their process; the store has tests of its own."""
REBUILT = ("cache/", "daemon-endpoint")
"""Made anew by design."""

AGENT = """id = "{id}"
name = "Agent {id}"
binary = "{id}"
dialect = "anthropic"
[profile]
source_home = "{homes}/{{alias}}"
script = "tool.rhai"
[models]
default = "m"
supported = ["m"]
"""
PROVIDER = """id = "{id}"
name = "Provider {id}"
type = "anthropic-compatible"
[endpoints]
main = "http://127.0.0.1:9"
default = "main"
[models]
available = ["m"]
default = "m"
"""
SCRIPT = """#{ files: #{ "settings.json": `{"model": "${ctx.profile.model}"}` }, env: #{}, args: [] }
"""
PRICES = {"m": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "litellm_provider": "acme"}}


@dataclass(frozen=True)
class Damage:
    """One change of one file. what: how it came about, for messages."""

    path: Path
    before: bytes
    after: bytes
    what: str

    def inflict(self) -> None:
        _overwrite(self.path, self.after)

    def mend(self) -> None:
        _overwrite(self.path, self.before)
        self.torn.unlink(missing_ok=True)

    @property
    def torn(self) -> Path:
        """Where a log's last line goes that was cut off."""
        return self.path.with_suffix(".torn")

    def left(self) -> bytes:
        """What is there of the damaged content."""
        torn = self.torn.read_bytes().removesuffix(b"\n") if self.torn.exists() else b""
        return self.path.read_bytes() + torn


def _overwrite(path: Path, content: bytes) -> None:
    """In place, as a disk does it: the inode stays."""
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()


def flip(path: Path, chance: random.Random) -> Damage:
    return flip_at(path, chance, chance.randrange(path.stat().st_size))


def flip_at(path: Path, chance: random.Random, place: int) -> Damage:
    """One bit of this byte."""
    content = bytearray(before := path.read_bytes())
    bit = chance.randrange(8)
    content[place] ^= 1 << bit
    return Damage(path, before, bytes(content), f"bit {bit} of byte {place} of {path}")


def cut(path: Path, chance: random.Random) -> Damage:
    before = path.read_bytes()
    size = chance.randrange(len(before))
    return Damage(path, before, before[:size], f"{path} cut off at byte {size}")


def zeroed(path: Path, chance: random.Random) -> Damage:
    before = path.read_bytes()
    start = chance.randrange(len(before))
    return Damage(path, before, before[:start] + bytes(len(before) - start), f"{path} zeros from byte {start}")


def blank(path: Path) -> Damage:
    before = path.read_bytes()
    return Damage(path, before, bytes(len(before)), f"{path} all zeros")


def befall(path: Path, chance: random.Random) -> Damage:
    """Mostly one bit; sometimes what a power cut leaves."""
    return chance.choices((flip, cut, zeroed), (8, 1, 1))[0](path, chance)


def is_malformed(path: Path, content: bytes) -> bool:
    """Whether the file is not even of its language."""
    try:
        if path.suffix == ".toml":
            tomllib.loads(content.decode())
        elif path.suffix == ".json":
            json.loads(content.decode())
        elif path.suffix == ".jsonl":
            for line in content.decode().split("\n"):
                if line.strip():
                    json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False


class Site:
    """The directory and its daemon."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._program("one", root / "bin")
        self._log()
        public_key = self._publish()
        self.daemon = Daemon(
            root,
            settings='[profiles]\nkey_store = "file"\n[registry]\n'
            f'url = "file://{root / "published"}"\npublic_key = "{public_key}"\n',
            env={"PATH": f"{root / 'bin'}:/usr/bin:/bin", "HOME": str(root / "user"), "XDG_CONFIG_HOME": None,
                 "CLAUDE_CONFIG_DIR": None, "ACME_KEY": None},
        )  # fmt: skip
        self.config = self.daemon.config_dir
        (self.config / "config.toml").chmod(0o600)
        for folder, text, names in (
            ("agents.d", AGENT, ("one", "two", "three")),
            ("providers.d", PROVIDER, ("first", "second")),
        ):
            (self.config / folder).mkdir(mode=0o700)
            for name in names:
                self._put(self.config / folder / f"{name}.toml", self._filled(text, name))
        (self.config / "scripts").mkdir(mode=0o700)
        self._put(self.config / "scripts" / "tool.rhai", SCRIPT)
        self._fill()
        self.whole = self.sweep()

    def _filled(self, text: str, name: str) -> str:
        return text.format(id=name, homes=self.root / "homes")

    def _put(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o600)

    def _program(self, name: str, folder: Path) -> None:
        folder.mkdir()
        program = folder / name
        program.write_text(f"#!/bin/sh\necho {name} 1.2.3\n")
        program.chmod(0o755)

    def _log(self) -> None:
        """What Claude Code writes."""
        log = self.root / "user" / ".claude" / "projects" / "p" / "s.jsonl"
        log.parent.mkdir(parents=True)
        lines = []
        for number in range(300):
            usage = {"input_tokens": 100 + number, "output_tokens": 10}
            message = {"id": f"m{number}", "type": "message", "role": "assistant", "model": "m", "usage": usage}
            when = f"2026-01-{1 + number % 28:02d}T12:00:00.000Z"
            lines.append({"type": "assistant", "timestamp": when, "sessionId": f"s{number % 7}",
                          "message": message, "requestId": f"r{number}"})  # fmt: skip
        log.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def _publish(self) -> str:
        """Build a signed registry; its public key."""
        source = self.root / "source"
        for folder, text, names in (
            ("agents", AGENT, ("four", "five")),
            ("providers", PROVIDER, ("third", "fourth")),
        ):
            (source / folder).mkdir(parents=True)
            for name in names:
                (source / folder / f"{name}.toml").write_text(self._filled(text, name))
        (source / "scripts").mkdir()
        (source / "scripts" / "other.rhai").write_text(SCRIPT)
        (source / "litellm-pricing.json").write_text(json.dumps(PRICES))
        key = self.root / "registry.key"
        key.write_bytes(Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        where = ("--output", str(self.root / "published"), "--key", str(key))
        built = run(Daemon(self.root / "builder"), "registry", "build", str(source), *where)
        assert built.returncode == 0, built.stderr
        return built.stdout.split('"')[1]

    def _fill(self) -> None:
        self.daemon.start()
        client = self.daemon.client()
        _good(client.post("/api/registry/sync"))
        for number in range(6):
            body = {"agent_id": ("one", "two", "four")[number % 3], "alias": f"p{number}", "provider_id": "first",
                    "allow_missing": True, "env": {"LEVEL": str(number)}}  # fmt: skip
            if number % 2:
                body["api_key"] = f"{KEY}{number}"
            _good(client.post("/api/profiles", json=body))
        _good(client.put("/api/providers/third/key", json={"api_key": KEY}))
        telemetry = self.config / "telemetry"
        telemetry.mkdir(mode=0o700, exist_ok=True)
        self._put(telemetry / "sessions.jsonl", "".join(json.dumps(line) + "\n" for line in _runs()))
        _good(client.post("/api/usage/import-agent"))
        client.get("/api/agents")
        self.daemon.login()
        assert self.daemon.stop() == 0
        self.daemon.start()

    def files(self) -> list[Path]:
        """Everything that may be damaged."""
        found = [path for path in sorted(self.config.rglob("*")) if path.is_file() and not path.is_symlink()]
        return [path for path in found if path.stat().st_size and not self.name(path).startswith(TRANSIENT)]

    def name(self, path: Path) -> str:
        return path.relative_to(self.config).as_posix()

    def sweep(self) -> Mapping[str, Answer]:
        """Ask everything; every answer is 200."""
        client = self._client()
        for route in OTHERS:
            _good(client.get(route))
        return {route: Answer.of(_good(client.get(route))) for route in ROUTES}

    def _client(self) -> httpx.Client:
        if not self.daemon._clients or self.daemon._clients[-1].is_closed:
            self.daemon.client()
        return self.daemon._clients[-1]

    def restart(self) -> None:
        assert self.daemon.stop() == 0
        self.daemon.start()

    def close(self) -> None:
        self.daemon.close()

    def doctor(self) -> str:
        told = run(self.daemon, "doctor")
        assert "Traceback" not in told.stdout + told.stderr, told.stderr
        return told.stdout + told.stderr


def _good(answer: httpx.Response) -> httpx.Response:
    assert answer.status_code == 200, f"{answer.request.method} {answer.url}: {answer.status_code} {answer.text}"
    return answer


def _runs() -> Iterator[dict[str, object]]:
    for number in range(12):
        yield {
            "profile": f"p{number % 3}", "model": "m", "agent_id": "one", "provider_id": "first",
            "session_id": f"run{number}", "started_at": f"2026-02-{number + 1:02d}T10:00:00Z",
            "ended_at": f"2026-02-{number + 1:02d}T10:01:00Z",
            "tokens": {"input": 10, "output": 5, "cache_creation": 0, "cache_read": 0}, "cost": {"total": 0.01},
        }  # fmt: skip


def run(daemon: Daemon, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command on the daemon's configuration directory."""
    return run_alone(daemon, *arguments, "--config-dir", str(daemon.config_dir))


def run_alone(daemon: Daemon, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that knows no configuration directory."""
    program = daemon.command()[0]
    env = daemon.environment() | {"PATH": daemon.environment().get("PATH", os.defpath)}
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, env=env, timeout=60, check=False,
    )  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """items: of a list by their ids; else the fields."""

    items: Mapping[str, Any]  # Any: each route has a form of its own
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, answer: httpx.Response) -> Answer:
        body = answer.json()
        data = body["data"]
        if isinstance(data, list):
            data = {item.get("alias") or item["id"]: item for item in data}
        for item in data.values():
            if isinstance(item, dict):
                item.pop("profile_count", None)
        return cls(data, tuple(body.get("warnings", ())))

    def names(self, path: Path) -> bool:
        return named(path, "\n".join(self.warnings))


def named(path: Path, text: str) -> bool:
    """Whether the text has the file's path, or that through the link to the present commit."""
    return str(path) in text or re.sub(r"/commits/[^/]*/", "/current/", str(path)) in text
