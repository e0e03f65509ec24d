"""`jackfield.api.storage.entries.EntryStore` over a database with SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic

from ..storage.entries import Entry
from .dialect import ConnectionT, SqlDatabase, SqlValue, StoreDialect

_READ = "SELECT kind, id, parent, place, revision, data FROM entries"
_ADD = """INSERT INTO entries (kind, id, parent, place, revision, data) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (kind, id) DO NOTHING"""
_CHANGE = """UPDATE entries SET parent = ?, place = ?, revision = ?, data = ?
    WHERE kind = ? AND id = ? AND revision = ?"""
_COUNT = "SELECT count(*) FROM entries WHERE kind = ? AND parent = ?"
_DELETE = "DELETE FROM entries WHERE kind = ? AND id = ?"
_DELETE_ALL = "DELETE FROM entries WHERE kind = ? AND parent = ?"


class EntryWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect

    def one(self, connection: ConnectionT, kind: str, entry_id: str) -> Entry | None:
        row = self._sql.execute(connection, f"{_READ} WHERE kind = ? AND id = ?", [kind, entry_id]).fetchone()
        return None if row is None else _entry(row)

    def put(self, connection: ConnectionT, entry: Entry, before: int | None) -> bool:
        if before is None:
            values: list[SqlValue] = [entry.kind, entry.id, entry.parent, entry.place, entry.revision, entry.data]
            return self._sql.execute(connection, _ADD, values).rowcount > 0
        changed: list[SqlValue] = [entry.parent, entry.place, entry.revision, entry.data, entry.kind, entry.id, before]
        return self._sql.execute(connection, _CHANGE, changed).rowcount > 0

    def some(
        self,
        connection: ConnectionT,
        kind: str,
        parent: str,
        after: tuple[int, str] | None,
        limit: int,
        *,
        newest_first: bool,
    ) -> list[Entry]:
        sign, way = ("<", " DESC") if newest_first else (">", "")
        values: list[SqlValue] = [kind, parent]
        where = " WHERE kind = ? AND parent = ?"
        if after is not None:
            where += f" AND (place {sign} ? OR (place = ? AND id {sign} ?))"
            values += [after[0], after[0], after[1]]
        sql = f"{_READ}{where} ORDER BY place{way}, id{way} LIMIT ?"
        return [_entry(row) for row in self._sql.execute(connection, sql, [*values, limit]).fetchall()]

    def count(self, connection: ConnectionT, kind: str, parent: str) -> int:
        return self._sql.number(connection, _COUNT, [kind, parent])

    def delete(self, connection: ConnectionT, kind: str, entry_id: str) -> bool:
        return self._sql.execute(connection, _DELETE, [kind, entry_id]).rowcount > 0

    def delete_all(self, connection: ConnectionT, kind: str, parent: str) -> int:
        return self._sql.execute(connection, _DELETE_ALL, [kind, parent]).rowcount


def _entry(row: Any) -> Entry:  # a tuple whose values have the types of the statement
    kind, entry_id, parent, place, revision, data = row
    return Entry(kind, entry_id, parent, place, revision, bytes(data))


class SqlEntries(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _entries: EntryWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def entry(self, kind: str, entry_id: str) -> Entry | None:
        return await self.database.read(lambda connection: self._entries.one(connection, kind, entry_id))

    async def put_entry(self, entry: Entry, before: int | None) -> bool:
        return await self.database.write(
            lambda connection: self._entries.put(connection, entry, before), len(entry.data)
        )

    async def entries(
        self, kind: str, parent: str, *, after: tuple[int, str] | None, limit: int, newest_first: bool
    ) -> Sequence[Entry]:
        return await self.database.read(
            lambda connection: self._entries.some(connection, kind, parent, after, limit, newest_first=newest_first)
        )

    async def entry_count(self, kind: str, parent: str) -> int:
        return await self.database.read(lambda connection: self._entries.count(connection, kind, parent))

    async def delete_entry(self, kind: str, entry_id: str) -> bool:
        return await self.database.write(lambda connection: self._entries.delete(connection, kind, entry_id))

    async def delete_entries(self, kind: str, parent: str) -> int:
        return await self.database.write(lambda connection: self._entries.delete_all(connection, kind, parent))
