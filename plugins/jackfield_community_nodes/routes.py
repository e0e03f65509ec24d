"""`/community-nodes`: packages of npm whose nodes are here. Administrators alone change them."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from quart import Blueprint, Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, UpstreamFailed
from jackfield.api.http import json_response, operation, read_model
from jackfield.api.jsontext import Json
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield.api.object_references import load
from jackfield_community_nodes.settings import CommunityNodesSettings

if TYPE_CHECKING:
    from jackfield_community_nodes.changes import Changes
    from jackfield_community_nodes.packages import InstalledPackage
    from jackfield_community_nodes.schemas import CommunityPackageChange, NewCommunityPackage

TAGS = ("community nodes",)
ADMIN = "admin"
_SCHEMAS = "jackfield_community_nodes.schemas"
_CHANGES = "jackfield_community_nodes.changes:Changes"


class CommunityNodeRoutes:
    """Views on packages."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @property
    def _changes(self) -> Changes:
        """Loaded with the first request: npm's client and the client for HTTP take 6 MB, and most daemons have no
        package."""
        return self._context.port(cast("type[Changes]", load(_CHANGES)))

    @operation(
        "List packages of community nodes",
        operation_id="listCommunityPackages",
        scope="workflows:read",
        response=f"{_SCHEMAS}:CommunityPackageList",
        tags=TAGS,
    )
    async def list_packages(self) -> Response:
        found = await self._changes.packages()
        changeable = self._context.settings(CommunityNodesSettings).changes == "api"
        return json_response(
            {
                "data": [shown(package) for package in found],
                "total": len(found),
                "changeable": changeable,
                "host": socket.gethostname(),
            }
        )

    @operation(
        "Add a package of community nodes",
        operation_id="addCommunityPackage",
        scope=ADMIN,
        request=f"{_SCHEMAS}:NewCommunityPackage",
        response=f"{_SCHEMAS}:CommunityPackageShown",
        status=201,
        tags=TAGS,
        errors=(Conflict, UpstreamFailed),
    )
    async def add_package(self) -> Response:
        body: NewCommunityPackage = await read_model(f"{_SCHEMAS}:NewCommunityPackage")
        return json_response(shown(await self._changes.add(body.name, body.version, body.integrity)), 201)

    @operation(
        "Bring a package of community nodes to another version",
        operation_id="updateCommunityPackage",
        scope=ADMIN,
        request=f"{_SCHEMAS}:CommunityPackageChange",
        response=f"{_SCHEMAS}:CommunityPackageShown",
        tags=TAGS,
        errors=(UpstreamFailed,),
    )
    async def update_package(self, package: str) -> Response:
        body: CommunityPackageChange = await read_model(f"{_SCHEMAS}:CommunityPackageChange")
        return json_response(shown(await self._changes.update(package, body.version, body.integrity)))

    @operation(
        "Remove a package of community nodes",
        operation_id="removeCommunityPackage",
        scope=ADMIN,
        status=204,
        tags=TAGS,
    )
    async def remove_package(self, package: str) -> Response:
        await self._changes.remove(package)
        return Response(status=204)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    views = CommunityNodeRoutes(context)
    made = Blueprint("community_nodes", __name__, url_prefix=SERVICE_PREFIX)
    one = "/community-nodes/<path:package>"
    for method, path, view in (
        ("GET", "/community-nodes", views.list_packages),
        ("POST", "/community-nodes", views.add_package),
        ("PUT", one, views.update_package),
        ("DELETE", one, views.remove_package),
    ):
        made.add_url_rule(path, view_func=view, methods=[method])
    return [made]


def shown(package: InstalledPackage) -> dict[str, Json]:
    return {
        "name": package.name,
        "version": package.version,
        "integrity": package.integrity,
        "license": package.license,
        "summary": package.summary,
        "installedAt": iso(package.installed_at),
        "nodes": [{"kind": node.kind, "title": node.title, "missing": node.missing} for node in package.nodes],
        "credentials": [kind.kind for kind in package.credentials],
        "dependencies": [
            {"path": one.path, "name": one.name, "version": one.version, "integrity": one.integrity}
            for one in package.dependencies
        ],
        "problems": list(package.problems),
    }
