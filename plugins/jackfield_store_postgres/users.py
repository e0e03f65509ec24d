"""Users, API keys, revoked tokens."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.errors import Conflict
from jackfield.api.sql.queries import Query
from jackfield.api.storage import ApiKey, Page, User
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.dialect import SQL
from jackfield_store_postgres.rows import Value, execute, number
from jackfield_store_postgres.server.connections import Connection


def _api_key(
    id: str, user_id: str, name: str, prefix: str, digest: str, scopes: str, created: int, expires: int | None,
    used: int | None, projects: str,
) -> ApiKey:  # fmt: skip
    limits = tuple(projects.split())
    return ApiKey(id, user_id, name, prefix, digest, tuple(scopes.split()), created, expires, used, limits)


def _user(
    id: str, username: str, role: str, password_hash: str, version: int, created: int, provider: str, subject: str,
    display_name: str, disabled: bool,
) -> User:  # fmt: skip
    return User(id, username, role, password_hash, version, created, provider, subject, display_name, disabled)


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


class PostgresUsers:
    """Part of the store port."""

    _db: PostgresDatabase

    async def add_user(self, user: User) -> None:
        def work(connection: Connection) -> None:
            if number(connection, "SELECT count(*) FROM users WHERE username = %s", [user.username]):
                raise Conflict(f"There is a user named {user.username} already.", details={"username": "is taken"})
            row = (
                user.id, user.username, user.role, user.password_hash, user.version, user.created_at, user.provider,
                user.subject, user.display_name, user.disabled,
            )  # fmt: skip
            execute(connection, "INSERT INTO users VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)", row)

        await self._db.write(work)

    async def user(self, user_id: str) -> User | None:
        return await self._db.read(lambda connection: _USERS.one(connection, "id = %s", user_id))

    async def user_by_name(self, username: str) -> User | None:
        return await self._db.read(lambda connection: _USERS.one(connection, "username = %s", username))

    async def user_by_identity(self, provider: str, subject: str) -> User | None:
        condition = "provider <> '' AND provider = %s AND subject = %s"
        return await self._db.read(lambda connection: _USERS.one(connection, condition, provider, subject))

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
        sql = f"""UPDATE users SET role = coalesce(%s, role), password_hash = coalesce(%s, password_hash),
            display_name = coalesce(%s, display_name), disabled = coalesce(%s::boolean, disabled),
            version = version + %s WHERE id = %s RETURNING {_USERS.columns}"""  # noqa: S608 - our own names
        values: list[Value] = [role, password_hash, display_name, disabled, int(revoke), user_id]

        def work(connection: Connection) -> User | None:
            row = execute(connection, sql, values).fetchone()
            return None if row is None else _user(*row)

        return await self._db.write(work)

    async def delete_user(self, user_id: str) -> bool:
        sql = "DELETE FROM users WHERE id = %s"
        return await self._db.write(lambda connection: execute(connection, sql, [user_id]).rowcount > 0)

    async def add_api_key(self, key: ApiKey) -> None:
        row = (
            key.id, key.user_id, key.name, key.prefix, key.digest, " ".join(key.scopes), key.created_at, key.expires_at,
            key.last_used_at, " ".join(key.projects),
        )  # fmt: skip
        sql = "INSERT INTO api_keys VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"

        def work(connection: Connection) -> None:
            if not number(connection, "SELECT count(*) FROM users WHERE id = %s", [key.user_id]):
                raise Conflict("The user of this API key does not exist any more.")
            execute(connection, sql, row)

        await self._db.write(work)

    async def api_key(self, digest: str) -> ApiKey | None:
        return await self._db.read(lambda connection: _KEYS.one(connection, "digest = %s", digest))

    async def api_keys(self, user_id: str, offset: int, limit: int) -> Page[ApiKey]:
        clause = " WHERE user_id = %s"
        return await self._db.read(lambda connection: _KEYS.page(connection, clause, [user_id], offset, limit))

    async def delete_api_key(self, key_id: str, user_id: str) -> bool:
        sql = "DELETE FROM api_keys WHERE id = %s AND user_id = %s"
        return await self._db.write(lambda connection: execute(connection, sql, [key_id, user_id]).rowcount > 0)

    async def touch_api_keys(self, used: Mapping[str, int]) -> None:
        sql = """UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, t.used)
            FROM unnest(%s::text[], %s::bigint[]) AS t (id, used) WHERE k.id = t.id"""
        values: list[Value] = [list(used), list(used.values())]

        def work(connection: Connection) -> None:
            execute(connection, sql, values)

        await self._db.write(work)

    async def revoke_token(self, token_id: str, expires_at: int) -> bool:
        sql = "INSERT INTO revoked_tokens VALUES (%s, %s) ON CONFLICT DO NOTHING"
        return await self._db.write(lambda connection: execute(connection, sql, [token_id, expires_at]).rowcount > 0)

    async def is_token_revoked(self, token_id: str) -> bool:
        sql = "SELECT count(*) FROM revoked_tokens WHERE id = %s"
        return await self._db.ask(lambda connection: number(connection, sql, [token_id])) > 0

    async def revoked_tokens(self, now: int) -> dict[str, int]:
        sql = "SELECT id, expires_at FROM revoked_tokens WHERE expires_at > %s"
        return await self._db.read(lambda connection: dict(execute(connection, sql, [now]).fetchall()))
