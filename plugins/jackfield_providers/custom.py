"""Providers that a person adds: a manifest in `providers.d`, held against the same rules as `providers validate`."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import tomli_w

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError, Conflict, InvalidInput
from jackfield.api.files import create_private, private_directory, read_private, remove_private
from jackfield.api.profiles import Profile, Profiles, ProviderKeys
from jackfield.api.projects import reaching
from jackfield.api.providers import Provider, Providers
from jackfield.api.proxy import targets_in
from jackfield_providers.bodies import CustomProviderBody
from jackfield_providers.checking import checked_provider
from jackfield_providers.kinds import PROVIDERS

MARK = b"# Added by Jackfield, which removes this file with the provider.\n"
"""Begins the files that were written here."""


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
            _require_free(body, await self._context.port(Providers).all())
            content = MARK + tomli_w.dumps(manifest_of(body)).encode()
            warnings = await asyncio.to_thread(self._checked, body.id, content)
            await self._forget_key(body.id)
            await asyncio.to_thread(self._write, body.id, content)
            return warnings

    async def remove(self, provider: Provider) -> None:
        """Its key goes first: it must not go to whoever takes the id. Raises `Conflict` when the provider was not added
        here, or profiles name it."""
        async with self._changing:
            if not await self.is_custom(provider.id):
                raise Conflict(
                    f"The provider {provider.id} was not added here: {self._directory.name} has no file "
                    f"{provider.id}.toml that the daemon has written. Remove its file yourself.",
                    code="PROVIDER_NOT_CUSTOM",
                )
            profiles = self._context.find_port(Profiles)
            seen = [] if profiles is None else [profile.alias for profile in await profiles.all()]
            with reaching(None):  # a provider is everybody's, also of projects that the caller does not see
                every = [] if profiles is None else await profiles.all()
            using = {profile.alias: named for profile in every if (named := _named(profile, provider.id))}
            if using:
                shown = [(alias, named) for alias, named in using.items() if alias in seen]
                told = "; ".join(f"{alias} ({', '.join(named[:3])})" for alias, named in shown[:10])
                told = told or "profiles of projects that you are not in"
                raise Conflict(
                    f"Profiles name the provider {provider.id}: {told}. Change or delete them first.",
                    code="PROVIDER_IN_USE",
                )
            await self._forget_key(provider.id)
            await asyncio.to_thread(remove_private, self._file(provider.id))

    async def is_custom(self, id: str) -> bool:
        """Whether the provider's file was written here."""
        return await asyncio.to_thread(self._is_ours, id)

    async def _forget_key(self, id: str) -> None:
        """Raises `JackfieldError` while the keyring does not answer."""
        keys = self._context.find_port(ProviderKeys)
        if keys is not None:
            await keys.remove_provider_key(id)

    def _is_ours(self, id: str) -> bool:
        try:
            content = read_private(self._file(id)) or b""
            return content.startswith(MARK) and tomllib.loads(content.decode()).get("id") == id
        except (ConfigurationError, ValueError):  # no plain file, not to be read, no UTF-8, no TOML
            return False

    def _file(self, id: str) -> Path:
        """id: of a manifest, or checked as one."""
        return self._directory / f"{id}.toml"

    def _checked(self, id: str, content: bytes) -> Sequence[str]:
        """The warnings. Raises `InvalidInput`, `Conflict`."""
        warnings = _require_good(self._file(id).name, content)
        if os.path.lexists(self._file(id)):
            raise self._occupied(id)
        return warnings

    def _write(self, id: str, content: bytes) -> None:
        private_directory(self._directory)
        if not create_private(self._file(id), content):
            raise self._occupied(id)

    def _occupied(self, id: str) -> Conflict:
        return Conflict(
            f"{self._file(id)} is there, and is no provider {id}; see the warnings of the list.",
            code="PROVIDER_EXISTS",
            details={"id": "choose another one, or mend the file"},
        )


def _require_free(body: CustomProviderBody, providers: Mapping[str, Provider]) -> None:
    """Raises `Conflict` when the id, or the variable for the key, is another provider's."""
    if body.id in providers:
        raise Conflict(
            f"There is a provider {body.id} already.", code="PROVIDER_EXISTS", details={"id": "choose another one"}
        )
    variable = _variable(body)
    other = next((one.id for one in providers.values() if variable and one.auth.env_key == variable), None)
    if other is not None:
        raise Conflict(
            f"The key of {body.id} would be in {variable}, where that of the provider {other} is.",
            code="PROVIDER_VARIABLE_TAKEN",
            details={"id": f"choose one that differs from {other} in letters or digits"},
        )


def _named(profile: Profile, provider: str) -> Sequence[str]:
    """The fields of the profile that name the provider."""
    config = profile.proxy_config or {}
    limits = config.get("providers")
    found = ["provider_id"] if profile.provider_id == provider else []
    found += [path for path, target in targets_in(config) if target.provider == provider]
    return [*found, f"proxy_config.providers.{provider}"] if isinstance(limits, dict) and provider in limits else found


def manifest_of(body: CustomProviderBody) -> Mapping[str, object]:
    """The manifest's document.

    The variable for its key has a name that no other provider's has. So nobody can have the daemon send another's key
    to an address of theirs.
    """
    document = body.model_dump(exclude_none=True, exclude_defaults=True)
    auth = document.setdefault("auth", {})
    if (variable := _variable(body)) is not None:
        auth["env_key"] = variable
        auth["prompt"] = f"API key for {body.name or body.id}"
    return document


def _variable(body: CustomProviderBody) -> str | None:
    """The name of the environment variable for its key; None: it needs none."""
    return f"CUSTOM_{re.sub(r'[^A-Z0-9]', '_', body.id.upper())}_API_KEY" if body.auth.required else None


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
