"""`/api/registry`: what was synced, a sync, a pin."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, UpstreamFailed
from jackfield.api.http import operation, read_model, read_query, success
from jackfield_registry.ports import LocalRegistry
from jackfield_registry.schemas import PinBody, SyncQuery
from jackfield_registry.views import offer_view, status_view

TAGS = ("registry",)
_SCHEMAS = "jackfield_registry.schemas"


class RegistryRoutes:
    """Views on the registry."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _service(self) -> LocalRegistry:
        return self._context.port(LocalRegistry)

    @operation(
        "Read the registry's state",
        operation_id="getRegistry",
        scope=None,
        response=f"{_SCHEMAS}:RegistryAnswer",
        tags=TAGS,
    )
    async def read(self) -> Response:
        service = self._service
        return success(status_view(await service.status()), warnings=await service.damage())

    @operation(
        "Sync the registry",
        operation_id="syncRegistry",
        scope=None,
        query=f"{_SCHEMAS}:SyncQuery",
        response=f"{_SCHEMAS}:RegistryAnswer",
        tags=TAGS,
        errors=(Conflict, UpstreamFailed),
    )
    async def sync(self) -> Response:
        return success(status_view(await self._service.sync(force=read_query(SyncQuery).force)))

    @operation(
        "Tell what a sync of the registry would bring; nothing is taken",
        operation_id="getRegistryOffer",
        scope=None,
        query=f"{_SCHEMAS}:SyncQuery",
        response=f"{_SCHEMAS}:OfferAnswer",
        tags=TAGS,
        errors=(Conflict, UpstreamFailed),
    )
    async def offer(self) -> Response:
        return success(offer_view(await self._service.offer(force=read_query(SyncQuery).force)))

    @operation(
        "Stay at a commit of the registry, or go with its channel again",
        operation_id="pinRegistry",
        scope=None,
        request=f"{_SCHEMAS}:PinBody",
        response=f"{_SCHEMAS}:RegistryAnswer",
        tags=TAGS,
        errors=(Conflict, UpstreamFailed),
    )
    async def pin(self) -> Response:
        body = await read_model(PinBody)
        return success(status_view(await self._service.pin(body.ref)))


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = RegistryRoutes(context)
    made = Blueprint("registry", __name__, url_prefix="/api/registry")
    for method, path, view in (
        ("GET", "", views.read),
        ("GET", "/offer", views.offer),
        ("POST", "/sync", views.sync),
        ("POST", "/pin", views.pin),
    ):
        made.add_url_rule(path, view_func=view, methods=[method])
    return [made]
