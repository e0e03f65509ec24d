"""Ledgers of hosts, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...api.storage.ledgers import LedgerDay, StoredLedger
from .tables import MemoryTables

_DAY_MS = 86_400_000


class MemoryLedgers(MemoryTables):
    """Part of `MemoryStore`."""

    async def put_ledger(self, ledger: StoredLedger, days: Sequence[LedgerDay]) -> None:
        self._answer()
        if ledger.id not in self._ledgers or self._ledgers[ledger.id].as_of <= ledger.as_of:
            self._ledgers[ledger.id] = ledger
        known = self._ledger_days.setdefault(ledger.id, {})
        for day in days:
            if day.day not in known or known[day.day].version < day.version:
                known[day.day] = day

    async def ledgers(self) -> Sequence[StoredLedger]:
        self._answer()
        return sorted(self._ledgers.values(), key=lambda ledger: (ledger.name, ledger.id))

    async def ledger_versions(self, ledger_id: str) -> Mapping[int, int]:
        self._answer()
        return {day: found.version for day, found in self._ledger_days.get(ledger_id, {}).items()}

    async def ledger_days(self, ledger_id: str, first: int, last: int, limit: int) -> Sequence[LedgerDay]:
        self._answer()
        found = sorted(self._ledger_days.get(ledger_id, {}).items())
        return [each for day, each in found if first <= day <= last][:limit]

    async def forget_ledger_days(self, before: int) -> None:
        self._answer()
        for days in self._ledger_days.values():
            for day in [day for day in days if day < before]:
                del days[day]
        for ledger in list(self._ledgers.values()):
            if ledger.as_of < before * _DAY_MS and not self._ledger_days.get(ledger.id):
                del self._ledgers[ledger.id]
