"""The MCP server whose only tool asks a person. Claude Code calls it in a run without a terminal, wherever it would ask
its user (`--permission-prompt-tool`). Source: code.claude.com, "CLI reference" and "Permission prompt tool"; the calls
of Claude Code 2.1.197.

It is loaded with the first request: the SDK takes a second.
"""

from __future__ import annotations

import logging
from functools import partial

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from jackfield.api import jsontext
from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json
from jackfield.api.mcp.sessions import with_session
from jackfield_approvals.asking.asking import ApprovalDecision, Asking
from jackfield_approvals.asking.names import SERVER, TOOL
from jackfield_approvals.asking.tokens import Asker
from jackfield_approvals.settings import ApprovalsSettings

logging.getLogger("mcp").setLevel(logging.WARNING)  # it would tell of each request, and of what is in it
_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "tool_name": {"type": "string"},
        "input": {"type": "object"},
        "tool_use_id": {"type": "string"},
    },
    "required": ["tool_name", "input"],
}


class PromptTool:
    """Serves it."""

    def __init__(self, context: PluginContext, asking: Asking) -> None:
        self._version = context.service.version
        self._most = context.settings(ApprovalsSettings).body_limit
        self._asking = asking

    async def serve(self, asker: Asker, scope: Scope, receive: Receive, send: Send) -> None:
        """One request. When the agent leaves, its question is withdrawn. The answer is a stream, which the SDK keeps
        alive: clients give up an answer that says nothing for long."""
        manager = StreamableHTTPSessionManager(self._server(asker), stateless=True, max_request_body_size=self._most)
        async with manager.run():
            await manager.handle_request(scope, receive, with_session(scope, send))

    def _server(self, asker: Asker) -> Server[dict[str, object]]:
        return Server(SERVER, version=self._version, on_list_tools=_tools, on_call_tool=partial(self._called, asker))

    async def _called(self, asker: Asker, ctx: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
        given = params.arguments or {}
        if params.name != TOOL:
            return _text("There is no such tool.", is_error=True)
        try:
            decision = await self._asking.ask(asker, given.get("tool_name"), given.get("input"))
        except InvalidInput as exc:
            return _text(exc.message, is_error=True)
        return _text(jsontext.dumps(answer_of(decision, given.get("input"))).decode())


def answer_of(decision: ApprovalDecision, given: Json) -> dict[str, Json]:
    """As the tool's result says it."""
    if decision.allowed:
        return {"behavior": "allow", "updatedInput": given}
    return {"behavior": "deny", "message": decision.reason}


async def _tools(ctx: ServerRequestContext, params: PaginatedRequestParams | None) -> ListToolsResult:
    tool = Tool(name=TOOL, description="Asks a person for a permission.", input_schema=_SCHEMA)
    return ListToolsResult(tools=[tool])


def _text(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)
