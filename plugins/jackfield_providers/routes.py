"""`/api/providers`: who serves models, and where."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.http import operation, success
from jackfield.api.providers import Providers
from jackfield_providers.views import detail, item

TAGS = ("providers",)
_SCHEMAS = "jackfield_providers.schemas"


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
        return success(detail(await self._context.port(Providers).find(provider_id)))


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = ProviderRoutes(context)
    made = Blueprint("providers", __name__, url_prefix="/api/providers")
    made.add_url_rule("", view_func=views.list_providers, methods=["GET"])
    made.add_url_rule("/<provider_id>", view_func=views.get_provider, methods=["GET"])
    return [made]
