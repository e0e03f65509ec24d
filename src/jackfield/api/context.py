"""What one plugin is given. Each plugin has a context of its own; ports that other plugins provide are there once the
kernel has assembled them, that is from `jackfield_startup` on and in everything that runs later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from pydantic import BaseModel

from .auth import AuthRequest, Principal
from .binary import BinaryStore
from .clock import Clock
from .credentials import CredentialKind, Credentials
from .engine import Engine
from .events import EventBus
from .http_client import HttpClient
from .nodes import NodeCatalog
from .records import record
from .scripts import ScriptEngine
from .storage import Store
from .triggers import Trigger
from .workflows import Document, Problem, Workflow

if TYPE_CHECKING:
    from .agents import AgentAdapter, Agents
    from .manifests import Layers, Manifest, ManifestKind, Manifests, ManifestT
    from .profiles import Profiles
    from .providers import Providers
    from .proxy import Given, Proxies, RoutingCondition, RoutingStrategy
    from .registry import Registry, RegistrySource
    from .telemetry import TelemetrySink, Usage, UsageReader
    from .terminals import Terminals

SettingsT = TypeVar("SettingsT", bound=BaseModel)


@record
class Service:
    """The daemon itself. public_url: scheme, host and port that callers use, without a trailing slash."""

    config_dir: Path
    host: str
    port: int
    public_url: str
    version: str
    loopback: bool
    """Whether the daemon listens on loopback only."""
    trusted_proxies: Sequence[str] = ()
    """CIDR ranges whose X-Forwarded-For counts."""


class Secrets(Protocol):
    """Key material, and the values that must never be shown."""

    def redact(self, *values: str) -> None:
        """From now on these values are replaced in every log line and every error. Under 6 characters: ignored. The
        memory is bounded: the oldest of more than 4,096 values are forgotten."""

    def hide(self, text: str) -> str:
        """The text with `***` for each of these values, and for what looks like a credential of our own."""

    def key(self, name: str, size: int = 32) -> bytes:
        """A random key of `size` bytes that is made once and kept in `keys/<name>.key` (0600 in a 0700 directory)."""

    def seal(self, plain: bytes) -> bytes:
        """Encrypt with AES-256-GCM under the encryption key (`keys/encryption.key` or JACKFIELD_ENCRYPTION_KEY)."""

    def open(self, sealed: bytes) -> bytes:
        """The inverse of `seal`. Raises ValueError when the key is another or the text was changed."""


class WorkflowReader(Protocol):
    """Documents and the parsed form; parsed versions are cached, bounded."""

    def parse(self, document: Document, *, id: str | None = None, version: int = 0, active: bool = False) -> Workflow:
        """Raises `InvalidInput` with a json path per mistake."""

    async def load(self, workflow_id: str, version: int | None = None) -> Workflow:
        """The saved workflow (its current version by default). Raises `NotFound`."""

    def problems(self, workflow: Workflow) -> list[Problem]:
        """What `POST /workflows/validate` lists."""

    def timezone(self, workflow: Workflow) -> str:
        """The IANA name of the zone that the workflow's times are meant in: its own, else the daemon's."""

    def forget(self, workflow_id: str) -> None:
        """What is cached of this workflow is stale. Called by whoever changed or deleted it, after the commit."""


class PluginContext(Protocol):
    """The narrow world of one plugin."""

    name: str
    service: Service
    clock: Clock
    log: logging.Logger
    events: EventBus
    secrets: Secrets

    def settings(self, model: type[SettingsT]) -> SettingsT:
        """The plugin's own settings table of this model (see `jackfield_settings`)."""

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """A background task that the daemon owns: cancelled at shutdown, its failure logged."""

    @property
    def store(self) -> Store: ...

    @property
    def binary(self) -> BinaryStore: ...

    @property
    def engine(self) -> Engine: ...

    @property
    def nodes(self) -> NodeCatalog: ...

    @property
    def triggers(self) -> Sequence[Trigger]: ...

    @property
    def workflows(self) -> WorkflowReader: ...

    @property
    def script_engines(self) -> Mapping[str, ScriptEngine]:
        """Language -> engine."""

    @property
    def http(self) -> HttpClient:
        """The guarded way to other servers."""

    @property
    def credentials(self) -> Credentials: ...

    @property
    def credential_kinds(self) -> Mapping[str, CredentialKind]:
        """Every registered kind, by name. The first use reads descriptions; let a thread do it."""

    def manifests(self, kind: ManifestKind[ManifestT]) -> Manifests[ManifestT]:
        """The manifests of a kind that a plugin has given (`jackfield_manifest_kinds`)."""

    @property
    def manifest_kinds(self) -> Mapping[str, ManifestKind[Manifest]]:
        """Every kind that a plugin has given, by name."""

    @property
    def layers(self) -> Layers:
        """Files of the user, the registry, and shipped ones."""

    @property
    def agents(self) -> Agents: ...

    @property
    def agent_adapters(self) -> Sequence[AgentAdapter]: ...

    @property
    def providers(self) -> Providers: ...

    @property
    def profiles(self) -> Profiles: ...

    @property
    def registry(self) -> Registry: ...

    @property
    def registry_sources(self) -> Sequence[RegistrySource]: ...

    @property
    def usage(self) -> Usage: ...

    @property
    def usage_readers(self) -> Sequence[UsageReader]:
        """By name, each once. The first use imports them."""

    @property
    def telemetry_sinks(self) -> Sequence[TelemetrySink]: ...

    @property
    def proxies(self) -> Proxies | None:
        """None when no plugin gives proxies."""

    @property
    def proxy_strategies(self) -> Mapping[str, Given[RoutingStrategy]]:
        """By name, in lower case. The first use imports them."""

    @property
    def proxy_conditions(self) -> Mapping[str, Given[RoutingCondition]]:
        """By type. The first use imports them."""

    @property
    def terminals(self) -> Terminals | None:
        """None when no plugin gives terminals."""

    def confine_agents(self) -> None:
        """Called before an agent is started in a sandbox: from now on a caller without a credential is the daemon's own
        user only if its process is found in the daemon's user namespace."""

    async def authenticate(self, request: AuthRequest) -> Principal | None:
        """Every authentication method in turn; None when the request carries no credential. Raises `AuthRequired`."""
