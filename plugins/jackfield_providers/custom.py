"""Providers that a person adds: a manifest in `providers.d`, held against the same rules as `providers validate`."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import tomli_w

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, InvalidInput
from jackfield.api.files import create_private, private_directory, remove_private
from jackfield.api.profiles import Profiles
from jackfield.api.providers import Provider, Providers
from jackfield_providers.bodies import CustomProviderBody
from jackfield_providers.checking import checked_provider
from jackfield_providers.kinds import PROVIDERS


class CustomProviders:
    """Adds and removes files of `providers.d`, one after the other."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._directory = context.service.config_dir / f"{PROVIDERS.name}.d"
        self._changing = asyncio.Lock()

    async def add(self, body: CustomProviderBody) -> Sequence[str]:
        """Gives what is to be said about it. Raises `InvalidInput` that names the field, `Conflict` for an id that is
        taken."""
        async with self._changing:
            if body.id in await self._context.port(Providers).all():
                raise Conflict(
                    f"There is a provider {body.id} already.",
                    code="PROVIDER_EXISTS",
                    details={"id": "choose another one"},
                )
            return await asyncio.to_thread(self._write, body)

    async def remove(self, provider: Provider) -> None:
        """Raises `Conflict` when it was not added here, or profiles have it."""
        async with self._changing:
            if not await self.is_custom(provider.id):
                raise Conflict(
                    f"The provider {provider.id} has no file {provider.id}.toml in {self._directory.name}: "
                    "only what was added there can be removed.",
                    code="PROVIDER_NOT_CUSTOM",
                )
            profiles = self._context.find_port(Profiles)
            every = [] if profiles is None else await profiles.all()
            using = [profile.alias for profile in every if profile.provider_id == provider.id]
            if using:
                raise Conflict(
                    f"Profiles have the provider {provider.id}: {', '.join(using[:10])}. Delete them first.",
                    code="PROVIDER_IN_USE",
                )
            await asyncio.to_thread(remove_private, self._file(provider.id))

    async def is_custom(self, id: str) -> bool:
        return await asyncio.to_thread(self._file(id).is_file)

    def _file(self, id: str) -> Path:
        """id: of a manifest, or checked as one."""
        return self._directory / f"{id}.toml"

    def _write(self, body: CustomProviderBody) -> Sequence[str]:
        content = tomli_w.dumps(manifest_of(body)).encode()
        warnings = _require_good(self._file(body.id).name, content)
        private_directory(self._directory)
        if not create_private(self._file(body.id), content):
            raise Conflict(
                f"{self._file(body.id)} is there, and is no provider {body.id}; see the warnings of the list.",
                code="PROVIDER_EXISTS",
                details={"id": "choose another one, or mend the file"},
            )
        return warnings


def manifest_of(body: CustomProviderBody) -> Mapping[str, object]:
    """The manifest's document. The variable for its key has a name that no other provider's has: nobody can have the
    daemon send another's key to an address of theirs."""
    document = body.model_dump(exclude_none=True, exclude_defaults=True)
    auth = document.setdefault("auth", {})
    if body.auth.required:
        auth["env_key"] = f"CUSTOM_{re.sub(r'[^A-Z0-9]', '_', body.id.upper())}_API_KEY"
        auth["prompt"] = f"API key for {body.name or body.id}"
    return document


def _require_good(name: str, content: bytes) -> Sequence[str]:
    """The warnings. Raises `InvalidInput` that names each field."""
    with tempfile.TemporaryDirectory(prefix="jackfield-provider-") as place:
        file = Path(place) / name
        file.write_bytes(content)
        problems = checked_provider(file).problems
    errors = {one.key or "provider": one.message for one in problems if one.severity == "error"}
    if errors:
        raise InvalidInput("The provider is not valid.", code="PROVIDER_INVALID", details=errors)
    return [f"{one.key}: {one.message}" for one in problems]
