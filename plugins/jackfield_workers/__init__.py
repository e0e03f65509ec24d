"""Worker processes of script engines, of all languages under one limit."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable


class WorkersPlugin(Plugin):
    """Worker processes of script engines, of all languages under one limit."""

    name = "workers"
    settings = (SettingsTable("scripts.workers", "jackfield_workers.settings:WorkersSettings"),)
    provides = {"jackfield.api.script_workers:ScriptWorkers": "jackfield_workers.pool:shared_pool"}
