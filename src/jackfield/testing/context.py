"""A `PluginContext` for unit tests: everything in memory, every port may be set."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

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

SettingsT = TypeVar("SettingsT", bound=BaseModel)


class FakeSecrets:
    """Keys by name; `seal` only marks. `redacted` lists what was asked to be hidden."""

    def __init__(self) -> None:
        self.redacted: list[str] = []

    def redact(self, *values: str) -> None:
        self.redacted.extend(values)

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
    """store, binary, engine, nodes, triggers, workflows, script_engines, http, credentials, credential_kinds; `binary`
    is in memory unless set"""
    principal: Principal | None = None

    def __post_init__(self) -> None:
        self.events = FakeEvents(self.clock)
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

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        return self.principal
