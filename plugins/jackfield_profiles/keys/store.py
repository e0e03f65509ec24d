"""API keys of profiles and providers. They are in the operating system's keyring where one answers, else each in an
encrypted file. They never are in a profile, a log or an answer.

Source: docs/decisions.md, 'Agents, providers and profiles'.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from typing import Literal

import orjson

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.profiles import Profile
from jackfield.api.providers import Provider, Providers, keys_in
from jackfield_profiles.keys.files import KeyFiles, StoredKey
from jackfield_profiles.keys.system_keyring import KeyringSilent, SystemKeyring
from jackfield_profiles.settings import ProfilesSettings

LONGEST = 8192
"""Characters of a key, or of several together."""


class KeyStore:
    """A file says of each key where it is, so that what a crash leaves behind is found and swept."""

    def __init__(self, context: PluginContext) -> None:
        settings = context.settings(ProfilesSettings)
        self._context = context
        self._files = KeyFiles(context.service.config_dir, context.secrets)
        self._choice = settings.key_store
        self._keyring = SystemKeyring(
            context.service.config_dir, settings.keyring_timeout, any_backend=settings.key_store == "keyring"
        )

    async def key(self, profile: Profile) -> str | None:
        """The profile's own key, else the one in the daemon's environment; None: neither. Raises `KeyUnreadable`,
        `KeyringSilent`."""
        own = await self.own(profile.alias)
        return own if own is not None else await self._from_environment(profile.provider_id)

    async def provider_key(self, provider_id: str) -> str | None:
        """The key that is stored for the provider, else the one in the daemon's environment. Raises as `key`."""
        stored = await self.stored_provider_key(provider_id)
        return stored if stored is not None else await self._from_environment(provider_id)

    async def stored_provider_key(self, provider_id: str) -> str | None:
        """Raises as `key`."""
        return await self._find(f"providers/{provider_id}")

    async def provider_key_source(self, provider: Provider) -> Literal["stored", "environment"] | None:
        """Where `provider_key` finds one; the keyring is not asked."""
        if provider.id in await asyncio.to_thread(self._files.names, "providers"):
            return "stored"
        return "environment" if self.environment_key(provider) is not None else None

    async def own(self, alias: str) -> str | None:
        """Raises as `key`."""
        return await self._find(f"profiles/{alias}")

    async def has_own(self, alias: str) -> bool:
        """Whether the profile has its own key; the keyring is not asked."""
        return alias in await asyncio.to_thread(self._files.names, "profiles")

    async def put(self, alias: str, key: str) -> None:
        """Store the profile's own key. Raises `KeyringSilent` when the keyring must be used and does not answer."""
        await self._put(f"profiles/{alias}", key)

    async def remove(self, alias: str) -> None:
        """A key that is not there is removed already. Raises as `put`; then the key is swept later."""
        await self._remove(f"profiles/{alias}")

    async def put_provider_key(self, provider_id: str, key: str) -> None:
        """As `put`."""
        await self._put(f"providers/{provider_id}", key)

    async def remove_provider_key(self, provider_id: str) -> None:
        """As `remove`."""
        await self._remove(f"providers/{provider_id}")

    async def aliases(self) -> list[str]:
        """The profiles that have their own key, or had one when a crash came between."""
        return list(await asyncio.to_thread(self._files.names, "profiles"))

    async def problems(self) -> Sequence[str]:
        """One sentence for each stored key that cannot be opened; the keyring is not asked."""
        return await asyncio.to_thread(self._files.problems)

    async def place(self) -> str:
        """Where a new key would go, in words."""
        used = await self._uses_keyring()
        return "the operating system's keyring" if used else "encrypted files below keys/"

    def environment_key(self, provider: Provider) -> str | None:
        """The provider's key in the daemon's own environment."""
        name = provider.auth.env_key
        found = os.environ.get(name, "").strip() if name else ""
        self._context.secrets.redact(found, *keys_in(found))
        return found or None

    async def _from_environment(self, provider_id: str) -> str | None:
        provider = (await self._context.port(Providers).all()).get(provider_id)
        return self.environment_key(provider) if provider is not None else None

    async def _uses_keyring(self) -> bool:
        return self._choice != "file" and await self._keyring.there()

    async def _find(self, owner: str) -> str | None:
        place: StoredKey | None = await asyncio.to_thread(self._files.find, owner)
        if place is None:
            return None
        key = place.key if place.key is not None else await self._keyring.get(owner)
        if key is not None:
            self._context.secrets.redact(key, *keys_in(key))
        return key

    async def _put(self, owner: str, key: str) -> None:
        self._context.secrets.redact(key, *keys_in(key))
        if self._choice == "keyring":
            await self._put_in_keyring(owner, key)
            return
        if await self._uses_keyring():
            with contextlib.suppress(KeyringSilent):
                await self._put_in_keyring(owner, key)
                return
        await asyncio.to_thread(self._files.seal, owner, key)

    async def _put_in_keyring(self, owner: str, key: str) -> None:
        """Noted first: a key that nobody notes would stay in the keyring forever."""
        before = await asyncio.to_thread(self._files.note_keyring, owner)
        try:
            await self._keyring.put(owner, key)
        except KeyringSilent:
            await asyncio.to_thread(self._files.restore, owner, before)
            raise

    async def _remove(self, owner: str) -> None:
        if await asyncio.to_thread(self._files.in_keyring, owner):
            await self._keyring.remove(owner)
        await asyncio.to_thread(self._files.remove, owner)


def key_store(context: PluginContext) -> KeyStore:
    """The daemon's one, as the port `ProviderKeys`."""
    return context.port(KeyStore)


def checked_key(text: str) -> str:
    """In one line: without the white space around a key that copying leaves, and with one space between several.
    Raises `InvalidInput`; the key is not quoted."""
    key = " ".join(text.split()) if not text.lstrip().startswith("{") else _document(text)
    if len(key) > LONGEST or any(not " " <= character <= "~" for character in key):
        raise _invalid(f"give at most {LONGEST} printable ASCII characters")
    return key


def _document(text: str) -> str:
    """The key file of a Google service account."""
    try:
        return orjson.dumps(orjson.loads(text)).decode()
    except orjson.JSONDecodeError:
        raise _invalid("give the whole JSON document, or a key that does not begin with {") from None


def _invalid(remedy: str) -> InvalidInput:
    return InvalidInput("The API key is not valid.", code="KEY_INVALID", details={"api_key": remedy})
