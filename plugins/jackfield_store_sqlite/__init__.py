"""The store on SQLite: one file in the configuration directory, durable before anything is answered."""

from __future__ import annotations

from jackfield.api.plugin import Plugin, SettingsTable, later


class SqliteStorePlugin(Plugin):
    """The store on SQLite: one file in the configuration directory, durable before anything is answered."""

    name = "store_sqlite"
    settings = (SettingsTable("store.sqlite", "jackfield_store_sqlite.settings:SqliteSettings"),)

    jackfield_store = later("jackfield_store_sqlite.store:sqlite_store")
