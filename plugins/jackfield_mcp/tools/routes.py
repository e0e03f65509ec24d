"""`/api/v1/mcp/tools`: the daemon's own tools, of which a profile may be given some."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from quart import Blueprint, Response

from jackfield.api.http import json_response, operation
from jackfield.api.json_values import Json
from jackfield.api.object_references import load

if TYPE_CHECKING:
    from jackfield_mcp.tool import AnyTool

_TOOLS = "jackfield_mcp.catalogue:TOOLS"


@operation(
    "List the daemon's own MCP tools, with the scopes that each needs",
    operation_id="listMcpTools",
    scope="workflows:read",
    response="jackfield_mcp.tools.schemas:McpToolList",
    tags=("mcp",),
)
async def list_tools() -> Response:
    tools = cast("Sequence[AnyTool]", await asyncio.to_thread(load, _TOOLS))
    return json_response({"data": [_view(one) for one in tools], "total": len(tools)})


def tool_rules(made: Blueprint) -> None:
    made.add_url_rule("/tools", view_func=list_tools, methods=["GET"])


def _view(one: AnyTool) -> Json:
    return {
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "scopes": list[Json](one.scopes),
        "reads": one.reads,
        "destroys": one.destroys,
        "outward": one.outward,
    }
