"""Folders, and which workflows they hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from jackfield.api.errors import Conflict, NotFound
from jackfield.api.storage import Folder, Within
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.rows import SqliteQuery, execute, number
from jackfield_store_sqlite.within import limited

_FOLDERS = SqliteQuery(
    "id, name, parent_id, created_at, updated_at, coalesce(held, 0)",
    """folders LEFT JOIN (
        SELECT folder_id, count(*) AS held FROM workflows WHERE folder_id IS NOT NULL GROUP BY folder_id
    ) ON folder_id = id""",
    "folded_name, id",
    Folder,
)
_PUT = """INSERT INTO folders VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
    folded_name = excluded.folded_name, parent_id = excluded.parent_id, updated_at = excluded.updated_at"""
_SAME = "SELECT count(*) FROM folders WHERE parent_id IS ? AND folded_name = ? AND id <> ?"
_CLASHES = """SELECT a.name FROM folders a JOIN folders b ON b.folded_name = a.folded_name
    WHERE a.parent_id = ? AND b.parent_id IS ? AND b.id <> ? LIMIT 1"""


class SqliteFolders:
    """Part of the store port."""

    _db: SqliteDatabase

    async def folders(self, within: Within | None = None) -> Sequence[Folder]:
        clause, values = limited("", [], "folder", "folders.id", within)
        return await self._db.read(lambda connection: _FOLDERS.every(connection, clause, *values))

    async def put_folder(self, folder: Folder) -> None:
        folded = folder.name.casefold()

        def work(connection: sqlite3.Connection) -> None:
            if folder.parent_id is not None:
                _known(connection, folder.parent_id)
            if number(connection, _SAME, [folder.parent_id, folded, folder.id]):
                raise _clash(folder.name)
            row = (folder.id, folder.name, folded, folder.parent_id, folder.created_at, folder.updated_at)
            execute(connection, _PUT, row)

        await self._db.write(work)

    async def delete_folder(self, folder_id: str) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            found = execute(connection, "SELECT parent_id FROM folders WHERE id = ?", [folder_id]).fetchone()
            if found is None:
                return False
            clash = execute(connection, _CLASHES, [folder_id, found[0], folder_id]).fetchone()
            if clash is not None:
                raise _clash(clash[0])
            execute(
                connection, "UPDATE folders SET folded_name = id || char(10) WHERE id = ?", [folder_id]
            )  # leaves its name to one
            for sql in (
                "UPDATE workflows SET folder_id = ? WHERE folder_id = ?",
                "UPDATE folders SET parent_id = ? WHERE parent_id = ?",
            ):
                execute(connection, sql, [found[0], folder_id])
            return execute(connection, "DELETE FROM folders WHERE id = ?", [folder_id]).rowcount > 0

        return await self._db.write(work)

    async def move_workflow(self, workflow_id: str, folder_id: str | None) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            if folder_id is not None:
                _known(connection, folder_id)
            sql = "UPDATE workflows SET folder_id = ? WHERE id = ?"
            return execute(connection, sql, [folder_id, workflow_id]).rowcount > 0

        return await self._db.write(work)


def _known(connection: sqlite3.Connection, folder_id: str) -> None:
    if not number(connection, "SELECT count(*) FROM folders WHERE id = ?", [folder_id]):
        raise NotFound(f"There is no folder with the id {folder_id}.")


def _clash(name: str) -> Conflict:
    return Conflict(f"There is a folder {name} at that place already.", details={"name": "is taken"})
