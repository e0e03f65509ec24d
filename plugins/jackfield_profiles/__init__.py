"""Profiles: an agent bound to a provider and a model, with a home of its own; stored, configured and run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Finding, Metric
    from jackfield.api.nodes import NodeType
    from jackfield.api.profiles import Profiles


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_profiles import preferences
    from jackfield_profiles.running_settings import RunSettings
    from jackfield_profiles.settings import DefaultsSettings, ProfilesSettings

    return [
        SettingsTable("profiles", ProfilesSettings),
        SettingsTable("profiles.run", RunSettings),
        SettingsTable("defaults", DefaultsSettings),
        SettingsTable("hooks", preferences.HookPreferences),
        SettingsTable("mcp_servers", preferences.ServerPreferences),
        SettingsTable("custom", preferences.CustomPreferences),
    ]


@hookimpl
def jackfield_profiles(context: PluginContext) -> Profiles:
    from jackfield_profiles.port import ProfilePort

    return ProfilePort(context)


@hookimpl
def jackfield_nodes(context: PluginContext) -> Sequence[NodeType]:
    from jackfield.api.lazy import LazyNode

    def load() -> NodeType:
        from jackfield_profiles.agent_node import node

        return node(context)

    return [LazyNode("agent", load)]


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_profiles.routes import blueprints

    return blueprints(context)


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_profiles.commands import profiles
    from jackfield_profiles.script_commands import scripts
    from jackfield_profiles.shim_commands import shims

    return [profiles, scripts, shims]


@hookimpl
async def jackfield_findings(context: PluginContext) -> Sequence[Finding]:
    from jackfield_profiles.findings import findings

    return await findings(context)


@hookimpl
def jackfield_metrics(context: PluginContext) -> Sequence[Metric]:
    from jackfield_profiles.findings import metrics

    return metrics(context)


@hookimpl
def jackfield_startup(context: PluginContext) -> None:
    from jackfield_profiles.upkeep import read_ahead, sweep_later

    context.spawn("read ahead", read_ahead(context))
    context.spawn("sweep", sweep_later(context))


@hookimpl
def jackfield_shutdown(context: PluginContext) -> None:
    from jackfield_profiles.parts import forget

    forget(context)
