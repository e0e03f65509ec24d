"""Counts of a store in memory that several daemons share."""

from __future__ import annotations

from collections.abc import Mapping

from ...api.clock import SystemClock
from ...api.shared_counts import Counted, SpanCounts
from .tables import MemoryTables


class MemoryCounts(MemoryTables):
    """Part of `MemoryStore`."""

    async def add_counts(self, kind: str, added: Mapping[str, int], window: float, most: int) -> SpanCounts:
        self._answer()
        clock = getattr(self, "_clock", None) or SystemClock()
        span, age = divmod(clock.monotonic(), window)
        live = {row: count for row, count in self._counts.items() if row[0] != kind or row[2] >= span - 1}
        for key, count in added.items():
            row = (kind, key, round(span))
            live[row] = live.pop(row, 0) + count
        found = {key: Counted(live[kind, key, round(span)], live.get((kind, key, round(span) - 1), 0)) for key in added}
        for row in [row for row in live if row[0] == kind][:-most]:
            del live[row]
        self._counts = live
        return SpanCounts(round(span), age, found)
