"""Moving in and out: imports of n8n's workflows, credentials and variables, and exports in n8n's form."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class MigrationPlugin(Plugin):
    """Moving in and out: imports of n8n's workflows, credentials and variables, and exports in n8n's form."""

    name = "migration"
    settings = (SettingsTable("migration", "jackfield_migration.settings:MigrationSettings"),)
    commands = (
        "jackfield_migration.commands:import_group",
        "jackfield_migration.commands:export",
        "jackfield_migration.agents.commands:import_agents",
    )

    jackfield_blueprints = later("jackfield_migration.routes:blueprints")
