"""The plugin's work at the start and the stop. The hub is loaded with the first session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from jackfield.api.context import PluginContext
from jackfield.api.events import until_stopping
from jackfield.api.object_references import load

_HUB = "jackfield_agent_sessions.hub:AgentSessionHub"


async def start(context: PluginContext) -> None:
    context.spawn("agent_sessions.stopping", _close_with_the_daemon(context))


async def _close_with_the_daemon(context: PluginContext) -> None:
    """The server waits for its connections before plugins are stopped, and some of them wait for a session."""
    await until_stopping(context.events)
    await stop(context)


async def stop(context: PluginContext) -> None:
    """End every session."""
    if context.is_built(_HUB):
        close = cast("Callable[[PluginContext], Awaitable[None]]", load("jackfield_agent_sessions.hub:close"))
        await close(context)
