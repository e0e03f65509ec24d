"""Makes the store, and asks it, if it was chosen; its driver is imported then alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from jackfield.api.context import PluginContext
from jackfield.api.diagnosis import Finding, Metric
from jackfield.api.errors import ConfigurationError
from jackfield.api.projects import whole_store
from jackfield_store_postgres.settings import PostgresSettings

if TYPE_CHECKING:
    from jackfield_store_postgres.store import PostgresStore

NAME = "postgres"


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


async def findings(context: PluginContext) -> Sequence[Finding]:
    """For `jackfield doctor`."""
    if context.store.name != NAME:
        return []
    from jackfield_store_postgres.telling import findings as told

    return await told(cast("PostgresStore", context.store))


def metrics(context: PluginContext) -> Sequence[Metric]:
    """For `/metrics`; none where another store was chosen, or another process has it."""
    store = whole_store(context.store)
    if store.name != NAME:
        return []
    return list(cast("PostgresStore", store).database.metrics())
