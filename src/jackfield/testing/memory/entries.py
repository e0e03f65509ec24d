"""Entries of plugins, in memory."""

from __future__ import annotations

from collections.abc import Sequence

from ...api.storage.entries import Entry
from .tables import MemoryTables


class MemoryEntries(MemoryTables):
    """Part of `MemoryStore`."""

    async def entry(self, kind: str, entry_id: str) -> Entry | None:
        self._answer()
        return self._entries.get((kind, entry_id))

    async def put_entry(self, entry: Entry, before: int | None) -> bool:
        self._answer()
        known = self._entries.get((entry.kind, entry.id))
        if (None if known is None else known.revision) != before:
            return False
        self._entries[entry.kind, entry.id] = entry
        return True

    async def entries(
        self, kind: str, parent: str, *, after: tuple[int, str] | None, limit: int, newest_first: bool
    ) -> Sequence[Entry]:
        self._answer()
        found = sorted(self._entries_of(kind, parent), key=_place, reverse=newest_first)
        if after is not None:
            mark = (after[0], after[1].encode())
            found = [each for each in found if (_place(each) < mark if newest_first else _place(each) > mark)]
        return found[:limit]

    async def entry_count(self, kind: str, parent: str) -> int:
        self._answer()
        return len(self._entries_of(kind, parent))

    async def delete_entry(self, kind: str, entry_id: str) -> bool:
        self._answer()
        return self._entries.pop((kind, entry_id), None) is not None

    async def delete_entries(self, kind: str, parent: str) -> int:
        self._answer()
        found = self._entries_of(kind, parent)
        for each in found:
            del self._entries[each.kind, each.id]
        return len(found)

    def _entries_of(self, kind: str, parent: str) -> list[Entry]:
        return [each for each in self._entries.values() if each.kind == kind and each.parent == parent]


def _place(entry: Entry) -> tuple[int, bytes]:
    return entry.place, entry.id.encode()
