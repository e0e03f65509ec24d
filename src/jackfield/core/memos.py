"""Memos in memory, of a daemon that has its store for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jackfield.api.clock import Clock
from jackfield.api.memos import Memo, Room


@dataclass
class _Kept:
    data: bytes
    until: float
    part: str


class LocalMemos:
    """`jackfield.api.memos.Memos`; gone with the process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kinds: dict[str, dict[str, _Kept]] = {}

    def _live(self, kind: str) -> dict[str, _Kept]:
        """Those that have not ended; the others are forgotten."""
        now = self._clock.monotonic()
        found = self._kinds.get(kind, {})
        for key in [key for key, kept in found.items() if kept.until <= now]:
            del found[key]
        return found

    async def memo(self, kind: str, key: str) -> bytes | None:
        kept = self._live(kind).get(key)
        return None if kept is None else kept.data

    async def memos(self, kind: str, part: str) -> Sequence[Memo]:
        now = self._clock.monotonic()
        found = [Memo(key, kept.data, kept.until - now) for key, kept in self._live(kind).items() if kept.part == part]
        return sorted(found, key=lambda memo: memo.left)

    async def put_memo(self, kind: str, key: str, data: bytes, lifetime: float, room: Room) -> None:
        found = self._live(kind)
        found.pop(key, None)
        found[key] = _Kept(data, self._clock.monotonic() + lifetime, room.part)
        self._kinds[kind] = found
        if room.most_of_part is not None:
            _trim(found, [each for each in found if found[each].part == room.part], room.most_of_part)
        _trim(found, list(found), room.most)

    async def change_memo(self, kind: str, key: str, before: bytes | None, data: bytes | None, lifetime: float) -> bool:
        found = self._live(kind)
        kept = found.get(key)
        if (None if kept is None else kept.data) != before:
            return False
        if data is None:
            found.pop(key, None)
        else:
            part = "" if kept is None else kept.part
            found[key] = _Kept(data, self._clock.monotonic() + lifetime, part)
            self._kinds[kind] = found
        return True

    async def take_memo(self, kind: str, key: str) -> bytes | None:
        kept = self._live(kind).pop(key, None)
        return None if kept is None else kept.data

    async def end_memos(self, kind: str, part: str) -> None:
        found = self._live(kind)
        for key in [key for key, kept in found.items() if kept.part == part]:
            del found[key]


def _trim(found: dict[str, _Kept], keys: list[str], most: int) -> None:
    """Keep so many of these, those that end last; of two that end together, the later one."""
    if len(keys) > most:
        for key in sorted(keys, key=lambda each: found[each].until)[: len(keys) - most]:
            del found[key]
