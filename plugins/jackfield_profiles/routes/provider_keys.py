"""Keys of providers: for requests that a proxy sends to another provider than its profile's."""

from __future__ import annotations

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http import operation, read_model, success
from jackfield.api.providers import Providers
from jackfield_profiles.keys.store import KeyStore, checked_key
from jackfield_profiles.routes.bodies import ProviderKeyBody

TAGS = ("providers",)
_SCHEMAS = "jackfield_profiles.schemas"


class ProviderKeyRoutes:
    """A stored key is set and removed; it never comes back."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _keys(self) -> KeyStore:
        return self._context.port(KeyStore)

    @operation(
        "Say where a provider's key comes from",
        operation_id="getProviderKey",
        scope=None,
        response=f"{_SCHEMAS}:ProviderKeyShown",
        tags=TAGS,
    )
    async def get_key(self, provider_id: str) -> Response:
        provider = await self._context.port(Providers).find(provider_id)
        return success({"source": await self._keys.provider_key_source(provider)})

    @operation(
        "Store a provider's key",
        operation_id="putProviderKey",
        scope=None,
        request="jackfield_profiles.routes.bodies:ProviderKeyBody",
        response=f"{_SCHEMAS}:MessageShown",
        tags=TAGS,
    )
    async def put_key(self, provider_id: str) -> Response:
        provider = await self._context.port(Providers).find(provider_id)
        body = await read_model(ProviderKeyBody)
        key = checked_key(body.api_key)
        if not key:
            raise InvalidInput("The API key is empty.", details={"api_key": "give the key"})
        await self._keys.put_provider_key(provider.id, key)
        return success({"message": f"The key of the provider {provider.id} was stored."})

    @operation(
        "Remove a provider's stored key",
        operation_id="removeProviderKey",
        scope=None,
        response=f"{_SCHEMAS}:MessageShown",
        tags=TAGS,
    )
    async def remove_key(self, provider_id: str) -> Response:
        provider = await self._context.port(Providers).find(provider_id)
        await self._keys.remove_provider_key(provider.id)
        return success({"message": f"The provider {provider.id} has no stored key."})
