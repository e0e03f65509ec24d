"""`jackfield.api.storage.files.FileStore` over a database with SQL: references of executions to kept files.

Several daemons may use the database. So stores sort ids before they lock rows. Of two daemons, one may have released a
file that the other has referred to at the same moment. Such a file is neither reported nor claimed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from .dialect import ConnectionT, SqlDatabase, SqlValue, StoreDialect

_UNREFERRED = "NOT EXISTS (SELECT 1 FROM file_references r WHERE r.file_id = f.file_id)"
_LONGEST_RELEASED = "ORDER BY f.released_at, f.file_id LIMIT ?"
_RELEASED = f"SELECT f.file_id FROM released_files f WHERE f.released_at < ? AND {_UNREFERRED} {_LONGEST_RELEASED}"  # noqa: S608 - our own words
_CLAIMABLE = f"""SELECT f.file_id FROM released_files f
    WHERE f.released_at < ? AND coalesce(f.claimed_at, 0) < ? AND {_UNREFERRED} {_LONGEST_RELEASED}"""  # noqa: S608 - our own words
_WITHOUT_ROW = """SELECT r.execution_id FROM file_references r
    WHERE r.execution_id > ? AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = r.execution_id)
    GROUP BY r.execution_id HAVING max(r.made_at) < ? ORDER BY r.execution_id LIMIT ?"""


class FileWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        file, execution, each = dialect.among("file_id"), dialect.among("execution_id"), dialect.each()
        self._sql = dialect
        self._refer = f"INSERT INTO file_references SELECT ?, value, ? FROM {each} WHERE true ON CONFLICT DO NOTHING"  # noqa: S608 - our own words
        self._forget = f"DELETE FROM released_files WHERE {file}"  # noqa: S608 - our own words
        self._not_released = f"{self._forget} AND claimed_at IS NULL"
        self._claimed = f"SELECT file_id FROM released_files WHERE {file}"  # noqa: S608 - our own words
        self._let_go = f"DELETE FROM file_references WHERE {execution} RETURNING file_id"  # noqa: S608 - our own words
        self._release = f"""INSERT INTO released_files (file_id, released_at) SELECT value, ? FROM {each} WHERE true
            ON CONFLICT (file_id) DO UPDATE SET released_at = excluded.released_at"""  # noqa: S608 - our own words
        self._still_referred = f"""{self._forget}
            AND EXISTS (SELECT 1 FROM file_references r WHERE r.file_id = released_files.file_id)"""  # noqa: S608 - our own words
        self._claim = f"""UPDATE released_files SET claimed_at = ?
            WHERE file_id IN ({dialect.passing(_CLAIMABLE)}) RETURNING file_id"""  # noqa: S608 - our own words

    def refer(self, connection: ConnectionT, execution_id: str, files: Sequence[str], now: int) -> list[str]:
        """The claimed ones among these files, to which it does not refer. The first statement waits for whoever claims
        one of them now, and keeps others from it."""
        listed = self._sql.listed(files)
        self._sql.execute(connection, self._not_released, [listed])
        claimed = self._ids(connection, self._claimed, [listed])
        free = [file_id for file_id in files if file_id not in claimed]
        self._sql.execute(connection, self._refer, [execution_id, now, self._sql.listed(free)])
        return claimed

    def let_go(self, connection: ConnectionT, execution_ids: Sequence[str], now: int) -> None:
        """Two transactions may let go of a file's last two references, and each sees the other's still there. So each
        first notes every file, which makes it wait for the other, and looks then."""
        files = sorted(set(self._ids(connection, self._let_go, [self._sql.listed(execution_ids)])))
        if files:
            listed = self._sql.listed(files)
            self._sql.execute(connection, self._release, [now, listed])
            self._sql.execute(connection, self._still_referred, [listed])

    def without_row(self, connection: ConnectionT, before: int, after: str, limit: int) -> list[str]:
        return self._ids(connection, _WITHOUT_ROW, [after, before, limit])

    def released(self, connection: ConnectionT, before: int, limit: int) -> list[str]:
        return self._ids(connection, _RELEASED, [before, limit])

    def claim(self, connection: ConnectionT, before: int, now: int, limit: int) -> list[str]:
        """Files that somebody takes or lets go of at this moment are left out."""
        return self._ids(connection, self._claim, [now, before, before, limit])

    def forget(self, connection: ConnectionT, files: Sequence[str]) -> None:
        self._sql.execute(connection, self._forget, [self._sql.listed(files)])

    def _ids(self, connection: ConnectionT, sql: str, values: Sequence[SqlValue]) -> list[str]:
        return [found for (found,) in self._sql.execute(connection, sql, values).fetchall()]


class SqlFileReferences(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _files: FileWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def refer_to_files(self, execution_id: str, file_ids: Sequence[str], now: int) -> Sequence[str]:
        files = sorted(set(file_ids))
        return await self.database.write(lambda connection: self._files.refer(connection, execution_id, files, now))

    async def release_files(self, execution_ids: Sequence[str], now: int) -> None:
        gone = sorted(execution_ids)
        await self.database.write_alone(lambda connection: self._files.let_go(connection, gone, now))

    async def executions_without_row(self, before: int, after: str, limit: int) -> list[str]:
        return await self.database.read(lambda connection: self._files.without_row(connection, before, after, limit))

    async def released_files(self, before: int, limit: int) -> list[str]:
        return await self.database.read(lambda connection: self._files.released(connection, before, limit))

    async def claim_files(self, before: int, now: int, limit: int) -> list[str]:
        return await self.database.write_alone(lambda connection: self._files.claim(connection, before, now, limit))

    async def forget_files(self, file_ids: Sequence[str]) -> None:
        files = sorted(file_ids)
        await self.database.write(lambda connection: self._files.forget(connection, files))
