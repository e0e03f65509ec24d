"""Facts of the store."""

from __future__ import annotations

from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import execute, planned
from jackfield_store_postgres.server.connections import Connection

_ADD = "INSERT INTO facts (name, text) VALUES (%s, %s) ON CONFLICT (name) DO NOTHING"
_CHANGE = "UPDATE facts SET text = %s WHERE name = %s AND text = %s"
_RESEAL = "UPDATE credentials SET sealed = %s WHERE id = %s AND sealed = %s"


class PostgresFacts:
    """`jackfield.api.storage.facts.FactStore`."""

    _db: PostgresDatabase

    async def fact(self, name: str) -> str | None:
        def work(connection: Connection) -> str | None:
            row = planned(connection, "SELECT text FROM facts WHERE name = %s", [name]).fetchone()
            return None if row is None else str(row[0])

        return await self._db.ask(work)

    async def change_fact(self, name: str, before: str | None, text: str) -> bool:
        def work(connection: Connection) -> bool:
            if before is None:
                return execute(connection, _ADD, [name, text]).rowcount > 0
            return execute(connection, _CHANGE, [text, name, before]).rowcount > 0

        return await self._db.write(work)

    async def reseal_credential(self, credential_id: str, before: bytes, sealed: bytes) -> bool:
        return await self._db.write(
            lambda connection: execute(connection, _RESEAL, [sealed, credential_id, before]).rowcount > 0
        )
