"""`jackfield.api.storage.FolderStore` over a database with SQL: folders, and which workflows they hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic

from ..errors import Conflict, NotFound
from ..storage import Folder, Within
from .dialect import ConnectionT, SqlDatabase, StoreDialect
from .projects import limited_clause
from .queries import Query

_COLUMNS = "id, name, parent_id, created_at, updated_at, coalesce(held, 0)"
_HOLDING = """folders LEFT JOIN (
        SELECT folder_id, count(*) AS held FROM workflows WHERE folder_id IS NOT NULL GROUP BY folder_id
    ) AS holding ON folder_id = id"""
_PUT = """INSERT INTO folders (id, name, folded_name, parent_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded_name = excluded.folded_name,
    parent_id = excluded.parent_id, updated_at = excluded.updated_at"""
_SAME = "SELECT count(*) FROM folders WHERE coalesce(parent_id, '') = ? AND folded_name = ? AND id <> ?"
_CLASHES = """SELECT a.name FROM folders a JOIN folders b ON b.folded_name = a.folded_name
    WHERE a.parent_id = ? AND coalesce(b.parent_id, '') = ? AND b.id <> ? LIMIT 1"""
_HOLDERS = (
    "UPDATE workflows SET folder_id = ? WHERE folder_id = ?",
    "UPDATE folders SET parent_id = ? WHERE parent_id = ?",
)


class FolderWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect
        self._folders = Query(dialect, _COLUMNS, _HOLDING, "folded_name, id", Folder)

    def all(self, connection: ConnectionT, within: Within | None) -> Sequence[Folder]:
        clause, values = limited_clause(self._sql, "", [], "folder", "folders.id", within)
        return self._folders.every(connection, clause, *values)

    def put(self, connection: ConnectionT, folder: Folder) -> None:
        if folder.parent_id is not None:
            self._known(connection, folder.parent_id)
        folded = folder.name.casefold()
        if self._sql.number(connection, _SAME, [folder.parent_id or "", folded, folder.id]):
            raise _clash(folder.name)
        row = (folder.id, folder.name, folded, folder.parent_id, folder.created_at, folder.updated_at)
        self._sql.execute(connection, _PUT, row)

    def delete(self, connection: ConnectionT, folder_id: str) -> bool:
        held = self._sql.waiting("SELECT parent_id FROM folders WHERE id = ?")
        found = self._sql.execute(connection, held, [folder_id]).fetchone()
        if found is None:
            return False
        parent_id = found[0]
        clash = self._sql.execute(connection, _CLASHES, [folder_id, parent_id or "", folder_id]).fetchone()
        if clash is not None:
            raise _clash(clash[0])
        # It leaves its name to a folder that it holds: no name holds a line feed.
        self._sql.execute(connection, "UPDATE folders SET folded_name = ? WHERE id = ?", [f"{folder_id}\n", folder_id])
        for sql in _HOLDERS:
            self._sql.execute(connection, sql, [parent_id, folder_id])
        return self._sql.execute(connection, "DELETE FROM folders WHERE id = ?", [folder_id]).rowcount > 0

    def move(self, connection: ConnectionT, workflow_id: str, folder_id: str | None) -> bool:
        if folder_id is not None:
            self._known(connection, folder_id)
        sql = "UPDATE workflows SET folder_id = ? WHERE id = ?"
        return self._sql.execute(connection, sql, [folder_id, workflow_id]).rowcount > 0

    def _known(self, connection: ConnectionT, folder_id: str) -> None:
        if not self._sql.number(connection, "SELECT count(*) FROM folders WHERE id = ?", [folder_id]):
            raise NotFound(f"There is no folder with the id {folder_id}.")


class SqlFolders(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _folders: FolderWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def folders(self, within: Within | None = None) -> Sequence[Folder]:
        return await self.database.read(lambda connection: self._folders.all(connection, within))

    async def put_folder(self, folder: Folder) -> None:
        await self.database.write(lambda connection: self._folders.put(connection, folder))

    async def delete_folder(self, folder_id: str) -> bool:
        return await self.database.write(lambda connection: self._folders.delete(connection, folder_id))

    async def move_workflow(self, workflow_id: str, folder_id: str | None) -> bool:
        return await self.database.write(lambda connection: self._folders.move(connection, workflow_id, folder_id))


def _clash(name: str) -> Conflict:
    return Conflict(f"There is a folder {name} at that place already.", details={"name": "is taken"})
