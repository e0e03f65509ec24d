"""A launcher with everything around it in memory, and agents that are small programs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jackfield.api.agents import Agent, Detection
from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield.api.profiles import Launch, Profile
from jackfield.api.providers import Dialect, DialectName, Provider
from jackfield.api.proxy import ProxyAddress
from jackfield.api.scripts import ScriptEngine
from jackfield.api.telemetry import Cost, RunUsage, Tokens
from jackfield.testing.context import FakeContext
from jackfield_profiles.launching.headless_runs import HeadlessRunner
from jackfield_profiles.launching.launcher import ProfileLauncher
from jackfield_profiles.running_settings import RunSettings

KEY = "key-canary-0123456789"
ANTHROPIC = Dialect(
    base_url="ANTHROPIC_BASE_URL",
    token="ANTHROPIC_AUTH_TOKEN",
    api_key="ANTHROPIC_API_KEY",
    model="ANTHROPIC_MODEL",
    native_url="https://vendor.example",
)
OPENAI = Dialect(base_url="OPENAI_BASE_URL", token="OPENAI_API_KEY", api_key="OPENAI_API_KEY", model="OPENAI_MODEL")
ACME = {
    "id": "acme",
    "type": "anthropic-compatible",
    "endpoints": {"main": "https://acme.example/a", "backup": "https://b.example", "default": "main"},
    "auth": {"env_key": "ACME_API_KEY"},
}


def provider(**more: Any) -> Provider:
    return Provider.model_validate({**ACME, **more})


@dataclass
class FakeAgents:
    agent: Agent
    path: str | None

    async def find(self, id: str) -> Agent:
        return self.agent

    async def located(self, agent: Agent) -> Detection:
        return Detection(installed=self.path is not None, binary_path=self.path)


@dataclass
class FakeProviders:
    known: Sequence[Provider]

    async def all(self) -> Mapping[str, Provider]:
        return {one.id: one for one in self.known}

    async def find(self, id: str) -> Provider:
        return (await self.all())[id]

    def dialect(self, name: DialectName) -> Dialect:
        return ANTHROPIC if name == "anthropic" else OPENAI


@dataclass
class FakeProxies:
    asked: list[str] = field(default_factory=list)

    async def address(self, alias: str) -> ProxyAddress:
        self.asked.append(alias)
        return ProxyAddress("http://127.0.0.1:7000", "proxy-token-1")

    async def reserve(self, alias: str) -> ProxyAddress:
        return ProxyAddress("http://127.0.0.1:7000", "proxy-token-1")


@dataclass
class FakeUsage:
    ended: list[tuple[str, int]] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)

    async def run_ended(self, launch: Launch, exit_code: int) -> RunUsage | None:
        self.ended.append((launch.run_id, exit_code))
        self.launches.append(launch)
        return RunUsage(Tokens(input=3, output=4), Cost(input=0.5), models=("m",))


@dataclass
class Layers:
    directory: Path

    def find(self, folder: str, name: str) -> Path | None:
        path = self.directory / folder / name
        return path if path.is_file() else None

    def directories(self, folder: str) -> Sequence[Path]:
        return [self.directory / folder]

    def distribution(self, path: Path) -> str | None:
        return None


@dataclass
class Lab:
    """agent, providers, profile: change them before `launcher` is called. deleted: the profile is; lock: of its
    changes."""

    directory: Path
    key: str | None = KEY
    engine: ScriptEngine | None = None
    used: list[str] = field(default_factory=list)
    usage: FakeUsage = field(default_factory=FakeUsage)
    proxies: FakeProxies | None = None
    settings: RunSettings = field(default_factory=lambda: RunSettings(grace=0.3, key_check=0))
    providers: list[Provider] = field(default_factory=lambda: [provider()])

    deleted: bool = False

    def __post_init__(self) -> None:
        self.lock = asyncio.Lock()
        self.agent_fields: dict[str, Any] = {"id": "echo", "binary": "echo-agent"}
        self.profile_fields: dict[str, Any] = {}
        self.metadata: dict[str, Json] = {"profile_home": str(self.directory / "home")}
        self.path: str | None = None
        self.adapters: list[Any] = []

    @property
    def home(self) -> Path:
        return self.directory / "home"

    @property
    def profile(self) -> Profile:
        given: dict[str, Any] = {
            "alias": "work", "agent_id": "echo", "provider_id": "acme", "endpoint_id": "main", "model": "m-1"
        }  # fmt: skip
        return Profile(**{**given, **self.profile_fields}, metadata=self.metadata)

    def program(self, source: str) -> None:
        """The agent is this Python program."""
        path = self.directory / "echo-agent"
        path.write_text(f"#!{sys.executable} -IS\n{source}")
        path.chmod(0o755)
        self.path = str(path)

    def script(self, text: str) -> None:
        """The agent's script, in Rhai."""
        path = self.directory / "config/scripts/echo.rhai"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        self.agent_fields["profile"] = {**self.agent_fields.get("profile", {}), "script": "echo.rhai"}

    @property
    def context(self) -> FakeContext:
        if not hasattr(self, "_context"):
            ports = {
                "Agents": FakeAgents(Agent.model_validate(self.agent_fields), self.path),
                "Providers": FakeProviders(self.providers),
                "Usage": self.usage,
                "Proxies": self.proxies,
                "Layers": Layers(self.directory / "config"),
                "jackfield_script_engines": {} if self.engine is None else {"rhai": self.engine},
                "jackfield_agents": self.adapters,
            }
            self._context = FakeContext(self.directory / "config", tables=(self.settings,), ports=ports)
        return self._context

    @property
    def launcher(self) -> ProfileLauncher:
        if not hasattr(self, "_launcher"):
            lab = self

            class Profiles:
                @asynccontextmanager
                async def starting(self, alias: str) -> AsyncIterator[None]:
                    async with lab.lock:
                        yield

                async def require(self, alias: str, right: str) -> None:
                    """Everybody may."""

                async def find(self, alias: str) -> Profile:
                    if lab.deleted:
                        raise NotFound(f"There is no profile {alias}.")
                    return lab.profile

                async def touch(self, alias: str) -> None:
                    lab.used.append(alias)

            class Keys:
                async def key(self, profile: Profile) -> str | None:
                    return lab.key

            self.context.ports.update(ProfileStore=Profiles(), KeyStore=Keys())
            self._launcher = ProfileLauncher(self.context)
        return self._launcher

    @property
    def runs(self) -> HeadlessRunner:
        if "HeadlessRunner" not in self.context.ports:
            self.context.ports["ProfileLaunching"] = self.launcher
            self.context.ports["HeadlessRunner"] = HeadlessRunner(self.context)
        return self.context.port(HeadlessRunner)

    def published(self) -> list[tuple[str, Mapping[str, object]]]:
        return [(event.type, event.data) for event in self.context.events.published if event.topic == "profiles"]
