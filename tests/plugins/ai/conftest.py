from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "nodes"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integrations"))

import database_servers
import servers
from ai_lab import AiLab
from loopback import Loopback, loopback

from jackfield.testing.certificates import self_signed


@pytest.fixture
async def server() -> AsyncIterator[Loopback]:
    async with loopback() as made:
        yield made


@pytest.fixture
async def lab(tmp_path: Path, server: Loopback) -> AsyncIterator[AiLab]:
    made = AiLab(tmp_path, server)
    yield made
    await made.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Mapping[str, str]]:
    """The values of a credential for a server that has pgvector, if one is to be had."""
    pytest.importorskip("psycopg")
    try:
        with database_servers.postgres() as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"PostgreSQL: {exc}")


@pytest.fixture
def vector_postgres(postgres: Mapping[str, str]) -> Mapping[str, str]:
    """The same, in which there is pgvector."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(database_servers.dsn(postgres), autocommit=True) as connection:
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        except psycopg.Error:
            pytest.skip("PostgreSQL has no pgvector; install pgserver from PyPI")
    return postgres


@pytest.fixture(scope="session")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, str]]:
    pytest.importorskip("redis")
    try:
        with servers.redis_server(*self_signed(tmp_path_factory.mktemp("certificate"), "localhost")) as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"Redis: {exc}")


@pytest.fixture(scope="session")
def mongo() -> Iterator[Mapping[str, str]]:
    pytest.importorskip("pymongo")
    try:
        with servers.mongo_server() as values:
            yield values
    except servers.Absent as exc:
        pytest.skip(f"MongoDB: {exc}")
