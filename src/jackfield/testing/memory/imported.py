"""Ids of other systems in memory."""

from __future__ import annotations

from collections.abc import Sequence

from ...api.storage import ImportedId
from .tables import MemoryTables


class MemoryImported(MemoryTables):
    """Part of `MemoryStore`."""

    async def imported_ids(self, source: str, kind: str) -> list[ImportedId]:
        self._answer()
        found = (each for each in self._imported.values() if (each.source, each.kind) == (source, kind))
        return sorted(found, key=lambda each: each.foreign_id)

    async def put_imported_ids(self, ids: Sequence[ImportedId]) -> None:
        self._answer()
        self._imported.update({(each.source, each.kind, each.foreign_id): each for each in ids})
