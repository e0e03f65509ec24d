"""Deleting a profile. Its file goes first: from then on it is gone, and what a crash leaves of the rest is swept.

Source: decisions.md 'Profiles' (DELETE).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, JackfieldError, NotFound
from jackfield.api.profiles import Profile
from jackfield.api.proxy import Proxies
from jackfield.api.terminals import Terminals
from jackfield_profiles import homes
from jackfield_profiles.creating import Lifecycle
from jackfield_profiles.keys import KeyStore
from jackfield_profiles.shims import Shims
from jackfield_profiles.store import ProfileStore


class Deleting:
    def __init__(
        self, context: PluginContext, profiles: ProfileStore, keys: KeyStore, lifecycle: Lifecycle, shims: Shims
    ) -> None:
        self._context = context
        self._profiles = profiles
        self._keys = keys
        self._lifecycle = lifecycle
        self._shims = shims

    async def delete(self, alias: str, *, purge: bool, force: bool) -> Sequence[str]:
        """Gives what could not be removed, in sentences. Raises `NotFound`; `Conflict` with a live session or a damaged
        file, unless forced; and what a `delete` hook failed with, unless forced."""
        await self._readable(alias, force)
        async with self._profiles.changing(alias):
            profile = await self._readable(alias, force)
            await self._end_sessions(alias, force)
            warnings = [] if profile is None else await self._run_hooks(profile, force)
            await self._profiles.remove(alias)
            warnings += await self._rest(alias, profile, purge)
        self._context.events.publish("profiles", "profile_deleted", {"alias": alias})
        return warnings

    async def _readable(self, alias: str, force: bool) -> Profile | None:
        """None: damaged, and to be removed all the same."""
        try:
            return await self._profiles.find(alias)
        except Conflict:
            if not force:
                raise
            return None

    async def _end_sessions(self, alias: str, force: bool) -> None:
        terminals = self._context.find_port(Terminals)
        if terminals is not None and (live := terminals.live(alias)):
            if not force:
                raise Conflict(
                    f"The profile {alias} has {len(live)} live session(s); end them, or delete with force.",
                    code="PROFILE_IN_USE",
                )
            await terminals.end(alias)
        if (proxies := self._context.find_port(Proxies)) is not None:
            await proxies.stop(alias)

    async def _run_hooks(self, profile: Profile, force: bool) -> list[str]:
        try:
            await self._lifecycle.lifecycle(profile, "delete")
        except NotFound as exc:
            return [f"No delete hooks were run: {exc.message}"]
        except JackfieldError as exc:
            if not force:
                raise
            return [f"A delete hook failed: {exc.message}"]
        return []

    async def _rest(self, alias: str, profile: Profile | None, purge: bool) -> list[str]:
        warnings = []
        try:
            await self._keys.remove(alias)
        except JackfieldError as exc:
            warnings.append(f"The key is left and will be removed later: {exc.message}")
        await asyncio.to_thread(self._shims.uninstall, alias)
        if purge and profile is not None:
            config_dir = self._context.service.config_dir
            kept = await asyncio.to_thread(homes.purge, profile.home, alias, config_dir)
            warnings += [kept] if kept else []
        return warnings


async def sweep(context: PluginContext, profiles: ProfileStore, keys: KeyStore) -> int:
    """Remove keys whose profile is gone; how many."""
    swept = 0
    for alias in await keys.aliases():
        if await profiles.taken(alias) is not None:
            continue
        async with profiles.changing(alias):
            if await profiles.taken(alias) is None:
                await keys.remove(alias)
                swept += 1
    if swept:
        context.log.info("%d keys of profiles that are gone were removed.", swept)
    return swept
