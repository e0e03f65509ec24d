"""The registry: manifests, scripts and prices that are published elsewhere and synced here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

from .extensions import ExtensionPoint
from .records import record


@record
class RegistryStatus:
    """commit, last_sync (ISO 8601 UTC): None before the first sync.

    `cached`: whether there is synced content. `agents`, `providers`, `scripts`: how many of each it holds. `updated`,
    `artifacts_downloaded`: what the last sync did, in its own answer only.
    """

    channel: str
    commit: str | None
    last_sync: str | None
    cached: bool
    agents: int = 0
    providers: int = 0
    scripts: int = 0
    pinned: str | None = None
    updated: bool | None = None
    artifacts_downloaded: int | None = None


@record
class Fetched:
    """A source's description of a file that it gave.

    `etag`: its name for this version of the file. `unchanged`: the file is still the one of the etag that was asked
    with, and nothing was given.
    """

    etag: str | None = None
    unchanged: bool = False


Sink: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Takes a file piece by piece. An exception of it ends the fetch."""


class OpenSource(Protocol):
    """A source for the time of one sync."""

    async def fetch(self, path: str, sink: Sink, *, etag: str | None = None) -> Fetched:
        """Give the file at `path` (relative, checked) to the sink. Raises `UpstreamFailed` when it cannot be had
        whole."""


class RegistrySource(Protocol):
    """Where a registry can come from (`jackfield_registry_sources`)."""

    schemes: tuple[str, ...]
    """Of the URLs that it takes: `https`, `file`, ...; the empty one stands for a path. Each is its own name: a
    plugin takes one of Jackfield's by `[plugins.overrides]`, such as `"registry source:https" = "my_plugin"`."""

    def open(self, base: str) -> AbstractAsyncContextManager[OpenSource]:
        """The registry at this URL, `registry.url` without a slash at its end. Raises `ConfigurationError` when the URL
        is not one of the source's."""


TOKEN_FORM = r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}"  # noqa: S105 - of names
"""Names of channels and of commits."""


class Registry(Protocol):
    """The port; a plugin names it in `provides`."""

    async def status(self) -> RegistryStatus: ...

    async def sync(self, *, force: bool = False) -> RegistryStatus:
        """Raises `UpstreamFailed`; what was there stays."""


REGISTRY_SOURCES = ExtensionPoint("jackfield_registry_sources", RegistrySource, "schemes")
