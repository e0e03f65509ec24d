"""The bus over NATS, for many daemons."""

from __future__ import annotations

from jackfield.api.offers import Offer
from jackfield.api.plugin import Plugin, SettingsTable, deferred, hookimpl


class NatsBusPlugin(Plugin):
    """The bus over NATS, for many daemons."""

    name = "bus_nats"
    settings = (SettingsTable("bus.nats", "jackfield_bus_nats.settings:NatsBusSettings"),)

    _made = deferred("jackfield_bus_nats.making:nats_bus")

    @hookimpl
    def jackfield_bus(self) -> Offer:
        """The driver is imported for those who have chosen it."""
        return Offer("nats", self._made)
