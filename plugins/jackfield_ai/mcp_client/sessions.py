"""Sessions of a node run: opened by the SDK, which is loaded when the first one is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol, TypeVar, cast

from jackfield.api.context import PluginContext
from jackfield.api.http_client import Authorization
from jackfield.api.nodes import NodeError, NodeUnavailable
from jackfield.api.nodes.libraries import lacking_library
from jackfield.api.object_references import load
from jackfield_ai.mcp_client.parameters import McpServerParameters
from jackfield_ai.mcp_client.targets import McpSession, McpTarget, Opened

T = TypeVar("T")
_CONNECTED = "jackfield_ai.mcp_client.connecting:connected"
CREDENTIALS = {
    "bearerAuth": "httpBearerAuth",
    "headerAuth": "httpHeaderAuth",
    "multipleHeadersAuth": "httpMultipleHeadersAuth",
    "mcpOAuth2Api": "mcpOAuth2Api",
}
"""By the parameter authentication."""


class Authorizing(Protocol):
    """The holder of the node's credential: a run, a part, a form that asks for a list."""

    async def authorization(self, kind: str) -> Authorization: ...


class Keeping(Authorizing, Protocol):
    """`NodeRun` or `AttachedNode`."""

    def kept_open(
        self, key: str, opening: Callable[[], AbstractAsyncContextManager[T]]
    ) -> AbstractAsyncContextManager[T]: ...


async def target_of(parameters: McpServerParameters, user: Authorizing) -> McpTarget:
    """Raises `NodeError`."""
    transport = parameters.transport
    if transport == "stdio":
        if not parameters.command:
            raise NodeError("The parameter command is empty; give the name of a command of ai.mcp_commands.")
        return McpTarget("stdio", command=parameters.command)
    url = parameters.address.strip()
    if not url:
        raise NodeError(f"The parameter {parameters.address_field} is empty; fill in the server's address.")
    if "://" not in url:
        url = f"https://{url}"
    how = parameters.authentication
    if how == "none":
        return McpTarget(transport, url)
    kind = CREDENTIALS.get(how)
    if kind is None:
        raise NodeError(f"The authentication {how} is not known; use none, {', '.join(CREDENTIALS)}.")
    return McpTarget(transport, url, credential=kind, authorization=await user.authorization(kind))


def kept_session(context: PluginContext, user: Keeping, target: McpTarget) -> Opened:
    """The node run's session of this server."""
    return user.kept_open(target.key, lambda: session(context, target))


@asynccontextmanager
async def session(context: PluginContext, target: McpTarget) -> AsyncIterator[McpSession]:
    """Its own session. Raises `NodeError`, `NodeUnavailable`."""
    if missing := lacking_library("mcp", "mcp"):
        raise NodeUnavailable(missing)
    opened = cast("Callable[[PluginContext, McpTarget], Opened]", await asyncio.to_thread(load, _CONNECTED))
    async with opened(context, target) as found:
        yield found
