"""All that needs the SDK, in one place that is loaded with the first request."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.mcp.sessions import CallScopes
from jackfield_ai.mcp_server.calling import ToolCalls
from jackfield_ai.mcp_server.protocol import McpTriggerProtocol
from jackfield_ai.mcp_server.servers import McpServers
from jackfield_ai.mcp_server.transports import SseSessions, serve_http
from jackfield_ai.settings import AiSettings


class McpSdk:
    """The parts of an application that speak MCP."""

    def __init__(self, context: PluginContext, servers: McpServers, calls: ToolCalls) -> None:
        self.scopes = CallScopes()
        self.protocol = McpTriggerProtocol(context, servers, calls, self.scopes)
        self.sessions = SseSessions(context.settings(AiSettings))
        self.serve_http = serve_http
