"""What `jackfield providers` does when it runs."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.providers import Providers
from jackfield_providers import views


async def listed(context: PluginContext) -> tuple[list[dict[str, Json]], Sequence[str]]:
    """Rows, and what is wrong with manifests."""
    catalog = context.port(Providers)
    return [views.item(provider) for provider in (await catalog.all()).values()], catalog.warnings()


async def shown(context: PluginContext, provider_id: str) -> dict[str, Json]:
    return views.detail(await context.port(Providers).find(provider_id))
