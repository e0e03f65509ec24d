"""The port: profiles for the other plugins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.profiles import HeadlessRequest, HeadlessResult, Launch, LaunchRequest, Profile
from jackfield.api.telemetry import RunUsage
from jackfield_profiles.keys.store import KeyStore
from jackfield_profiles.ports import HeadlessRuns, ProfileChanges, ProfileLaunching
from jackfield_profiles.storage.profiles import ProfileStore


class ProfileService:
    """`jackfield.api.profiles.Profiles`: the store, the keys, and by alias what changes and runs profiles."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._store = context.port(ProfileStore)

    async def all(self) -> Sequence[Profile]:
        return await self._store.all()

    async def find(self, alias: str) -> Profile:
        return await self._store.find(alias)

    def warnings(self) -> Sequence[str]:
        return self._store.warnings()

    async def with_proxy_config(self, alias: str, config: Mapping[str, Json]) -> Profile:
        return await self._context.port(ProfileChanges).with_proxy(alias, config)

    async def check_proxy_config(self, alias: str, config: Mapping[str, Json]) -> Profile:
        return await self._context.port(ProfileChanges).check_proxy(alias, config)

    async def save_proxy_config(self, alias: str, config: Mapping[str, Json] | None) -> Profile:
        return await self._context.port(ProfileChanges).set_proxy(alias, config)

    async def key(self, profile: Profile) -> str | None:
        return await self._context.port(KeyStore).key(profile)

    async def provider_key(self, provider_id: str) -> str | None:
        return await self._context.port(KeyStore).provider_key(provider_id)

    async def prepare(self, alias: str, request: LaunchRequest) -> Launch:
        return await self._context.port(ProfileLaunching).prepare(await self.find(alias), request)

    async def ended(self, launch: Launch, exit_code: int) -> RunUsage | None:
        return await self._context.port(ProfileLaunching).ended(launch, exit_code)

    async def run(self, alias: str, request: HeadlessRequest) -> HeadlessResult:
        return await self._context.port(HeadlessRuns).run(await self.find(alias), request)
