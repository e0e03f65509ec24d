"""Providers of models: their manifests and the routes that tell."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import hookimpl

if TYPE_CHECKING:
    import click
    from quart import Blueprint

    from jackfield.api.context import PluginContext
    from jackfield.api.diagnosis import Finding
    from jackfield.api.manifests import Manifest, ManifestKind
    from jackfield.api.providers import Providers


@hookimpl
def jackfield_manifest_kinds() -> Sequence[ManifestKind[Manifest]]:
    from jackfield_providers.kinds import DIALECTS, PROVIDERS

    return [PROVIDERS, DIALECTS]


@hookimpl
def jackfield_provider_catalog(context: PluginContext) -> Providers:
    from jackfield_providers.catalog import ProviderCatalog

    return ProviderCatalog(context)


@hookimpl
def jackfield_blueprints(context: PluginContext) -> Sequence[Blueprint]:
    from jackfield_providers.routes import blueprints

    return blueprints(context)


@hookimpl
def jackfield_commands() -> Sequence[click.Command]:
    from jackfield_providers.commands import providers

    return [providers]


@hookimpl
def jackfield_findings(context: PluginContext) -> Awaitable[Sequence[Finding]]:
    from jackfield_providers.diagnosis import findings

    return findings(context)
