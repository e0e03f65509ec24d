"""Owners of executions. One process has the file for itself, so that a lease is what it knows: no row of it is written
but at a start. A row's owner is a small number; `incarnations` says whose. Shared with workers of the same daemon, who
ask through this process, several incarnations live side by side."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Sequence
from threading import Lock

import orjson

from jackfield.api.errors import Conflict, Fenced
from jackfield.api.storage import OPEN_STATUSES, Claimed, Incarnation, OpenStatus, Renewals, Renewed, Standing
from jackfield_store_sqlite.connections import connect_reader
from jackfield_store_sqlite.damage.digests import HIGH, of_state
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.rows import Value, execute, number

_KEPT = 1000
"""Incarnations whose ids are kept, those of the last starts."""
_TOLD = 1000
_STANDING = """SELECT e.finished_at IS NULL, i.id FROM executions e LEFT JOIN incarnations i ON i.number = e.owner
    WHERE e.id = ?"""
_OWNED = "SELECT id FROM executions WHERE finished_at IS NULL AND owner = ? ORDER BY id"
_HELD = """SELECT status, resume_at, error FROM executions WHERE id = ? AND finished_at IS NULL AND owner = ?"""
_HAND_OVER = f"""UPDATE executions SET owner = NULL, status = ?, digest = digest & {HIGH} | ?
    WHERE id = ?"""  # noqa: S608 - a number of ours
_TAKE = "UPDATE executions SET epoch = epoch + (owner IS NOT NULL), owner = ? WHERE id = ?"
_CANCELLED = """SELECT w.id FROM cancel_wishes w JOIN executions e ON e.id = w.id
    WHERE e.finished_at IS NULL AND e.owner = ? ORDER BY w.id LIMIT ?"""
_FORGET_WISHES = """DELETE FROM cancel_wishes WHERE NOT EXISTS (
    SELECT 1 FROM executions e WHERE e.id = cancel_wishes.id AND e.finished_at IS NULL)"""


class _Life:
    """number: as rows have it; until: when its lease ends, by the clock that goes on while the machine sleeps."""

    __slots__ = ("daemon", "lease", "number", "until")

    def __init__(self, number: int, daemon: str, lease: float) -> None:
        self.number = number
        self.daemon = daemon
        self.lease = lease
        self.renew()

    def renew(self) -> None:
        self.until = _now() + self.lease

    @property
    def has_lapsed(self) -> bool:
        return _now() > self.until


def _now() -> float:
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Lives:
    """The incarnations that are alive, by their ids: one, unless the store is shared. Changed on any thread under the
    lock, read on any."""

    def __init__(self) -> None:
        self.shared = False
        self._lives: dict[str, _Life] = {}
        self._lock = Lock()

    def number_of(self, owner: str) -> int:
        """As rows have it. Raises `Fenced`."""
        found = self._lives.get(owner)
        if found is None:
            raise Fenced
        return found.number

    def is_alive(self, owner: str) -> bool:
        return owner in self._lives

    def numbers(self) -> list[int]:
        """Of all that are alive."""
        return [life.number for life in self._lives.values()]

    def check(self, incarnation: Incarnation) -> None:
        """Raises `Conflict` while another life of this daemon's name, which it does not know, has a lease."""
        known = incarnation.earlier
        for ident, life in self._lives.items():
            strange = known is not None and life.daemon == incarnation.daemon and ident not in known
            if self.shared and strange and not life.has_lapsed:
                raise Conflict("Another life of this daemon has a lease; its end is waited for.")

    def begin(self, incarnation: Incarnation, its_number: int) -> None:
        """Others of its daemon end, and all others where nobody shares the store."""
        made = _Life(its_number, incarnation.daemon, incarnation.lease_ms / 1000)
        with self._lock:
            others = self._lives.items() if self.shared else ()
            self._lives = {ident: life for ident, life in others if life.daemon != incarnation.daemon}
            self._lives[incarnation.id] = made

    def renew(self, owner: str) -> int:
        """As `number_of`; its lease counts from now on."""
        found = self._lives.get(owner)
        if found is None:
            raise Fenced
        found.renew()
        return found.number

    def bury(self, claimer: str) -> None:
        """Every other daemon that has let the lease run out is dead."""
        if self.shared and any(life.has_lapsed for life in self._lives.values()):
            with self._lock:
                lives = self._lives.items()
                self._lives = {ident: life for ident, life in lives if ident == claimer or not life.has_lapsed}

    def end(self, owner: str) -> None:
        with self._lock:
            self._lives = {ident: life for ident, life in self._lives.items() if ident != owner}

    def end_all(self) -> None:
        with self._lock:
            self._lives = {}


class SqliteRenewals:
    """`Renewals`: nothing is written, only the wishes are looked up. The clock of all is the machine's."""

    def __init__(self, database: SqliteDatabase, lives: Lives, owner: str) -> None:
        self._database = database
        self._lives = lives
        self._owner = owner
        self._connection: sqlite3.Connection | None = None

    async def renew(self) -> Renewed:
        mine = self._lives.renew(self._owner)
        cancelled = await asyncio.to_thread(self._cancelled, mine)
        return Renewed(cancelled, time.time_ns() // 1_000_000 if self._lives.shared else None)

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await asyncio.to_thread(connection.close)

    def _cancelled(self, mine: int) -> list[str]:
        if self._connection is None:
            self._connection = connect_reader(self._database.file, self._database.settings)
        return [found for (found,) in self._connection.execute(_CANCELLED, (mine, _TOLD))]


class SqliteOwnership:
    """Part of the store port."""

    _db: SqliteDatabase
    _lives: Lives

    @property
    def exclusive(self) -> bool:
        return not self._lives.shared

    def share(self) -> None:
        """See `ShareableStore`."""
        self._lives.shared = True

    def end_life(self, owner: str) -> None:
        """See `ShareableStore`."""
        self._lives.end(owner)

    def register(self, incarnation: Incarnation) -> asyncio.Future[None]:
        return self._db.post(
            lambda batch: batch.apart(lambda connection: _register(connection, self._lives, incarnation))
        )

    def renewals(self, owner: str) -> Renewals:
        return SqliteRenewals(self._db, self._lives, owner)

    async def claim_executions(
        self,
        owner: str,
        *,
        statuses: Sequence[OpenStatus],
        limit: int,
        due: int | None = None,
        only: Sequence[str] | None = None,
    ) -> list[Claimed]:
        """A reader searches the executions that can be claimed: a look that finds nothing writes nothing."""
        self._lives.number_of(owner)
        self._lives.bury(owner)
        sql, values = _claimable(self._lives.numbers(), statuses, limit, due, only)
        ids = await self._db.read(lambda connection: [row[0] for row in execute(connection, sql, values)])
        if not ids:
            return []

        def work(connection: sqlite3.Connection) -> list[Claimed]:
            mine = self._lives.number_of(owner)
            again, values_again = _claimable(self._lives.numbers(), statuses, limit, due, ids)
            rows = execute(connection, again, values_again).fetchall()
            connection.executemany(_TAKE, [(mine, ident) for ident, *_ in rows])
            return [_claimed(*row) for row in rows]

        return await self._db.write(work)

    async def standing(self, execution_id: str) -> Standing | None:
        def run(connection: sqlite3.Connection) -> Standing | None:
            row = execute(connection, _STANDING, [execution_id]).fetchone()
            return None if row is None else Standing(bool(row[0]), row[1])

        return await self._db.read(run)

    async def owned_executions(self, owner: str) -> list[str]:
        sql = "SELECT number FROM incarnations WHERE id = ?"

        def work(connection: sqlite3.Connection) -> list[str]:
            numbers = execute(connection, sql, [owner]).fetchall()
            return [found for row in numbers for (found,) in execute(connection, _OWNED, row)]

        return await self._db.read(work)

    def release_executions(self, owner: str, execution_ids: Sequence[str]) -> asyncio.Future[None]:
        def work(connection: sqlite3.Connection) -> None:
            mine = self._lives.number_of(owner)
            for execution_id in execution_ids:
                _hand_over(connection, execution_id, mine)

        return self._db.post(lambda batch: batch.apart(work))

    async def leave(self, owner: str) -> None:
        def work(connection: sqlite3.Connection) -> None:
            if not self._lives.is_alive(owner):
                return
            mine = self._lives.number_of(owner)
            for (execution_id,) in execute(connection, _OWNED, [mine]).fetchall():
                _hand_over(connection, execution_id, mine)
            self._lives.end(owner)

        await self._db.write(work)

    async def ask_cancel(self, execution_id: str) -> bool:
        return await self._db.write(lambda connection: _ask_cancel(connection, execution_id))


def _register(connection: sqlite3.Connection, lives: Lives, incarnation: Incarnation) -> None:
    """It may run twice, with a rollback between."""
    known = execute(connection, "SELECT number FROM incarnations WHERE id = ?", [incarnation.id]).fetchone()
    if known is not None:
        lives.renew(incarnation.id)
        return
    lives.check(incarnation)
    fresh = number(connection, "SELECT max(number) + 1 FROM incarnations")
    execute(connection, "INSERT INTO incarnations VALUES (?, ?, ?)", [fresh, incarnation.id, incarnation.daemon])
    execute(connection, "DELETE FROM incarnations WHERE number <= ?", [fresh - _KEPT])
    lives.begin(incarnation, fresh)


def _claimable(
    alive: Sequence[int], statuses: Sequence[str], limit: int, due: int | None, only: Sequence[str] | None
) -> tuple[str, list[Value]]:
    """The statement and its values. alive: the numbers of all who may own something."""
    mark = ",".join("?" * len(alive))
    conditions, values = [f"(owner IS NULL OR owner NOT IN ({mark}))", "finished_at IS NULL"], list[Value](alive)
    if only is not None:
        conditions.append("id IN (SELECT value FROM json_each(?))")
        values.append(orjson.dumps(list(only)).decode())
    if only is None or due is not None:
        conditions.append("(status <> 'waiting' OR resume_at <= ?)")
        values.append(due)
    damaged = "OR status NOT IN ('queued', 'running', 'waiting')" if "running" in statuses else ""
    conditions.append(f"(status IN ({','.join('?' * len(statuses))}) {damaged})")
    sql = f"SELECT id, status, epoch, owner FROM executions WHERE {' AND '.join(conditions)} ORDER BY id LIMIT ?"  # noqa: S608 - our own words and question marks
    return sql, [*values, *statuses, limit]


def _claimed(execution_id: str, status: OpenStatus, epoch: int, owner: int | None) -> Claimed:
    """As the row was before."""
    taken_over = owner is not None
    return Claimed(execution_id, status if status in OPEN_STATUSES else "running", epoch + taken_over, taken_over)


def _hand_over(connection: sqlite3.Connection, execution_id: str, mine: int) -> None:
    row = execute(connection, _HELD, [execution_id, mine]).fetchone()
    if row is not None:
        status, resume_at, error = row
        status = "queued" if status == "running" else status
        digest = of_state(execution_id, status, None, resume_at, error)
        execute(connection, _HAND_OVER, [status, digest, execution_id])


def _ask_cancel(connection: sqlite3.Connection, execution_id: str) -> bool:
    connection.execute(_FORGET_WISHES)
    sql = "SELECT 1 FROM executions WHERE id = ? AND finished_at IS NULL AND owner IS NOT NULL"
    if execute(connection, sql, [execution_id]).fetchone() is None:
        return False
    execute(connection, "INSERT OR IGNORE INTO cancel_wishes VALUES (?)", [execution_id])
    return True
