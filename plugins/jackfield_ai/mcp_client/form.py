"""How MCP Client and MCP Client Tool show their parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.nodes.forms import LoadedList
from jackfield.api.nodes.ui import Case, Scalar, Ui, UiFields, Words

TOOLS, COLUMNS = "tools", "toolParameters"
"""Lists: a server's tools, and the arguments of one."""
_SERVER = ["serverTransport", "endpointUrl", "authentication", "command"]
_TOOL_LIST = LoadedList(name=TOOLS, depends_on=_SERVER, searchable=True)
_HTTP: Case = {"serverTransport": ["httpStreamable", "sse"]}
_TRANSPORT = Ui(
    label="Transport",
    choices={
        "httpStreamable": "Streamable HTTP",
        "sse": "Server-sent events (older)",
        "stdio": ("Command of this machine", "A command that an administrator names in ai.mcp_commands."),
    },
    help="The way the server is reached.",
    expression=False,
)
_AUTHENTICATION: Mapping[Scalar, Words] = {
    "none": "None",
    "bearerAuth": "Bearer token",
    "headerAuth": "Header",
    "multipleHeadersAuth": "Several headers",
    "mcpOAuth2Api": "OAuth 2",
}
_COMMAND = Ui("text", label="Command", when={"serverTransport": "stdio"}, help="A name in `ai.mcp_commands`.")
_TIMEOUT = Ui(label="Timeout (ms)", help="How long a call may take, in milliseconds.")

CLIENT: UiFields = {
    "serverTransport": _TRANSPORT,
    "endpointUrl": Ui(
        "text",
        label="Address",
        when=_HTTP,
        placeholder="https://mcp.example.com/mcp",
        help="The server's address.",
        required=True,
    ),
    "command": _COMMAND,
    "authentication": Ui(when=_HTTP, choices=_AUTHENTICATION, help="The credential that requests carry."),
    "credentials": Ui("hidden"),
    "tool": Ui("locator", load=_TOOL_LIST, required=True, help="The tool to call."),
    "inputMode": Ui(
        label="Arguments as",
        choices={"manual": "Fields", "json": "JSON"},
        help="How you give the tool's arguments.",
        expression=False,
    ),
    "parameters": Ui(
        "mapper",
        label="Arguments",
        when={"inputMode": "manual"},
        load=LoadedList(name=COLUMNS, depends_on=[*_SERVER, "tool"]),
        help="The tool's arguments.",
        options={"mode": "add", "auto": False},
    ),
    "jsonInput": Ui("json", label="Arguments", when={"inputMode": "json"}, help="The tool's arguments, an object."),
}
CLIENT_OPTIONS: UiFields = {
    "convertToBinary": Ui(label="Make files", help="Images and audio become files of the item."),
    "timeout": _TIMEOUT,
}

_AGENTS_TOOLS: UiFields = {
    "credentials": Ui("hidden"),
    "include": Ui(
        label="Tools",
        choices={"all": "All", "selected": "Selected tools", "except": "All except some"},
        help="The server's tools that the model may call.",
    ),
    "includeTools": Ui(
        "multiselect", label="Tools to include", when={"include": "selected"}, load=_TOOL_LIST, help="Names of tools."
    ),
    "excludeTools": Ui(
        "multiselect", label="Tools to exclude", when={"include": "except"}, load=_TOOL_LIST, help="Names of tools."
    ),
    "operation": Ui("hidden"),
}
TOOL: UiFields = {
    **{name: CLIENT[name] for name in _SERVER},
    "sseEndpoint": Ui("hidden"),
    **_AGENTS_TOOLS,
}
OLD_TOOL: UiFields = {
    **_AGENTS_TOOLS,
    "sseEndpoint": Ui("text", label="Address", help="The server's address.", required=True),
    "authentication": Ui(choices=_AUTHENTICATION, help="The credential that requests carry."),
    **{name: Ui("hidden") for name in ("serverTransport", "endpointUrl", "command")},
}
"""Of version 1, which knows SSE only."""
TOOL_OPTIONS: UiFields = {"timeout": _TIMEOUT}
