"""`/mcp` and `/mcp-test`: requests of MCP clients, each checked before the SDK sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from jackfield.api.asgi import AsgiApp, Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, MethodNotAllowed, NotFound, NotSupported
from jackfield.api.mcp.answers import WatchedSend, answer_error, answer_nothing, header_values
from jackfield.api.mcp.bodies import BodyLimits, read_body, replayed
from jackfield.api.mcp.sessions import SESSION
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.object_references import load
from jackfield.api.projects import reaching, run_reach
from jackfield_ai.mcp_server.access import check_caller
from jackfield_ai.mcp_server.calling import ToolCalls
from jackfield_ai.mcp_server.paths import TEST, messages_address
from jackfield_ai.mcp_server.servers import McpServers, McpTriggerTarget
from jackfield_ai.settings import AiSettings

if TYPE_CHECKING:
    from jackfield_ai.mcp_server.sdk import McpSdk

METHODS = ("GET", "POST", "DELETE")
_SDK = "jackfield_ai.mcp_server.sdk:McpSdk"


class McpTriggerApp:
    """An ASGI application."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(AiSettings)
        self._servers = McpServers(context, self._settings)
        self._limits = BodyLimits(self._settings.mcp_body_limit, self._settings.mcp_body_timeout, "ai.mcp_")
        self._made: McpSdk | None = None
        self._loading = asyncio.Lock()
        wanted = self._settings.mcp_test_enabled
        self._tests = context.service.loopback if wanted is None else wanted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        watched = WatchedSend(send)
        try:
            await self._serve(scope, receive, watched)
        except JackfieldError as exc:
            if watched.begun:
                raise
            await answer_error(exc, scope, send)
        except Exception as exc:
            self._context.log.error("A request of an MCP client failed.", exc_info=exc)
            if not watched.begun:
                await answer_error(JackfieldError("Something went wrong; please try again later."), scope, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        segment, _, called = scope["path"].strip("/").partition("/")
        test = segment == TEST
        if test and not self._tests:
            raise NotFound("Test calls are switched off; see ai.mcp_test_enabled.")
        headers = header_values(scope)
        target = await self._checked(called, headers, test)
        method = scope["method"]
        if method not in METHODS:
            raise MethodNotAllowed(METHODS)
        if method == "DELETE":  # nothing is kept that could end
            await answer_nothing(send)
            return

        async def current() -> McpTriggerTarget:
            return await self._servers.find(called, test=test)

        sdk = await self._sdk()
        address = "/" + scope["path"].strip("/")
        if method == "GET":
            if SESSION in headers or "mcp-protocol-version" in headers:
                raise MethodNotAllowed(("POST",), "This server sends nothing by itself over Streamable HTTP.")
            server = await sdk.protocol.server(target, current)
            await sdk.sessions.connect(server, messages_address(address), scope, receive, send)
            return
        body = await read_body(receive, headers, self._limits)
        again = replayed(body, receive)
        if b"session_id=" in scope["query_string"]:
            await sdk.sessions.post(address, scope, again, send)
            return
        sdk.scopes.follow(body, headers)
        await sdk.serve_http(await sdk.protocol.server(target, current), scope, again, send, self._settings)

    async def _checked(self, called: str, headers: Mapping[str, str], test: bool) -> McpTriggerTarget:
        target = await self._servers.find(called, test=test)
        with reaching(run_reach(target.workflow.id)):
            await check_caller(self._context, target.node, headers)
        return target

    async def _sdk(self) -> McpSdk:
        """Loads the SDK with the first request that needs it, on a thread, as that takes a second. Raises
        `NotSupported` where it is not installed."""
        async with self._loading:
            if self._made is None:
                if missing := lacking_library("mcp", "mcp"):
                    raise NotSupported(missing)
                made = cast("Callable[..., McpSdk]", await asyncio.to_thread(load, _SDK))
                self._made = made(self._context, self._servers, ToolCalls(self._context, self._settings))
            return self._made


def build(context: PluginContext) -> AsgiApp:
    return McpTriggerApp(context)
