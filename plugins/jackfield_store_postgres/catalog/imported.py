"""The things here that ids of other systems stand for."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.storage import ImportedId
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import PostgresQuery, execute
from jackfield_store_postgres.server.connections import Connection

_IDS = PostgresQuery("source, kind, foreign_id, own_id, digest, updated_at", "imported_ids", "foreign_id", ImportedId)
_PUT = """INSERT INTO imported_ids VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (source, kind, foreign_id) DO UPDATE SET
    own_id = excluded.own_id, digest = excluded.digest, updated_at = excluded.updated_at"""


class PostgresImported:
    """Part of the store port."""

    _db: PostgresDatabase

    async def imported_ids(self, source: str, kind: str) -> list[ImportedId]:
        clause = " WHERE source = %s AND kind = %s"
        return await self._db.read(lambda connection: _IDS.every(connection, clause, source, kind))

    async def put_imported_ids(self, ids: Sequence[ImportedId]) -> None:
        rows = [(each.source, each.kind, each.foreign_id, each.own_id, each.digest, each.updated_at) for each in ids]

        def work(connection: Connection) -> None:
            for row in rows:
                execute(connection, _PUT, row)

        if rows:
            await self._db.write(work)
