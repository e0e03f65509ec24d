"""Hosts that nobody has heard of for long."""

from __future__ import annotations

from jackfield.api.storage.hosts import FORGET_AFTER_DAYS, HostEntry
from jackfield.testing.postgres import PostgresServer
from jackfield_store_postgres.store import PostgresStore


async def test_they_are_deleted_when_another_renews(
    jackfield_postgres: PostgresServer, store: PostgresStore, schema: str
) -> None:
    for name in ("old", "older", "quiet"):
        await store.renew_host(HostEntry(name, name, 1000, "{}"))
    for name, days in (("old", FORGET_AFTER_DAYS), ("older", 300), ("quiet", FORGET_AFTER_DAYS - 1)):
        jackfield_postgres.run(
            f"UPDATE {schema}.hosts SET renewed_at = clock_timestamp() - interval '{days} day' WHERE name = '{name}'"
        )
    assert [host.entry.name for host in await store.stored_hosts()] == ["quiet"]
    await store.renew_host(HostEntry("older", "older", 1000, "{}"))
    assert jackfield_postgres.run(f"SELECT name FROM {schema}.hosts ORDER BY name") == [("older",), ("quiet",)]
