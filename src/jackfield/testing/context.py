"""A `PluginContext` for unit tests: everything in memory, every port may be set."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel

from ..api.auth import AuthRequest, Principal
from ..api.binary import BinaryStore
from ..api.clock import Clock, SystemClock
from ..api.context import Service, WorkflowReader
from ..api.credentials import CredentialKind, Credentials
from ..api.engine import Engine
from ..api.events import Event, Subscription
from ..api.http_client import HttpClient
from ..api.nodes import NodeCatalog, NodeType, type_of
from ..api.scripts import ScriptEngine
from ..api.storage import Store
from ..api.triggers import Trigger
from .binary import MemoryBinary

if TYPE_CHECKING:
    from ..api.agents import AgentAdapter, Agents
    from ..api.manifests import Layers, Manifest, ManifestKind, Manifests, ManifestT
    from ..api.profiles import Profiles
    from ..api.providers import Providers
    from ..api.proxy import Given, Proxies, RoutingCondition, RoutingStrategy
    from ..api.registry import Registry, RegistrySource
    from ..api.telemetry import TelemetrySink, Usage, UsageReader
    from ..api.terminals import Terminals

SettingsT = TypeVar("SettingsT", bound=BaseModel)


class FakeSecrets:
    """Keys by name; `seal` only marks. `redacted` lists what was asked to be hidden."""

    def __init__(self) -> None:
        self.redacted: list[str] = []

    def redact(self, *values: str) -> None:
        self.redacted.extend(values)

    def hide(self, text: str) -> str:
        for value in self.redacted:
            text = text.replace(value, "***")
        return text

    def key(self, name: str, size: int = 32) -> bytes:
        return (name.encode() * size)[:size]

    def seal(self, plain: bytes) -> bytes:
        return b"sealed:" + plain[::-1]

    def open(self, sealed: bytes) -> bytes:
        if not sealed.startswith(b"sealed:"):
            raise ValueError("not sealed by this key")
        return sealed.removeprefix(b"sealed:")[::-1]


class FakeEvents:
    """Keeps what is published in `published`."""

    def __init__(self, clock: Clock) -> None:
        self.published: list[Event] = []
        self._clock = clock

    def wanted(self, topic: str) -> bool:
        return True

    def publish(self, topic: str, type: str, data: Mapping[str, object]) -> None:
        self.published.append(Event(topic, type, self._clock.now_ms(), data))

    @contextlib.contextmanager
    def subscribe(self, *topics: str) -> Iterator[Subscription]:
        raise NotImplementedError("tests read `published`")
        yield


class FakeCatalog:
    """Node types by kind."""

    def __init__(self, *nodes: NodeType) -> None:
        self._nodes = {node.kind: node for node in nodes}

    def find(self, kind: str) -> NodeType | None:
        return type_of(kind, self._nodes)

    def all(self) -> Sequence[NodeType]:
        return list(self._nodes.values())


def _missing(name: str) -> Callable[[], object]:
    def fail() -> object:
        raise LookupError(f"this test's FakeContext has no {name}")

    return fail


@dataclass
class FakeContext:
    """Set what the code under test uses; the rest raises LookupError when touched."""

    config_dir: Path
    name: str = "test"
    clock: Clock = field(default_factory=SystemClock)
    log: logging.Logger = field(default_factory=lambda: logging.getLogger("jackfield.test"))
    secrets: FakeSecrets = field(default_factory=FakeSecrets)
    tables: Sequence[BaseModel] = ()
    ports: dict[str, object] = field(default_factory=dict)
    """By the property's name; `manifests` is by the kind's name, {name: Manifests}. `binary` is in memory unless set;
    `proxies` and `terminals` are None, and the lists empty."""
    principal: Principal | None = None

    def __post_init__(self) -> None:
        self.events = FakeEvents(self.clock)
        self.agents_confined = False
        self.ports.setdefault("binary", MemoryBinary())
        self.service = Service(self.config_dir, "127.0.0.1", 8765, "http://127.0.0.1:8765", "0", True)

    def settings(self, model: type[SettingsT]) -> SettingsT:
        return next((table for table in self.tables if isinstance(table, model)), None) or model()

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        return asyncio.get_running_loop().create_task(coroutine, name=name)

    def _port(self, name: str) -> object:
        return self.ports[name] if name in self.ports else _missing(name)()

    @property
    def store(self) -> Store:
        return self._port("store")  # type: ignore[return-value]

    @property
    def binary(self) -> BinaryStore:
        return self._port("binary")  # type: ignore[return-value]

    @property
    def engine(self) -> Engine:
        return self._port("engine")  # type: ignore[return-value]

    @property
    def nodes(self) -> NodeCatalog:
        return self._port("nodes")  # type: ignore[return-value]

    @property
    def triggers(self) -> Sequence[Trigger]:
        return self._port("triggers")  # type: ignore[return-value]

    @property
    def workflows(self) -> WorkflowReader:
        return self._port("workflows")  # type: ignore[return-value]

    @property
    def script_engines(self) -> Mapping[str, ScriptEngine]:
        return self._port("script_engines")  # type: ignore[return-value]

    @property
    def http(self) -> HttpClient:
        return self._port("http")  # type: ignore[return-value]

    @property
    def credentials(self) -> Credentials:
        return self._port("credentials")  # type: ignore[return-value]

    @property
    def credential_kinds(self) -> Mapping[str, CredentialKind]:
        return self._port("credential_kinds")  # type: ignore[return-value]

    @property
    def layers(self) -> Layers:
        return self._port("layers")  # type: ignore[return-value]

    @property
    def agents(self) -> Agents:
        return self._port("agents")  # type: ignore[return-value]

    @property
    def providers(self) -> Providers:
        return self._port("providers")  # type: ignore[return-value]

    @property
    def profiles(self) -> Profiles:
        return self._port("profiles")  # type: ignore[return-value]

    @property
    def registry(self) -> Registry:
        return self._port("registry")  # type: ignore[return-value]

    @property
    def usage(self) -> Usage:
        return self._port("usage")  # type: ignore[return-value]

    @property
    def agent_adapters(self) -> Sequence[AgentAdapter]:
        return self.ports.get("agent_adapters", ())  # type: ignore[return-value]

    @property
    def registry_sources(self) -> Sequence[RegistrySource]:
        return self.ports.get("registry_sources", ())  # type: ignore[return-value]

    @property
    def usage_readers(self) -> Sequence[UsageReader]:
        return self.ports.get("usage_readers", ())  # type: ignore[return-value]

    @property
    def telemetry_sinks(self) -> Sequence[TelemetrySink]:
        return self.ports.get("telemetry_sinks", ())  # type: ignore[return-value]

    @property
    def proxies(self) -> Proxies | None:
        return self.ports.get("proxies")  # type: ignore[return-value]

    @property
    def proxy_strategies(self) -> Mapping[str, Given[RoutingStrategy]]:
        return self.ports.get("proxy_strategies", {})  # type: ignore[return-value]

    @property
    def proxy_conditions(self) -> Mapping[str, Given[RoutingCondition]]:
        return self.ports.get("proxy_conditions", {})  # type: ignore[return-value]

    @property
    def terminals(self) -> Terminals | None:
        return self.ports.get("terminals")  # type: ignore[return-value]

    def manifests(self, kind: ManifestKind[ManifestT]) -> Manifests[ManifestT]:
        return self._port("manifests")[kind.name]  # type: ignore[index, no-any-return]

    @property
    def manifest_kinds(self) -> Mapping[str, ManifestKind[Manifest]]:
        return self.ports.get("manifest_kinds", {})  # type: ignore[return-value]

    def confine_agents(self) -> None:
        self.agents_confined = True

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        return self.principal
