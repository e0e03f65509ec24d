"""The work of `jackfield providers`."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.providers import Providers
from jackfield_providers import views
from jackfield_providers.custom import CustomProviders


async def listed(context: PluginContext) -> tuple[list[dict[str, Json]], Sequence[str]]:
    """Rows, and what is wrong with manifests."""
    catalog = context.port(Providers)
    return [views.item(provider) for provider in (await catalog.all()).values()], catalog.warnings()


async def shown(context: PluginContext, provider_id: str) -> dict[str, Json]:
    provider = await context.port(Providers).find(provider_id)
    return views.detail(provider, added=await context.port(CustomProviders).is_custom(provider.id))
