"""Stored profiles: `{config_dir}/profiles/<alias>.json`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import cast

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.files import create_private, private_directory, remove_private, write_private
from jackfield.api.hosts import HostCalls, Hosts
from jackfield.api.placed_things import PlacedThings
from jackfield.api.profiles import Profile
from jackfield.api.projects import Right
from jackfield_profiles import aliases
from jackfield_profiles.settings import ProfilesSettings
from jackfield_profiles.storage.files import Damaged, Document, document, own, parsed, read, text
from jackfield_profiles.storage.index import ProfileIndex
from jackfield_profiles.storage.locks import ProfileLocks
from jackfield_profiles.storage.own_terminals import OwnTerminals

Change = Callable[[Document], None]


class ProfileStore:
    """Reading looks at the directory each time and reads the files that have changed; threads do everything that
    blocks. A profile that the current reach does not see is not there.
    """

    def __init__(self, context: PluginContext) -> None:
        self._clock = context.clock
        self._directory = context.service.config_dir / "profiles"
        self._index = ProfileIndex(self._directory)
        self._locks = ProfileLocks(self._directory, context.clock, context.settings(ProfilesSettings).lock_timeout)
        self._own_terminals = OwnTerminals(self._directory)
        self._looking = asyncio.Lock()
        self._things = PlacedThings(context, "profile")
        self._context = context

    async def all(self) -> Sequence[Profile]:
        """Every readable one, by alias."""
        async with self._looking:
            found = (await asyncio.to_thread(self._index.look)).profiles
        seen = await self._things.seen([profile.alias for profile in found])
        return found if len(seen) == len(found) else [profile for profile in found if profile.alias in seen]

    async def require(self, alias: str, right: Right) -> None:
        """Of the current reach. Raises `NotFound`, `AccessDenied`, `StoreUnavailable`."""
        if not await self._things.may(alias, right):
            raise aliases.unknown(alias, [profile.alias for profile in await self.all()])

    def path(self, alias: str) -> Path:
        """Where the profile is stored."""
        return Path(self._index.path(alias))

    async def find(self, alias: str) -> Profile:
        """Raises `NotFound` (code `PROFILE_NOT_FOUND`), `Conflict` (code `PROFILE_DAMAGED`)."""
        if not aliases.is_alias(alias):
            raise aliases.unknown(alias)
        await self.require(alias, "read")
        try:
            found = await asyncio.to_thread(self._index.find, alias)
        except Damaged as exc:
            raise self._damaged(alias, exc) from None
        if found is None:
            raise aliases.unknown(alias, [profile.alias for profile in await self.all()])
        return found

    def warnings(self) -> Sequence[str]:
        """One sentence for each damaged file, as of the last look."""
        return self._index.last.warnings

    def known(self) -> int:
        """How many there were at the last look."""
        return len(self._index.last.profiles)

    async def count(self) -> int:
        """How many files there are, damaged ones too; none is read."""
        return await asyncio.to_thread(self._index.count)

    async def taken(self, alias: str) -> str | None:
        """The alias of the file, damaged or not, that stands in the way of a new profile of this name."""
        return await asyncio.to_thread(self._index.taken, alias)

    # -- changing; every caller holds `changing(alias)`

    @asynccontextmanager
    async def changing(self, alias: str) -> AsyncIterator[None]:
        """Nobody else changes this profile meanwhile, in no process.

        Not to be entered twice. Raises `Conflict` after `profiles.lock_timeout`; `NotFound`, `AccessDenied` for one
        that the current reach may not change.
        """
        if await self.taken(alias) is not None:
            await self.require(alias, "write")
        async with self._locks.hold(alias):
            yield

    @asynccontextmanager
    async def starting(self, alias: str) -> AsyncIterator[None]:
        """As `changing`, for whoever starts its agent. Raises `NotFound` for what can be no alias: locks are files."""
        if not aliases.is_alias(alias):
            raise aliases.unknown(alias)
        await self.require(alias, "start")
        async with self._locks.hold(alias):
            yield

    @asynccontextmanager
    async def running_here(self, alias: str) -> AsyncIterator[Profile]:
        """This process runs the profile's agent in a person's terminal. Raises as `starting` and `find`."""
        async with AsyncExitStack() as until_the_end:
            async with self.starting(alias):
                profile = await self.find(alias)
                until_the_end.enter_context(self._own_terminals.noted(alias))
            yield profile

    async def processes(self, alias: str) -> Sequence[int]:
        """Of terminals of persons, that run the agent. The caller holds `changing(alias)`, or has removed the
        profile."""
        return await asyncio.to_thread(self._own_terminals.processes, alias)

    async def add(self, new: Document) -> Profile:
        """It belongs where the current reach makes new things.

        Raises `Conflict` when there is such a file, or another project has the alias, `AccessDenied`,
        `HostUnavailable`.
        """
        alias = str(new["alias"])
        async with self._things.placing(alias, lambda: self._is_elsewhere(alias)):
            return await asyncio.to_thread(self._add, new)

    async def _is_elsewhere(self, alias: str) -> bool:
        calls = self._context.find_port(HostCalls)
        return calls is not None and bool(self._context.port(Hosts).others) and bool(await calls.find("profile", alias))

    def _add(self, new: Document) -> Profile:
        content = text(new)
        profile = parsed(content)
        private_directory(self._directory)
        if not create_private(self._index.path(profile.alias), content):
            raise aliases.taken(profile.alias, profile.alias)
        return profile

    async def rewrite(self, alias: str, change: Change) -> Profile:
        """Let `change` alter the stored document as it is now; what it leaves alone stays. Raises as `find`."""
        return await asyncio.to_thread(self._rewrite, alias, change)

    def _rewrite(self, alias: str, change: Change) -> Profile:
        path = self._index.path(alias)
        try:
            found = read(str(path))
            if found is None:
                raise aliases.unknown(alias)
            own(found.content, alias)
        except Damaged as exc:
            raise self._damaged(alias, exc) from None
        changed = document(found.content)
        change(changed)
        content = text(changed)
        profile = parsed(content)
        write_private(path, content)
        return profile

    async def remove(self, alias: str) -> None:
        """A profile that is not there is removed already."""
        await asyncio.to_thread(remove_private, self._index.path(alias))
        await self._things.forget(alias)

    async def touch(self, alias: str) -> Profile:
        """Note that an agent is started with the profile now; whoever may start it may. Locks it itself. Raises as
        `find`."""
        now = iso(self._clock.now_ms())

        def change(found: Document) -> None:
            cast("Document", found["metadata"])["last_used"] = now  # the store has seen that it is one

        async with self.starting(alias):
            return await self.rewrite(alias, change)

    def _damaged(self, alias: str, problem: Damaged) -> Conflict:
        path = self._index.path(alias)
        return Conflict(
            f"The stored profile {alias} cannot be read: {problem}. Repair {path}, or delete the profile with force.",
            code="PROFILE_DAMAGED",
        )
