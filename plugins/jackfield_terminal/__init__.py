"""Terminal sessions: agents in pseudo-terminals that clients reach over WebSocket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.asgi import AsgiMount
from jackfield.api.context import PluginContext
from jackfield.api.hooks import SettingsTable, hookimpl
from jackfield.api.lazy import LazyNode
from jackfield.api.nodes import NodeType

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.diagnosis import Finding
    from jackfield_terminal.lazy import LazyHub

SANDBOX_TRIAL = 1.0
"""Seconds after the start at which the sandbox is tried: nobody waits for it."""


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_terminal.settings import SandboxSettings, TerminalSettings

    return [SettingsTable("terminal", TerminalSettings), SettingsTable("sandbox", SandboxSettings)]


@hookimpl
def jackfield_terminals(context: PluginContext) -> LazyHub:
    from jackfield_terminal.lazy import LazyHub

    return LazyHub.of(context)


@hookimpl
def jackfield_asgi(context: PluginContext) -> Sequence[AsgiMount]:
    from jackfield_terminal.lazy import LazyHub

    lazy = LazyHub.of(context)
    return [AsgiMount("ws/terminal", lazy.connect), AsgiMount("ws/shared", lazy.look, "open")]


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_terminal import driving, recording_routes, routes
    from jackfield_terminal.lazy import LazyHub

    lazy = LazyHub.of(context)
    return [routes.blueprint(lazy), driving.blueprint(lazy), recording_routes.blueprint(lazy), lazy.sharing.blueprint()]


@hookimpl
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:
    def load() -> NodeType:
        from jackfield_terminal.lazy import LazyHub
        from jackfield_terminal.session_node import SessionNode

        lazy = LazyHub.of(context)
        return SessionNode(lambda: lazy.hub)

    return [LazyNode("terminalSession", load)]


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_terminal.commands import terminal

    return [terminal]


@hookimpl
async def jackfield_startup(context: PluginContext) -> None:
    from jackfield_terminal.lazy import LazyHub

    async def later() -> None:
        await context.clock.sleep(SANDBOX_TRIAL)
        from jackfield_terminal.findings import try_sandbox

        await try_sandbox(context)

    await LazyHub.of(context).restore()
    context.spawn("sandbox trial", later())


@hookimpl
async def jackfield_findings(context: PluginContext) -> Sequence[Finding]:
    from jackfield_terminal.findings import findings

    return await findings(context)


@hookimpl
async def jackfield_shutdown(context: PluginContext) -> None:
    from jackfield_terminal.lazy import LazyHub

    await LazyHub.of(context).close()
