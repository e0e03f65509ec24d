"""AI: agents, chains, models, tools, memories and vector stores, with n8n's names and parameters."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class AiPlugin(Plugin):
    """AI: agents, chains, models, tools, memories and vector stores, with n8n's names and parameters."""

    name = "ai"
    settings = (SettingsTable("ai", "jackfield_ai.settings:AiSettings"),)

    jackfield_nodes = later("jackfield_ai.catalogue:node_types")
    jackfield_credential_kinds = later("jackfield_ai.kinds:KINDS")
    jackfield_triggers = later("jackfield_ai.offers:triggers")
    jackfield_blueprints = later("jackfield_ai.chat.routes:blueprints")
    jackfield_asgi = later("jackfield_ai.offers:mounts")
