"""Users, API keys, revoked tokens."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from jackfield.api.errors import Conflict
from jackfield.api.records import replace
from jackfield.api.sql.queries import Query
from jackfield.api.storage import ApiKey, Page, User
from jackfield_store_sqlite.damage.digests import expect, of_columns
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.dialect import SQL
from jackfield_store_sqlite.rows import execute, number


def _api_key(
    id: str, user_id: str, name: str, prefix: str, digest: str, scopes: str, created: int, expires: int | None,
    used: int | None, projects: str,
) -> ApiKey:  # fmt: skip
    limits = tuple(projects.split())
    return ApiKey(id, user_id, name, prefix, digest, tuple(scopes.split()), created, expires, used, limits)


def _user(
    id: str, username: str, role: str, password_hash: str, version: int, created: int, provider: str, subject: str,
    display_name: str, disabled: int,
) -> User:  # fmt: skip
    return User(id, username, role, password_hash, version, created, provider, subject, display_name, bool(disabled))


_USERS = Query(
    SQL,
    "id, username, role, password_hash, version, created_at, provider, subject, display_name, disabled",
    "users",
    "username",
    _user,
)
_KEYS = Query(
    SQL,
    "id, user_id, name, prefix, digest, scopes, created_at, expires_at, last_used_at, projects",
    "api_keys",
    "created_at DESC, id DESC",
    _api_key,
)


def _checked_user(*row: Any) -> User:  # Any: the columns, and the digest
    """Raises `DataDamaged`."""
    expect(row[-1], of_columns(row[:-1]), f"user {row[0]}")
    return _user(*row[:-1])


def _checked_api_key(*row: Any) -> ApiKey:
    """Raises `DataDamaged`. row: as of `_KEYS`, and the digest, which covers neither the last use
    nor the projects."""
    expect(row[-1], of_columns(row[:-3]), f"API key {row[0]}")
    return _api_key(*row[:-1])


_USER = replace(_USERS, columns=f"{_USERS.columns}, row_digest", make=_checked_user)
_KEY = replace(_KEYS, columns=f"{_KEYS.columns}, row_digest", make=_checked_api_key)
"""Lists show damaged rows too, so that they can be deleted; who is let in is checked."""


class SqliteUsers:
    """Part of the store port."""

    _db: SqliteDatabase

    async def add_user(self, user: User) -> None:
        def work(connection: sqlite3.Connection) -> None:
            if number(connection, "SELECT count(*) FROM users WHERE username = ?", [user.username]):
                raise Conflict(f"There is a user named {user.username} already.", details={"username": "is taken"})
            row = (
                user.id, user.username, user.role, user.password_hash, user.version, user.created_at, user.provider,
                user.subject, user.display_name, int(user.disabled),
            )  # fmt: skip
            execute(connection, "INSERT INTO users VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, of_columns(row)))

        await self._db.write(work)

    async def user(self, user_id: str) -> User | None:
        return await self._db.read(lambda connection: _USER.one(connection, "id = ?", user_id))

    async def user_by_name(self, username: str) -> User | None:
        return await self._db.read(lambda connection: _USER.one(connection, "username = ?", username))

    async def user_by_identity(self, provider: str, subject: str) -> User | None:
        condition = "provider <> '' AND provider = ? AND subject = ?"
        return await self._db.read(lambda connection: _USER.one(connection, condition, provider, subject))

    async def users(self) -> list[User]:
        return await self._db.read(_USERS.every)

    async def change_user(
        self,
        user_id: str,
        *,
        role: str | None = None,
        password_hash: str | None = None,
        display_name: str | None = None,
        disabled: bool | None = None,
        revoke: bool = True,
    ) -> User | None:
        sql = """UPDATE users SET role = coalesce(?, role), password_hash = coalesce(?, password_hash),
            display_name = coalesce(?, display_name), disabled = coalesce(?, disabled), version = version + ?
            WHERE id = ?"""
        off = None if disabled is None else int(disabled)

        def work(connection: sqlite3.Connection) -> User | None:
            if _USER.one(connection, "id = ?", user_id) is None:
                return None
            execute(connection, sql, [role, password_hash, display_name, off, int(revoke), user_id])
            row = execute(connection, f"SELECT {_USERS.columns} FROM users WHERE id = ?", [user_id]).fetchone()  # noqa: S608 - our own names
            execute(connection, "UPDATE users SET row_digest = ? WHERE id = ?", [of_columns(row), user_id])
            return _user(*row)

        return await self._db.write(work)

    async def delete_user(self, user_id: str) -> bool:
        sql = "DELETE FROM users WHERE id = ?"
        return await self._db.write(lambda connection: execute(connection, sql, [user_id]).rowcount > 0)

    async def add_api_key(self, key: ApiKey) -> None:
        row = (
            key.id, key.user_id, key.name, key.prefix, key.digest, " ".join(key.scopes), key.created_at, key.expires_at,
            key.last_used_at,
        )  # fmt: skip
        sql = "INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

        def work(connection: sqlite3.Connection) -> None:
            if not number(connection, "SELECT count(*) FROM users WHERE id = ?", [key.user_id]):
                raise Conflict("The user of this API key does not exist any more.")
            execute(connection, sql, (*row, of_columns(row[:-1]), " ".join(key.projects)))

        await self._db.write(work)

    async def api_key(self, digest: str) -> ApiKey | None:
        return await self._db.read(lambda connection: _KEY.one(connection, "digest = ?", digest))

    async def api_keys(self, user_id: str, offset: int, limit: int) -> Page[ApiKey]:
        clause = " WHERE user_id = ?"
        return await self._db.read(lambda connection: _KEYS.page(connection, clause, [user_id], offset, limit))

    async def delete_api_key(self, key_id: str, user_id: str) -> bool:
        sql = "DELETE FROM api_keys WHERE id = ? AND user_id = ?"
        return await self._db.write(lambda connection: execute(connection, sql, [key_id, user_id]).rowcount > 0)

    async def touch_api_keys(self, used: Mapping[str, int]) -> None:
        sql = "UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ?"

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(sql, [(time, key) for key, time in used.items()])

        await self._db.write(work)

    async def revoke_token(self, token_id: str, expires_at: int) -> bool:
        sql = "INSERT INTO revoked_tokens VALUES (?, ?) ON CONFLICT DO NOTHING"
        return await self._db.write(lambda connection: execute(connection, sql, [token_id, expires_at]).rowcount > 0)

    async def revoked_tokens(self, now: int) -> dict[str, int]:
        sql = "SELECT id, expires_at FROM revoked_tokens WHERE expires_at > ?"
        return await self._db.read(lambda connection: dict(connection.execute(sql, [now]).fetchall()))
