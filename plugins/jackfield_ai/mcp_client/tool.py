"""MCP Client Tool: gives an agent the tools of an MCP server."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from jackfield.api.ai import TOOL, Tool, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.jsontext import Json
from jackfield.api.nodes import AttachedNode, NodeDescription, NodeError, NodeParameters
from jackfield.api.nodes.libraries import lacking_library
from jackfield_ai.mcp_client.parameters import McpToolParameters, OldMcpToolParameters, SseMcpToolParameters
from jackfield_ai.mcp_client.results import require_success, told
from jackfield_ai.mcp_client.serving import MCP_CREDENTIALS, McpNode
from jackfield_ai.mcp_client.sessions import kept_session, target_of
from jackfield_ai.mcp_client.targets import McpTarget, ServerTool
from jackfield_ai.nodes import ServingNode
from jackfield_ai.tools.toolbox import MAX_NAME, FunctionTool

_UNFIT = re.compile(r"[^a-zA-Z0-9]")


class McpClientToolNode(McpNode, ServingNode):
    kind = "langchain.mcpClientTool"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4)
    effect = True
    description = NodeDescription(
        "MCP Client Tool",
        "Gives an agent the tools of an MCP server.",
        "ai",
        inputs=0,
        provides=TOOL,
        credentials=MCP_CREDENTIALS,
        missing=lacking_library("mcp", "mcp"),
    )

    def parameters(self, version: float | None) -> type[NodeParameters]:
        if (version or 1) < 1.1:
            return OldMcpToolParameters
        return SseMcpToolParameters if (version or 1) < 1.2 else McpToolParameters

    async def supply(self, node: AttachedNode, item: int) -> Sequence[Tool]:
        parameters: McpToolParameters = await node.parameters(item)
        target = await target_of(parameters, node)
        async with kept_session(self._context, node, target) as server:
            found = [one for one in await server.tools() if parameters.wanted(one.name)]
        if not found:
            raise NodeError("MCP Server returned no tools")
        seconds = min(parameters.options.seconds, self.settings.mcp_tool_timeout)
        return [self._tool(node, target, one, seconds) for one in found]

    def _tool(self, node: AttachedNode, target: McpTarget, tool: ServerTool, seconds: float) -> Tool:
        async def progress(text: str) -> None:
            node.log.debug("%s: %s: %s", node.node.name, tool.name, text)

        async def call(arguments: Mapping[str, Json]) -> Json:
            async with kept_session(self._context, node, target) as server:
                result = await server.call(tool.name, arguments, seconds, progress)
            require_success(result, tool.name)
            return told(result)

        return FunctionTool(ToolSpec(tool_name_of(node.node.name, tool.name), tool.description, tool.schema), call)


def tool_name_of(server: str, tool: str) -> str:
    """The node's name in front, as far as there is room, as n8n has it: two servers may have tools of one name."""
    prefix = _UNFIT.sub("_", server)
    whole = f"{prefix}_{tool}"
    if len(whole) <= MAX_NAME:
        return whole
    room = MAX_NAME - len(tool) - 1
    return f"{prefix[:room]}_{tool}" if room > 0 else tool


def mcp_client_tool(context: PluginContext, kind: str) -> McpClientToolNode:
    return McpClientToolNode(context)
