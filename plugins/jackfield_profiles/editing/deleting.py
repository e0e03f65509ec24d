"""Deleting a profile. Its file goes first: from then on it is gone, and what a crash leaves of the rest is swept.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from jackfield.api.agent_sessions import AgentSessions
from jackfield.api.agents import Agents
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.profile_tools import ProfileTools
from jackfield.api.profiles import Profile
from jackfield.api.proxy import Proxies
from jackfield.api.terminals import Terminals
from jackfield_profiles.editing import homes
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.ports import HeadlessRuns, PlannedRemoval, ProfileLaunching
from jackfield_profiles.shims import Shims
from jackfield_profiles.storage.profiles import ProfileStore


class ProfileRemover:
    """`ProfileRemoval`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._profiles = context.port(ProfileStore)
        self._keys = context.port(KeyStore)
        self._launching = context.port(ProfileLaunching)
        self._shims = context.port(Shims)

    async def delete(self, alias: str, *, purge: bool, force: bool) -> Sequence[str]:
        await self._readable(alias, force)
        async with self._profiles.changing(alias):
            profile = await self._readable(alias, force)
            if purge:
                await self._require_unused(alias, force)
            await self._end_sessions(alias, force)
            warnings = [] if profile is None else await self._run_hooks(profile, force)
            await self._profiles.remove(alias)
            warnings += await self._rest(alias)
        if purge and profile is not None:
            warnings += await self._purge(alias, profile)
        self._context.events.publish("profiles", "profile_deleted", {"alias": alias})
        return warnings

    async def plan(self, alias: str, *, purge: bool, force: bool) -> PlannedRemoval:
        profile = await self._readable(alias, force)
        sessions = self._require_free(alias, force)
        if purge:
            async with self._profiles.changing(alias):
                await self._require_unused(alias, force)
        home, kept = await asyncio.to_thread(self._home_of, profile) if purge and profile is not None else (None, None)
        return PlannedRemoval(
            self._profiles.path(alias),
            await self._keys.has_own(alias),
            await asyncio.to_thread(self._shims.path_of, alias),
            home,
            kept,
            sessions,
            profile is not None and profile.proxy_enabled,
            [] if profile is None else await self._delete_hooks(profile),
        )

    def _home_of(self, profile: Profile) -> tuple[Path | None, str | None]:
        """The home that a purge removes, or the reason why it does not. Blocks."""
        if not os.path.lexists(profile.home):
            return None, None
        reason = homes.reason_to_keep(profile.home, profile.alias, self._context.service.config_dir)
        return (profile.home, None) if reason is None else (None, f"The home {profile.home} is kept: {reason}.")

    async def _delete_hooks(self, profile: Profile) -> Sequence[str]:
        try:
            return list((await self._context.port(Agents).find(profile.agent_id)).hooks.delete)
        except NotFound:
            return []

    async def _readable(self, alias: str, force: bool) -> Profile | None:
        """None: damaged, and to be removed nevertheless."""
        try:
            return await self._profiles.find(alias)
        except Conflict:
            if not force:
                raise
            return None

    def _keepers(self) -> Sequence[Terminals | AgentSessions]:
        found = (self._context.find_port(Terminals), self._context.find_port(AgentSessions))
        return [one for one in found if one is not None]

    def _require_free(self, alias: str, force: bool) -> int:
        """How many live sessions there are. Raises `Conflict`."""
        live = sum(len(keeper.live(alias)) for keeper in self._keepers())
        if live and not force:
            raise Conflict(
                f"The profile {alias} has {live} live session(s); end them, or delete with force.",
                code="PROFILE_IN_USE",
            )
        return live

    async def _require_unused(self, alias: str, force: bool) -> None:
        """Raises `Conflict`. A person's own run may last for days, so that nobody waits for it."""
        if not force and (reason := await self._user_of(alias)) is not None:
            raise Conflict(f"The {reason}; end it, or delete without purge.", code="PROFILE_IN_USE")

    async def _user_of(self, alias: str) -> str | None:
        """The reason why the home must stay, if a person's own process works in it."""
        pids = await self._profiles.processes(alias)
        return f"process {pids[0]} runs the profile {alias} in its own terminal" if pids else None

    async def _end_sessions(self, alias: str, force: bool) -> None:
        self._require_free(alias, force)
        for keeper in self._keepers():
            await keeper.end(alias)
        if (proxies := self._context.find_port(Proxies)) is not None:
            await proxies.stop(alias)
        if (tools := self._context.find_port(ProfileTools)) is not None:
            await tools.end_all(alias)

    async def _run_hooks(self, profile: Profile, force: bool) -> list[str]:
        try:
            await self._launching.lifecycle(profile, "delete")
        except NotFound as exc:
            return [f"No delete hooks were run: {exc.message}"]
        except JackfieldError as exc:
            if not force:
                raise
            return [f"A delete hook failed: {exc.message}"]
        return []

    async def _rest(self, alias: str) -> list[str]:
        warnings = []
        try:
            await self._keys.remove(alias)
        except JackfieldError as exc:
            warnings.append(f"The key is left and will be removed later: {exc.message}")
        await asyncio.to_thread(self._shims.uninstall, alias)
        return warnings

    async def _purge(self, alias: str, profile: Profile) -> list[str]:
        """A run that goes on would write into the home and make it anew. It takes the lock itself to prepare, so nobody
        holds that meanwhile, and finds no profile."""
        await self._context.port(HeadlessRuns).settled(alias)
        async with self._profiles.changing(alias):
            if await self._profiles.taken(alias) is not None:
                return [f"The home {profile.home} was kept: another profile {alias} was made meanwhile."]
            if (reason := await self._user_of(alias)) is not None:
                return [f"The home {profile.home} was kept: the {reason}."]
            kept = await asyncio.to_thread(homes.purge, profile.home, alias, self._context.service.config_dir)
        return [kept] if kept else []

    async def sweep(self) -> int:
        swept = 0
        for alias in await self._keys.aliases():
            if await self._profiles.taken(alias) is not None:
                continue
            async with self._profiles.changing(alias):
                if await self._profiles.taken(alias) is None:
                    await self._keys.remove(alias)
                    swept += 1
        if swept:
            self._context.log.info("%d keys of profiles that are gone were removed.", swept)
        return swept
