"""The store on SQLite: one file in the configuration directory, durable before anything is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jackfield.api.hooks import SettingsTable, hookimpl

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext
    from jackfield.api.storage import Store


@hookimpl
def jackfield_settings() -> Sequence[SettingsTable]:
    from jackfield_store_sqlite.settings import SqliteSettings

    return [SettingsTable("store.sqlite", SqliteSettings)]


@hookimpl
def jackfield_store(context: PluginContext) -> Store:
    from jackfield_store_sqlite.settings import SqliteSettings
    from jackfield_store_sqlite.store import SqliteStore

    return SqliteStore(context.service.config_dir, context.settings(SqliteSettings), context.log)
