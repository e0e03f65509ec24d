"""The context that one plugin gets.

Each plugin has its own context. Ports that other plugins provide are there once the kernel has assembled them, that is
from `Plugin.start` on and in everything that runs later.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from .records import record

if TYPE_CHECKING:
    import asyncio

    from pydantic import BaseModel

    from .clock import Clock
    from .events import EventBus
    from .extensions import ExtensionPoint, Given
    from .storage import Store
    from .workflows import Document, Problem, Workflow

PortT = TypeVar("PortT")
SettingsT = TypeVar("SettingsT", bound="BaseModel")
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - read, not listened on
"""An address to listen on is not always one to connect to."""


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
    worker: int = 0
    """Which of the daemon's worker processes this is, from 1 on (`daemon.workers`); 0: its first process, which also
    does what is done once."""
    addressed: bool = False
    """Whether the operator has said what `public_url` is (`server.public_url`)."""
    inside: bool = True
    """Whether who comes by a public host gets webhooks and /api/v1 alone (`daemon.remote_agents`)."""

    @property
    def local_url(self) -> str:
        """Scheme, host and port that a program on this machine connects to."""
        host = EVERY_ADDRESS.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


class Secrets(Protocol):
    """Key material, and the values that must never be shown."""

    def redact(self, *values: str) -> None:
        """From now on these values are replaced in every log line and every error. Under 6 characters: ignored. The
        memory is bounded: the oldest of more than 4,096 values are forgotten."""

    def hide(self, text: str) -> str:
        """The text with `***` for each of these values, and for what looks like a credential of our own."""

    def key(self, name: str, size: int = 32) -> bytes:
        """The key of this name: `size` bytes, derived from the master key, which is JACKFIELD_ENCRYPTION_KEY or
        `keys/encryption.key` (HKDF, RFC 5869). Daemons with the same master key have the same. It changes when
        `jackfield keys rotate` replaces the master key: ask for it each time, which costs little, and verify with
        `earlier_keys` as well. `name`: a to z, digits, `-` and `_`.
        """

    def earlier_keys(self, name: str, size: int = 32) -> Sequence[bytes]:
        """The earlier values of this key, and the one that is about to replace it.

        None of them signs, each may have signed. Empty until the master key was replaced once; a key that a version
        before kept in `keys/<name>.key` is here too.
        """

    def seal(self, plain: bytes) -> bytes:
        """Encrypt with AES-256-GCM under a key that is derived from the master key."""

    def open(self, sealed: bytes) -> bytes:
        """The inverse of `seal`, for what an earlier key has sealed too. Raises ValueError when the key is another or
        the text was changed."""

    def is_current(self, sealed: bytes) -> bool:
        """Whether the current master key has sealed it; nothing is opened to tell."""


class WorkflowReader(Protocol):
    """Documents and the parsed form; parsed versions are cached, bounded."""

    def parse(self, document: Document, *, id: str | None = None, version: int = 0, active: bool = False) -> Workflow:
        """Somebody's document. Raises `InvalidInput` with a json path per mistake."""

    async def parse_unsaved(self, document: Document) -> Workflow:
        """One that is run and not saved: `Workflow.document` is as the store keeps it, its secrets sealed. Raises
        `InvalidInput`."""

    async def parse_stored(
        self, document: Document, *, id: str | None = None, version: int = 0, active: bool = False
    ) -> Workflow:
        """One that the store has kept: its nodes have their secrets, `Workflow.document` has them sealed. Raises
        `InvalidInput`, and `ConfigurationError` when they were sealed with another key."""

    async def load(self, workflow_id: str, version: int | None = None) -> Workflow:
        """The saved workflow (its current version by default). Raises `NotFound`."""

    def problems(self, workflow: Workflow) -> list[Problem]:
        """The problems that `POST /workflows/validate` lists."""

    def timezone(self, workflow: Workflow) -> str:
        """The IANA name of the zone that the workflow's times are meant in: its own, else the daemon's."""

    def forget(self, workflow_id: str) -> None:
        """Every cached part of this workflow is stale. Called by whoever changed or deleted it, after the commit."""


class PluginContext(Protocol):
    """The narrow world of one plugin."""

    name: str
    service: Service
    clock: Clock
    log: logging.Logger

    @property
    def events(self) -> EventBus: ...

    @property
    def secrets(self) -> Secrets: ...

    def settings(self, model: type[SettingsT]) -> SettingsT:
        """The plugin's own settings table of this model (see `Plugin.settings`)."""

    def spawn(self, name: str, coroutine: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """A background task that the daemon owns: cancelled at shutdown, its failure logged."""

    @property
    def store(self) -> Store: ...

    def port(self, protocol: Callable[..., PortT]) -> PortT:
        """The implementation of this Protocol that a plugin or the kernel provides; made when it is asked for first.
        From `start` on.

        Raises:
            MissingPort: No loaded plugin provides it, or what makes it failed.
        """

    def find_port(self, protocol: Callable[..., PortT]) -> PortT | None:
        """The same; None when no loaded plugin provides it."""

    def built_port(self, protocol: Callable[..., PortT]) -> PortT | None:
        """The same; None as long as nobody has asked for it."""

    def is_built(self, reference: str) -> bool:
        """Whether somebody has asked for the port of this object reference; nothing is imported to tell."""

    def extensions(self, point: ExtensionPoint[PortT]) -> Mapping[str, PortT]:
        """Everything that plugins gave at this point, by name, in the plugins' order. The first call asks the plugins
        and may import them; where that is slow let a thread do it."""

    def given(self, point: ExtensionPoint[PortT]) -> Mapping[str, Given[PortT]]:
        """The same, each with the plugin that gave it."""
