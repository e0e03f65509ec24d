"""The audit log, in memory."""

from __future__ import annotations

from collections.abc import Sequence

from ...api.storage.audit import AuditCheckpoint, AuditFilter, AuditHead, AuditRow
from .tables import MemoryTables


class MemoryAudit(MemoryTables):
    """Part of `MemoryStore`."""

    async def audit_head(self) -> AuditHead:
        self._answer()
        if self._audit:
            return self._audit[-1].head
        left = self._audit_left
        return AuditHead() if left is None else AuditHead(left.number, left.hash)

    async def append_audit(self, after: AuditHead, rows: Sequence[AuditRow]) -> AuditHead:
        if (found := await self.audit_head()) != after:
            return found
        self._audit += rows
        return rows[-1].head

    async def audit_rows(
        self, where: AuditFilter, *, after: int | None, limit: int, newest_first: bool
    ) -> Sequence[AuditRow]:
        self._answer()
        found = [row for row in self._audit if _matches(row, where)]
        if newest_first:
            found.reverse()
        if after is not None:
            found = [row for row in found if (row.number < after if newest_first else row.number > after)]
        return found[:limit]

    async def audit_checkpoint(self) -> AuditCheckpoint | None:
        self._answer()
        return self._audit_left

    async def drop_audit(self, checkpoint: AuditCheckpoint) -> int:
        self._answer()
        dropped = [row for row in self._audit if row.number <= checkpoint.number]
        if not dropped or len(dropped) == len(self._audit) or dropped[-1].hash != checkpoint.hash:
            return 0
        self._audit_left = checkpoint
        del self._audit[: len(dropped)]
        return len(dropped)


def _matches(row: AuditRow, where: AuditFilter) -> bool:
    act = row.act.startswith(where.act) if where.act.endswith(".") else where.act in ("", row.act)
    texts = all(getattr(where, name) in ("", getattr(row, name)) for name in ("actor", "kind", "subject", "outcome"))
    place = where.projects is None or row.project in where.projects
    late = where.since is None or row.at >= where.since
    return act and texts and place and late and (where.until is None or row.at < where.until)
