"""`jackfield.api.storage.ledgers.LedgerStore` over a database with SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Generic

from ..storage.ledgers import LedgerDay, StoredLedger
from .dialect import ConnectionT, SqlDatabase, StoreDialect

_DAY_MS = 86_400_000
_TELL = """INSERT INTO ledgers (id, name, as_of, inside) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, as_of = excluded.as_of, inside = excluded.inside
    WHERE ledgers.as_of <= excluded.as_of"""
_PUT = """INSERT INTO ledger_days (ledger_id, day, version, data) VALUES (?, ?, ?, ?)
    ON CONFLICT (ledger_id, day) DO UPDATE SET version = excluded.version, data = excluded.data
    WHERE ledger_days.version < excluded.version"""
_ALL = "SELECT id, name, as_of, inside FROM ledgers ORDER BY name, id"
_VERSIONS = "SELECT day, version FROM ledger_days WHERE ledger_id = ?"
_DAYS = """SELECT day, version, data FROM ledger_days WHERE ledger_id = ? AND day >= ? AND day <= ?
    ORDER BY day LIMIT ?"""
_FORGET_DAYS = "DELETE FROM ledger_days WHERE day < ?"
_FORGET = """DELETE FROM ledgers WHERE as_of < ?
    AND NOT EXISTS (SELECT 1 FROM ledger_days d WHERE d.ledger_id = ledgers.id)"""


class LedgerWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect

    def put(self, connection: ConnectionT, ledger: StoredLedger, days: Sequence[LedgerDay]) -> None:
        self._sql.execute(connection, _TELL, [ledger.id, ledger.name, ledger.as_of, ledger.inside])
        for day in days:
            self._sql.repeat(connection, _PUT, [ledger.id, day.day, day.version, day.data])

    def all(self, connection: ConnectionT) -> list[StoredLedger]:
        found = self._sql.execute(connection, _ALL).fetchall()
        return [StoredLedger(host, name, as_of, bool(inside)) for host, name, as_of, inside in found]

    def versions(self, connection: ConnectionT, ledger_id: str) -> dict[int, int]:
        return dict(self._sql.execute(connection, _VERSIONS, [ledger_id]).fetchall())

    def days(self, connection: ConnectionT, ledger_id: str, first: int, last: int, limit: int) -> list[LedgerDay]:
        found = self._sql.execute(connection, _DAYS, [ledger_id, first, last, limit])
        return [LedgerDay(day, version, bytes(data)) for day, version, data in found.fetchall()]

    def forget(self, connection: ConnectionT, before: int) -> None:
        self._sql.execute(connection, _FORGET_DAYS, [before])
        self._sql.execute(connection, _FORGET, [before * _DAY_MS])


class SqlLedgers(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _ledgers: LedgerWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def put_ledger(self, ledger: StoredLedger, days: Sequence[LedgerDay]) -> None:
        size = sum(len(day.data) for day in days)
        await self.database.write(lambda connection: self._ledgers.put(connection, ledger, days), size)

    async def ledgers(self) -> Sequence[StoredLedger]:
        return await self.database.read(self._ledgers.all)

    async def ledger_versions(self, ledger_id: str) -> Mapping[int, int]:
        return await self.database.read(lambda connection: self._ledgers.versions(connection, ledger_id))

    async def ledger_days(self, ledger_id: str, first: int, last: int, limit: int) -> Sequence[LedgerDay]:
        return await self.database.read(
            lambda connection: self._ledgers.days(connection, ledger_id, first, last, limit)
        )

    async def forget_ledger_days(self, before: int) -> None:
        await self.database.write_alone(lambda connection: self._ledgers.forget(connection, before))
