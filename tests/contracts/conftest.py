"""The stores that the contract suites hold for."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from jackfield.api.storage import Store
from jackfield.testing.clock import FakeClock
from jackfield.testing.contracts.store_leases import SharedStore
from jackfield.testing.postgres import PostgresServer
from jackfield.testing.store import MemoryStore
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore


def sqlite_store(directory: Path) -> Store:
    return SqliteStore(directory, SqliteSettings(), logging.getLogger("jackfield.test"))


def postgres_store(server: PostgresServer) -> Store:
    from jackfield_store_postgres.settings import PostgresSettings
    from jackfield_store_postgres.store import PostgresStore  # its driver is an extra

    server.empty("contracts")
    settings = PostgresSettings(dsn=server.dsn(), schema_name="contracts", readers=2)
    return PostgresStore(settings, logging.getLogger("jackfield.test"))


STORES: dict[str, Callable[[pytest.FixtureRequest, Path], Store]] = {
    "memory": lambda _, directory: MemoryStore(),
    "sqlite": lambda _, directory: sqlite_store(directory),
    "postgres": lambda request, _: postgres_store(request.getfixturevalue("jackfield_postgres")),
}


@pytest.fixture(params=STORES)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    opened = STORES[request.param](request, tmp_path)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def shared() -> SharedStore:
    """Two daemons over one store in memory, and its clock."""
    clock = FakeClock()
    store = MemoryStore(clock)
    return SharedStore([store, store, store], 3000, lambda: clock.advance(3))
