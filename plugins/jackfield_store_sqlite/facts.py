"""Facts of the store."""

from __future__ import annotations

import sqlite3

from jackfield_store_sqlite.damage.digests import of_credential
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.rows import execute

_ADD = "INSERT INTO facts (name, text) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
_CHANGE = "UPDATE facts SET text = ? WHERE name = ? AND text = ?"
_CREDENTIAL = "SELECT id, name, kind, sealed, created_at, updated_at FROM credentials WHERE id = ? AND sealed = ?"
_RESEAL = "UPDATE credentials SET sealed = ?, digest = ? WHERE id = ?"


class SqliteFacts:
    """`jackfield.api.storage.facts.FactStore`."""

    _db: SqliteDatabase

    async def fact(self, name: str) -> str | None:
        def work(connection: sqlite3.Connection) -> str | None:
            row = execute(connection, "SELECT text FROM facts WHERE name = ?", [name]).fetchone()
            return None if row is None else str(row[0])

        return await self._db.read(work)

    async def change_fact(self, name: str, before: str | None, text: str) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            if before is None:
                return execute(connection, _ADD, [name, text]).rowcount > 0
            return execute(connection, _CHANGE, [text, name, before]).rowcount > 0

        return await self._db.write(work)

    async def reseal_credential(self, credential_id: str, before: bytes, sealed: bytes) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            row = execute(connection, _CREDENTIAL, [credential_id, before]).fetchone()
            if row is None:
                return False
            digest = of_credential((*row[:3], sealed, *row[4:]))
            execute(connection, _RESEAL, [sealed, digest, credential_id])
            return True

        return await self._db.write(work)
