"""The parameters of MCP Client and MCP Client Tool, as n8n has them, and one transport more."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, JsonValue

from jackfield.api.nodes import Flag, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.mcp_client.form import CLIENT, CLIENT_OPTIONS, OLD_TOOL, TOOL, TOOL_OPTIONS
from jackfield_ai.mcp_client.targets import Transport
from jackfield_ai.parameters import Chosen, Text

TIMEOUT_MS = 60_000
"""Of a call, in milliseconds, as in n8n."""


class ToolOptions(Parameters):
    ui_fields: ClassVar[UiFields] = TOOL_OPTIONS

    timeout: float | None = Field(TIMEOUT_MS, description="Milliseconds; at most ai.mcp_tool_timeout.")

    @property
    def seconds(self) -> float:
        return (self.timeout if self.timeout and self.timeout > 0 else TIMEOUT_MS) / 1000


class ClientOptions(ToolOptions):
    ui_fields: ClassVar[UiFields] = CLIENT_OPTIONS

    convert_to_binary: Flag = Field(True, description="Make files of images and audio; else they stay base64.")


class McpServerParameters(Parameters):
    """A server, and how it is reached."""

    server_transport: Transport = "httpStreamable"
    endpoint_url: Text = Field("", description="The server's address.")
    command: str = Field("", description="stdio: the name of a command of ai.mcp_commands.")
    authentication: str = "none"
    credentials: JsonValue = None

    @property
    def transport(self) -> Transport:
        return self.server_transport

    @property
    def address(self) -> str:
        return self.endpoint_url

    @property
    def address_field(self) -> str:
        return "endpointUrl"


class McpClientParameters(McpServerParameters):
    ui_fields: ClassVar[UiFields] = CLIENT

    tool: Chosen = Field(None, description="The tool to call.")
    input_mode: str = Field("manual", description="manual: parameters; json: jsonInput.")
    parameters: JsonValue = None
    json_input: JsonValue = None
    options: ClientOptions = Field(default_factory=ClientOptions)


class McpToolParameters(McpServerParameters):
    ui_fields: ClassVar[UiFields] = TOOL

    sse_endpoint: Text = Field("", description="Of version 1: the server's address.")
    include: str = Field("all", description="all, selected, or except.")
    include_tools: list[str] = Field(default_factory=list)
    exclude_tools: list[str] = Field(default_factory=list)
    options: ToolOptions = Field(default_factory=ToolOptions)
    operation: JsonValue = None

    def wanted(self, name: str) -> bool:
        """Whether an agent gets the tool. Without a selection it gets all, as in n8n."""
        if self.include == "selected":
            return not self.include_tools or name in self.include_tools
        return self.include != "except" or name not in self.exclude_tools


class OldMcpToolParameters(McpToolParameters):
    """Of version 1, which knows SSE only. An address in the later field wins, as documents of other programs have."""

    ui_fields: ClassVar[UiFields] = OLD_TOOL

    @property
    def transport(self) -> Transport:
        return self.server_transport if self.endpoint_url or self.server_transport == "stdio" else "sse"

    @property
    def address(self) -> str:
        return self.endpoint_url or self.sse_endpoint

    @property
    def address_field(self) -> str:
        return "sseEndpoint"


class SseMcpToolParameters(McpToolParameters):
    """Of version 1.1, whose transport is SSE unless another one is named."""

    server_transport: Transport = "sse"
