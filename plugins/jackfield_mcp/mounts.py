"""The applications that the plugin mounts beside Quart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from jackfield.api.asgi import AsgiApp, AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield_mcp.oauth.addresses import challenge
from jackfield_mcp.paths import OPENID_METADATA, RESOURCE_METADATA, SEGMENT, SERVER_METADATA
from jackfield_mcp.settings import McpSettings

if TYPE_CHECKING:
    from jackfield_mcp.app import McpApp


_OAUTH = ("oauth", *(path[1:] for path in (RESOURCE_METADATA, SERVER_METADATA, OPENID_METADATA)))


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """Of /mcp the path alone: what is below belongs to MCP Server Triggers. The paths that OAuth needs are for
    everybody."""
    settings = context.settings(McpSettings)
    told = partial(challenge, service=context.service) if settings.enabled and settings.oauth else None
    oauth = LaterApp.at("jackfield_mcp.oauth.app:build", context)
    return [
        AsgiMount(SEGMENT, LaterApp(lambda: cast("AsgiApp", _built(context))), "scoped", challenge=told),
        *(AsgiMount(segment, oauth, "public", area="api") for segment in _OAUTH),
    ]


def _built(context: PluginContext) -> McpApp:
    """Loaded with the first request."""
    return context.port(cast("type[McpApp]", load("jackfield_mcp.app:McpApp")))


async def stop(context: PluginContext) -> None:
    await _built(context).close()
