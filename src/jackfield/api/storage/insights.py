"""Counts of executions that have ended, which outlive their executions.

An execution counts in the hour (UTC) of its end. As long as it is in the history it is counted there; whoever deletes
it, for whatever reason, leaves its count in the same transaction. So nothing is written for it before, and both
together are exact at every moment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ..records import record
from .projects import Within

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
WEEK_MS = 7 * DAY_MS


@record
class EndedFilter:
    """`since`, `until`: Unix ms of full hours, the second one excluded.

    `modes`: None: all. `workflow_ids`: None: all, with executions of workflows that are not saved. `within`: None: not
    limited.
    """

    since: int
    until: int
    modes: Sequence[str] | None = None
    workflow_ids: Sequence[str] | None = None
    within: Within | None = None


@record
class EndedCount:
    """`key`: the id of a workflow, empty for those that are not saved; or the beginning of a span of time, Unix ms.

    `took_ms`: from their first starts to their ends, together.
    """

    key: str | int
    status: str
    number: int
    took_ms: int


class InsightStore(Protocol):
    """Part of the store port. All verbs raise `StoreUnavailable`."""

    async def ended_by_workflow(self, where: EndedFilter) -> Sequence[EndedCount]:
        """By workflow and status, in this order."""

    async def ended_by_time(self, where: EndedFilter, unit_ms: int) -> Sequence[EndedCount]:
        """By the hours, days or weeks (UTC, from Monday on) of their ends and status, in this order; those without any
        are left out. `unit_ms`: `HOUR_MS`, `DAY_MS` or `WEEK_MS`.
        """

    async def compact_insights(self, daily_before: int, forget_before: int) -> None:
        """Of what is no longer in the history: make days of the hours before a time, and forget what was before another
        one. Both Unix ms, and the beginning of a day."""
