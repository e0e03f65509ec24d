"""Copilot: drafts of workflows that your own coding agents make, and that you accept or reject change by change."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class CopilotPlugin(Plugin):
    """Copilot: drafts of workflows that your own coding agents make, and that you accept or reject change by change."""

    name = "copilot"
    settings = (SettingsTable("copilot", "jackfield_copilot.settings:CopilotSettings"),)
    commands = ("jackfield_copilot.cli.copilot:copilot", "jackfield_copilot.cli.drafts:draft")
    parts = (
        "jackfield_copilot.drafts.service:Drafts",
        "jackfield_copilot.sessions.sessions:CopilotSessions",
    )

    jackfield_nodes = later("jackfield_copilot.offers:nodes")
    jackfield_blueprints = later("jackfield_copilot.http.blueprints:blueprints")
    jackfield_host_resources = later("jackfield_copilot.sessions.host_resources:resources")
    jackfield_mcp_tools = later("jackfield_copilot.tools.source:sources")
    jackfield_sealed_values = later("jackfield_copilot.drafts.resealing:sealed_values")
    start = deferred("jackfield_copilot.drafts.sweeping:start")
