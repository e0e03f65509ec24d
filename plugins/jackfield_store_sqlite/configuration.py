"""Variables and credentials."""

from __future__ import annotations

import sqlite3
from typing import Any

from jackfield.api.errors import Conflict
from jackfield.api.sql.queries import Query
from jackfield.api.storage import Credential, Page, Variable, Within
from jackfield_store_sqlite.damage.digests import expect, of_columns, of_credential
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.dialect import SQL
from jackfield_store_sqlite.rows import execute, number
from jackfield_store_sqlite.within import limited

_VARIABLES = Query(SQL, "id, key, value, created_at, updated_at", "variables", "key", Variable)
_CREDENTIALS = Query(
    SQL, "id, name, kind, sealed, created_at, updated_at", "credentials", "created_at DESC, id DESC", Credential
)
_ADD_CREDENTIAL = "INSERT INTO credentials VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"
_REPLACE_CREDENTIAL = """INSERT INTO credentials VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    name = excluded.name, kind = excluded.kind, sealed = excluded.sealed, created_at = excluded.created_at,
    updated_at = excluded.updated_at, digest = excluded.digest"""
_REPLACE_VARIABLE = """INSERT INTO variables VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
    key = excluded.key, value = excluded.value, created_at = excluded.created_at, updated_at = excluded.updated_at,
    row_digest = excluded.row_digest"""


def _credential(id: str, *rest: Any) -> Credential:  # Any: the other columns, and the digest
    """Raises `DataDamaged`."""
    expect(rest[-1], of_credential((id, *rest)), f"credential {id}")
    return Credential(id, *rest[:-1])


_CREDENTIAL = Query(SQL, "id, name, kind, sealed, created_at, updated_at, digest", "credentials", "id", _credential)


class SqliteConfiguration:
    """Part of the store port."""

    _db: SqliteDatabase

    async def variables(self, within: Within | None = None) -> list[Variable]:
        clause, values = limited("", [], "variable", "variables.id", within)
        return await self._db.read(lambda connection: _VARIABLES.every(connection, clause, *values))

    async def put_variable(self, variable: Variable) -> None:
        def work(connection: sqlite3.Connection) -> None:
            taken = "SELECT count(*) FROM variables WHERE key = ? AND id <> ?"
            if number(connection, taken, [variable.key, variable.id]):
                raise Conflict(f"There is a variable {variable.key} already.", details={"key": "is taken"})
            row = (variable.id, variable.key, variable.value, variable.created_at, variable.updated_at)
            execute(connection, _REPLACE_VARIABLE, (*row, of_columns(row)))

        await self._db.write(work)

    async def delete_variable(self, variable_id: str) -> bool:
        sql = "DELETE FROM variables WHERE id = ?"
        return await self._db.write(lambda connection: execute(connection, sql, [variable_id]).rowcount > 0)

    async def credentials(self, offset: int, limit: int, within: Within | None = None) -> Page[Credential]:
        clause, values = limited("", [], "credential", "credentials.id", within)
        return await self._db.read(lambda connection: _CREDENTIALS.page(connection, clause, values, offset, limit))

    async def credential(self, credential_id: str) -> Credential | None:
        return await self._db.read(lambda connection: _CREDENTIAL.one(connection, "id = ?", credential_id))

    async def add_credential(self, credential: Credential) -> None:
        row = _row(credential)

        def work(connection: sqlite3.Connection) -> None:
            if not execute(connection, _ADD_CREDENTIAL, (*row, of_credential(row))).rowcount:
                raise Conflict("There is a credential with this id already.")

        await self._db.write(work)

    async def put_credential(self, credential: Credential, before: Credential | None = None) -> None:
        row = _row(credential)

        def work(connection: sqlite3.Connection) -> None:
            if before is not None and not _is_still(connection, before):
                raise Conflict("The credential was changed meanwhile; load it again and repeat the change.")
            execute(connection, _REPLACE_CREDENTIAL, (*row, of_credential(row)))

        await self._db.write(work)

    async def delete_credential(self, credential_id: str) -> bool:
        sql = "DELETE FROM credentials WHERE id = ?"
        return await self._db.write(lambda connection: execute(connection, sql, [credential_id]).rowcount > 0)


def _row(credential: Credential) -> tuple[str, str, str, bytes, int, int]:
    """Its columns in their order."""
    return (
        credential.id, credential.name, credential.kind, credential.sealed, credential.created_at,
        credential.updated_at,
    )  # fmt: skip


def _is_still(connection: sqlite3.Connection, before: Credential) -> bool:
    sql = "SELECT name, sealed, updated_at FROM credentials WHERE id = ?"
    row = execute(connection, sql, [before.id]).fetchone()
    return row is not None and (row[0], bytes(row[1]), row[2]) == (before.name, before.sealed, before.updated_at)
