"""A request of Streamable HTTP that is answered in the task in which it came.

The SDK's transport for clients with a handshake gives each request its own session: four tasks, and streams in memory
between them. For servers that keep nothing between two requests this serves the same messages by the SDK's own
`serve_one`, at less than half the cost. The SDK does so for protocol version 2026-07-28. The SDK's transport takes
every request that is not plain. Source: MCP 2025-11-25, Transports (Sending Messages to the Server).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import anyio
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_error_data, serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp.types import DEFAULT_NEGOTIATED_VERSION, JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.requests import Request

from jackfield.api.asgi import Scope, Send
from jackfield.api.errors import InvalidInput
from jackfield.api.jsontext import Json, dumps, loads

_VERSION = "mcp-protocol-version"
_JSON, _EVENTS = "application/json", "text/event-stream"
_NO_ANSWERS = TransportContext(kind="streamable-http", can_send_request=False)
_STREAM = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]


def plain_request(body: bytes, headers: Mapping[str, str]) -> JSONRPCRequest | None:
    """The request, if `Exchange` may serve it: of a client with a handshake, well formed, and not the handshake.
    headers: names in lower case."""
    accepted = headers.get("accept", "")
    if _JSON not in accepted or _EVENTS not in accepted or not headers.get("content-type", "").startswith(_JSON):
        return None
    if headers.get(_VERSION, DEFAULT_NEGOTIATED_VERSION) not in HANDSHAKE_PROTOCOL_VERSIONS:
        return None
    try:
        request = JSONRPCRequest.model_validate(loads(body), by_name=False)
    except (InvalidInput, ValidationError):
        return None
    return None if request.method == "initialize" else request


class Exchange:
    """One request and its answer: JSON, or a stream of events as soon as there is progress to tell. The SDK's
    `DispatchContext`. When the client leaves, the task is cancelled, and the work with it."""

    def __init__(self, request: JSONRPCRequest, scope: Scope, send: Send) -> None:
        self._request = request
        self._send = send
        self._begun = False
        self._sending = asyncio.Lock()
        self._token = progress_token_from_params(request.params)
        self.transport = _NO_ANSWERS
        self.can_send_request = False
        self.request_id = request.id
        self.message_metadata = ServerMessageMetadata(request_context=Request(scope))
        self.cancel_requested = anyio.Event()

    async def serve(self, server: Server[Any], state: Any, headers: Mapping[str, str]) -> None:
        """state: what the server's lifespan has given, of the server's own type."""
        connection = Connection.from_envelope(headers.get(_VERSION, DEFAULT_NEGOTIATED_VERSION), None, None)
        method, params = self._request.method, self._request.params
        try:
            result = await serve_one(server, self, method, params, connection=connection, lifespan_state=state)
        except Exception as exc:  # whatever a handler raises
            error = modern_error_data(exc).model_dump(mode="json", by_alias=True, exclude_none=True)
            await self._answer({"error": error})
        else:
            await self._answer({"result": result})

    async def _answer(self, told: dict[str, Json]) -> None:
        body = dumps({"jsonrpc": "2.0", "id": self._request.id, **told})
        if self._begun:
            await self._send({"type": "http.response.body", "body": _event(body), "more_body": False})
            return
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        if self._token is None:
            return
        told = {"progressToken": self._token, "progress": progress, "total": total, "message": message}
        await self.notify("notifications/progress", {name: one for name, one in told.items() if one is not None})

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        body = dumps({"jsonrpc": "2.0", "method": method, "params": dict(params or {})})
        async with self._sending:
            if not self._begun:
                self._begun = True
                await self._send({"type": "http.response.start", "status": 200, "headers": _STREAM})
            await self._send({"type": "http.response.body", "body": _event(body), "more_body": True})

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Raises `NoBackChannelError`: an answer would find nobody."""
        raise NoBackChannelError(method)


def _event(body: bytes) -> bytes:
    return b"event: message\r\ndata: " + body + b"\r\n\r\n"
