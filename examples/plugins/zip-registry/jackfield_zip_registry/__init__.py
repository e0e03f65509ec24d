"""Registries in a zip file."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, later


class ZipRegistryPlugin(Plugin):
    """Gives the scheme `zip`."""

    name = "zip_registry"
    requires = "1"

    jackfield_registry_sources = later("jackfield_zip_registry.source:SOURCES")
