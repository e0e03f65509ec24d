"""The registry: manifests, scripts and prices that are published elsewhere, synced and verified."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later
from jackfield.api.registry import Registry


class RegistryPlugin(Plugin):
    """The registry: manifests, scripts and prices that are published elsewhere, synced and verified."""

    name = "registry"
    first_process_only = True
    settings = (SettingsTable("registry", "jackfield_registry.settings:RegistrySettings"),)
    commands = ("jackfield_registry.commands.registry:registry",)
    provides = {
        Registry: "jackfield_registry.service:provided",
        "jackfield_registry.ports:LocalRegistry": "jackfield_registry.service:provided",
    }
    parts = ("jackfield_registry.service:RegistryService",)

    jackfield_registry_sources = later("jackfield_registry.sources.offers:sources")
    jackfield_blueprints = later("jackfield_registry.routes:blueprints")
    jackfield_host_resources = later("jackfield_registry.host_resources:resources")
    jackfield_findings = later("jackfield_registry.diagnosis:findings")
    jackfield_metrics = later("jackfield_registry.metrics:metrics")
    start = deferred("jackfield_registry.upkeep:start")
