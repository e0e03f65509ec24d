"""`/api/providers`: who serves models, and where; `/api/custom-providers`: those that were added here."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.http import operation, read_model, success
from jackfield.api.providers import Providers
from jackfield_providers.bodies import CustomProviderBody
from jackfield_providers.command_work import shown
from jackfield_providers.custom import CustomProviders
from jackfield_providers.views import item

TAGS = ("providers",)
_SCHEMAS = "jackfield_providers.schemas"
_BODIES = "jackfield_providers.bodies"


class ProviderRoutes:
    """Views on providers."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @operation("List providers of models", scope=None, response=f"{_SCHEMAS}:ProviderList", tags=TAGS)
    async def list_providers(self) -> Response:
        catalog = self._context.port(Providers)
        rows = [item(provider) for provider in (await catalog.all()).values()]
        return success(rows, warnings=catalog.warnings())

    @operation("Read a provider", scope=None, response=f"{_SCHEMAS}:ProviderAnswer", tags=TAGS)
    async def get_provider(self, provider_id: str) -> Response:
        return success(await shown(self._context, provider_id))

    @operation(
        "Add a provider: a manifest in `providers.d`",
        scope=None,
        request=f"{_BODIES}:CustomProviderBody",
        response=f"{_SCHEMAS}:ProviderAnswer",
        tags=TAGS,
        errors=(Conflict,),
    )
    async def add_provider(self) -> Response:
        body = await read_model(CustomProviderBody)
        warnings = await self._context.port(CustomProviders).add(body)
        return success(await shown(self._context, body.id), warnings=warnings)

    @operation(
        "Remove a provider that was added",
        scope=None,
        response=f"{_SCHEMAS}:ProviderRemoved",
        tags=TAGS,
        errors=(Conflict,),
    )
    async def remove_provider(self, provider_id: str) -> Response:
        provider = await self._context.port(Providers).find(provider_id)
        await self._context.port(CustomProviders).remove(provider)
        return success()


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = ProviderRoutes(context)
    made = Blueprint("providers", __name__, url_prefix="/api/providers")
    made.add_url_rule("", view_func=views.list_providers, methods=["GET"])
    made.add_url_rule("/<provider_id>", view_func=views.get_provider, methods=["GET"])
    custom = Blueprint("custom_providers", __name__, url_prefix="/api/custom-providers")
    custom.add_url_rule("", view_func=views.add_provider, methods=["POST"])
    custom.add_url_rule("/<provider_id>", view_func=views.remove_provider, methods=["DELETE"])
    return [made, custom]
