"""The slowest nodes, by what the newest executions in the history tell."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.history import node_records
from jackfield.api.records import record
from jackfield.api.storage import ExecutionFilter, StoredExecution
from jackfield_insights.periods import Period
from jackfield_insights.settings import InsightsSettings

_PAGE = 100


@record
class NodeTimes:
    """Of one node of a workflow. Times: ms, the smallest that this share of its runs did not exceed."""

    workflow_id: str
    node: str
    runs: int
    failed: int
    p50_ms: int
    p95_ms: int
    most_ms: int


@record
class SlowNodes:
    """executions: how many were looked at."""

    nodes: Sequence[NodeTimes]
    executions: int


class NodeSampling:
    """Reads, and remembers nothing."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._settings = context.settings(InsightsSettings)

    async def slowest(self, workflow_id: str | None, period: Period, limit: int) -> SlowNodes:
        runs: dict[tuple[str, str], list[tuple[int, bool]]] = {}
        looked, left = 0, self._settings.sampled_bytes
        wanted = ExecutionFilter(workflow_id=workflow_id, since=period.since, until=period.until)
        for offset in range(0, self._settings.sampled_executions, _PAGE):
            most = min(_PAGE, self._settings.sampled_executions - offset)
            page = await self._context.store.executions(wanted, offset=offset, limit=most)
            ids = [row.id for row in page.rows if row.finished_at is not None and row.workflow_id]
            found = await self._context.store.whole_executions(ids, left) if ids else {}
            left -= await asyncio.to_thread(_gather, found, runs)
            looked += len(found)
            if len(page.rows) < most or left <= 0:
                break
        nodes = [_times(workflow, node, each) for (workflow, node), each in runs.items()]
        nodes.sort(key=lambda times: (-times.p95_ms, -times.runs, times.workflow_id, times.node))
        return SlowNodes(nodes[:limit], looked)


def _gather(found: Mapping[str, StoredExecution], runs: dict[tuple[str, str], list[tuple[int, bool]]]) -> int:
    """Bytes that were read. On a thread."""
    size = 0
    for stored in found.values():
        size += len(stored.input) + sum(map(len, stored.steps))
        try:
            records = node_records(stored.steps)
        except (ValueError, KeyError, TypeError):
            continue  # damaged; whoever reads the execution gets the error
        for one in records:
            if "inputOutput" not in one and not one.get("reused"):
                key = (stored.row.workflow_id or "", one["node"])
                runs.setdefault(key, []).append((one["duration"], one["status"] == "failed"))
    return size


def _times(workflow_id: str, node: str, runs: Sequence[tuple[int, bool]]) -> NodeTimes:
    took = sorted(duration for duration, _ in runs)
    failed = sum(was for _, was in runs)
    return NodeTimes(workflow_id, node, len(took), failed, percentile(took, 0.5), percentile(took, 0.95), took[-1])


def percentile(ordered: Sequence[int], share: float) -> int:
    """By the nearest rank. ordered: at least one value."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
