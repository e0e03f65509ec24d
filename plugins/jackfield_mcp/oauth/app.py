"""The requests that anybody may send to the authorization server: its metadata, and OAuth's endpoints, over the SDK's
handlers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from jackfield.api.asgi import AsgiApp, Receive, Scope, Send
from jackfield.api.asgi_answers import send_json
from jackfield.api.context import PluginContext
from jackfield.api.errors import JackfieldError, MethodNotAllowed, NotFound, NotSupported, RateLimited
from jackfield.api.json_values import Json
from jackfield.api.limits import SlidingWindow, canonical_client
from jackfield.api.mcp.answers import header_values
from jackfield.api.mcp.bodies import BodyLimits, read_body, replayed
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.object_references import load
from jackfield.api.own_address import base_of
from jackfield_mcp.oauth.addresses import resource_metadata, server_metadata
from jackfield_mcp.oauth.consent_page import CONSENT_PAGE
from jackfield_mcp.paths import (
    AUTHORIZE,
    CONSENT,
    ENDPOINT,
    OPENID_METADATA,
    REGISTER,
    RESOURCE_METADATA,
    REVOKE,
    SERVER_METADATA,
    TOKEN,
)
from jackfield_mcp.settings import McpSettings

if TYPE_CHECKING:
    from jackfield_mcp.oauth.handlers import Handle

_HANDLERS = "jackfield_mcp.oauth.handlers:handle"
_BODY = 65_536
"""Bytes of a request."""
_RESOURCES = (RESOURCE_METADATA, RESOURCE_METADATA + ENDPOINT)
_SERVERS = (SERVER_METADATA, SERVER_METADATA + ENDPOINT, OPENID_METADATA)
_ALLOWED = {AUTHORIZE: ("GET", "POST"), TOKEN: ("POST",), REGISTER: ("POST",), REVOKE: ("POST",)}


class OAuthApp:
    """An ASGI application. The SDK is loaded with the first request to an endpoint."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(McpSettings)
        window = self._settings.oauth_window
        self._registrations = SlidingWindow(context.clock, self._settings.oauth_registrations, window)
        self._requests = SlidingWindow(context.clock, self._settings.oauth_attempts, window)
        self._limits = BodyLimits(_BODY, self._settings.body_timeout, "mcp.")
        self._handle: Handle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._serve(scope, receive, send)
        except JackfieldError as exc:
            code = "temporarily_unavailable" if exc.status >= 429 else "invalid_request"
            body: Json = {"error": code, "error_description": exc.message}
            await send_json(send, body, exc.status, exc.headers)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not (self._settings.enabled and self._settings.oauth):
            raise NotFound("OAuth is switched off; see mcp.oauth.")
        path, method = scope["path"].rstrip("/"), scope["method"]
        if path in (*_RESOURCES, *_SERVERS, CONSENT):
            if method not in ("GET", "HEAD"):
                raise MethodNotAllowed(("GET", "HEAD"))
            if path == CONSENT:
                await CONSENT_PAGE.send(scope, send)
                return
            make = resource_metadata if path in _RESOURCES else server_metadata
            await send_json(send, make(base_of(scope, self._context.service)))
            return
        if path not in _ALLOWED:
            raise NotFound("There is nothing at this address.")
        if method not in _ALLOWED[path]:
            raise MethodNotAllowed(_ALLOWED[path])
        self._count(self._requests, scope)
        if path == REGISTER:
            self._count(self._registrations, scope)
        body = await read_body(receive, header_values(scope), self._limits) if method == "POST" else b""
        handle = await self._handler()
        await handle(self._context, base_of(scope, self._context.service), path, scope, replayed(body, receive), send)

    def _count(self, window: SlidingWindow, scope: Scope) -> None:
        retry = window.hit(canonical_client(str(scope.get("jackfield.client", ""))))
        if retry is not None:
            raise RateLimited(retry, "This address asks too often (mcp.oauth_registrations, mcp.oauth_attempts).")

    async def _handler(self) -> Handle:
        if self._handle is None:
            if missing := lacking_library("mcp", "mcp"):
                raise NotSupported(missing)
            self._handle = cast("Handle", await asyncio.to_thread(load, _HANDLERS))
        return self._handle


def build(context: PluginContext) -> AsgiApp:
    return OAuthApp(context)
