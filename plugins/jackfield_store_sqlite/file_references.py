"""References of executions to kept files, in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import orjson

from jackfield_store_sqlite.database import Database
from jackfield_store_sqlite.rows import execute

_REFER = "INSERT INTO file_references SELECT ?, value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING"
_FORGET = "DELETE FROM released_files WHERE file_id IN (SELECT value FROM json_each(?))"
_NOT_RELEASED = f"{_FORGET} AND claimed_at IS NULL"
_CLAIMED = "SELECT file_id FROM released_files WHERE file_id IN (SELECT value FROM json_each(?))"
_LET_GO = "DELETE FROM file_references WHERE execution_id IN (SELECT value FROM json_each(?)) RETURNING file_id"
_RELEASE = """INSERT INTO released_files (file_id, released_at) SELECT value, ? FROM json_each(?)
    WHERE NOT EXISTS (SELECT 1 FROM file_references r WHERE r.file_id = value)
    ON CONFLICT (file_id) DO UPDATE SET released_at = excluded.released_at"""
_WITHOUT_ROW = """SELECT r.execution_id FROM file_references r
    WHERE r.execution_id > ? AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = r.execution_id)
    GROUP BY r.execution_id HAVING max(r.made_at) < ? ORDER BY r.execution_id LIMIT ?"""
_RELEASED = "SELECT file_id FROM released_files WHERE released_at < ? ORDER BY released_at, file_id LIMIT ?"
_CLAIM = """UPDATE released_files SET claimed_at = ? WHERE file_id IN (
    SELECT file_id FROM released_files WHERE released_at < ? AND coalesce(claimed_at, 0) < ?
    ORDER BY released_at, file_id LIMIT ?) RETURNING file_id"""


class SqliteFileReferences:
    """`jackfield.api.file_storage.FileStore`."""

    _db: Database

    async def refer_to_files(self, execution_id: str, file_ids: Sequence[str], now: int) -> Sequence[str]:
        def work(connection: sqlite3.Connection) -> list[str]:
            execute(connection, _NOT_RELEASED, [_listed(file_ids)])
            claimed = _ids(connection, _CLAIMED, [_listed(file_ids)])
            free = [file_id for file_id in file_ids if file_id not in claimed]
            execute(connection, _REFER, [execution_id, now, _listed(free)])
            return claimed

        return await self._db.write(work)

    async def release_files(self, execution_ids: Sequence[str], now: int) -> None:
        def work(connection: sqlite3.Connection) -> None:
            files = {found for (found,) in execute(connection, _LET_GO, [_listed(execution_ids)]).fetchall()}
            if files:
                execute(connection, _RELEASE, [now, _listed(sorted(files))])

        await self._db.write(work)

    async def executions_without_row(self, before: int, after: str, limit: int) -> list[str]:
        return await self._db.read(lambda connection: _ids(connection, _WITHOUT_ROW, [after, before, limit]))

    async def released_files(self, before: int, limit: int) -> list[str]:
        return await self._db.read(lambda connection: _ids(connection, _RELEASED, [before, limit]))

    async def claim_files(self, before: int, now: int, limit: int) -> list[str]:
        return await self._db.write(lambda connection: _ids(connection, _CLAIM, [now, before, before, limit]))

    async def forget_files(self, file_ids: Sequence[str]) -> None:
        await self._db.write(lambda connection: execute(connection, _FORGET, [_listed(file_ids)]))


def _listed(ids: Sequence[str]) -> str:
    return orjson.dumps(list(ids)).decode()


def _ids(connection: sqlite3.Connection, sql: str, values: Sequence[str | int]) -> list[str]:
    return [found for (found,) in execute(connection, sql, values)]
