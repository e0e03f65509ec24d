"""Counts of executions that have ended, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ...api.storage import ExecutionRow
from ...api.storage.insights import DAY_MS, HOUR_MS, WEEK_MS, EndedCount, EndedFilter
from .tables import MemoryTables

_MONDAY = 3 * DAY_MS


class MemoryInsights(MemoryTables):
    """Part of `MemoryStore`."""

    async def ended_by_workflow(self, where: EndedFilter) -> Sequence[EndedCount]:
        return self._sums(where, lambda workflow_id, _: workflow_id)

    async def ended_by_time(self, where: EndedFilter, unit_ms: int) -> Sequence[EndedCount]:
        shift = _MONDAY if unit_ms == WEEK_MS else 0
        return self._sums(where, lambda _, start: start - (start + shift) % unit_ms)

    async def compact_insights(self, daily_before: int, forget_before: int) -> None:
        self._answer()
        kept, self._gone = self._gone, {}
        for (start, *rest), (number, took) in kept.items():
            if start >= forget_before:
                moved = start - start % DAY_MS if start < daily_before else start
                before = self._gone.get((moved, *rest), (0, 0))  # type: ignore[arg-type]  # the key with another start
                self._gone[moved, *rest] = (before[0] + number, before[1] + took)  # type: ignore[index]  # the same

    def _delete_run(self, execution_id: str) -> None:
        """Its count stays."""
        key, took = _counted(self._runs.pop(execution_id).row)
        before = self._gone.get(key, (0, 0))
        self._gone[key] = (before[0] + 1, before[1] + took)

    def _sums(self, where: EndedFilter, key: Callable[[str, int], str | int]) -> list[EndedCount]:
        self._answer()
        numbers: Counter[tuple[str | int, str]] = Counter()
        took: Counter[tuple[str | int, str]] = Counter()
        live = [(_counted(run.row), run.row) for run in self._runs.values() if run.row.finished_at is not None]
        every = [(key, 1, ms) for (key, ms), _ in live] + [(key, *counts) for key, counts in self._gone.items()]
        for (start, workflow_id, mode, status), number, ms in every:
            if (
                where.since <= start < where.until
                and (where.modes is None or mode in where.modes)
                and (where.workflow_ids is None or workflow_id in where.workflow_ids)
                and self._is_within("workflow", workflow_id or None, where.within)
            ):
                numbers[key(workflow_id, start), status] += number
                took[key(workflow_id, start), status] += ms
        ordered = sorted(numbers, key=lambda pair: (str(pair[0]) if isinstance(pair[0], str) else pair[0], pair[1]))
        return [EndedCount(*pair, numbers[pair], took[pair]) for pair in ordered]


def _counted(row: ExecutionRow) -> tuple[tuple[int, str, str, str], int]:
    """As what it counts, and how long it took."""
    ended = row.finished_at or 0
    took = max(ended - (row.started_at if row.started_at is not None else row.created_at), 0)
    return (ended - ended % HOUR_MS, row.workflow_id or "", row.mode, row.status), took
