"""Bringing a commit from its source: index, signature, files, and the change to it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, Conflict, UpstreamFailed
from jackfield.api.extensions import Given
from jackfield.api.files import private_directory
from jackfield.api.manifests import MANIFEST_KINDS
from jackfield.api.records import record, replace
from jackfield.api.registry import REGISTRY_SOURCES, OpenSource, RegistrySource
from jackfield.api.sentences import listed
from jackfield_registry.fetching import Fetch, read_small, write_new
from jackfield_registry.ports import TellProgress
from jackfield_registry.settings import RegistrySettings
from jackfield_registry.synced.content import Content, opened
from jackfield_registry.synced.index import NAME, SIGNATURE, BadIndex, RegistryIndex, parse
from jackfield_registry.synced.lockfile import Lock
from jackfield_registry.synced.verifying import SIGNATURE_FILE_LIMIT, signed
from jackfield_registry.threads import whole


@record
class WantedCommit:
    """The commit that is there before a sync. intact: whether the folder is as its index says."""

    lock: Lock
    folder: Path | None
    index: RegistryIndex | None
    intact: bool
    force: bool


@record
class SyncOutcome:
    """lock: what is to be stored of it."""

    commit: str
    updated: bool
    downloaded: int
    lock: Lock


@record
class _Published:
    """An index as it was fetched."""

    data: bytes
    signature: bytes | None
    index: RegistryIndex
    etag: str | None


class Publisher:
    """The source that the settings name."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(RegistrySettings)
        self.base = self._settings.url.replace("{channel}", self._settings.channel).rstrip("/")

    def is_of_lock(self, lock: Lock) -> bool:
        """Whether what the lock says is about this source and channel."""
        return (lock.source, lock.channel) == (self.base, self._settings.channel)

    def locked(self, lock: Lock) -> Lock:
        """The same about this source and channel; what it knows of another one does not count."""
        if lock.source is not None and not self.is_of_lock(lock):
            lock = replace(lock, sequence=None, etag=None)
        return replace(lock, source=self.base, channel=self._settings.channel)

    async def bring(self, content: Content, wanted: WantedCommit, tell: TellProgress) -> SyncOutcome:
        """Make the published commit the current one; with a pin the pinned one. Raises `UpstreamFailed`, `Conflict`,
        `ConfigurationError`, OSError."""
        staged = content.staging()
        try:
            await whole(private_directory, staged)
            try:
                async with asyncio.timeout(self._settings.sync_timeout), self._source().open(self.base) as source:
                    published = await self._index(source, wanted)
                    if published is None:
                        return self._same(wanted, wanted.lock.etag)
                    if wanted.intact and wanted.folder and await asyncio.to_thread(_is_same, wanted.folder, published):
                        return self._same(wanted, published.etag)
                    downloaded = await self._download(source, published, staged, wanted, tell)
            except TimeoutError:
                raise UpstreamFailed(
                    "The registry was not fetched within registry.sync_timeout; what was synced before stays."
                ) from None
            # Not within the time: what is verified is taken, and a step of this is not given up half way.
            await whole(content.install, staged, published.index.commit)
        finally:
            await whole(shutil.rmtree, staged, True)
        return SyncOutcome(published.index.commit, True, downloaded, self._lock_after(wanted, published))

    async def offered(self, wanted: WantedCommit) -> RegistryIndex:
        """The index of the commit that `bring` would make the current one. Raises as `bring`."""
        try:
            async with asyncio.timeout(self._settings.sync_timeout), self._source().open(self.base) as source:
                published = await self._index(source, wanted)
        except TimeoutError:
            raise UpstreamFailed("The registry's index was not fetched within registry.sync_timeout.") from None
        if published is not None:
            return published.index
        if wanted.index is None:
            raise UpstreamFailed("The source says that nothing has changed, but there is nothing here; force a sync.")
        return wanted.index

    def _source(self) -> RegistrySource:
        scheme = urlsplit(self.base).scheme
        given = self._context.given(REGISTRY_SOURCES)
        if scheme in given:
            return given[scheme].value
        raise ConfigurationError(f"registry.url: no plugin fetches from {scheme}://; {schemes_told(given)}.")

    def _same(self, wanted: WantedCommit, etag: str | None) -> SyncOutcome:
        index = wanted.index
        if index is None:
            raise UpstreamFailed("The source says that nothing has changed, but there is nothing here; force a sync.")
        lock = replace(self.locked(wanted.lock), etag=etag, sequence=_highest(wanted.lock.sequence, index.sequence))
        return SyncOutcome(index.commit, False, 0, lock)

    def _lock_after(self, wanted: WantedCommit, published: _Published) -> Lock:
        lock = self.locked(wanted.lock)
        if lock.pinned_ref is not None:
            return replace(lock, etag=None)
        # A forced step back is a decision: from now on this is the highest.
        return replace(lock, sequence=published.index.sequence, etag=published.etag)

    # -- the index

    async def _index(self, source: OpenSource, wanted: WantedCommit) -> _Published | None:
        """None: it is the one that is here."""
        pinned = wanted.lock.pinned_ref
        folder = f"{pinned}/" if pinned else ""
        data, fetched = await read_small(source, folder + NAME, self._settings.index_limit, self._etag(wanted))
        if fetched.unchanged:
            return None
        signature = await self._signature(source, folder, data)
        try:
            index = parse(data, self._context.extensions(MANIFEST_KINDS))
        except BadIndex as exc:
            raise UpstreamFailed(f"{folder}{NAME} of the registry is not an index: {exc}.") from None
        self._accept(index, wanted)
        return _Published(data, signature, index, fetched.etag)

    def _etag(self, wanted: WantedCommit) -> str | None:
        """Only where an unchanged index means that nothing is to be done."""
        lock = wanted.lock
        usable = wanted.intact and not wanted.force and lock.pinned_ref is None and not lock.stale
        here = wanted.index is not None and lock.commit == wanted.index.commit
        return lock.etag if usable and here and self.is_of_lock(lock) else None

    async def _signature(self, source: OpenSource, folder: str, index: bytes) -> bytes | None:
        """The index's signature, if one is asked for. Raises `UpstreamFailed`."""
        if not self._settings.public_key:
            return None
        try:
            found, _ = await read_small(source, folder + SIGNATURE, SIGNATURE_FILE_LIMIT)
        except UpstreamFailed as exc:
            raise UpstreamFailed(f"registry.public_key is set, but there is no signature: {exc.message}") from None
        if not signed(index, found, self._settings.public_key):
            raise UpstreamFailed(f"{folder}{SIGNATURE} is not a signature of the index by registry.public_key.")
        return found

    def _accept(self, index: RegistryIndex, wanted: WantedCommit) -> None:
        """Raises `UpstreamFailed`, `Conflict`."""
        pinned = wanted.lock.pinned_ref
        if pinned is not None and index.commit != pinned:
            raise UpstreamFailed(f"{pinned}/{NAME} of the registry is the index of commit {index.commit}.")
        if index.channel != self._settings.channel:
            raise UpstreamFailed(
                f"The registry publishes the channel {index.channel}, not {self._settings.channel}; "
                "see registry.channel and registry.url."
            )
        if pinned is None and not wanted.force:
            self._refuse_downgrade(index, wanted)

    def _refuse_downgrade(self, index: RegistryIndex, wanted: WantedCommit) -> None:
        # Of another source or channel nothing is known to be older. Without a lock that can be read it counts what is
        # here.
        lock = wanted.lock
        if lock.source is not None and not self.is_of_lock(lock):
            return
        here = wanted.index.sequence if wanted.index and wanted.index.channel == index.channel else None
        highest = _highest(lock.sequence, here)
        if highest is not None and (index.sequence is None or index.sequence < highest):
            given = "none" if index.sequence is None else index.sequence
            raise Conflict(
                f"The registry offers an older state than was synced before (sequence {given} after {highest}); force "
                "the sync if that is meant.",
                code="REGISTRY_DOWNGRADE",
            )

    # -- the files

    async def _download(
        self, source: OpenSource, published: _Published, staged: Path, wanted: WantedCommit, tell: TellProgress
    ) -> int:
        """Everything of the commit, checked and on the disk; how many files were downloaded."""
        fetch = Fetch(source, published.index, staged, self._context.extensions(MANIFEST_KINDS), self._settings, tell)
        here = {}
        if wanted.folder is not None and wanted.index is not None:
            here = {artifact.checksum: wanted.folder / artifact.place for artifact in wanted.index.artifacts}
        await fetch.run(here)
        await whole(write_new, staged / NAME, published.data)
        if published.signature is not None:
            await whole(write_new, staged / SIGNATURE, published.signature)
        return fetch.downloaded


def schemes_told(given: Mapping[str, Given[RegistrySource]]) -> str:
    """Which schemes there are, those of strangers with their plugin and its distribution."""
    own = sorted(scheme for scheme, one in given.items() if scheme and not one.distribution)
    others = [
        f"{scheme} by the plugin {one.plugin} of {one.distribution}"
        for scheme, one in sorted(given.items())
        if one.distribution
    ]
    named = [*own, *others]
    return f"the schemes are {listed(named)}" if len(named) > 1 else "see registry.url"


def _highest(*sequences: int | None) -> int | None:
    return max((found for found in sequences if found is not None), default=None)


def _is_same(folder: Path, published: _Published) -> bool:
    try:
        with opened(folder / NAME) as file:
            return file.read() == published.data
    except OSError:
        return False
