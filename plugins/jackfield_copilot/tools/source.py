"""The tools of a draft as the daemon's MCP server has them: for agents whose token names the draft, and nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, NotFound
from jackfield.api.http import validation_details
from jackfield.api.json_values import Json
from jackfield.api.mcp.tool_sources import SourcedCall, SourcedTool, ToolFailed, ToolSource
from jackfield.api.profile_tools import reach_of
from jackfield_copilot.sessions.reach import DRAFT
from jackfield_copilot.tools.editing import EDITING_TOOLS
from jackfield_copilot.tools.looking import LOOKING_TOOLS
from jackfield_copilot.tools.running import RUNNING_TOOLS
from jackfield_copilot.tools.tool import AnyDraftTool, BoundCall

TOOLS: Sequence[AnyDraftTool] = (*EDITING_TOOLS, *RUNNING_TOOLS, *LOOKING_TOOLS)


class DraftToolSource:
    """`ToolSource`."""

    name = "copilot"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tools = {tool.name: tool for tool in TOOLS}
        self._shown: Mapping[str, SourcedTool] = {}

    async def tools(self, caller: Principal) -> Sequence[SourcedTool]:
        reach = reach_of(caller)
        if reach is None or DRAFT not in reach.scope.bound:
            return ()
        if not self._shown:
            self._shown = await asyncio.to_thread(lambda: {tool.name: _shown(tool) for tool in TOOLS})
        return [one for name, one in self._shown.items() if reach.names(name)]

    async def call(self, call: SourcedCall) -> Json:
        reach = reach_of(call.caller)
        tool = self._tools.get(call.name)
        if reach is None or tool is None or DRAFT not in reach.scope.bound or not reach.names(tool.name):
            raise ToolFailed("There is no such tool.")
        try:
            given = tool.arguments.model_validate(call.arguments)
        except ValidationError as exc:
            details: dict[str, Json] = dict(validation_details(exc))
            raise ToolFailed(f"The arguments of {tool.name} are not valid; see more.", details) from None
        try:
            return await tool.run(BoundCall(self._context, reach.scope.bound[DRAFT], call), given)
        except NotFound as exc:
            raise ToolFailed(exc.message, {"code": exc.code}) from None
        except ToolFailed:
            raise
        except JackfieldError as exc:
            told: dict[str, Json] = {"code": exc.code, "details": cast("Json", exc.details)}
            raise ToolFailed(exc.message, told) from None


def _shown(tool: AnyDraftTool) -> SourcedTool:
    schema = cast("Mapping[str, Json]", _untitled(tool.arguments.model_json_schema()))
    return SourcedTool(tool.name, tool.title, tool.description, schema, reads=tool.reads, outward=tool.outward)


def _untitled(schema: Any) -> Any:  # a JSON Schema
    """Without pydantic's titles, which repeat the names."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _untitled(one) for key, one in schema.items() if key != "title" or not isinstance(one, str)}


def sources(context: PluginContext) -> Sequence[ToolSource]:
    return [DraftToolSource(context)]
