"""The things here that ids of other systems stand for."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from jackfield.api.storage import ImportedId
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.rows import SqliteQuery, execute

_IDS = SqliteQuery("source, kind, foreign_id, own_id, digest, updated_at", "imported_ids", "foreign_id", ImportedId)
_PUT = """INSERT INTO imported_ids VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (source, kind, foreign_id) DO UPDATE SET
    own_id = excluded.own_id, digest = excluded.digest, updated_at = excluded.updated_at"""


class SqliteImported:
    """Part of the store port."""

    _db: SqliteDatabase

    async def imported_ids(self, source: str, kind: str) -> list[ImportedId]:
        clause = " WHERE source = ? AND kind = ?"
        return await self._db.read(lambda connection: _IDS.every(connection, clause, source, kind))

    async def put_imported_ids(self, ids: Sequence[ImportedId]) -> None:
        rows = [(each.source, each.kind, each.foreign_id, each.own_id, each.digest, each.updated_at) for each in ids]

        def work(connection: sqlite3.Connection) -> None:
            for row in rows:
                execute(connection, _PUT, row)

        if rows:
            await self._db.write(work)
