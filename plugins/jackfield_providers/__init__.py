"""Providers of models: their manifests and the routes that tell."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class ProvidersPlugin(Plugin):
    """Providers of models: their manifests and the routes that tell."""

    name = "providers"
    commands = ("jackfield_providers.commands:providers",)
    provides = {"jackfield.api.providers:Providers": "jackfield_providers.catalog:ProviderCatalog"}
    parts = ("jackfield_providers.custom:CustomProviders",)

    jackfield_manifest_kinds = later("jackfield_providers.kinds:KINDS")
    jackfield_blueprints = later("jackfield_providers.routes:blueprints")
    jackfield_findings = later("jackfield_providers.diagnosis:findings")
