"""`/mcp`: requests of MCP clients whom the gate has let in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import AuthRequired, MethodNotAllowed, NotFound, NotSupported
from jackfield.api.mcp.answers import answer_nothing, header_values, serve_answered
from jackfield.api.mcp.bodies import BodyLimits, read_body, replayed
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.object_references import load
from jackfield_mcp.settings import McpSettings

if TYPE_CHECKING:
    from jackfield_mcp.endpoint import McpEndpoint

_ENDPOINT = "jackfield_mcp.endpoint:McpEndpoint"


class McpApp:
    """An ASGI application. The SDK is loaded with its first request."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(McpSettings)
        self._limits = BodyLimits(self._settings.body_limit, self._settings.body_timeout, "mcp.")
        self._endpoint: McpEndpoint | None = None
        self._loading = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await serve_answered(self._serve, scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._settings.enabled:
            raise NotFound("The daemon's own MCP server is switched off; see mcp.enabled.")
        caller: Principal | None = scope.get("jackfield.principal")
        if caller is None:
            raise AuthRequired
        if scope["method"] == "DELETE":  # nothing is kept that could end
            await answer_nothing(send)
            return
        if scope["method"] != "POST":
            raise MethodNotAllowed(("POST", "DELETE"), "This server sends nothing by itself over Streamable HTTP.")
        endpoint = await self.ready()
        headers = header_values(scope)
        body = await read_body(receive, headers, self._limits)
        await endpoint.serve(body, headers, scope, replayed(body, receive), send)

    async def ready(self) -> McpEndpoint:
        """Loaded on a thread, as that takes a second. Raises `NotSupported` where the SDK is not installed."""
        if self._endpoint is not None:
            return self._endpoint
        async with self._loading:
            if self._endpoint is None:
                if missing := lacking_library("mcp", "mcp"):
                    raise NotSupported(missing)
                endpoint = await asyncio.to_thread(_endpoint, self._context)
                await endpoint.open()
                self._endpoint = endpoint
            return self._endpoint

    async def close(self) -> None:
        if self._endpoint is not None:
            await self._endpoint.close()


def _endpoint(context: PluginContext) -> McpEndpoint:
    """With the schemas of all tools."""
    return cast("Callable[[PluginContext], McpEndpoint]", load(_ENDPOINT))(context)
