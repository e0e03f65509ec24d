"""What the plugin mounts beside Quart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.asgi import AsgiApp, AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.object_references import load
from jackfield_mcp.paths import SEGMENT

if TYPE_CHECKING:
    from jackfield_mcp.app import McpApp


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """The path alone: what is below belongs to MCP Server Triggers."""
    return [AsgiMount(SEGMENT, LaterApp(lambda: cast("AsgiApp", _built(context))), "scoped")]


def _built(context: PluginContext) -> McpApp:
    """Loaded with the first request."""
    return context.port(cast("type[McpApp]", load("jackfield_mcp.app:McpApp")))


async def stop(context: PluginContext) -> None:
    await _built(context).close()
