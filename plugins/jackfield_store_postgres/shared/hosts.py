"""Hosts, their renewals by the database's clock, and the wish that one is drained."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.errors import Conflict
from jackfield.api.storage.hosts import FORGET_AFTER_DAYS, HostEntry, StoredHost
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import execute, planned
from jackfield_store_postgres.server.connections import Connection

_RENEW = """INSERT INTO hosts AS h (name, id, lease_ms, about, renewed_at, has_left, draining)
    VALUES (%s, %s, %s, %s, clock_timestamp(), false, false)
    ON CONFLICT (name) DO UPDATE SET id = excluded.id, lease_ms = excluded.lease_ms, about = excluded.about,
        renewed_at = excluded.renewed_at, has_left = false
    WHERE h.id = excluded.id OR h.has_left
        OR h.renewed_at + h.lease_ms * interval '1 millisecond' < clock_timestamp()
    RETURNING draining"""
_FORGET = """DELETE FROM hosts WHERE name IN (
    SELECT name FROM hosts WHERE renewed_at <= clock_timestamp() - %s * interval '1 day' FOR UPDATE SKIP LOCKED)"""
"""One that another host renews or deletes meanwhile is left to that one, so that nobody waits in a circle."""
_ALL = """SELECT name, id, lease_ms, about, draining, has_left,
        (extract(epoch FROM clock_timestamp() - renewed_at) * 1000)::bigint
    FROM hosts WHERE renewed_at > clock_timestamp() - %s * interval '1 day' ORDER BY name"""
_DRAIN = "UPDATE hosts SET draining = %s WHERE name = %s"
_LEAVE = "UPDATE hosts SET has_left = true WHERE name = %s AND id = %s"


class PostgresHosts:
    """`jackfield.api.storage.hosts.HostStore`."""

    _db: PostgresDatabase

    async def renew_host(self, entry: HostEntry) -> bool:
        def work(connection: Connection) -> bool:
            row = execute(connection, _RENEW, [entry.name, entry.id, entry.lease_ms, entry.about]).fetchone()
            if row is None:
                raise Conflict(f"Another daemon that shares the store has the name {entry.name}.")
            execute(connection, _FORGET, [FORGET_AFTER_DAYS])
            return bool(row[0])

        return await self._db.write(work, len(entry.about))

    async def stored_hosts(self) -> Sequence[StoredHost]:
        def work(connection: Connection) -> list[StoredHost]:
            rows = planned(connection, _ALL, [FORGET_AFTER_DAYS]).fetchall()
            return [
                StoredHost(HostEntry(name, ident, lease_ms, about), draining, max(age_ms, 0), left)
                for name, ident, lease_ms, about, draining, left, age_ms in rows
            ]

        return await self._db.ask(work)

    async def drain_host(self, name: str, draining: bool) -> bool:
        return await self._db.write(lambda connection: execute(connection, _DRAIN, [draining, name]).rowcount > 0)

    async def leave_host(self, name: str, id: str) -> None:
        await self._db.write(lambda connection: execute(connection, _LEAVE, [name, id]).rowcount)
