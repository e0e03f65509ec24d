"""The store on PostgreSQL: one database for several daemons, durable before anything is answered."""

from __future__ import annotations

from jackfield.api.offers import Offer
from jackfield.api.plugin import Plugin, SettingsTable, deferred, hookimpl, later


class PostgresStorePlugin(Plugin):
    """The store on PostgreSQL: one database for several daemons, durable before anything is answered."""

    name = "store_postgres"
    settings = (SettingsTable("store.postgres", "jackfield_store_postgres.settings:PostgresSettings"),)

    jackfield_findings = later("jackfield_store_postgres.making:findings")
    jackfield_metrics = later("jackfield_store_postgres.making:metrics")
    _made = deferred("jackfield_store_postgres.making:postgres_store")

    @hookimpl
    def jackfield_store(self) -> Offer:
        """The driver is imported for those who have chosen it."""
        return Offer("postgres", self._made)
