"""Contexts: what each plugin sees, and the ports behind them."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from pydantic import BaseModel

from jackfield.api.auth import AuthRequest, Principal
from jackfield.api.binary import BinaryStore
from jackfield.api.clock import Clock
from jackfield.api.context import Secrets, Service, WorkflowReader
from jackfield.api.credentials import CredentialKind, Credentials
from jackfield.api.engine import Engine
from jackfield.api.events import EventBus
from jackfield.api.http_client import HttpClient
from jackfield.api.nodes import NodeCatalog, NodeType, type_of
from jackfield.api.records import record, state
from jackfield.api.scripts import ScriptEngine
from jackfield.api.storage import Store
from jackfield.api.triggers import Trigger

from .settings import Settings

if TYPE_CHECKING:
    from jackfield.api.agents import AgentAdapter, Agents
    from jackfield.api.manifests import Layers, Manifest, ManifestKind, Manifests, ManifestT
    from jackfield.api.profiles import Profiles
    from jackfield.api.providers import Providers
    from jackfield.api.proxy import Given, Proxies, RoutingCondition, RoutingStrategy
    from jackfield.api.registry import Registry, RegistrySource
    from jackfield.api.telemetry import TelemetrySink, Usage, UsageReader
    from jackfield.api.terminals import Terminals

    from .manifests import Library

    Routing: TypeAlias = tuple[dict[str, Given[RoutingStrategy]], dict[str, Given[RoutingCondition]]]
    """Strategies and conditions of proxies."""

SettingsT = TypeVar("SettingsT", bound=BaseModel)
log = logging.getLogger("jackfield.tasks")


class Catalog:
    """`NodeCatalog`: node types by kind."""

    def __init__(self) -> None:
        self._types: dict[str, NodeType] = {}

    def add(self, node: NodeType) -> bool:
        """False when the kind is taken."""
        return self._types.setdefault(node.kind, node) is node

    def find(self, kind: str) -> NodeType | None:
        return type_of(kind, self._types)

    def all(self) -> Sequence[NodeType]:
        return list(self._types.values())


class Tasks:
    """Background tasks that end with the daemon."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(self._guard(name, coroutine), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # One that is cancelled before its first step has never awaited it.
        task.add_done_callback(lambda _: coroutine.close())
        return task

    @staticmethod
    async def _guard(name: str, coroutine: Coroutine[object, object, None]) -> None:
        try:
            await coroutine
        except Exception:
            log.exception("The background task %s failed.", name)

    async def close(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@state
class Ports:
    """What plugins provide to each other; filled by the kernel."""

    store: Store | None = None
    binary: BinaryStore | None = None
    engine: Engine | None = None
    workflows: WorkflowReader | None = None
    nodes: Catalog = field(default_factory=Catalog)
    triggers: list[Trigger] = field(default_factory=list)
    script_engines: dict[str, ScriptEngine] = field(default_factory=dict)
    http: HttpClient | None = None
    credentials: Credentials | None = None
    find_credential_kinds: Callable[[], dict[str, CredentialKind]] = dict
    credential_kinds: dict[str, CredentialKind] | None = None
    layers: Layers | None = None
    manifest_kinds: dict[str, ManifestKind[Manifest]] = field(default_factory=dict)
    libraries: dict[str, Library[Any]] = field(default_factory=dict)
    """Any: each kind has a model of its own."""
    agents: Agents | None = None
    agent_adapters: list[AgentAdapter] = field(default_factory=list)
    providers: Providers | None = None
    profiles: Profiles | None = None
    registry: Registry | None = None
    registry_sources: list[RegistrySource] = field(default_factory=list)
    usage: Usage | None = None
    find_usage_readers: Callable[[], list[UsageReader]] = list
    usage_readers: list[UsageReader] | None = None
    telemetry_sinks: list[TelemetrySink] = field(default_factory=list)
    proxies: Proxies | None = None
    find_routing: Callable[[], Routing] = lambda: ({}, {})
    routing: Routing | None = None
    terminals: Terminals | None = None
    confined: bool = False
    """Whether agents have run in sandboxes since the start."""


PortT = TypeVar("PortT")
_FINDING = threading.Lock()
"""Kinds of credentials, usage readers and the like are looked for once, by whichever thread asks first."""


def _present(port: PortT | None, name: str) -> PortT:
    if port is None:
        raise LookupError(f"no plugin has given a {name} yet; use it from jackfield_startup on")
    return port


@record
class Shared:
    """What all contexts have in common."""

    service: Service
    clock: Clock
    events: EventBus
    secrets: Secrets
    settings: Settings
    tasks: Tasks
    ports: Ports
    authenticate: Callable[[AuthRequest], Awaitable[Principal | None]]


class Context:
    """`jackfield.api.context.PluginContext`."""

    def __init__(self, name: str, shared: Shared) -> None:
        self.name = name
        self.log = logging.getLogger(f"jackfield.{name}")
        self.service = shared.service
        self.clock = shared.clock
        self.events = shared.events
        self.secrets = shared.secrets
        self._shared = shared

    def settings(self, model: type[SettingsT]) -> SettingsT:
        return self._shared.settings.get(model)

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        return self._shared.tasks.spawn(f"{self.name}.{name}", coroutine)

    @property
    def store(self) -> Store:
        return _present(self._shared.ports.store, "store")

    @property
    def binary(self) -> BinaryStore:
        return _present(self._shared.ports.binary, "store of files")

    @property
    def engine(self) -> Engine:
        return _present(self._shared.ports.engine, "engine")

    @property
    def workflows(self) -> WorkflowReader:
        return _present(self._shared.ports.workflows, "workflow reader")

    @property
    def nodes(self) -> NodeCatalog:
        return self._shared.ports.nodes

    @property
    def triggers(self) -> Sequence[Trigger]:
        return self._shared.ports.triggers

    @property
    def script_engines(self) -> Mapping[str, ScriptEngine]:
        return self._shared.ports.script_engines

    @property
    def http(self) -> HttpClient:
        return _present(self._shared.ports.http, "HTTP client")

    @property
    def credentials(self) -> Credentials:
        return _present(self._shared.ports.credentials, "credentials port")

    @property
    def credential_kinds(self) -> Mapping[str, CredentialKind]:
        ports = self._shared.ports
        with _FINDING:
            if ports.credential_kinds is None:
                ports.credential_kinds = ports.find_credential_kinds()
        return ports.credential_kinds

    def manifests(self, kind: ManifestKind[ManifestT]) -> Manifests[ManifestT]:
        found = self._shared.ports.libraries.get(kind.name)
        return cast("Manifests[ManifestT]", _present(found, f"kind of manifests {kind.name}"))

    @property
    def manifest_kinds(self) -> Mapping[str, ManifestKind[Manifest]]:
        return self._shared.ports.manifest_kinds

    @property
    def layers(self) -> Layers:
        return _present(self._shared.ports.layers, "file layers")

    @property
    def agents(self) -> Agents:
        return _present(self._shared.ports.agents, "catalog of agents")

    @property
    def agent_adapters(self) -> Sequence[AgentAdapter]:
        return self._shared.ports.agent_adapters

    @property
    def providers(self) -> Providers:
        return _present(self._shared.ports.providers, "catalog of providers")

    @property
    def profiles(self) -> Profiles:
        return _present(self._shared.ports.profiles, "keeper of profiles")

    @property
    def registry(self) -> Registry:
        return _present(self._shared.ports.registry, "registry")

    @property
    def registry_sources(self) -> Sequence[RegistrySource]:
        return self._shared.ports.registry_sources

    @property
    def usage(self) -> Usage:
        return _present(self._shared.ports.usage, "keeper of usage")

    @property
    def usage_readers(self) -> Sequence[UsageReader]:
        ports = self._shared.ports
        with _FINDING:
            if ports.usage_readers is None:
                ports.usage_readers = ports.find_usage_readers()
        return ports.usage_readers

    @property
    def telemetry_sinks(self) -> Sequence[TelemetrySink]:
        return self._shared.ports.telemetry_sinks

    @property
    def proxies(self) -> Proxies | None:
        return self._shared.ports.proxies

    @property
    def proxy_strategies(self) -> Mapping[str, Given[RoutingStrategy]]:
        return self._routing()[0]

    @property
    def proxy_conditions(self) -> Mapping[str, Given[RoutingCondition]]:
        return self._routing()[1]

    def _routing(self) -> Routing:
        ports = self._shared.ports
        with _FINDING:
            if ports.routing is None:
                ports.routing = ports.find_routing()
        return ports.routing

    @property
    def terminals(self) -> Terminals | None:
        return self._shared.ports.terminals

    def confine_agents(self) -> None:
        self._shared.ports.confined = True

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        return await self._shared.authenticate(request)
