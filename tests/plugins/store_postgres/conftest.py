"""PostgreSQL stores with short limits, in schemas of their own."""

from __future__ import annotations

import logging
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("psycopg")

from jackfield.testing.postgres import NoPostgres, PostgresServer, postgres_server
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.store import PostgresStore

NewStore = Callable[..., PostgresStore]


@pytest.fixture
def schema(jackfield_postgres: PostgresServer) -> str:
    """A name that no other test has."""
    return jackfield_postgres.new_name()


@pytest.fixture
async def new_store(jackfield_postgres: PostgresServer, schema: str) -> AsyncIterator[NewStore]:
    """Stores over one schema; closed afterwards."""
    made: list[PostgresStore] = []

    def make(**settings: object) -> PostgresStore:
        given = {"dsn": jackfield_postgres.dsn(), "schema_name": schema, "readers": 2, "start_timeout": 0, **settings}
        store = PostgresStore(PostgresSettings.model_validate(given), logging.getLogger("jackfield.test"))
        made.append(store)
        return store

    yield make
    for store in made:
        await store.close()


@pytest.fixture
async def store(new_store: NewStore) -> PostgresStore:
    opened = new_store()
    await opened.open()
    return opened


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    """One that a test may stop and kill."""
    try:
        with postgres_server() as server:
            yield server
    except NoPostgres as exc:
        pytest.skip(str(exc))
