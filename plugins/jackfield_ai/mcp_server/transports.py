"""Streamable HTTP and SSE over the SDK.

Streamable HTTP keeps nothing between two requests, so that any process and any host may serve each of them. SSE is one
long answer, in whose process every message of the client must arrive.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import anyio
from anyio.abc import ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.message import SessionMessage

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.errors import NotFound, StoreUnavailable
from jackfield.api.mcp.sessions import with_session
from jackfield_ai.settings import AiSettings

AnyServer: TypeAlias = Server[dict[str, object]]
Received: TypeAlias = SessionMessage | Exception
logging.getLogger("mcp").setLevel(logging.WARNING)  # it would tell of each request, and of what is in it


async def serve_http(server: AnyServer, scope: Scope, receive: Receive, send: Send, settings: AiSettings) -> None:
    """One request of Streamable HTTP. When the client leaves, its call is cancelled."""
    manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=settings.mcp_body_limit)
    async with manager.run():
        await manager.handle_request(scope, receive, with_session(scope, send))


class SseSessions:
    """Clients that are connected over SSE to this process."""

    def __init__(self, settings: AiSettings) -> None:
        self._settings = settings
        self._transports: dict[str, tuple[SseServerTransport, set[object]]] = {}
        self._count = 0

    async def connect(self, server: AnyServer, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a client until it leaves or is let go. address: where it sends its messages. Raises
        `StoreUnavailable` when there are too many."""
        if self._count >= self._settings.mcp_sse_sessions:
            raise StoreUnavailable("Too many clients are connected (ai.mcp_sse_sessions); use Streamable HTTP.")
        transport, open_here = self._transports.setdefault(address, (SseServerTransport(address), set()))
        mark = object()
        open_here.add(mark)
        self._count += 1
        try:
            async with transport.connect_sse(scope, receive, send) as (read, write):
                sender, receiver = anyio.create_memory_object_stream[Received](0)
                async with anyio.create_task_group() as group:
                    group.start_soon(self._hand_on, read.receive, sender)
                    await server.run(receiver, write, server.create_initialization_options())
                    group.cancel_scope.cancel()
        finally:
            self._count -= 1
            open_here.discard(mark)
            if not open_here:
                self._transports.pop(address, None)

    async def post(self, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        """A message of a connected client. Raises `NotFound`."""
        found = self._transports.get(address)
        if found is None:
            raise NotFound("This process has no such client over SSE; connect again, or use Streamable HTTP.")
        await found[0].handle_post_message(scope, receive, send)

    async def _hand_on(self, receive: Callable[[], Awaitable[Received]], sender: ObjectSendStream[Received]) -> None:
        """Every message, until the client leaves or has said nothing for too long."""
        async with sender:
            while True:
                with anyio.move_on_after(self._settings.mcp_sse_idle):
                    try:
                        await sender.send(await receive())
                        continue
                    except (anyio.EndOfStream, anyio.ClosedResourceError):
                        return
                return
