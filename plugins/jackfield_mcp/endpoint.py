"""Streamable HTTP over the SDK. Nothing is kept between two requests, so that any process and any daemon may serve each
of them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping

import anyio
import anyio.lowlevel
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext
from jackfield.api.errors import StoreUnavailable
from jackfield.api.mcp.sessions import CallScopes, with_session
from jackfield.api.profile_tools import reach_of
from jackfield_mcp.exchange import Exchange, plain_request
from jackfield_mcp.protocol import McpProtocol, owner_of
from jackfield_mcp.settings import McpSettings

logging.getLogger("mcp").setLevel(logging.WARNING)  # it would tell of each request, and of what is in it
_PROGRESS = b"progressToken"


class _Managers:
    """Of one server."""

    def __init__(self, server: Server[dict[str, object]], most: int) -> None:
        self.server = server
        self.whole = StreamableHTTPSessionManager(
            server, stateless=True, json_response=True, max_request_body_size=most
        )
        self.streamed = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=most)

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        async with self.whole.run(), self.streamed.run():
            yield


class McpEndpoint:
    """Made with the first request, on a thread."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        settings = context.settings(McpSettings)
        self._scopes = CallScopes()
        protocol, most = McpProtocol(context, settings, self._scopes), settings.body_limit
        self._own = _Managers(protocol.server(), most)
        self._of_profiles = _Managers(protocol.profile_server(), most)
        anyio.run(anyio.lowlevel.checkpoint)  # loads the backend, which the event loop would wait for
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = self._context.spawn("mcp", self._run(ready))
        await asyncio.shield(ready)

    async def _run(self, ready: asyncio.Future[None]) -> None:
        """The SDK's groups of tasks live in one task from their begin to their end."""
        try:
            async with self._own.run(), self._of_profiles.run():
                ready.set_result(None)
                await self._over.wait()
        finally:
            self._over.set()
            if not ready.done():
                ready.set_exception(StoreUnavailable("The MCP server could not begin; try again."))

    async def close(self) -> None:
        self._over.set()
        if self._task is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([self._task])

    async def serve(self, body: bytes, headers: Mapping[str, str], scope: Scope, receive: Receive, send: Send) -> None:
        """One message. An answer that has progress before it is a stream, every other one is JSON. When the client
        leaves, its call is cancelled."""
        if self._over.is_set():
            raise StoreUnavailable("The daemon is stopping; call again in a moment.")
        self._scopes.follow(body, headers, owner_of(scope))
        caller: Principal = scope["jackfield.principal"]
        managers = self._own if reach_of(caller) is None else self._of_profiles
        request = plain_request(body, headers)
        if request is not None:
            await Exchange(request, scope, with_session(scope, send)).serve(managers.server, {}, headers)
            return
        manager = managers.streamed if _PROGRESS in body else managers.whole
        await manager.handle_request(scope, receive, with_session(scope, send))
