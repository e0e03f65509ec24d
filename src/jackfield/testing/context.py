"""A `PluginContext` for unit tests: everything in memory, every port may be set."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Container, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar, cast

from pydantic import BaseModel

from ..api.auth import AuthRequest, Principal
from ..api.clock import Clock, SystemClock
from ..api.context import Service
from ..api.errors import MissingPort
from ..api.events import Event, EveryTopic, Subscription
from ..api.extensions import ExtensionPoint, Given
from ..api.hosts import ROLES, Host, OnlyHost
from ..api.manifests import ManifestKind, Manifests, ManifestT
from ..api.nodes import NodeOffer, NodeOutline, NodeType, type_of
from ..api.object_references import load
from ..api.process_containers import ContainerSettings
from ..api.storage import Store
from ..core.bus import MemoryBus
from ..core.containers.service import Containers
from ..core.events import LossyEventBus
from ..core.memos import LocalMemos
from .binary import MemoryBinary

PortT = TypeVar("PortT")
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

    def earlier_keys(self, name: str, size: int = 32) -> Sequence[bytes]:
        return ()

    def seal(self, plain: bytes) -> bytes:
        return b"sealed:" + plain[::-1]

    def open(self, sealed: bytes) -> bytes:
        if not sealed.startswith(b"sealed:"):
            raise ValueError("not sealed by this key")
        return sealed.removeprefix(b"sealed:")[::-1]

    def is_current(self, sealed: bytes) -> bool:
        return sealed.startswith(b"sealed:")


class FakeEvents:
    """Keeps what is published in `published`, and tells it to subscribers."""

    def __init__(self, clock: Clock) -> None:
        self.heard: Container[str] = EveryTopic()
        self.published: list[Event] = []
        self._clock = clock
        self._bus = LossyEventBus(clock)

    def wanted(self, topic: str) -> bool:
        return topic in self.heard

    def publish(self, topic: str, type: str, data: Mapping[str, object]) -> None:
        self.published.append(Event(topic, type, self._clock.now_ms(), data))
        self._bus.publish(topic, type, data)

    def subscribe(self, *topics: str) -> contextlib.AbstractContextManager[Subscription]:
        return self._bus.subscribe(*topics)

    def subscribe_everywhere(self, *topics: str) -> contextlib.AbstractContextManager[Subscription]:
        return self._bus.subscribe_everywhere(*topics)


def made(nodes: Iterable[NodeType | NodeOffer]) -> list[NodeType]:
    """The same node types, those that are only offered made."""
    return [
        cast("Callable[..., NodeType]", load(node.reference))(*node.arguments) if isinstance(node, NodeOffer) else node
        for node in nodes
    ]


class FakeCatalog:
    """Node types by kind."""

    def __init__(self, *nodes: NodeType | NodeOffer) -> None:
        self._nodes = {node.kind: node for node in made(nodes)}

    def find(self, kind: str) -> NodeType | None:
        return type_of(kind, self._nodes)

    def all(self) -> Sequence[NodeType]:
        return list(self._nodes.values())

    def outline(self, kind: str) -> NodeOutline | None:
        return self._nodes.get(kind)

    def outlines(self) -> Sequence[NodeOutline]:
        return list(self._nodes.values())


class FakeLibraries:
    """`jackfield.api.manifests.ManifestLibraries`, by the name of the kind."""

    def __init__(self, libraries: Mapping[str, object]) -> None:
        self._libraries = libraries

    def of(self, kind: ManifestKind[ManifestT]) -> Manifests[ManifestT]:
        return cast("Manifests[ManifestT]", self._libraries[kind.name])


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
    """By the name of the Protocol, such as `Store`. Things of an extension point stand by its hook, as a sequence or a
    mapping, whose values may be `Given` by another plugin than `test`. A class that is no Protocol and not here is made
    with the context. `BinaryStore` is in memory unless set; `ProcessContainers` are the kernel's own."""
    principal: Principal | None = None

    def __post_init__(self) -> None:
        self.events = FakeEvents(self.clock)
        self.authentication = FakeAuthentication(self)
        self.ports.setdefault("BinaryStore", MemoryBinary())
        self.ports.setdefault("Bus", MemoryBus(self.clock))
        self.ports.setdefault("Hosts", OnlyHost(Host("test", "http://127.0.0.1:8765", ROLES)))
        self.ports.setdefault("Memos", LocalMemos(self.clock))
        self.ports.setdefault("Authentication", self.authentication)
        self.ports.setdefault(
            "ProcessContainers", Containers(self.config_dir, self.settings(ContainerSettings), self.clock, self.spawn)
        )
        self.service = Service(self.config_dir, "127.0.0.1", 8765, "http://127.0.0.1:8765", "0", True)

    def settings(self, model: type[SettingsT]) -> SettingsT:
        return next((table for table in self.tables if isinstance(table, model)), None) or model()

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        return asyncio.get_running_loop().create_task(coroutine, name=name)

    @property
    def store(self) -> Store:
        return self.port(Store)

    def port(self, protocol: Callable[..., PortT]) -> PortT:
        found = self.find_port(protocol)
        name = cast("type", protocol).__name__
        if found is None and not getattr(protocol, "_is_protocol", False):
            found = self.ports[name] = protocol(self)
        if found is None:
            raise MissingPort(f"This test's FakeContext has no {name}.")
        return found

    def find_port(self, protocol: Callable[..., PortT]) -> PortT | None:
        return cast("PortT | None", self.ports.get(cast("type", protocol).__name__))

    def built_port(self, protocol: Callable[..., PortT]) -> PortT | None:
        return self.find_port(protocol)

    def is_built(self, reference: str) -> bool:
        return reference.rpartition(":")[2] in self.ports

    def extensions(self, point: ExtensionPoint[PortT]) -> Mapping[str, PortT]:
        return {name: given.value for name, given in self.given(point).items()}

    def given(self, point: ExtensionPoint[PortT]) -> Mapping[str, Given[PortT]]:
        things = cast("Mapping[str, PortT] | Sequence[PortT]", self.ports.get(point.hook, {}))
        named = (
            things
            if isinstance(things, Mapping)
            else {name: thing for thing in things for name in point.names_of(thing)}
        )
        return {name: _given(thing) for name, thing in named.items()}


def _given(thing: PortT | Given[PortT]) -> Given[PortT]:
    return thing if isinstance(thing, Given) else Given("test", "test:TestPlugin", thing)


class FakeAuthentication:
    """`jackfield.api.auth.Authentication`: everybody is the context's `principal`."""

    def __init__(self, context: FakeContext) -> None:
        self._context = context
        self.agents_confined = False

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        return self._context.principal

    def confine_agents(self) -> None:
        self.agents_confined = True
