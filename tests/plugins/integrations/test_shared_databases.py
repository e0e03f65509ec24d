"""The port by which nodes of other plugins reach databases, beside real servers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import servers

from jackfield.api.databases import DatabaseRefusal
from jackfield.api.nodes import NodeError, NodeUnavailable
from jackfield.testing.context import FakeContext
from jackfield_integrations.databases import SharedConnections
from jackfield_integrations.settings import IntegrationSettings


def connections(place: Path, *hosts: str) -> SharedConnections:
    settings = IntegrationSettings(allowed_hosts=list(hosts or ("127.0.0.1", "localhost")), connect_timeout=5)
    return SharedConnections(FakeContext(place, tables=[settings]))


async def test_postgresql_takes_values_apart_from_statements(tmp_path: Path, postgres: Mapping[str, str]) -> None:
    async with connections(tmp_path).postgres(postgres) as database:
        evil = "'; DROP TABLE x; --"
        assert list(await database.query("SELECT %s::text, %s::jsonb", [evil, '{"a": [1]}'])) == [(evil, {"a": [1]})]
        with pytest.raises(DatabaseRefusal, match="does not exist") as refused:
            await database.query("SELECT * FROM nowhere")
        assert refused.value.code == "42P01"
        assert list(await database.query("SELECT 1")) == [(1,)]


async def test_redis_takes_any_command(tmp_path: Path, redis: Mapping[str, str]) -> None:
    async with connections(tmp_path).redis(redis) as database:
        assert await database.command("RPUSH", "list:é", "a", b"b", 3) == 3
        assert await database.command("LRANGE", "list:é", 0, -1) == ["a", "b", "3"]
        with pytest.raises(DatabaseRefusal, match="WRONGTYPE") as refused:
            await database.command("GET", "list:é")
        assert refused.value.code == "WRONGTYPE"
        await database.command("DEL", "list:é")


async def test_mongodb_takes_any_command(tmp_path: Path, mongo: Mapping[str, str]) -> None:
    async with connections(tmp_path).mongo(mongo) as database:
        assert database.database == "shared"
        await database.command("shared", {"insert": "rows", "documents": [{"_id": 1, "a": "é"}]})
        found = await database.command("shared", {"find": "rows", "filter": {"a": "é"}})
        cursor = found["cursor"]
        assert isinstance(cursor, dict)
        assert cursor["firstBatch"] == [{"_id": 1, "a": "é"}]
        with pytest.raises(DatabaseRefusal):
            await database.command("shared", {"noSuchCommand": 1})


async def test_mongodb_by_a_connection_string(tmp_path: Path, mongo: Mapping[str, str]) -> None:
    text = f"mongodb://{mongo['host']}:{mongo['port']}/?retryWrites=false"
    values = {"configurationType": "connectionString", "connectionString": text, "database": "d"}
    async with connections(tmp_path).mongo(values) as database:
        assert (await database.command("d", {"ping": 1}))["ok"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mongodb://a.example,b.example/", "cannot be found|one server only"),
        ("mongodb://127.0.0.1,localhost/", "one server only"),
        ("mongodb://127.0.0.1/?tls=true&tlsCAFile=/etc/passwd", "may not name files"),
        ("mongodb://127.0.0.1/?authMechanism=MONGODB-AWS", "MONGODB-AWS is not available"),
        ("mongodb://%2Ftmp%2Fmongodb-27017.sock/", "cannot be"),
        ("postgres://x", "cannot be used"),
    ],
)
async def test_connection_strings_reach_no_further_than_they_may(tmp_path: Path, text: str, said: str) -> None:
    pytest.importorskip("pymongo")
    values = {"configurationType": "connectionString", "connectionString": text}
    with pytest.raises(NodeError, match=said):
        async with connections(tmp_path).mongo(values):
            pass


@pytest.mark.parametrize("kind", ["postgres", "redis", "mongo"])
async def test_loopback_is_no_public_address(tmp_path: Path, kind: str) -> None:
    pytest.importorskip({"postgres": "psycopg", "redis": "redis", "mongo": "pymongo"}[kind])
    opened = getattr(connections(tmp_path, "db.internal"), kind)
    with pytest.raises(NodeUnavailable, match=r"integrations\.allowed_hosts"):
        async with opened({"host": "127.0.0.1"}):
            pass


async def test_no_secret_is_told(tmp_path: Path, mongo: Mapping[str, str]) -> None:
    values = {**mongo, "user": "somebody", "password": servers.PASSWORD}
    with pytest.raises(NodeError) as refused:
        async with connections(tmp_path).mongo(values) as database:
            await database.command("d", {"ping": 1})
    assert servers.PASSWORD not in refused.value.message
