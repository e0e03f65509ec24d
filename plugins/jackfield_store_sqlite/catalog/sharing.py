"""The state that workers of one daemon share beside the database: counts of calls, and which workflows have changed.

In memory: it belongs to the one process that has the file, and workers do not outlive it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from jackfield.api.shared_counts import Counted, SpanCounts
from jackfield.api.shared_workflows import ChangedWorkflows
from jackfield_store_sqlite.database import SqliteDatabase
from jackfield_store_sqlite.rows import execute

_KEPT = 100_000
"""Workflows whose last change is remembered."""


class WorkflowMarks:
    """The number of each workflow's last change since the start. On one event loop."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._number = 0

    def note(self, workflow_id: str) -> None:
        self._number += 1
        self._last.pop(workflow_id, None)
        self._last[workflow_id] = self._number
        if len(self._last) > _KEPT:
            del self._last[next(iter(self._last))]

    def since(self, revision: int | None) -> ChangedWorkflows:
        """A daemon looks twice a second: it never asks for what is forgotten."""
        known = revision or 0
        found: list[str] = []
        for workflow_id, number in reversed(self._last.items()):
            if number <= known:
                break
            found.append(workflow_id)
        return ChangedWorkflows(self._number, found[::-1])


class SqliteSharing:
    """`SharedWorkflows`, `SharedTokens` and `SharedCounts`, which count where the store is shared."""

    _db: SqliteDatabase
    _marks: WorkflowMarks
    _spans: dict[tuple[str, int], dict[str, int]]
    """Kind and span -> counts by key; the newest spans last."""

    async def changed_workflows(self, since: int | None) -> ChangedWorkflows:
        return self._marks.since(since)

    async def is_token_revoked(self, token_id: str) -> bool:
        sql = "SELECT 1 FROM revoked_tokens WHERE id = ?"
        return await self._db.read(lambda connection: execute(connection, sql, [token_id]).fetchone() is not None)

    async def add_counts(self, kind: str, added: Mapping[str, int], window: float, most: int) -> SpanCounts:
        number, age = divmod(time.monotonic(), window)
        span = round(number)
        for row in [row for row in self._spans if row[0] == kind and row[1] < span - 1]:
            del self._spans[row]
        now = self._spans.setdefault((kind, span), {})
        before = self._spans.get((kind, span - 1), {})
        for key, count in added.items():
            now[key] = now.pop(key, 0) + count
        for key in list(before)[: max(0, len(before) + len(now) - most)]:
            del before[key]
        for key in list(now)[: max(0, len(now) - most)]:
            del now[key]
        return SpanCounts(span, age, {key: Counted(now.get(key, 0), before.get(key, 0)) for key in added})
