"""Makes the bus, if it was chosen; its driver is imported then alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from jackfield.api.bus import PostgresAddress
from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield.api.offers import load_driver
from jackfield_bus_pg.settings import PostgresBusSettings

if TYPE_CHECKING:
    from jackfield_bus_pg.bus import PostgresBus

_MISSING = "The bus pg needs the package psycopg; install jackfield[postgres], or set bus.name to memory."


def postgres_bus(context: PluginContext) -> PostgresBus:
    """Raises `ConfigurationError` without the driver, or without the address of a server."""
    settings = context.settings(PostgresBusSettings)
    store = context.store
    dsn = settings.dsn or (store.dsn if isinstance(store, PostgresAddress) else "")
    if not dsn:
        raise ConfigurationError(
            f"The bus pg needs a PostgreSQL server, and the store {store.name} has none: set bus.pg.dsn, or "
            "JACKFIELD_BUS_PG_DSN, to its address, or bus.name to memory."
        )
    made = cast("type[PostgresBus]", load_driver("jackfield_bus_pg.bus:PostgresBus", _MISSING))
    bus = made(dsn, settings, context.clock, context.log)
    context.secrets.redact(dsn, bus.password)
    return bus
