"""Memos: records that end by themselves, by the database's clock."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.memos import Memo, Room
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import Value, execute
from jackfield_store_postgres.server.connections import Connection

_LIVE = "kind = %s AND ends_at > clock_timestamp()"
_END = "clock_timestamp() + make_interval(secs => %s)"
_PUT = f"""INSERT INTO memos (kind, key, data, part, ends_at) VALUES (%s, %s, %s, %s, {_END})
    ON CONFLICT (kind, key) DO UPDATE SET data = excluded.data, part = excluded.part, ends_at = excluded.ends_at"""  # noqa: S608 - our own words
ADD = f"""INSERT INTO memos (kind, key, data, part, ends_at) VALUES (%s, %s, %s, '', {_END})
    ON CONFLICT (kind, key) DO UPDATE SET data = excluded.data, part = '', ends_at = excluded.ends_at
    WHERE memos.ends_at <= clock_timestamp()"""  # noqa: S608 - our own words
_CHANGE = f"UPDATE memos SET data = %s, ends_at = {_END} WHERE {_LIVE} AND key = %s AND data = %s"  # noqa: S608 - our own words
_EXCESS_OF_PART = """DELETE FROM memos WHERE kind = %s AND key IN (
    SELECT key FROM memos WHERE kind = %s AND part = %s ORDER BY ends_at DESC OFFSET %s)"""
_EXCESS = """DELETE FROM memos WHERE kind = %s AND key IN (
    SELECT key FROM memos WHERE kind = %s ORDER BY ends_at DESC OFFSET %s)"""
ENDED = """DELETE FROM memos WHERE (kind, key) IN (
    SELECT kind, key FROM memos WHERE ends_at <= clock_timestamp() LIMIT %s FOR UPDATE SKIP LOCKED)"""


class PostgresMemos:
    """`jackfield.api.memos.Memos`"""

    _db: PostgresDatabase

    async def memo(self, kind: str, key: str) -> bytes | None:
        sql = f"SELECT data FROM memos WHERE {_LIVE} AND key = %s"  # noqa: S608 - our own words
        return await self._db.ask(lambda connection: _data(connection, sql, [kind, key]))

    async def memos(self, kind: str, part: str) -> Sequence[Memo]:
        sql = f"""SELECT key, data, extract(epoch FROM ends_at - clock_timestamp())::double precision
            FROM memos WHERE {_LIVE} AND part = %s ORDER BY ends_at"""  # noqa: S608 - our own words
        return await self._db.read(lambda connection: [Memo(*row) for row in execute(connection, sql, [kind, part])])

    async def put_memo(self, kind: str, key: str, data: bytes, lifetime: float, room: Room) -> None:
        def work(connection: Connection) -> None:
            execute(connection, _PUT, [kind, key, data, room.part, lifetime])
            if room.most_of_part is not None:
                execute(connection, _EXCESS_OF_PART, [kind, kind, room.part, room.most_of_part])
            execute(connection, _EXCESS, [kind, kind, room.most])

        await self._db.write(work, len(data))

    async def change_memo(self, kind: str, key: str, before: bytes | None, data: bytes | None, lifetime: float) -> bool:
        if before is None:
            if data is None:
                return await self.memo(kind, key) is None
            return await self._done(ADD, [kind, key, data, lifetime])
        if data is None:
            return await self._done(f"DELETE FROM memos WHERE {_LIVE} AND key = %s AND data = %s", [kind, key, before])  # noqa: S608 - our own words
        return await self._done(_CHANGE, [data, lifetime, kind, key, before])

    async def take_memo(self, kind: str, key: str) -> bytes | None:
        sql = f"DELETE FROM memos WHERE {_LIVE} AND key = %s RETURNING data"  # noqa: S608 - our own words
        return await self._db.write(lambda connection: _data(connection, sql, [kind, key]))

    async def end_memos(self, kind: str, part: str) -> None:
        await self._done("DELETE FROM memos WHERE kind = %s AND part = %s", [kind, part])

    async def _done(self, sql: str, values: Sequence[Value]) -> bool:
        """Whether the statement has changed something."""
        return await self._db.write(lambda connection: execute(connection, sql, values).rowcount > 0)


def _data(connection: Connection, sql: str, values: Sequence[Value]) -> bytes | None:
    row = execute(connection, sql, values).fetchone()
    return None if row is None else bytes(row[0])
