"""A provider's addresses and keys, remembered for a time. Source: OpenID Connect Discovery 1.0 section 4, RFC 8414
section 3.3, RFC 7517 section 5."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from jackfield.api.clock import Clock
from jackfield.api.errors import UpstreamFailed
from jackfield.api.host_names import is_loopback
from jackfield.api.jsontext import Json
from jackfield_oidc.requests import JsonObject, ProviderRequests
from jackfield_oidc.settings import OidcProvider, OidcSettings


class ProviderMetadata:
    """Bounded by nature: one document of addresses and one set of keys."""

    def __init__(
        self, provider: OidcProvider, settings: OidcSettings, requests: ProviderRequests, clock: Clock
    ) -> None:
        self._provider = provider
        self._settings = settings
        self._requests = requests
        self._clock = clock
        self._addresses: JsonObject | None = None
        self._addresses_at = 0.0
        self._keys: list[JsonObject] | None = None
        self._keys_at = 0.0
        self._asking = asyncio.Lock()

    async def addresses(self) -> JsonObject:
        """The discovery document. Raises `UpstreamFailed`, also for one of another issuer."""
        async with self._asking:
            if self._addresses is None or self._is_old(self._addresses_at):
                self._addresses = await self._discovered()
                self._addresses_at = self._clock.monotonic()
            return self._addresses

    async def endpoint(self, name: str) -> str:
        """An address of the document, such as `token_endpoint`. Raises `UpstreamFailed` when it has none."""
        found = (await self.addresses()).get(name)
        if not isinstance(found, str) or not _is_safe(found):
            raise UpstreamFailed(f"The provider {self._provider.name} tells no usable {name}.")
        return found

    async def keys(self) -> list[JsonObject]:
        """The public keys (JWK). Raises `UpstreamFailed`."""
        address = await self.endpoint("jwks_uri")
        async with self._asking:
            if self._keys is None or self._is_old(self._keys_at):
                self._keys = await self._fetched(address)
                self._keys_at = self._clock.monotonic()
            return self._keys

    async def keys_anew(self) -> list[JsonObject]:
        """The same, asked for again because a token names a key that was not among them; not more often than
        `keys_pause` allows. Raises `UpstreamFailed`."""
        if self._clock.monotonic() - self._keys_at >= self._settings.keys_pause:
            self._keys = None
        return await self.keys()

    async def _discovered(self) -> JsonObject:
        issuer = self._provider.issuer
        found = await self._requests.document(issuer.rstrip("/") + "/.well-known/openid-configuration")
        if found.get("issuer") != issuer:
            raise UpstreamFailed(
                f"The provider {self._provider.name} calls itself by another issuer than the settings do; "
                "give the issuer as its discovery document has it."
            )
        return found

    async def _fetched(self, address: str) -> list[JsonObject]:
        found: Json = (await self._requests.document(address)).get("keys")
        return [key for key in found if isinstance(key, dict)] if isinstance(found, list) else []

    def _is_old(self, asked: float) -> bool:
        return self._clock.monotonic() - asked >= self._settings.metadata_lifetime


def _is_safe(url: str) -> bool:
    """Whether codes and secrets may go there: TLS, or this machine."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    host = parts.hostname or ""
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host)))
