"""`/node-types`: every installed node with its parameters as JSON Schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.extensions import PluginReports
from jackfield.api.http import operation, principal, read_query
from jackfield.api.nodes import NodeCatalog
from jackfield.api.nodes.changing import renewals
from jackfield.api.workflows import local_type
from jackfield_workflows.activation.node_rules import NodeRules
from jackfield_workflows.routes.groups import Route, schema
from jackfield_workflows.routes.node_type_views import NodeTypeViews

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas_node_types import NodeTypeQuery

TAGS = ("node types",)


class NodeTypeRoutes:
    """Views on the catalog."""

    name = "node_types"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._rules = NodeRules(context)
        self._views = NodeTypeViews(
            lambda: context.port(NodeCatalog), lambda: context.find_port(PluginReports), lambda: renewals(context)
        )

    def routes(self) -> Sequence[Route]:
        return (
            ("GET", "/node-types", self.list_node_types),
            ("GET", "/node-types/<path:kind>", self.get_node_type),
        )

    @operation(
        "List the node types that can run with their parameters as JSON Schema; `schemas=false`: without them, which "
        "is much shorter; `unavailable=true`: also those that cannot run here, with the reason",
        scope="workflows:read",
        query=schema("NodeTypeQuery", "schemas_node_types"),
        response=schema("NodeTypeList", "schemas_node_types"),
        tags=TAGS,
    )
    async def list_node_types(self) -> Response:
        query: NodeTypeQuery = read_query(schema("NodeTypeQuery", "schemas_node_types"))
        left_out = await self._rules.left_out(principal())
        found = await self._views.all(schemas=query.schemas, unavailable=query.unavailable, left_out=left_out)
        return Response(found, content_type="application/json")

    @operation(
        "Read a node type with its forms and its parameters as JSON Schema, under any of its namespaces",
        scope="workflows:read",
        response=schema("NodeTypeWhole", "schemas_node_types"),
        tags=TAGS,
    )
    async def get_node_type(self, kind: str) -> Response:
        found = await self._views.one(local_type(kind))
        if not found:
            raise NotFound("There is no such node type.")
        return Response(found, content_type="application/json")
