"""Owners of executions: incarnations of daemons, their leases by the database's clock, and claims."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import psycopg

from jackfield.api.errors import Conflict, Fenced
from jackfield.api.storage import Claimed, Incarnation, OpenStatus, Renewals, Renewed, Standing
from jackfield_store_postgres import failures
from jackfield_store_postgres.database import PostgresDatabase
from jackfield_store_postgres.rows import Value, execute, planned
from jackfield_store_postgres.server.connections import Connection, cut
from jackfield_store_postgres.server.transactions import Statement, reading
from jackfield_store_postgres.writing.batch import run

_TOLD = 1000
_LEASE = "clock_timestamp() + lease_ms * interval '1 millisecond'"
_REGISTER = """INSERT INTO incarnations AS i (id, daemon, lease_ms, lease_until, alive)
    VALUES (%s, %s, %s, clock_timestamp() + %s * interval '1 millisecond', true)
    ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until WHERE i.alive"""
_EARLIER = "SELECT id FROM incarnations WHERE daemon = %s AND id <> %s AND alive ORDER BY id FOR UPDATE"
_IN_THE_WAY = """SELECT 1 FROM incarnations WHERE daemon = %s AND id <> ALL(%s) AND alive
    AND lease_until > clock_timestamp()"""
_END = "UPDATE incarnations SET alive = false WHERE id = ANY(%s)"
_FORGET_DEAD = """DELETE FROM incarnations i WHERE NOT alive AND lease_until < now() - interval '30 days'
    AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.owner = i.id AND e.finished_at IS NULL)"""
_RENEW = f"""UPDATE incarnations SET lease_until = {_LEASE} WHERE id = %s AND alive
    RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint"""  # noqa: S608 - our own words
_CANCELLED = """SELECT w.id FROM cancel_wishes w JOIN executions e ON e.id = w.id
    WHERE e.finished_at IS NULL AND e.owner = %s ORDER BY w.id LIMIT %s"""
_LAPSED = """SELECT id FROM incarnations WHERE alive AND id <> %s AND lease_until < clock_timestamp()
    AND clock_timestamp() > (SELECT max(lease_ms) + %s FROM incarnations WHERE alive) * interval '1 millisecond'
        + greatest(pg_postmaster_start_time(),
            (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()))
    ORDER BY id"""
"""Neither the server nor this connection to it was away within the longest lease: whoever is missing is missing by
himself. The connection tells of restarts after a crash, which leave the server's own start time as it was."""
_STANDING = "SELECT finished_at IS NULL, owner FROM executions WHERE id = %s"
_IS_ALIVE = "SELECT 1 FROM incarnations WHERE id = %s AND alive"
_FREE = """finished_at IS NULL AND (owner IS NULL
        OR owner <> %s AND owner IN (SELECT i.id FROM incarnations i WHERE NOT i.alive))"""
_TAKE = """WITH me AS (SELECT id FROM incarnations WHERE id = %s AND alive FOR KEY SHARE),
    free AS (SELECT id, status, owner FROM executions WHERE EXISTS (SELECT 1 FROM me) AND {where}
        ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED)
    UPDATE executions e SET owner = %s, epoch = e.epoch + (free.owner IS NOT NULL)::int FROM free WHERE e.id = free.id
    RETURNING e.id, free.status, e.epoch, free.owner IS NOT NULL"""
_RELEASE = """UPDATE executions SET owner = NULL, status = CASE status WHEN 'running' THEN 'queued' ELSE status END
    WHERE owner = %s AND finished_at IS NULL"""
_FORGET_WISHES = """DELETE FROM cancel_wishes w WHERE NOT EXISTS (
    SELECT 1 FROM executions e WHERE e.id = w.id AND e.finished_at IS NULL)"""
_WISH = """INSERT INTO cancel_wishes SELECT id FROM executions
    WHERE id = %s AND finished_at IS NULL AND owner IS NOT NULL ON CONFLICT (id) DO UPDATE SET id = excluded.id"""


class PostgresRenewals:
    """`Renewals`, over its own connection."""

    def __init__(self, database: PostgresDatabase, owner: str) -> None:
        self._database = database
        self._owner = owner
        self._limits = reading(database.settings)
        self._connection: Connection | None = None
        self._using = threading.Lock()
        """Held while somebody uses the connection: one who gave up waiting has left a thread behind."""

    async def renew(self) -> Renewed:
        try:
            return await asyncio.to_thread(self._renewed)
        except asyncio.CancelledError:
            self._cut()
            raise

    async def close(self) -> None:
        if self._using.locked():
            self._cut()
        await asyncio.to_thread(self._close)

    def _cut(self) -> None:
        """Nobody waits any more for what the connection was asked."""
        if (connection := self._connection) is not None:
            cut(connection)

    def _close(self) -> None:
        with self._using:
            self._drop()

    def _renewed(self) -> Renewed:
        with self._using:
            return self._twice()

    def _twice(self) -> Renewed:
        """A connection may have been cut since its last use."""
        kept = self._connection is not None
        try:
            return self._once()
        except psycopg.Error as error:
            self._drop()
            if not (kept and failures.is_lost(error)):
                raise failures.unavailable(error) from error
        try:
            return self._once()
        except psycopg.Error as error:
            self._drop()
            raise failures.unavailable(error) from error

    def _once(self) -> Renewed:
        if self._connection is None:
            self._connection = self._limits.connect(self._database.connector)
        connection = self._connection
        asked: list[Statement] = [(_RENEW, [self._owner]), (_CANCELLED, [self._owner, _TOLD]), ("COMMIT", ())]
        renewed, cancelled, _ = run(connection, [*self._limits.begin(connection), *asked])[-3:]
        row = renewed.fetchone()
        if row is None:  # nothing was changed
            raise Fenced
        return Renewed([found for (found,) in cancelled], row[0])

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


class PostgresOwnership:
    """Part of the store port."""

    exclusive = False
    settle_ms = 1000
    """Milliseconds beyond the longest lease that the server must have been there before anybody is taken for dead."""
    _db: PostgresDatabase

    def register(self, incarnation: Incarnation) -> asyncio.Future[None]:
        return self._db.post_alone(lambda connection: _register(connection, incarnation))

    def renewals(self, owner: str) -> Renewals:
        return PostgresRenewals(self._db, owner)

    async def claim_executions(
        self,
        owner: str,
        *,
        statuses: Sequence[OpenStatus],
        limit: int,
        due: int | None = None,
        only: Sequence[str] | None = None,
    ) -> list[Claimed]:
        """A look that finds nothing writes nothing.

        It goes beside the writer, and is on the disk when the caller gets it.
        """
        where, values = _claimable(owner, statuses, due, only)
        look = f"""SELECT EXISTS ({_IS_ALIVE}), EXISTS (SELECT 1 FROM executions WHERE {where}),
            EXISTS ({_LAPSED})"""  # noqa: S608 - our own words
        settle = self.settle_ms
        limits = reading(self._db.settings)

        def take(connection: Connection) -> list[Claimed]:
            statement = _TAKE.format(where=where), [owner, *values, limit, owner]
            sent = [*limits.begin_claim(connection), statement, ("COMMIT", ())]
            try:
                rows = run(connection, sent)[-2].fetchall()
            except psycopg.Error as error:
                if failures.is_lost(error):  # it must not be repeated: it may have been done
                    raise failures.unavailable(error) from error
                raise
            return sorted((Claimed(*row) for row in rows), key=lambda claimed: claimed.id)

        def claim(connection: Connection) -> list[Claimed] | None:
            row = planned(connection, look, [owner, *values, owner, settle]).fetchone()
            if row is None or not row[0]:
                raise Fenced
            _, free, lapsed = row
            return None if lapsed else take(connection) if free else []

        claimed = await self._db.ask(claim)
        if claimed is None:
            await self._db.write(lambda connection: _end_lapsed(connection, owner, settle), 0, [owner])
            claimed = await self._db.ask(take)
        return claimed

    async def standing(self, execution_id: str) -> Standing | None:
        def run(connection: Connection) -> Standing | None:
            row = planned(connection, _STANDING, [execution_id]).fetchone()
            return None if row is None else Standing(*row)

        return await self._db.ask(run)

    async def owned_executions(self, owner: str) -> list[str]:
        sql = "SELECT id FROM executions WHERE owner = %s AND finished_at IS NULL ORDER BY id"
        return await self._db.read(lambda connection: [found for (found,) in execute(connection, sql, [owner])])

    def release_executions(self, owner: str, execution_ids: Sequence[str]) -> asyncio.Future[None]:
        ids = list(execution_ids)

        def work(connection: Connection) -> None:
            execute(connection, f"{_RELEASE} AND id = ANY(%s)", [owner, ids])

        return self._db.post(lambda batch: batch.apart(work), 0, [owner])

    async def leave(self, owner: str) -> None:
        def work(connection: Connection) -> None:
            if execute(connection, f"{_IS_ALIVE} FOR UPDATE", [owner]).rowcount:
                execute(connection, _RELEASE, [owner])
                execute(connection, _END, [[owner]])

        await self._db.write(work)

    async def ask_cancel(self, execution_id: str) -> bool:
        def work(connection: Connection) -> bool:
            execute(connection, _FORGET_WISHES)
            return execute(connection, _WISH, [execution_id]).rowcount > 0

        return await self._db.write(work)


def _end_lapsed(connection: Connection, owner: str, settle: int) -> None:
    lapsed = execute(connection, f"{_LAPSED} FOR UPDATE SKIP LOCKED", [owner, settle]).fetchall()
    if lapsed:
        execute(connection, _END, [[found for (found,) in lapsed]])


def _register(connection: Connection, incarnation: Incarnation) -> None:
    known = incarnation.earlier
    if known is not None and execute(connection, _IN_THE_WAY, [incarnation.daemon, [*known, incarnation.id]]).rowcount:
        raise Conflict("Another daemon that shares the store has this name.")
    values: list[Value] = [incarnation.id, incarnation.daemon, incarnation.lease_ms, incarnation.lease_ms]
    if not execute(connection, _REGISTER, values).rowcount:
        raise Fenced
    earlier = execute(connection, _EARLIER, [incarnation.daemon, incarnation.id])
    execute(connection, _END, [[found for (found,) in earlier]])
    execute(connection, _FORGET_DEAD)


def _claimable(
    owner: str, statuses: Sequence[str], due: int | None, only: Sequence[str] | None
) -> tuple[str, list[Value]]:
    """A condition on `executions`, and its values."""
    conditions = [_FREE, "status = ANY(%s)"]
    values: list[Value] = [owner, list(statuses)]
    if only is not None:
        conditions.append("id = ANY(%s)")
        values.append(list(only))
    if only is None or due is not None:
        conditions.append("(status <> 'waiting' OR resume_at <= %s::bigint)")
        values.append(due)
    return " AND ".join(conditions), values
