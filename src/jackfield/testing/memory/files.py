"""References of executions to kept files, in memory."""

from __future__ import annotations

from collections.abc import Sequence

from .tables import MemoryTables


class MemoryFileReferences(MemoryTables):
    """Part of `MemoryStore`."""

    async def refer_to_files(self, execution_id: str, file_ids: Sequence[str], now: int) -> Sequence[str]:
        self._answer()
        refused = [file_id for file_id in file_ids if file_id in self._claimed_files]
        for file_id in file_ids:
            if file_id in refused:
                continue
            self._file_references.setdefault(execution_id, {}).setdefault(file_id, now)
            self._released_files.pop(file_id, None)
        return refused

    async def release_files(self, execution_ids: Sequence[str], now: int) -> None:
        self._answer()
        files = {file_id for each in execution_ids for file_id in self._file_references.pop(each, {})}
        for file_id in files:
            if not any(file_id in held for held in self._file_references.values()):
                self._released_files[file_id] = now

    async def executions_without_row(self, before: int, after: str, limit: int) -> list[str]:
        self._answer()
        gone = (each for each, held in self._file_references.items() if each > after and max(held.values()) < before)
        return sorted(each for each in gone if each not in self._runs)[:limit]

    async def released_files(self, before: int, limit: int) -> list[str]:
        self._answer()
        files = ((released, file_id) for file_id, released in self._released_files.items() if released < before)
        return [file_id for _, file_id in sorted(files)[:limit]]

    async def claim_files(self, before: int, now: int, limit: int) -> list[str]:
        released = await self.released_files(before, len(self._released_files))
        found = [file_id for file_id in released if self._claimed_files.get(file_id, 0) < before][:limit]
        self._claimed_files.update(dict.fromkeys(found, now))
        return found

    async def forget_files(self, file_ids: Sequence[str]) -> None:
        self._answer()
        for file_id in file_ids:
            self._released_files.pop(file_id, None)
            self._claimed_files.pop(file_id, None)
