"""An MCP server over the SDK: its tools, and calls of them. Source: MCP 2025-11-25 and 2026-07-28, Tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError
from jackfield.api.mcp.sessions import SESSION, CallScopes
from jackfield.api.mcp.tool_sources import ToolFailed
from jackfield.api.tracing import named_span
from jackfield_ai.mcp_server.calling import ToolCalls
from jackfield_ai.mcp_server.servers import McpOffer, McpServers, McpTriggerTarget
from jackfield_ai.tools.toolbox import as_text

Found = TypeVar("Found")
Current = Callable[[], Awaitable[McpTriggerTarget]]
"""The server as it is stored now. Raises `JackfieldError` when it is gone."""


class McpTriggerProtocol:
    """Makes the SDK's servers."""

    def __init__(self, context: PluginContext, servers: McpServers, calls: ToolCalls, scopes: CallScopes) -> None:
        self._context = context
        self._servers = servers
        self._calls = calls
        self._scopes = scopes

    async def server(self, target: McpTriggerTarget, current: Current) -> Server[dict[str, object]]:
        """current: asked with each message. Raises `JackfieldError`."""

        async def list_tools(ctx: ServerRequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
            offer = await self._offer(await _told(current()))
            return ListToolsResult(
                tools=[
                    Tool(name=one.name, description=one.description, input_schema=dict(one.schema))
                    for one in offer.tools
                ]
            )

        async def call_tool(ctx: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
            return await self._called(ctx, await _told(current()), params)

        return Server(
            target.name,
            version=self._context.service.version,
            instructions=await self._instructions(target) or None,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )

    async def _instructions(self, target: McpTriggerTarget) -> str:
        written = target.node.parameters.get("instructions")
        if isinstance(written, str) and not written.startswith("="):
            return written
        return (await self._servers.offer(target)).instructions if written else ""

    async def _offer(self, target: McpTriggerTarget, *, fresh: bool = False) -> McpOffer:
        return await _told(self._servers.offer(target, fresh=fresh))

    async def _called(
        self, ctx: ServerRequestContext, target: McpTriggerTarget, params: CallToolRequestParams
    ) -> CallToolResult:
        await self._check_name(target, params.name)

        async def progress(seconds: float) -> None:
            await ctx.session.report_progress(seconds)

        scope_of = ctx.request.scope if ctx.request is not None else {}
        caller = named_span(self._context, scope_of.get("headers", ()))
        session = ctx.request.headers.get(SESSION, "") if ctx.request is not None else ""
        request_id = str(scope_of.get("jackfield.request_id") or "") or None
        with anyio.CancelScope() as scope:
            self._scopes.begin(session, ctx.request_id, scope)
            try:
                value = await self._calls.run(target, params.name, params.arguments or {}, request_id, caller, progress)
                return CallToolResult(content=[TextContent(type="text", text=as_text(value))])
            except ToolFailed as exc:
                return CallToolResult(content=[TextContent(type="text", text=exc.message)], is_error=True)
            except JackfieldError as exc:
                raise MCPError(INTERNAL_ERROR, exc.message) from None
            finally:
                self._scopes.end(session, ctx.request_id)
        raise MCPError(INTERNAL_ERROR, "The call was cancelled.")

    async def _check_name(self, target: McpTriggerTarget, name: str) -> None:
        """A name that the kept list lacks is looked up again, since tools of other servers come and go."""
        for fresh in (False, True):
            if any(one.name == name for one in (await self._offer(target, fresh=fresh)).tools):
                return
        raise MCPError(INVALID_PARAMS, f"Unknown tool: {name[:100]}")


async def _told(asked: Awaitable[Found]) -> Found:
    try:
        return await asked
    except JackfieldError as exc:
        raise MCPError(INTERNAL_ERROR, exc.message) from None
