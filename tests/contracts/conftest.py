"""The stores that the contract suites hold for."""

from __future__ import annotations

import asyncio
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


def memory_shared(_: pytest.FixtureRequest) -> SharedStore:
    """Two daemons over one store in memory, and its clock."""
    clock = FakeClock()
    store = MemoryStore(clock)
    return SharedStore([store, store, store], 3000, lambda: clock.advance(3))


def postgres_shared(request: pytest.FixtureRequest) -> SharedStore:
    """Three stores over one schema; the database's clock goes on when somebody sets the leases back."""
    from jackfield_store_postgres.ownership import PostgresOwnership  # its driver is an extra

    server: PostgresServer = request.getfixturevalue("jackfield_postgres")
    request.getfixturevalue("monkeypatch").setattr(PostgresOwnership, "settle_ms", -3000)
    stores = [postgres_store(server) for _ in range(3)]

    async def lapse() -> None:
        await asyncio.to_thread(server.run, "UPDATE contracts.incarnations SET lease_until = clock_timestamp()")

    return SharedStore(stores, 3000, lapse)


SHARED: dict[str, Callable[[pytest.FixtureRequest], SharedStore]] = {
    "memory": memory_shared,
    "postgres": postgres_shared,
}


@pytest.fixture(params=SHARED)
async def shared(request: pytest.FixtureRequest) -> AsyncIterator[SharedStore]:
    made = SHARED[request.param](request)
    for store in made.stores:
        await store.open()
    yield made
    for store in made.stores:
        await store.close()
