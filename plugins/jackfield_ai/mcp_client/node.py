"""MCP Client: calls one tool of an MCP server for each item."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, loads
from jackfield.api.nodes import NodeDescription, NodeError, NodeResult, NodeRun
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.nodes.unresolved import first_resolved, unresolved_items
from jackfield.api.workflows import Items
from jackfield_ai.mcp_client.parameters import McpClientParameters
from jackfield_ai.mcp_client.results import item_of, require_success
from jackfield_ai.mcp_client.serving import MCP_CREDENTIALS, McpNode
from jackfield_ai.mcp_client.sessions import kept_session, target_of
from jackfield_ai.mcp_client.targets import McpSession, McpTarget
from jackfield_ai.nodes import each_item
from jackfield_ai.parameters import chosen

_FAILS_SINCE = 1.1
"""Since then what a tool calls an error fails the item."""


class McpClientNode(McpNode):
    kind = "langchain.mcpClient"
    versions: Sequence[float] = (1, 1.1)
    model = McpClientParameters
    description = NodeDescription(
        "MCP Client",
        "Calls a tool of an MCP server.",
        "ai",
        credentials=MCP_CREDENTIALS,
        missing=lacking_library("mcp", "mcp"),
    )

    async def execute(self, run: NodeRun) -> NodeResult:
        resolved: list[McpClientParameters] = await run.resolve()
        first = first_resolved(resolved)
        if first is None:
            return [unresolved_items(resolved)]
        targets: list[McpTarget] = []

        async def one(index: int) -> Items:
            name = chosen(resolved[index].tool)
            if not targets:
                targets.append(await target_of(first, run))  # of all items, as in n8n
            async with kept_session(self._context, run, targets[0]) as server:
                return await self._called(run, server, resolved[index], name, index)

        return [await each_item(run, one)]

    async def _called(
        self, run: NodeRun, server: McpSession, parameters: McpClientParameters, name: str, index: int
    ) -> Items:
        if not name:
            raise NodeError("The parameter tool is empty; choose a tool.")
        options = parameters.options
        seconds = min(options.seconds, self.settings.mcp_tool_timeout)

        async def progress(text: str) -> None:
            run.log.debug("%s: %s: %s", run.node.name, name, text)

        result = await server.call(name, _arguments(parameters), seconds, progress)
        if (run.node.version or 1) >= _FAILS_SINCE:
            require_success(result, name)
        return [await item_of(run, result, index, files=options.convert_to_binary)]


def _arguments(parameters: McpClientParameters) -> dict[str, Json]:
    """Raises `NodeError`."""
    if parameters.input_mode == "json":
        field, found = "jsonInput", parameters.json_input
    else:
        given = parameters.parameters
        field, found = "parameters", given.get("value") if isinstance(given, dict) else None
    if isinstance(found, str):
        try:
            found = loads(found) if found.strip() else None
        except InvalidInput:
            raise NodeError(f"The parameter {field} is not valid JSON; give an object.") from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise NodeError(f"The parameter {field} must be an object: the tool's arguments by their names.")
    return found


def mcp_client(context: PluginContext, kind: str) -> McpClientNode:
    return McpClientNode(context)
