"""`/api/v1/mcp/offered-tools`: which workflows are offered as tools."""

from __future__ import annotations

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.http import json_response, operation
from jackfield.api.json_values import Json
from jackfield_mcp.offers.book import OfferedWorkflow, OfferedWorkflows

_SCHEMAS = "jackfield_mcp.offers.schemas"
TAGS = ("mcp",)


class OfferRoutes:
    """The offers that agents of profiles get, but for those that each profile leaves out."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @operation(
        "List the live workflows that are offered as tools to agents of profiles, by name",
        operation_id="listMcpOfferedTools",
        scope="workflows:read",
        response=f"{_SCHEMAS}:OfferedToolList",
        tags=TAGS,
    )
    async def list_offered(self) -> Response:
        found = await self._context.port(OfferedWorkflows).all()
        return json_response({"data": [_view(one) for one in found], "total": len(found)})


def offer_rules(made: Blueprint, context: PluginContext) -> None:
    made.add_url_rule("/offered-tools", view_func=OfferRoutes(context).list_offered, methods=["GET"])


def _view(one: OfferedWorkflow) -> Json:
    return {
        "name": one.name,
        "description": one.description,
        "inputSchema": dict[str, Json](one.schema),
        "workflowId": one.workflow.id,
        "workflowName": one.workflow.name,
        "startNode": one.node.name,
    }
