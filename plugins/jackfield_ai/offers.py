"""The triggers of this plugin, and what it mounts beside Quart."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import AsgiMount, LaterApp
from jackfield.api.context import PluginContext
from jackfield.api.triggers import OfferedTrigger, Trigger
from jackfield_ai.chat import mounts as chat_mounts
from jackfield_ai.chat import trigger as chat_trigger
from jackfield_ai.mcp_server.paths import LIVE, NODES, TEST


def triggers(context: PluginContext) -> Sequence[Trigger]:
    mcp = OfferedTrigger("mcp", NODES, "jackfield_ai.mcp_server.trigger:McpTrigger", context)
    return [*chat_trigger.triggers(context), mcp]


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    """All are public: chats and MCP servers check their own callers."""
    app = LaterApp.at("jackfield_ai.mcp_server.app:build", context)
    return [
        *chat_mounts.mounts(context),
        *(AsgiMount(segment, app, "public", "ingress") for segment in (LIVE, TEST)),
    ]
