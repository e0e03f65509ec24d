"""What the plugin does at the start and the stop, and what it gives."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.asgi import AsgiMount
from jackfield.api.context import PluginContext
from jackfield.api.nodes import NodeOffer
from jackfield_terminal.lazy import LazyHub

SANDBOX_TRIAL = 1.0
"""Seconds after the start until it is tried whether there can be sandboxes."""


def hub(context: PluginContext) -> LazyHub:
    return context.port(LazyHub)


def mounts(context: PluginContext) -> Sequence[AsgiMount]:
    lazy = context.port(LazyHub)
    return [AsgiMount("ws/terminal", lazy.connect), AsgiMount("ws/shared", lazy.look, "open")]


def nodes(context: PluginContext) -> Sequence[NodeOffer]:
    lazy = context.port(LazyHub)
    return [NodeOffer("terminalSession", "jackfield_terminal.session_node:SessionNode", (lambda: lazy.hub,))]


async def start(context: PluginContext) -> None:
    await context.port(LazyHub).restore()
    context.spawn("sandbox trial", _try_sandbox(context))


async def _try_sandbox(context: PluginContext) -> None:
    await context.clock.sleep(SANDBOX_TRIAL)
    from jackfield_terminal.findings import try_sandbox  # a start loads none of it

    await try_sandbox(context)


async def stop(context: PluginContext) -> None:
    await context.port(LazyHub).close()
