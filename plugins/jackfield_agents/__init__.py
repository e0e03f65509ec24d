"""Command-line coding agents: their manifests, what of them is installed, and the routes that tell."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class AgentsPlugin(Plugin):
    """Command-line coding agents: their manifests, what of them is installed, and the routes that tell."""

    name = "agents"
    settings = (SettingsTable("agents", "jackfield_agents.settings:AgentSettings"),)
    commands = ("jackfield_agents.commands:agents",)
    provides = {"jackfield.api.agents:Agents": "jackfield_agents.catalog:AgentCatalog"}

    jackfield_manifest_kinds = later("jackfield_agents.kind:KINDS")
    jackfield_blueprints = later("jackfield_agents.routes:blueprints")
    jackfield_host_resources = later("jackfield_agents.host_resources:resources")
    jackfield_findings = later("jackfield_agents.diagnosis:findings")
