"""Makes the store, if its driver is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.context import PluginContext
from jackfield.api.errors import ConfigurationError
from jackfield_store_postgres.settings import PostgresSettings

if TYPE_CHECKING:
    from jackfield_store_postgres.store import PostgresStore


def postgres_store(context: PluginContext) -> PostgresStore:
    """Raises `ConfigurationError` without the driver, or without the address of a database."""
    settings = context.settings(PostgresSettings)
    if not settings.dsn:
        raise ConfigurationError(
            "store.postgres.dsn is empty; set it, or JACKFIELD_STORE_POSTGRES_DSN, to the address of a database, such "
            "as postgresql://user:password@host/database."
        )
    try:
        from jackfield_store_postgres.store import PostgresStore
    except ImportError as exc:
        raise ConfigurationError(
            "The store postgres needs the package psycopg; install jackfield[postgres], or set store.name to sqlite."
        ) from exc
    store = PostgresStore(settings, context.log)
    context.secrets.redact(settings.dsn, store.password)
    return store
