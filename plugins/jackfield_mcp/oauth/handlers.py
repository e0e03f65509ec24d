"""The SDK's handlers of OAuth's endpoints."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.register import RegistrationHandler
from mcp.server.auth.handlers.revoke import RevocationHandler
from mcp.server.auth.handlers.token import TokenHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.settings import ClientRegistrationOptions
from starlette.requests import Request

from jackfield.api.asgi import Receive, Scope, Send
from jackfield.api.context import PluginContext
from jackfield_mcp.oauth.provider import OAuthProvider
from jackfield_mcp.paths import AUTHORIZE, REGISTER, TOKEN

Handle: TypeAlias = Callable[[PluginContext, str, str, Scope, Receive, Send], Awaitable[None]]


async def handle(context: PluginContext, base: str, path: str, scope: Scope, receive: Receive, send: Send) -> None:
    """One request to an endpoint. base: the address by which it has come."""
    provider, request = OAuthProvider(context, base), Request(scope, receive)
    if path == AUTHORIZE:
        answer = await AuthorizationHandler(provider).handle(request)
    elif path == REGISTER:
        answer = await RegistrationHandler(provider, ClientRegistrationOptions(enabled=True)).handle(request)
    elif path == TOKEN:
        answer = await TokenHandler(provider, ClientAuthenticator(provider)).handle(request)
    else:
        answer = await RevocationHandler(provider, ClientAuthenticator(provider)).handle(request)
    await answer(scope, receive, send)
