"""Insights as answers."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.clock import iso
from jackfield.api.jsontext import Json
from jackfield_insights.desk import Insights
from jackfield_insights.slow_nodes import SlowNodes
from jackfield_insights.sums import EndSums


def insights_view(found: Insights) -> dict[str, Json]:
    period = found.query.period
    return {
        "since": iso(period.since),
        "until": iso(period.until),
        "unit": period.unit,
        "sums": sums_view(found.sums),
        "previous": sums_view(found.before),
        "steps": [{"at": iso(at), **sums_view(sums)} for at, sums in found.steps],
        "workflows": [
            {"workflowId": each.id, "name": each.name, "projectId": each.project_id, **sums_view(each.sums)}
            for each in found.workflows
        ],
        "unlistedWorkflows": found.unlisted,
        "projects": [{"projectId": each.id, "name": each.name, **sums_view(each.sums)} for each in found.projects],
    }


def sums_view(sums: EndSums) -> dict[str, Json]:
    return {
        "total": sums.total,
        "success": sums.success,
        "failed": sums.failed,
        "cancelled": sums.cancelled,
        "failureRate": round(sums.failure_rate, 4),
        "averageRunTimeMs": round(sums.average_ms, 2),
        "timeSavedMinutes": round(sums.saved_minutes, 2),
    }


def nodes_view(found: SlowNodes, names: Mapping[str, str | None]) -> dict[str, Json]:
    return {
        "executions": found.executions,
        "data": [
            {
                "workflowId": each.workflow_id,
                "workflowName": names.get(each.workflow_id),
                "node": each.node,
                "runs": each.runs,
                "failed": each.failed,
                "p50Ms": each.p50_ms,
                "p95Ms": each.p95_ms,
                "mostMs": each.most_ms,
            }
            for each in found.nodes
        ],
    }


def n8n_summary(sums: EndSums, before: EndSums) -> dict[str, Json]:
    """In n8n's form and with its rules: what was cancelled does not count."""

    def figure(value: float, earlier: float, unit: str) -> dict[str, Json]:
        return {"value": value, "deviation": None if not before.over else round(value - earlier, 3), "unit": unit}

    return {
        "total": figure(sums.over, before.over, "count"),
        "failed": figure(sums.failed, before.failed, "count"),
        "failureRate": figure(round(sums.failure_rate, 3), round(before.failure_rate, 3), "ratio"),
        "timeSaved": figure(round(sums.saved_minutes, 2), round(before.saved_minutes, 2), "minute"),
        "averageRunTime": figure(round(sums.average_ms, 2), round(before.average_ms, 2), "millisecond"),
        "billable": figure(sums.over, before.over, "count"),
    }
