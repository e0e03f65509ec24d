"""The registry of one daemon: status, sync and pin."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError
from jackfield.api.manifests import MANIFEST_KINDS
from jackfield.api.records import record, replace
from jackfield.api.registry import RegistryStatus
from jackfield_registry.ports import FetchProgress, RegistryOffer, TellProgress
from jackfield_registry.settings import RegistrySettings
from jackfield_registry.synced.content import Content, commit_of, problems, read_index
from jackfield_registry.synced.index import BadIndex, RegistryIndex
from jackfield_registry.synced.lockfile import DamagedLock, Lock, read_lock, write_lock
from jackfield_registry.syncing import Publisher, SyncOutcome, WantedCommit
from jackfield_registry.threads import whole

TOPIC = "registry"


@record
class RegistryLook:
    """The content of the disk. damage: sentences about the parts of it that cannot be read."""

    lock: Lock
    folder: Path | None
    index: RegistryIndex | None
    lock_damage: str | None = None
    index_damage: str | None = None

    @property
    def commit(self) -> str | None:
        return commit_of(self.folder) if self.folder else None

    @property
    def damage(self) -> list[str]:
        return [found for found in (self.lock_damage, self.index_damage) if found]


@record
class _Running:
    """A sync that is under way."""

    outcome: asyncio.Future[RegistryStatus]
    force: bool


class RegistryService:
    """`LocalRegistry`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(RegistrySettings)
        self._publisher = Publisher(context)
        self._running: _Running | None = None
        self.content = Content(context.service.config_dir)
        self.counts = {"updated": 0, "unchanged": 0, "failed": 0}

    # -- looking

    def look(self) -> RegistryLook:
        """Read what is there. Blocks."""
        lock, lock_damage, index, index_damage = Lock(), None, None, None
        try:
            lock = read_lock(self.content.root)
        except DamagedLock as exc:
            lock_damage = str(exc)
        folder = self.content.current()
        if folder is not None:
            try:
                index = read_index(folder, self._context.extensions(MANIFEST_KINDS))
            except BadIndex as exc:
                index_damage = f"The index in {folder} is damaged ({exc}); sync with force to fetch it again."
        return RegistryLook(lock, folder, index, lock_damage, index_damage)

    def intact(self, folder: Path | None) -> bool:
        """Whether a commit that is here is what its index says. Blocks."""
        return folder is not None and not self.problems(folder)

    def problems(self, folder: Path) -> list[str]:
        return problems(folder, self._context.extensions(MANIFEST_KINDS), self._settings.public_key)

    async def status(self) -> RegistryStatus:
        return self._shown(await asyncio.to_thread(self.look))

    async def damage(self) -> list[str]:
        return (await asyncio.to_thread(self.look)).damage

    async def verify(self) -> Sequence[str]:
        look = await asyncio.to_thread(self.look)
        if look.folder is None:
            return [*look.damage, "nothing was synced"]
        return [*look.damage, *await asyncio.to_thread(self.problems, look.folder)]

    def _shown(self, look: RegistryLook, updated: bool | None = None, downloaded: int | None = None) -> RegistryStatus:
        def count(kind: str) -> int:
            return look.index.count(kind) if look.index else 0

        return RegistryStatus(
            channel=self._settings.channel,
            commit=look.commit,
            last_sync=look.lock.last_sync if look.lock.commit == look.commit else None,
            cached=look.folder is not None,
            agents=count("agents"),
            providers=count("providers"),
            scripts=count("scripts"),
            pinned=look.lock.pinned_ref,
            updated=updated,
            artifacts_downloaded=downloaded,
        )

    # -- syncing

    async def sync(
        self, *, force: bool = False, unattended: bool = False, tell: TellProgress | None = None
    ) -> RegistryStatus:
        while (running := self._running) is not None and force and not running.force:
            await asyncio.wait([running.outcome])
        if running is None:
            running = self._running = _Running(asyncio.get_running_loop().create_future(), force)
            # Somebody who went away must not leave a complaint about a failure that nobody heard of.
            running.outcome.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._context.spawn("sync", self._run(running, unattended, tell or _silent))
        return await asyncio.shield(running.outcome)

    async def _run(self, running: _Running, unattended: bool, tell: TellProgress) -> None:
        outcome = running.outcome
        try:
            outcome.set_result(await self._sync(running.force, unattended, tell))
        except JackfieldError as exc:
            outcome.set_exception(exc)
        finally:
            self._running = None
            if not outcome.done():
                outcome.cancel()

    async def _sync(self, force: bool, unattended: bool, tell: TellProgress) -> RegistryStatus:
        if not self._settings.url:
            raise Conflict("There is no registry; set registry.url.", code="REGISTRY_NOT_CONFIGURED")
        look = await asyncio.to_thread(self.look)
        if unattended and look.lock_damage:
            raise Conflict(look.lock_damage)
        if await self._is_settled(look, force):
            return self._shown(look, updated=False, downloaded=0)
        about: dict[str, object] = {"channel": self._settings.channel, "pinned": look.lock.pinned_ref}
        self._tell_event("sync_started", {**about, "force": force})
        try:
            outcome = await self._with_errors_named(force, tell)
        except JackfieldError as exc:
            self.counts["failed"] += 1
            self._tell_event("sync_failed", {**about, "message": exc.message})
            raise
        self.counts["updated" if outcome.updated else "unchanged"] += 1
        done = {"commit": outcome.commit, "updated": outcome.updated, "artifacts_downloaded": outcome.downloaded}
        self._tell_event("sync_completed", {**about, **done})
        look = await asyncio.to_thread(self.look)
        return self._shown(look, outcome.updated, outcome.downloaded)

    async def _is_settled(self, look: RegistryLook, force: bool) -> bool:
        """Whether nothing is to be fetched: the pinned commit is there, or what is there is young."""
        if look.lock.pinned_ref is not None:
            there = look.lock.pinned_ref == look.commit
            return there and await asyncio.to_thread(self.intact, look.folder)
        lock = look.lock
        known = self._publisher.is_of_lock(lock) and lock.commit == look.commit and look.index is not None
        if force or lock.stale or not known or lock.synced_ms is None:
            return False
        # A time to come is a clock that was put back.
        return 0 <= self._context.clock.now_ms() - lock.synced_ms < self._settings.fresh_for * 1000

    async def _with_errors_named(self, force: bool, tell: TellProgress) -> SyncOutcome:
        try:
            async with self._alone():
                # Again: somebody may have pinned or synced since.
                return await self._bring(await asyncio.to_thread(self.look), force, tell)
        except OSError as exc:
            raise self._unwritable(exc) from None

    @contextlib.asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Nobody else writes meanwhile, in no process. A caller who goes away leaves nothing locked. Raises as
        `Content.acquire`."""
        releases: list[Callable[[], None]] = []
        try:
            await whole(lambda: releases.append(self.content.acquire()))
            yield
        finally:
            for release in releases:
                release()

    def _unwritable(self, error: OSError) -> JackfieldError:
        return JackfieldError(
            f"{error.filename or self.content.root} cannot be used: {error.strerror or error}; what was synced before "
            "stays.",
            code="REGISTRY_UNWRITABLE",
        )

    async def _bring(self, look: RegistryLook, force: bool, tell: TellProgress) -> SyncOutcome:
        lock = look.lock
        outcome = await self._from_here(lock.pinned_ref, lock) if lock.pinned_ref else None
        if outcome is None:
            intact = await asyncio.to_thread(self.intact, look.folder)
            wanted = WantedCommit(lock, look.folder, look.index, intact, force)
            outcome = await self._publisher.bring(self.content, wanted, tell)
        now = iso(self._context.clock.now_ms())
        changed = replace(outcome.lock, commit=outcome.commit, last_sync=now, stale=False)
        await whole(write_lock, self.content.root, changed)
        await whole(self.content.prune, self._settings.keep, [lock.pinned_ref] if lock.pinned_ref else [])
        return replace(outcome, lock=changed)

    async def _from_here(self, commit: str, lock: Lock) -> SyncOutcome | None:
        """Make a commit that is here and intact the current one."""
        for folder in await asyncio.to_thread(self.content.copies, commit):
            if await asyncio.to_thread(self.intact, folder):
                await whole(self.content.point_to, folder)
                return SyncOutcome(commit, True, 0, self._publisher.locked(lock))
        return None

    async def offer(self, *, force: bool) -> RegistryOffer:
        if not self._settings.url:
            raise Conflict("There is no registry; set registry.url.", code="REGISTRY_NOT_CONFIGURED")
        look = await asyncio.to_thread(self.look)
        found = look.index
        if found is None or not await self._is_settled(look, force):
            found = await self._offered(look, force)
        before = {one.place: one.checksum for one in look.index.artifacts} if look.index else {}
        after = {one.place: one.checksum for one in found.artifacts}
        return RegistryOffer(
            look.commit,
            found.commit,
            found.sequence,
            sorted(after.keys() - before.keys()),
            sorted(place for place in after.keys() & before.keys() if after[place] != before[place]),
            sorted(before.keys() - after.keys()),
        )

    async def _offered(self, look: RegistryLook, force: bool) -> RegistryIndex:
        for folder in await asyncio.to_thread(self.content.copies, look.lock.pinned_ref or ""):
            if await asyncio.to_thread(self.intact, folder):
                return read_index(folder, self._context.extensions(MANIFEST_KINDS))
        intact = await asyncio.to_thread(self.intact, look.folder)
        return await self._publisher.offered(WantedCommit(look.lock, look.folder, look.index, intact, force))

    # -- pinning

    async def pin(self, commit: str | None) -> RegistryStatus:
        try:
            async with self._alone():
                await self._pin(commit)
        except OSError as exc:
            raise self._unwritable(exc) from None
        self._tell_event("pinned" if commit else "unpinned", {"commit": commit} if commit else {})
        return await self.status()

    async def _pin(self, commit: str | None) -> None:
        look = await asyncio.to_thread(self.look)
        if look.lock_damage:
            raise Conflict(look.lock_damage)
        lock = replace(look.lock, pinned_ref=commit, etag=None, stale=True)
        # The pin comes first: of a crash in between the next sync knows what was wanted.
        await whole(write_lock, self.content.root, lock)
        if commit and commit != look.commit and await self._from_here(commit, lock):
            await whole(write_lock, self.content.root, replace(lock, commit=commit))

    def _tell_event(self, what: str, data: dict[str, object]) -> None:
        self._context.events.publish(TOPIC, what, data)


def _silent(progress: FetchProgress) -> None:
    pass


def provided(context: PluginContext) -> RegistryService:
    """Both ports are the one service."""
    return context.port(RegistryService)
