"""The store on SQLite: one file in the configuration directory, durable before anything is answered."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, deferred, later


class SqliteStorePlugin(Plugin):
    """The store on SQLite: one file in the configuration directory, durable before anything is answered."""

    name = "store_sqlite"
    first_process_only = True
    settings = (SettingsTable("store.sqlite", "jackfield_store_sqlite.settings:SqliteSettings"),)
    commands = ("jackfield_store_sqlite.damage.commands:acknowledge_damage",)

    jackfield_findings = later("jackfield_store_sqlite.telling:findings")
    jackfield_metrics = later("jackfield_store_sqlite.telling:metrics")
    start = deferred("jackfield_store_sqlite.telling:start")
    jackfield_store = later("jackfield_store_sqlite.store:sqlite_store")
