"""The registry: manifests, scripts and prices that are published elsewhere, synced and verified."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Finding, Metric
    from jackfield.api.registry import Registry, RegistrySource


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_registry.settings import RegistrySettings

    return [SettingsTable("registry", RegistrySettings)]


@hookimpl
def jackfield_registry(context: PluginContext) -> Registry:
    from jackfield_registry.port import RegistryPort

    return RegistryPort(context)


@hookimpl
def jackfield_registry_sources(context: PluginContext) -> Sequence[RegistrySource]:
    from jackfield_registry.port import sources

    return sources(context)


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_registry.routes import blueprints

    return blueprints(context)


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_registry.commands import registry

    return [registry]


@hookimpl
def jackfield_findings(context: PluginContext) -> Awaitable[Sequence[Finding]]:
    from jackfield_registry.diagnosis import findings

    return findings(context)


@hookimpl
def jackfield_metrics(context: PluginContext) -> Sequence[Metric]:
    from jackfield_registry.port import metrics

    return metrics(context)


@hookimpl
def jackfield_startup(context: PluginContext) -> None:
    from jackfield_registry.port import sync_by_itself

    sync_by_itself(context)


@hookimpl
def jackfield_shutdown(context: PluginContext) -> None:
    import sys

    if service := sys.modules.get("jackfield_registry.service"):
        service.forget(context)
