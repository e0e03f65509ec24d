"""`/secret-sources`: which there are, which secrets they have, and whether they let us in. No answer has a value."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound, UpstreamFailed
from jackfield.api.http import json_response, operation
from jackfield.api.jsontext import Json
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield.api.projects import ProjectAccess
from jackfield.api.secret_references import SecretReference
from jackfield.api.secret_sources import SecretProblem
from jackfield_secrets.service import NamedSource, SecretSources

TAGS = ("credentials",)
SCOPE = "credentials:write"
_SCHEMAS = "jackfield_secrets.http.schemas"


class SecretSourceRoutes:
    """Views on sources, of those that projects may use in which the caller writes credentials."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @operation("List sources of secrets", scope=SCOPE, response=f"{_SCHEMAS}:SecretSourceList", tags=TAGS)
    async def list_secret_sources(self) -> Response:
        sources = self._context.port(SecretSources)
        found = [await asyncio.to_thread(sources.named, name) for name in sources.known]
        rows = [_view(each) for each in found if await self._is_for_caller(each)]
        return json_response({"data": rows, "total": len(rows)})

    @operation(
        "List names of a source's secrets",
        operation_id="listSecretNames",
        scope=SCOPE,
        response=f"{_SCHEMAS}:SecretNames",
        tags=TAGS,
        errors=(UpstreamFailed,),
    )
    async def list_names(self, name: str) -> Response:
        source = await self._find(name)
        try:
            paths = await self._context.port(SecretSources).names(source)
        except SecretProblem as exc:
            raise UpstreamFailed(exc.message) from None
        return json_response({"references": [str(SecretReference(name, path)) for path in paths]})

    @operation(
        "Try whether a source of secrets lets the daemon in",
        operation_id="testSecretSource",
        scope=SCOPE,
        response=f"{_SCHEMAS}:SecretSourceTest",
        tags=TAGS,
    )
    async def test(self, name: str) -> Response:
        source = await self._find(name)
        try:
            message = await self._context.port(SecretSources).test(source)
        except SecretProblem as exc:
            return json_response({"valid": False, "message": exc.message})
        return json_response({"valid": True, "message": message})

    async def _find(self, name: str) -> NamedSource:
        """Raises `NotFound`, also for one that no project of the caller may use."""
        sources = self._context.port(SecretSources)
        if name in sources.known:
            found = await asyncio.to_thread(sources.named, name)
            if await self._is_for_caller(found):
                return found
        raise NotFound("There is no source of secrets with this name.")

    async def _is_for_caller(self, source: NamedSource) -> bool:
        access = self._context.find_port(ProjectAccess)
        rights = None if access is None else await access.rights()
        return rights is None or any(
            source.serves(project) and rights.may(project, "write") for project in rights.roles
        )


def _view(source: NamedSource) -> dict[str, Json]:
    return {
        "name": source.name,
        "kind": source.settings.kind,
        "title": source.title,
        "projects": list(source.settings.projects),
        "mistake": source.mistake or None,
        "failure": source.cache.failure if source.cache is not None else None,
    }


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = SecretSourceRoutes(context)
    made = Blueprint("secret_sources", __name__, url_prefix=f"{SERVICE_PREFIX}/secret-sources")
    made.add_url_rule("", view_func=views.list_secret_sources, methods=["GET"])
    made.add_url_rule("/<name>/names", view_func=views.list_names, methods=["GET"])
    made.add_url_rule("/<name>/test", view_func=views.test, methods=["POST"])
    return [made]
