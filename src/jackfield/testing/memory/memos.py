"""Memos of a store in memory that several daemons share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ...api.clock import Clock, SystemClock
from ...api.memos import Memo, Room
from ...core.memos import LocalMemos
from .tables import MemoryTables


class MemoryMemos(MemoryTables):
    """Part of `MemoryStore`."""

    @cached_property
    def _memos(self) -> LocalMemos:
        clock: Clock | None = getattr(self, "_clock", None)
        return LocalMemos(clock or SystemClock())

    async def memo(self, kind: str, key: str) -> bytes | None:
        self._answer()
        return await self._memos.memo(kind, key)

    async def memos(self, kind: str, part: str) -> Sequence[Memo]:
        self._answer()
        return await self._memos.memos(kind, part)

    async def put_memo(self, kind: str, key: str, data: bytes, lifetime: float, room: Room) -> None:
        self._answer()
        await self._memos.put_memo(kind, key, data, lifetime, room)

    async def change_memo(self, kind: str, key: str, before: bytes | None, data: bytes | None, lifetime: float) -> bool:
        self._answer()
        return await self._memos.change_memo(kind, key, before, data, lifetime)

    async def take_memo(self, kind: str, key: str) -> bytes | None:
        self._answer()
        return await self._memos.take_memo(kind, key)

    async def end_memos(self, kind: str, part: str) -> None:
        self._answer()
        await self._memos.end_memos(kind, part)
