"""MCP Client Tool: the tools of an MCP server. Source: Model Context Protocol 2025-06-18, Streamable HTTP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field, JsonValue

from jackfield.api.ai import TOOL, Tool, ToolSpec
from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http_client import Authorization, HttpBody, HttpCall, HttpClient, HttpReply, Pairs
from jackfield.api.jsontext import Json, dumps, loads
from jackfield.api.nodes import AttachedNode, NodeCredential, NodeDescription, NodeError, Parameters
from jackfield.api.nodes.ui import UiFields
from jackfield_ai.nodes import ServingNode
from jackfield_ai.parameters import Text
from jackfield_ai.reading import at, list_at, text_at
from jackfield_ai.tools.form import MCP, MCP_OPTIONS
from jackfield_ai.tools.toolbox import FunctionTool

PROTOCOL = "2025-06-18"
MAX_PAGES = 20
MAX_TOOL = 256 * 1024
"""Bytes of one tool's description; models read it with every request, and arguments are checked against it."""
_CREDENTIALS = {"bearerAuth": "httpBearerAuth", "headerAuth": "httpHeaderAuth", "mcpOAuth2Api": "mcpOAuth2Api"}


class McpOptions(Parameters):
    ui_fields: ClassVar[UiFields] = MCP_OPTIONS

    timeout: float | None = Field(None, description="Milliseconds.")


class McpParameters(Parameters):
    ui_fields: ClassVar[UiFields] = MCP

    sse_endpoint: Text = Field("", description="Of old versions: the address, which must speak Streamable HTTP.")
    endpoint_url: Text = Field("", description="The server's address.")
    server_transport: Literal["sse", "httpStreamable"] = "httpStreamable"
    authentication: str = "none"
    include: Literal["all", "selected", "except"] = "all"
    include_tools: list[str] = Field(default_factory=list)
    exclude_tools: list[str] = Field(default_factory=list)
    options: McpOptions = Field(default_factory=McpOptions)
    operation: JsonValue = None

    def wanted(self, name: str) -> bool:
        if self.include == "selected":
            return name in self.include_tools
        return self.include == "all" or name not in self.exclude_tools


class McpSession:
    """Calls of one server."""

    def __init__(
        self, context: PluginContext, url: str, authorization: Authorization | None, timeout: float | None
    ) -> None:
        self._context = context
        self._url = url
        self._authorization = authorization
        self._timeout = timeout
        self._session = ""
        self._count = 0

    async def open(self) -> None:
        about: dict[str, Json] = {
            "protocolVersion": PROTOCOL,
            "capabilities": {},
            "clientInfo": {"name": "jackfield", "version": self._context.service.version},
        }
        await self.ask("initialize", about)
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def tools(self) -> list[Json]:
        found: list[Json] = []
        cursor = ""
        for _ in range(MAX_PAGES):
            answer = await self.ask("tools/list", {"cursor": cursor} if cursor else {})
            found += list_at(answer, "tools")
            cursor = text_at(answer, "nextCursor")
            if not cursor:
                break
        return found

    async def ask(self, method: str, params: Mapping[str, Json]) -> Json:
        """The result. Raises `NodeError`."""
        self._count += 1
        number = self._count
        reply = await self._post({"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params)})
        self._session = reply.header("mcp-session-id") or self._session
        for message in _messages(reply):
            if at(message, "id") == number:
                if at(message, "error") is not None:
                    raise NodeError(f"The MCP server refused {method}: {text_at(message, 'error', 'message')[:500]}")
                return at(message, "result")
        raise NodeError(f"The MCP server gave no answer to {method}.")

    async def _post(self, message: Mapping[str, Json]) -> HttpReply:
        headers: Pairs = [("accept", "application/json, text/event-stream"), ("mcp-protocol-version", PROTOCOL)]
        if self._session:
            headers.append(("mcp-session-id", self._session))
        body = HttpBody(dumps(message), "application/json")
        call = HttpCall("POST", self._url, headers=headers, body=body, timeout=self._timeout)
        reply = await self._context.port(HttpClient).send(call, self._authorization)
        if not 200 <= reply.status < 300:
            raise NodeError(f"The MCP server answered {reply.status}.")
        return reply


def _messages(reply: HttpReply) -> list[Json]:
    """Of an answer that is JSON or a stream of events."""
    text = reply.body.decode("utf-8", "replace")
    for secret in filter(None, reply.secrets):
        text = text.replace(secret, "***")
    if reply.header("content-type").startswith("text/event-stream"):
        events = text.replace("\r\n", "\n").split("\n\n")
        texts = ["\n".join(_data(line) for line in one.split("\n") if line.startswith("data:")) for one in events]
    else:
        texts = [text]
    found: list[Json] = []
    for one in texts:
        try:
            value = loads(one) if one.strip() else None
        except InvalidInput:
            continue
        found += value if isinstance(value, list) else [value]
    return found


def _data(line: str) -> str:
    return line.removeprefix("data:").removeprefix(" ")


def _told(result: Json) -> Json:
    """The text of a tool's result. Raises `NodeError` when the tool says that it failed."""
    parts = [text_at(part, "text") for part in list_at(result, "content") if text_at(part, "type") == "text"]
    text = "\n".join(parts)
    if at(result, "isError") is True:
        raise NodeError(text or "The tool failed.")
    return text or at(result, "structuredContent") or at(result, "content")


class McpClientNode(ServingNode):
    kind = "langchain.mcpClientTool"
    versions: Sequence[float] = (1, 1.1, 1.2, 1.3, 1.4)
    model = McpParameters
    effect = True
    description = NodeDescription(
        "MCP Client Tool",
        "Gives an agent the tools of an MCP server that speaks Streamable HTTP.",
        "ai",
        inputs=0,
        provides=TOOL,
        credentials=tuple(NodeCredential(kind, when={"authentication": (how,)}) for how, kind in _CREDENTIALS.items()),
    )

    async def supply(self, node: AttachedNode, item: int) -> Sequence[Tool]:
        parameters: McpParameters = await node.parameters(item)
        url = parameters.endpoint_url or parameters.sse_endpoint
        if not url:
            raise NodeError(f"The node '{node.node.name}' has no address; fill in endpointUrl.")
        if parameters.endpoint_url and parameters.server_transport == "sse":
            raise NodeError("The transport sse is not available; use a server with Streamable HTTP (httpStreamable).")
        kind = _CREDENTIALS.get(parameters.authentication)
        authorization = await node.authorization(kind) if kind else None
        timeout = parameters.options.timeout
        session = McpSession(self._context, url, authorization, timeout / 1000 if timeout and timeout > 0 else None)
        await session.open()
        rows = [row for row in await session.tools() if parameters.wanted(text_at(row, "name"))]
        return [_tool(session, row) for row in rows]


def _tool(session: McpSession, row: Json) -> Tool:
    name = text_at(row, "name")
    schema = at(row, "inputSchema")

    async def call(arguments: Mapping[str, Json]) -> Json:
        return _told(await session.ask("tools/call", {"name": name, "arguments": dict(arguments)}))

    if len(dumps(row)) > MAX_TOOL:
        raise NodeError(f"The MCP server describes the tool {name[:100]} with more than {MAX_TOOL} bytes.")
    described = schema if isinstance(schema, dict) else {"type": "object"}
    return FunctionTool(ToolSpec(name, text_at(row, "description"), described), call)


def mcp_client(context: PluginContext, kind: str) -> McpClientNode:
    return McpClientNode(context)
