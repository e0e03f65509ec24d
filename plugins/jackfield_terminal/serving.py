"""The plugin's work at the start and the stop, and its offers.

The hub is loaded with the first session, client or request: a start needs none of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import cast

from jackfield.api.asgi import AsgiApp, AsgiMount, Receive, Scope, Send
from jackfield.api.auth import Authentication
from jackfield.api.context import PluginContext
from jackfield.api.events import STOPPING
from jackfield.api.nodes import NodeOffer
from jackfield.api.object_references import load
from jackfield_terminal.persistent.directory import is_any_persistent

HUB = "jackfield_terminal.hub:Hub"
SANDBOX_TRIAL = 1.0
"""Seconds after the start until it is tried whether there can be sandboxes."""
_Act = Callable[[PluginContext], Awaitable[None]]


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    return [
        AsgiMount("ws/terminal", partial(_connect, context, "jackfield_terminal.hub:application")),
        AsgiMount(
            "ws/shared",
            partial(_connect, context, "jackfield_terminal.http.sharing:application"),
            "open",
            area="agents",
        ),
    ]


async def _connect(context: PluginContext, place: str, scope: Scope, receive: Receive, send: Send) -> None:
    application = cast("Callable[[PluginContext], AsgiApp]", load(place))
    await application(context)(scope, receive, send)


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    return [NodeOffer("terminalSession", "jackfield_terminal.session_node:SessionNode", (context,))]


async def start(context: PluginContext) -> None:
    context.spawn("stopping", _close_with_the_daemon(context))
    await take_over(context)
    context.spawn("sandbox probe", _try_sandbox(context))


async def take_over(context: PluginContext) -> None:
    """The sessions that have survived the last daemon go on here. Those in a sandbox are there already: the gate must
    know before the first request."""
    if await asyncio.to_thread(is_any_persistent, context.service.config_dir):
        context.port(Authentication).confine_agents()
        await _act("jackfield_terminal.hub:restore", context)


async def _close_with_the_daemon(context: PluginContext) -> None:
    """The server waits for its connections before plugins are stopped, and clients wait for their sessions."""
    with context.events.subscribe("system") as events:
        async for event in events:
            if event.type == STOPPING:
                await stop(context)


async def _try_sandbox(context: PluginContext) -> None:
    await context.clock.sleep(SANDBOX_TRIAL)
    await _act("jackfield_terminal.findings:try_sandbox", context)


async def stop(context: PluginContext) -> None:
    """Hang up everything but the sessions that persist."""
    if context.is_built(HUB):
        await _act("jackfield_terminal.hub:close", context)


async def _act(place: str, context: PluginContext) -> None:
    await cast("_Act", load(place))(context)
