"""Data tables: typed rows that workflows, the API and people keep in the daemon's store."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class DataTablesPlugin(Plugin):
    """Data tables: typed rows that workflows, the API and people keep in the daemon's store."""

    name = "data_tables"
    settings = (SettingsTable("data_tables", "jackfield_data_tables.settings:DataTablesSettings"),)
    commands = ("jackfield_data_tables.commands:data_table",)
    provides = {
        "jackfield.api.data_tables:SingleRows": "jackfield_data_tables.single_rows:TableRows",
        "jackfield.api.data_tables:TableImport": "jackfield_data_tables.taking_over:TakingOver",
    }
    parts = ("jackfield_data_tables.service:DataTables",)

    jackfield_nodes = later("jackfield_data_tables.catalogue:node_types")
    jackfield_blueprints = later("jackfield_data_tables.blueprints:blueprints")
