"""References of executions to kept files, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield_store_postgres.connections import Connection
from jackfield_store_postgres.database import Database
from jackfield_store_postgres.rows import Value, execute

_REFER = "INSERT INTO file_references SELECT %s, unnest(%s::text[]), %s ON CONFLICT DO NOTHING"
_FORGET = "DELETE FROM released_files WHERE file_id = ANY(%s)"
_NOT_RELEASED = f"{_FORGET} AND claimed_at IS NULL"
_CLAIMED = "SELECT file_id FROM released_files WHERE file_id = ANY(%s)"
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
_CLAIM = """UPDATE released_files SET claimed_at = %s WHERE file_id IN (
    SELECT f.file_id FROM released_files f WHERE f.released_at < %s AND coalesce(f.claimed_at, 0) < %s
        AND NOT EXISTS (SELECT 1 FROM file_references r WHERE r.file_id = f.file_id)
    ORDER BY f.released_at, f.file_id LIMIT %s FOR UPDATE SKIP LOCKED) RETURNING file_id"""
"""Of two daemons, one may have released what the other has referred to at the same moment."""


class PostgresFileReferences:
    """`jackfield.api.file_storage.FileStore`. Ids are sorted, so that two daemons lock rows in the same order."""

    _db: Database

    async def refer_to_files(self, execution_id: str, file_ids: Sequence[str], now: int) -> Sequence[str]:
        files = sorted(set(file_ids))
        return await self._db.write(lambda connection: refer(connection, execution_id, files, now))

    async def release_files(self, execution_ids: Sequence[str], now: int) -> None:
        gone = sorted(execution_ids)
        await self._db.write(lambda connection: let_go(connection, gone, now), alone=True)

    async def executions_without_row(self, before: int, after: str, limit: int) -> list[str]:
        return await self._db.read(lambda connection: _ids(connection, _WITHOUT_ROW, [after, before, limit]))

    async def released_files(self, before: int, limit: int) -> list[str]:
        return await self._db.read(lambda connection: _ids(connection, _RELEASED, [before, limit]))

    async def claim_files(self, before: int, now: int, limit: int) -> list[str]:
        return await self._db.write(lambda connection: claim(connection, before, now, limit), alone=True)

    async def forget_files(self, file_ids: Sequence[str]) -> None:
        await self._db.write(lambda connection: execute(connection, _FORGET, [sorted(file_ids)]))


def refer(connection: Connection, execution_id: str, files: Sequence[str], now: int) -> list[str]:
    """The claimed ones among these files, to which it does not refer. The first statement waits for whoever claims one
    of them now, and keeps others from it."""
    execute(connection, _NOT_RELEASED, [list(files)])
    claimed = _ids(connection, _CLAIMED, [list(files)])
    free = [file_id for file_id in files if file_id not in claimed]
    execute(connection, _REFER, [execution_id, free, now])
    return claimed


def claim(connection: Connection, before: int, now: int, limit: int) -> list[str]:
    """What somebody takes or lets go of at this moment is left out."""
    return _ids(connection, _CLAIM, [now, before, before, limit])


def let_go(connection: Connection, execution_ids: Sequence[str], now: int) -> None:
    """Two transactions may let go of a file's last two references, and each sees the other's still there. So each first
    notes every file, which makes it wait for the other, and looks then."""
    files = sorted({found for (found,) in execute(connection, _LET_GO, [list(execution_ids)]).fetchall()})
    if files:
        execute(connection, _RELEASE, [now, files])
        execute(connection, _STILL_REFERRED, [files])


def _ids(connection: Connection, sql: str, values: Sequence[Value]) -> list[str]:
    return [found for (found,) in execute(connection, sql, values)]
