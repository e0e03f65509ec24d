"""Two kinds of stores, and copies between them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("psycopg")

from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.settings import PostgresSettings
from jackfield_store_postgres.store import PostgresStore
from jackfield_store_sqlite.settings import SqliteSettings
from jackfield_store_sqlite.store import SqliteStore

LOG = logging.getLogger("jackfield.test")
NewSqlite = Callable[..., SqliteStore]
NewPostgres = Callable[..., PostgresStore]


@pytest.fixture
def sqlite(tmp_path: Path) -> NewSqlite:
    def make(name: str = "one.db") -> SqliteStore:
        return SqliteStore(tmp_path, SqliteSettings(file=name), LOG)

    return make


@pytest.fixture
def postgres(jackfield_postgres: PostgresServer) -> NewPostgres:
    """Stores of one schema."""
    own = jackfield_postgres.new_name()

    def make(schema: str = own) -> PostgresStore:
        given = PostgresSettings(dsn=jackfield_postgres.dsn(), schema_name=schema, readers=1, start_timeout=0)
        return PostgresStore(given, LOG)

    return make
