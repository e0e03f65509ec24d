"""The bus over PostgreSQL: LISTEN and NOTIFY on its own connection."""

from __future__ import annotations

from jackfield.api.offers import Offer
from jackfield.api.plugin import Plugin, SettingsTable, deferred, hookimpl


class PostgresBusPlugin(Plugin):
    """The bus over PostgreSQL: LISTEN and NOTIFY on its own connection."""

    name = "bus_pg"
    settings = (SettingsTable("bus.pg", "jackfield_bus_pg.settings:PostgresBusSettings"),)

    _made = deferred("jackfield_bus_pg.making:postgres_bus")

    @hookimpl
    def jackfield_bus(self) -> Offer:
        """The driver is imported for those who have chosen it."""
        return Offer("pg", self._made)
