"""`jackfield.api.profile_imports.ProfileImports`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jackfield.api.agents import Agent
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.providers import Provider
from jackfield_profiles.keys.store import KeyStore, checked_key
from jackfield_profiles.ports import ProfileCreation, Promised


class ImportedProfiles:
    """Profiles and keys from elsewhere, made as those of a person."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._keys = context.port(KeyStore)

    async def create(self, body: Mapping[str, Json]) -> Sequence[str]:
        return (await self._context.port(ProfileCreation).create_from(dict(body))).warnings

    async def check(
        self, body: Mapping[str, Json], agents: Mapping[str, Agent], providers: Mapping[str, Provider]
    ) -> None:
        await self._context.port(ProfileCreation).check_from(dict(body), Promised(agents, providers))

    async def check_provider_key(self, key: str) -> None:
        checked_key(key)

    async def put_provider_key(self, provider_id: str, key: str) -> None:
        found = checked_key(key)
        self._context.secrets.redact(found)
        await self._keys.put_provider_key(provider_id, found)

    async def stored_provider_key(self, provider_id: str) -> str | None:
        return await self._keys.stored_provider_key(provider_id)
