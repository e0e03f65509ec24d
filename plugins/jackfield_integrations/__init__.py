"""Nodes that talk to other systems: mail, databases, Redis, SSH, FTP, GraphQL, feeds, and commands of this machine."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class IntegrationsPlugin(Plugin):
    """Nodes that talk to other systems."""

    name = "integrations"
    settings = (SettingsTable("integrations", "jackfield_integrations.settings:IntegrationSettings"),)
    parts = ("jackfield_integrations.messaging.open_deliveries:OpenDeliveries",)
    provides = {"jackfield.api.databases:DatabaseConnections": "jackfield_integrations.databases:SharedConnections"}

    jackfield_nodes = later("jackfield_integrations.catalogue:node_types")
    jackfield_credential_kinds = later("jackfield_integrations.connection_tests:kinds")
