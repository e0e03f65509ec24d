"""What other plugins get of profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.profiles import HeadlessRequest, HeadlessResult, Launch, LaunchRequest, Profile
from jackfield.api.records import replace
from jackfield.api.telemetry import RunUsage

if TYPE_CHECKING:
    from jackfield_profiles.parts import Parts


class ProfilePort:
    """`jackfield.api.profiles.Profiles`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _parts(self) -> Parts:
        from jackfield_profiles.parts import Parts

        return self._context.port(Parts)

    async def all(self) -> Sequence[Profile]:
        return await self._parts.profiles.all()

    async def find(self, alias: str) -> Profile:
        return await self._parts.profiles.find(alias)

    async def with_proxy_config(self, alias: str, config: Mapping[str, Json]) -> Profile:
        from jackfield_profiles import proxy_config

        present = await self.find(alias)
        checked: Json = proxy_config.checked(config, proxy_config.Kinds.of(self._context))
        return replace(present, metadata={**present.metadata, "proxy_config": checked})

    async def save_proxy_config(self, alias: str, config: Mapping[str, Json] | None) -> Profile:
        return await self._parts.changing.set_proxy(alias, config)

    async def key(self, profile: Profile) -> str | None:
        return await self._parts.keys.key(profile)

    async def provider_key(self, provider_id: str) -> str | None:
        return await self._parts.keys.provider_key(provider_id)

    async def prepare(self, alias: str, request: LaunchRequest) -> Launch:
        return await self._parts.launcher.prepare(await self.find(alias), request)

    async def ended(self, launch: Launch, exit_code: int) -> RunUsage | None:
        return await self._parts.launcher.ended(launch, exit_code)

    async def run(self, alias: str, request: HeadlessRequest) -> HeadlessResult:
        return await self._parts.launcher.run(await self.find(alias), request)

    def warnings(self) -> Sequence[str]:
        return self._parts.profiles.warnings()
