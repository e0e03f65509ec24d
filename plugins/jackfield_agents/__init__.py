"""Command-line coding agents: their manifests, what of them is installed, and the routes that tell."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.agents import Agents
    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Finding
    from jackfield.api.manifests import Manifest, ManifestKind


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_agents.settings import AgentSettings

    return [SettingsTable("agents", AgentSettings)]


@hookimpl
def jackfield_manifest_kinds() -> Sequence[ManifestKind[Manifest]]:
    from jackfield_agents.kind import AGENTS

    return [AGENTS]


@hookimpl
def jackfield_agent_catalog(context: PluginContext) -> Agents:
    from jackfield_agents.catalog import AgentCatalog

    return AgentCatalog(context)


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_agents.routes import blueprints

    return blueprints(context)


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_agents.commands import agents

    return [agents]


@hookimpl
def jackfield_findings(context: PluginContext) -> Awaitable[Sequence[Finding]]:
    from jackfield_agents.diagnosis import findings

    return findings(context)
