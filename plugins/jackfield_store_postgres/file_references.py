"""References of executions to kept files, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield_store_postgres.connections import Connection
from jackfield_store_postgres.database import Database
from jackfield_store_postgres.rows import Value, execute

_REFER = "INSERT INTO file_references SELECT %s, unnest(%s::text[]), %s ON CONFLICT DO NOTHING"
_NOT_RELEASED = "DELETE FROM released_files WHERE file_id = ANY(%s)"
_LET_GO = "DELETE FROM file_references WHERE execution_id = ANY(%s) RETURNING file_id"
_RELEASE = """INSERT INTO released_files (file_id, released_at) SELECT f.id, %s FROM unnest(%s::text[]) AS f (id)
    ON CONFLICT (file_id) DO UPDATE SET released_at = excluded.released_at"""
_STILL_REFERRED = """DELETE FROM released_files f WHERE f.file_id = ANY(%s)
    AND EXISTS (SELECT 1 FROM file_references r WHERE r.file_id = f.file_id)"""
_WITHOUT_ROW = """SELECT r.execution_id FROM file_references r
    WHERE r.execution_id > %s AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = r.execution_id)
    GROUP BY r.execution_id HAVING max(r.made_at) < %s ORDER BY r.execution_id LIMIT %s"""
_RELEASED = """SELECT f.file_id FROM released_files f WHERE f.released_at < %s
    AND NOT EXISTS (SELECT 1 FROM file_references r WHERE r.file_id = f.file_id)
    ORDER BY f.released_at, f.file_id LIMIT %s"""
"""Of two daemons, one may have released what the other has referred to at the same moment."""


class PostgresFileReferences:
    """`jackfield.api.file_storage.FileStore`. Ids are sorted, so that two daemons lock rows in the same order."""

    _db: Database

    async def refer_to_files(self, execution_id: str, file_ids: Sequence[str], now: int) -> None:
        files = sorted(set(file_ids))

        def work(connection: Connection) -> None:
            execute(connection, _REFER, [execution_id, files, now])
            execute(connection, _NOT_RELEASED, [files])

        await self._db.write(work)

    async def release_files(self, execution_ids: Sequence[str], now: int) -> None:
        gone = sorted(execution_ids)
        await self._db.write(lambda connection: let_go(connection, gone, now), alone=True)

    async def executions_without_row(self, before: int, after: str, limit: int) -> list[str]:
        return await self._db.read(lambda connection: _ids(connection, _WITHOUT_ROW, [after, before, limit]))

    async def released_files(self, before: int, limit: int) -> list[str]:
        return await self._db.read(lambda connection: _ids(connection, _RELEASED, [before, limit]))

    async def forget_files(self, file_ids: Sequence[str]) -> None:
        await self._db.write(lambda connection: execute(connection, _NOT_RELEASED, [sorted(file_ids)]))


def let_go(connection: Connection, execution_ids: Sequence[str], now: int) -> None:
    """Two transactions may let go of a file's last two references, and each sees the other's still there. So each first
    notes every file, which makes it wait for the other, and looks then."""
    files = sorted({found for (found,) in execute(connection, _LET_GO, [list(execution_ids)]).fetchall()})
    if files:
        execute(connection, _RELEASE, [now, files])
        execute(connection, _STILL_REFERRED, [files])


def _ids(connection: Connection, sql: str, values: Sequence[Value]) -> list[str]:
    return [found for (found,) in execute(connection, sql, values)]
