from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integrations"))

import database_servers
from ai_lab import AiLab
from loopback import Loopback, loopback
from server_fixtures import certificate, mongo, redis, server_fixture

__all__ = ["certificate", "mongo", "redis"]

postgres = server_fixture("PostgreSQL", "psycopg", lambda _: database_servers.postgres())
"""With pgvector, where one is to be had."""


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture
async def lab(tmp_path: Path, server: Loopback) -> AsyncIterator[AiLab]:
    made = AiLab(tmp_path, server)
    yield made
    await made.close()


@pytest.fixture
def vector_postgres(postgres: Mapping[str, str]) -> Mapping[str, str]:
    """One in which there is pgvector."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(database_servers.dsn(postgres), autocommit=True) as connection:
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.Error:
            pytest.skip("PostgreSQL has no pgvector; install pgserver from PyPI")
    return postgres
