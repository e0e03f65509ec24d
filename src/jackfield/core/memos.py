"""Memos in memory, of a daemon that has its store for itself."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from jackfield.api.clock import Clock
from jackfield.api.memos import Memo, Room

_SLACK = 64
"""Outdated entries that the order of ends may have beside as many as there are memos."""


@dataclass
class _Kept:
    data: bytes
    until: float
    part: str
    number: int
    """Counts what was set: of two that end together, the later one has the larger."""


class _Kind:
    """The memos of one kind. No verb but those on a part takes longer for more memos, up to a logarithm."""

    def __init__(self) -> None:
        self._kept: dict[str, _Kept] = {}
        self._parts: dict[str, dict[str, None]] = {}
        self._ends: list[tuple[float, int, str]] = []
        """A heap; an entry whose number is not that of its memo is outdated."""
        self._number = 0

    def live(self, now: float) -> _Kind:
        """Without those that have ended."""
        while self._ends and self._ends[0][0] <= now:
            self._end_first()
        return self

    def get(self, key: str) -> _Kept | None:
        return self._kept.get(key)

    def of_part(self, part: str) -> list[tuple[str, _Kept]]:
        return [(key, self._kept[key]) for key in self._parts.get(part, ())]

    def put(self, key: str, data: bytes, until: float, part: str) -> None:
        self.pop(key)
        self._number += 1
        self._kept[key] = _Kept(data, until, part, self._number)
        self._parts.setdefault(part, {})[key] = None
        heapq.heappush(self._ends, (until, self._number, key))
        if len(self._ends) > 2 * len(self._kept) + _SLACK:
            self._ends = [(kept.until, kept.number, key) for key, kept in self._kept.items()]
            heapq.heapify(self._ends)

    def pop(self, key: str) -> _Kept | None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            part = self._parts[kept.part]
            del part[key]
            if not part:
                del self._parts[kept.part]
        return kept

    def trim(self, most: int) -> None:
        """Keep that many, those that end last."""
        while len(self._kept) > most:
            self._end_first()

    def trim_part(self, part: str, most: int) -> None:
        found = self.of_part(part)
        if len(found) > most:
            found.sort(key=lambda each: (each[1].until, each[1].number))
            self._pop_all(key for key, _ in found[: len(found) - most])

    def end_part(self, part: str) -> None:
        self._pop_all(list(self._parts.get(part, ())))

    def _end_first(self) -> None:
        _, number, key = heapq.heappop(self._ends)
        kept = self._kept.get(key)
        if kept is not None and kept.number == number:
            self.pop(key)

    def _pop_all(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.pop(key)


class LocalMemos:
    """`jackfield.api.memos.Memos`; gone with the process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kinds: dict[str, _Kind] = {}

    def _live(self, kind: str) -> _Kind:
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = _Kind()
        return found.live(self._clock.monotonic())

    async def memo(self, kind: str, key: str) -> bytes | None:
        kept = self._live(kind).get(key)
        return None if kept is None else kept.data

    async def memos(self, kind: str, part: str) -> Sequence[Memo]:
        now = self._clock.monotonic()
        found = [Memo(key, kept.data, kept.until - now) for key, kept in self._live(kind).of_part(part)]
        return sorted(found, key=lambda memo: memo.left)

    async def put_memo(self, kind: str, key: str, data: bytes, lifetime: float, room: Room) -> None:
        found = self._live(kind)
        found.put(key, data, self._clock.monotonic() + lifetime, room.part)
        if room.most_of_part is not None:
            found.trim_part(room.part, room.most_of_part)
        found.trim(room.most)

    async def change_memo(self, kind: str, key: str, before: bytes | None, data: bytes | None, lifetime: float) -> bool:
        found = self._live(kind)
        kept = found.get(key)
        if (None if kept is None else kept.data) != before:
            return False
        if data is None:
            found.pop(key)
        else:
            found.put(key, data, self._clock.monotonic() + lifetime, "" if kept is None else kept.part)
        return True

    async def take_memo(self, kind: str, key: str) -> bytes | None:
        kept = self._live(kind).pop(key)
        return None if kept is None else kept.data

    async def end_memos(self, kind: str, part: str) -> None:
        self._live(kind).end_part(part)
