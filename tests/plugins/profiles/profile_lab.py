"""The keeping half of the plugin over a temporary directory: real files, catalogues in memory, no running half."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from quart import Quart, Response, g
from quart.typing import TestClientProtocol

from jackfield.api import jsontext
from jackfield.api.agents import Agent, AgentModels, Detection, Isolation
from jackfield.api.auth import Principal
from jackfield.api.errors import InvalidInput, JackfieldError, NotFound
from jackfield.api.profiles import HeadlessRequest, HeadlessResult, Profile
from jackfield.api.providers import Auth, ModelList, Provider
from jackfield.testing.context import FakeContext
from jackfield_profiles.editing.changing import ProfileEditor
from jackfield_profiles.editing.creating import ProfileCreator
from jackfield_profiles.editing.deleting import ProfileRemover
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.ports import NewProfile
from jackfield_profiles.routes.profiles import blueprints
from jackfield_profiles.settings import ProfilesSettings
from jackfield_profiles.shims import Shims
from jackfield_profiles.storage.profiles import ProfileStore

KEY = "key-0123456789-abcdef"
ACME = Provider(
    id="acme",
    type="anthropic-compatible",
    endpoints={"main": "http://127.0.0.1:9/main", "backup": "http://127.0.0.1:9/backup", "default": "main"},
    auth=Auth(env_key="ACME_TEST_KEY"),
    models=ModelList(available=("large", "small"), default="large"),
)
BETA = ACME.model_copy(update={"id": "beta", "type": "openai-compatible"})
OWN = Provider(id="self", type="self", endpoints={"native": ""}, auth=Auth(required=False))


class FakeAgents:
    """installed: ids of the agents that are."""

    def __init__(self, *agents: Agent) -> None:
        self.known = {agent.id: agent for agent in agents}
        self.installed = set(self.known)

    async def all(self) -> Mapping[str, Agent]:
        return self.known

    async def find(self, id: str) -> Agent:
        if id not in self.known:
            raise NotFound(f"There is no agent {id}.", code="AGENT_NOT_FOUND")
        return self.known[id]

    async def located(self, agent: Agent) -> Detection:
        return Detection(agent.id in self.installed)


class FakeProviders:
    def __init__(self, *providers: Provider) -> None:
        self.known = {provider.id: provider for provider in providers}

    async def all(self) -> Mapping[str, Provider]:
        return self.known

    async def find(self, id: str) -> Provider:
        if id not in self.known:
            raise NotFound(f"There is no provider {id}.", code="PROVIDER_NOT_FOUND")
        return self.known[id]


class FakeTerminals:
    def __init__(self) -> None:
        self.sessions: dict[str, list[str]] = {}

    def live(self, alias: str) -> Sequence[str]:
        return self.sessions.get(alias, [])

    async def end(self, alias: str) -> None:
        self.sessions.pop(alias, None)


RESULT = HeadlessResult(3, "out", "err", timed_out=False, duration_ms=5, data={"a": 1})


@dataclass
class FakeLauncher:
    """Stands for the running half. failing: the lifecycle events that fail. refused: what the agent's script says.
    result: of the next run."""

    hooks: list[tuple[str, str]] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)
    runs: list[HeadlessRequest] = field(default_factory=list)
    refused: str | None = None
    result: HeadlessResult = RESULT

    async def require_configurable(self, profile: Profile, agent: Agent, provider: Provider) -> None:
        if self.refused is not None:
            raise InvalidInput(self.refused, code="PROFILE_UNUSABLE")

    async def lifecycle(self, profile: Profile, event: Literal["create", "delete"]) -> None:
        self.hooks.append((event, profile.alias))
        if event in self.failing:
            raise JackfieldError(f"The {event} hook failed.", code="HOOK_FAILED")

    async def environment(self, profile: Profile) -> Mapping[str, str]:
        return {"HOME": str(profile.home)}

    async def run(self, profile: Profile, request: HeadlessRequest) -> HeadlessResult:
        self.runs.append(request)
        return self.result

    async def settled(self, alias: str) -> None:
        """No run goes on."""


def agent(id: str, **more: Any) -> Agent:
    return Agent(id=id, binary=id, models=AgentModels(default=f"{id}-model"), **more)


class Lab:
    """root: above the configuration directory, the homes and the user's own home."""

    def __init__(self, root: Path, **settings: Any) -> None:
        self.root, self.config, self.homes = root, root / "config", root / "homes"
        self.context = FakeContext(self.config, tables=[ProfilesSettings(**{"key_store": "file", **settings})])
        at = Isolation(source_home=f"{self.homes}/{{alias}}")
        self.agents = FakeAgents(
            agent("echo", profile=at, supports_hooks=True, dialect="anthropic"),
            agent("plain", profile=at),
        )
        self.providers, self.terminals = FakeProviders(ACME, BETA, OWN), FakeTerminals()
        self.launcher = FakeLauncher()
        self.context.ports.update(Agents=self.agents, Providers=self.providers, Terminals=self.terminals)
        self.context.ports.update(ProfileLaunching=self.launcher, HeadlessRuns=self.launcher)
        self.profiles, self.keys = self.context.port(ProfileStore), self.context.port(KeyStore)
        self.shims = self.context.port(Shims)
        self.creating = ProfileCreator(self.context)
        self.changing = ProfileEditor(self.context)
        self.deleting = ProfileRemover(self.context)
        self.context.ports.update(
            ProfileCreation=self.creating, ProfileChanges=self.changing, ProfileRemoval=self.deleting
        )

    @property
    def directory(self) -> Path:
        return self.config / "profiles"

    def path(self, alias: str) -> Path:
        return self.directory / f"{alias}.json"

    def stored(self, alias: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.path(alias).read_text())
        return found

    def store(self, alias: str, **changes: Any) -> dict[str, Any]:
        """A profile's file, as another program would write it."""
        document = {
            "alias": alias, "agent_id": "echo", "provider_id": "acme", "endpoint_id": "main", "model": "large",
            "env": {}, "args": [], "working_dir": None,
            "metadata": {"created_at": "2026-01-01T00:00:00Z", "last_used": None,
                         "profile_home": str(self.homes / alias), "hooks_config": {}, "proxy_config": None},
            **changes,
        }  # fmt: skip
        self.directory.mkdir(parents=True, exist_ok=True)
        self.path(alias).write_text(json.dumps(document))
        return document

    async def create(self, alias: str = "work", **more: Any) -> Profile:
        asked = {"agent_id": "echo", "provider_id": "acme", "api_key": KEY, **more}
        return (await self.creating.create(NewProfile(alias=alias, **asked))).profile

    def everything(self) -> dict[str, bytes]:
        """Every file, but for key material that is made when it is first needed."""
        return {str(path.relative_to(self.root)): path.read_bytes() for path in self.root.rglob("*") if path.is_file()}

    def events(self) -> list[tuple[str, str]]:
        return [(event.type, str(event.data["alias"])) for event in self.context.events.published]

    def client(self) -> TestClientProtocol:
        app = Quart("test")
        for blueprint in blueprints(self.context):
            app.register_blueprint(blueprint)

        @app.before_request
        async def known() -> None:
            g.principal = Principal("u1", "ada", "admin", "jwt", None)

        @app.errorhandler(JackfieldError)
        async def envelope(error: JackfieldError) -> Response:
            body = {"success": False, "error": error.message, "code": error.code, "details": error.details}
            return Response(jsontext.dumps(body), status=error.status, content_type="application/json")

        return app.test_client()
