"""The stores that the contract suites hold for."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import cast

import pytest

from jackfield.api.shared_counts import SharedCounts
from jackfield.api.storage import Retention, Store
from jackfield.core.memos import LocalMemos
from jackfield.core.workers.store_client import StoreCalls, StoreClient
from jackfield.core.workers.store_server import StoreServer
from jackfield.testing.clock import FakeClock
from jackfield.testing.contracts.stores.counts import WINDOW, CountsAlone
from jackfield.testing.contracts.stores.hosts import StoreHostsContract
from jackfield.testing.contracts.stores.leases import SharedStore
from jackfield.testing.contracts.stores.memos import MemosAlone
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


class WorkersStore(StoreClient):
    """The store of a worker, whose first process is this one too, with SQLite. first: of another worker, whose first
    process this one shares."""

    def __init__(self, directory: Path, first: WorkersStore | None = None) -> None:
        self._lines = [socket.socketpair() for _ in range(2)]
        super().__init__(StoreCalls(), self._lines[1][1])
        self.store = first.store if first else SqliteStore(directory, SqliteSettings(), logging.getLogger("test"))
        self._memos = first._memos if first else LocalMemos(FakeClock())
        self._is_first = first is None

    async def open(self) -> None:
        if self._is_first:
            self.store.share()
            await self.store.open()
        self._server = StoreServer(cast("Store", self.store), self._memos, lambda item: None)
        await self._server.open(self._lines[0][0], self._lines[1][0])
        await self.asking.open(self._lines[0][1])

    async def close(self) -> None:
        self.asking.close()
        await self._server.close()
        self._lines[1][1].close()
        if self._is_first:
            await self.store.close()

    async def prune(self, retention: Retention) -> int:
        return await self.store.prune(retention)

    def hold_caps(self, *, executions: int | None = None, calls: int | None = None) -> None:
        self.store.hold_caps(executions=executions, calls=calls)


STORES: dict[str, Callable[[pytest.FixtureRequest, Path], Store]] = {
    "memory": lambda _, directory: MemoryStore(),
    "sqlite": lambda _, directory: sqlite_store(directory),
    "postgres": lambda request, _: postgres_store(request.getfixturevalue("jackfield_postgres")),
    "workers": lambda _, directory: cast("Store", WorkersStore(directory)),
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
    from jackfield_store_postgres.history.ownership import PostgresOwnership  # its driver is an extra

    server: PostgresServer = request.getfixturevalue("jackfield_postgres")
    request.getfixturevalue("monkeypatch").setattr(PostgresOwnership, "settle_ms", -3000)
    stores = [postgres_store(server) for _ in range(3)]

    async def lapse() -> None:
        await asyncio.to_thread(server.run, "UPDATE contracts.incarnations SET lease_until = clock_timestamp()")

    return SharedStore(stores, 3000, lapse)


def workers_shared(request: pytest.FixtureRequest) -> SharedStore:
    """Three workers of one daemon; the clock goes on when somebody sets the leases back."""
    if issubclass(request.cls, StoreHostsContract):
        pytest.skip("workers are no hosts of their own")
    directory: Path = request.getfixturevalue("tmp_path")
    first = WorkersStore(directory)
    stores = [first, WorkersStore(directory, first), WorkersStore(directory, first)]

    async def lapse() -> None:
        for life in first.store._lives._lives.values():
            life.until = 0.0

    return SharedStore([cast("Store", store) for store in stores], 3000, lapse)


SHARED: dict[str, Callable[[pytest.FixtureRequest], SharedStore]] = {
    "memory": memory_shared,
    "workers": workers_shared,
    "postgres": postgres_shared,
}


def local_memos(_: pytest.FixtureRequest) -> MemosAlone:
    """Those of a daemon that has its store for itself."""
    clock = FakeClock()
    return MemosAlone(LocalMemos(clock), clock.advance)


def memory_memos(_: pytest.FixtureRequest) -> MemosAlone:
    clock = FakeClock()
    return MemosAlone(MemoryStore(clock), clock.advance)


def postgres_memos(request: pytest.FixtureRequest) -> MemosAlone:
    """The database's clock goes on when somebody sets the ends back."""
    server: PostgresServer = request.getfixturevalue("jackfield_postgres")
    store = postgres_store(server)

    async def passes(seconds: float) -> None:
        sql = f"UPDATE contracts.memos SET ends_at = ends_at - make_interval(secs => {seconds})"
        await asyncio.to_thread(server.run, sql)

    return MemosAlone(store, passes)


MEMOS: dict[str, Callable[[pytest.FixtureRequest], MemosAlone]] = {
    "local": local_memos,
    "memory": memory_memos,
    "postgres": postgres_memos,
}


@pytest.fixture(params=MEMOS)
async def memos_alone(request: pytest.FixtureRequest) -> AsyncIterator[MemosAlone]:
    made = MEMOS[request.param](request)
    if not isinstance(made.memos, LocalMemos):
        await cast("Store", made.memos).open()
    yield made
    if not isinstance(made.memos, LocalMemos):
        await cast("Store", made.memos).close()


def memory_counts(_: pytest.FixtureRequest) -> CountsAlone:
    clock = FakeClock()
    return CountsAlone(MemoryStore(clock), lambda: clock.advance(WINDOW))


def postgres_counts(request: pytest.FixtureRequest) -> CountsAlone:
    """The database's clock goes on when somebody sets the spans back."""
    server: PostgresServer = request.getfixturevalue("jackfield_postgres")

    async def passes() -> None:
        await asyncio.to_thread(server.run, "UPDATE contracts.shared_counts SET span = span - 1000")
        await asyncio.to_thread(server.run, "UPDATE contracts.shared_counts SET span = span + 999")

    return CountsAlone(cast("SharedCounts", postgres_store(server)), passes)


def workers_counts(request: pytest.FixtureRequest) -> CountsAlone:
    """The clock goes on when somebody sets the spans back."""
    worker = WorkersStore(request.getfixturevalue("tmp_path"))

    async def passes() -> None:
        spans = worker.store._spans
        moved = {(kind, span - 1): counts for (kind, span), counts in spans.items()}
        spans.clear()
        spans.update(moved)

    return CountsAlone(cast("SharedCounts", worker), passes)


COUNTS: dict[str, Callable[[pytest.FixtureRequest], CountsAlone]] = {
    "memory": memory_counts,
    "workers": workers_counts,
    "postgres": postgres_counts,
}


@pytest.fixture(params=COUNTS)
async def counts_alone(request: pytest.FixtureRequest) -> AsyncIterator[CountsAlone]:
    made = COUNTS[request.param](request)
    store = cast("Store", made.counts)
    await store.open()
    yield made
    await store.close()


@pytest.fixture(params=SHARED)
async def shared(request: pytest.FixtureRequest) -> AsyncIterator[SharedStore]:
    made = SHARED[request.param](request)
    for store in made.stores:
        await store.open()
    yield made
    for store in made.stores:
        await store.close()
