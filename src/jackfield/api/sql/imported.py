"""The things here that ids of other systems stand for, over a database with SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from ..storage import ImportedId
from .dialect import ConnectionT, SqlDatabase, StoreDialect
from .queries import Query

_COLUMNS = "source, kind, foreign_id, own_id, digest, updated_at"
_PUT = f"""INSERT INTO imported_ids ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (source, kind, foreign_id) DO UPDATE SET
    own_id = excluded.own_id, digest = excluded.digest, updated_at = excluded.updated_at"""  # noqa: S608 - our own names


class ImportedWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect
        self._ids = Query(dialect, _COLUMNS, "imported_ids", "foreign_id", ImportedId)

    def all(self, connection: ConnectionT, source: str, kind: str) -> list[ImportedId]:
        return self._ids.every(connection, " WHERE source = ? AND kind = ?", source, kind)

    def put(self, connection: ConnectionT, ids: Sequence[ImportedId]) -> None:
        for each in ids:
            row = (each.source, each.kind, each.foreign_id, each.own_id, each.digest, each.updated_at)
            self._sql.execute(connection, _PUT, row)


class SqlImported(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _imported: ImportedWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def imported_ids(self, source: str, kind: str) -> list[ImportedId]:
        return await self.database.read(lambda connection: self._imported.all(connection, source, kind))

    async def put_imported_ids(self, ids: Sequence[ImportedId]) -> None:
        if ids:
            await self.database.write(lambda connection: self._imported.put(connection, ids))
