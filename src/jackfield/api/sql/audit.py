"""`jackfield.api.storage.audit.AuditStore` over a database with SQL."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic

from ..storage.audit import AuditCheckpoint, AuditFilter, AuditHead, AuditRow
from .dialect import ConnectionT, SqlDatabase, SqlValue, StoreDialect

_COLUMNS = "number, at, act, actor, kind, subject, project, outcome, data, hash, mac"
_ADD = f"""INSERT INTO audit_records ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (number) DO NOTHING"""  # noqa: S608 - our own names
_LAST = "SELECT number, hash FROM audit_records ORDER BY number DESC LIMIT 1"
_ONE = "SELECT hash FROM audit_records WHERE number = ?"
_CHECKPOINT = "SELECT number, hash, dropped, at, mac FROM audit_checkpoints ORDER BY number DESC LIMIT 1"
_LEAVE = """INSERT INTO audit_checkpoints (number, hash, dropped, at, mac) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (number) DO NOTHING"""
_DROP = "DELETE FROM audit_records WHERE number <= ?"
_FORGET = "DELETE FROM audit_checkpoints WHERE number < ?"


class AuditWork(Generic[ConnectionT]):
    """The verbs, on a connection inside of a transaction."""

    def __init__(self, dialect: StoreDialect[ConnectionT]) -> None:
        self._sql = dialect

    def head(self, connection: ConnectionT) -> AuditHead:
        row = self._sql.execute(connection, _LAST).fetchone()
        if row is None:
            left = self.checkpoint(connection)
            return AuditHead() if left is None else AuditHead(left.number, left.hash)
        return AuditHead(row[0], bytes(row[1]))

    def append(self, connection: ConnectionT, after: AuditHead, rows: Sequence[AuditRow]) -> AuditHead:
        """Two daemons that have seen the same end meet at its number: the second waits there for the first, and then
        adds nothing."""
        found = self.head(connection)
        if found != after:
            return found
        for row in rows:
            values: list[SqlValue] = [
                row.number, row.at, row.act, row.actor, row.kind, row.subject, row.project, row.outcome,
                row.data, row.hash, row.mac,
            ]  # fmt: skip
            if not self._sql.repeat(connection, _ADD, values).rowcount:
                return self.head(connection)
        return rows[-1].head

    def some(
        self, connection: ConnectionT, where: AuditFilter, after: int | None, limit: int, *, newest_first: bool
    ) -> list[AuditRow]:
        parts = self._conditions(where)
        if after is not None:
            parts.append(("number < ?" if newest_first else "number > ?", after))
        clause = f" WHERE {' AND '.join(text for text, _ in parts)}" if parts else ""
        order = "number DESC" if newest_first else "number"
        sql = f"SELECT {_COLUMNS} FROM audit_records{clause} ORDER BY {order} LIMIT ?"  # noqa: S608 - our own texts
        values = [*(value for _, value in parts), limit]
        return [_row(found) for found in self._sql.execute(connection, sql, values).fetchall()]

    def checkpoint(self, connection: ConnectionT) -> AuditCheckpoint | None:
        row = self._sql.execute(connection, _CHECKPOINT).fetchone()
        return None if row is None else AuditCheckpoint(row[0], bytes(row[1]), row[2], row[3], bytes(row[4]))

    def drop(self, connection: ConnectionT, left: AuditCheckpoint) -> int:
        row = self._sql.execute(connection, _ONE, [left.number]).fetchone()
        if row is None or bytes(row[0]) != left.hash or self.head(connection).number <= left.number:
            return 0
        values: list[SqlValue] = [left.number, left.hash, left.dropped, left.at, left.mac]
        self._sql.execute(connection, _LEAVE, values)
        self._sql.execute(connection, _FORGET, [left.number])
        return self._sql.execute(connection, _DROP, [left.number]).rowcount

    def _conditions(self, where: AuditFilter) -> list[tuple[str, SqlValue]]:
        """Each has one `?`."""
        found: list[tuple[str, SqlValue]] = []
        if where.act.endswith("."):  # `/` is the character behind the dot
            found += [("act >= ?", where.act), ("act < ?", f"{where.act[:-1]}/")]
        elif where.act:
            found.append(("act = ?", where.act))
        for field in ("actor", "kind", "subject", "outcome"):
            if value := getattr(where, field):
                found.append((f"{field} = ?", value))
        if where.projects is not None:
            found.append((self._sql.among("project"), self._sql.listed(where.projects)))
        if where.since is not None:
            found.append(("at >= ?", where.since))
        if where.until is not None:
            found.append(("at < ?", where.until))
        return found


def _row(found: Any) -> AuditRow:  # a tuple whose values have the types of the statement
    number, at, act, actor, kind, subject, project, outcome, data, digest, mac = found
    return AuditRow(number, at, act, actor, kind, subject, project, outcome, bytes(data), bytes(digest), bytes(mac))


class SqlAudit(ABC, Generic[ConnectionT]):
    """Part of the store port."""

    _audit: AuditWork[ConnectionT]

    @property
    @abstractmethod
    def database(self) -> SqlDatabase[ConnectionT]: ...

    async def audit_head(self) -> AuditHead:
        return await self.database.read(self._audit.head)

    async def append_audit(self, after: AuditHead, rows: Sequence[AuditRow]) -> AuditHead:
        return await self.database.write_alone(lambda connection: self._audit.append(connection, after, rows))

    async def audit_rows(
        self, where: AuditFilter, *, after: int | None, limit: int, newest_first: bool
    ) -> Sequence[AuditRow]:
        return await self.database.read(
            lambda connection: self._audit.some(connection, where, after, limit, newest_first=newest_first)
        )

    async def audit_checkpoint(self) -> AuditCheckpoint | None:
        return await self.database.read(self._audit.checkpoint)

    async def drop_audit(self, checkpoint: AuditCheckpoint) -> int:
        return await self.database.write_alone(lambda connection: self._audit.drop(connection, checkpoint))
