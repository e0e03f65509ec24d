"""Queries and answers of the routes."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from jackfield.api.moments import Moment
from jackfield.api.schemas import Schema


class _InsightsShown(Schema):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")


class _Period(_InsightsShown):
    """since, until: of the end, ISO 8601, widened to full hours; until: now unless given. Both in place of period."""

    period: Literal["day", "week", "month", "quarter", "year"] = Field(
        "week", description="The last day, or 7, 30, 90 or 365 days."
    )
    since: Moment | None = None
    until: Moment | None = None
    workflow_id: str | None = None


class InsightsAsked(_Period):
    """Which executions count."""

    project_id: str | None = None
    executions: Literal["production", "all"] = Field(
        "production", description="`all`: also those that somebody started by hand, and sub-workflows."
    )


class SlowNodesAsked(_Period):
    """Which executions are looked at."""

    limit: int = Field(20, ge=1, le=200)


class InsightSums(_InsightsShown):
    """`total`: success, failed and cancelled together. `failureRate`: of those that succeeded or failed, from 0 to 1.
    `averageRunTimeMs`: of these, waits included. `timeSavedMinutes`: by the workflows' settings of today."""

    total: int
    success: int
    failed: int
    cancelled: int
    failure_rate: float
    average_run_time_ms: float
    time_saved_minutes: float


class InsightStep(InsightSums):
    """at: its beginning, ISO 8601. The time saved is in the sums alone, and 0 here."""

    at: str


class InsightWorkflow(InsightSums):
    """workflowId: empty: workflows that are not saved. name: null: it is deleted."""

    workflow_id: str
    name: str | None
    project_id: str | None


class InsightProject(InsightSums):
    """name: null: a personal project, or the one that was always there."""

    project_id: str
    name: str | None


class InsightsShown(_InsightsShown):
    """previous: the period before, as long. unlistedWorkflows: are in the sums alone (`insights.workflows`)."""

    since: str
    until: str
    unit: Literal["hour", "day", "week"]
    sums: InsightSums
    previous: InsightSums
    steps: list[InsightStep]
    workflows: list[InsightWorkflow]
    unlisted_workflows: int
    projects: list[InsightProject]


class SlowNode(_InsightsShown):
    """p50Ms, p95Ms: ms that this share of its runs did not exceed."""

    workflow_id: str
    workflow_name: str | None
    node: str
    runs: int
    failed: int
    p50_ms: int = Field(alias="p50Ms")
    p95_ms: int = Field(alias="p95Ms")
    most_ms: int


class SlowNodeList(_InsightsShown):
    """executions: how many were looked at, the newest in the history (`insights.sampled_executions`)."""

    data: list[SlowNode]
    executions: int


class N8nSummaryAsked(Schema):
    """n8n's query."""

    startDate: Moment | None = None  # noqa: N815 - n8n's spelling
    endDate: Moment | None = None  # noqa: N815 - n8n's spelling
    projectId: str | None = None  # noqa: N815 - n8n's spelling


class N8nFigure(Schema):
    """deviation: from the period before; null: nothing ended in it."""

    value: float
    deviation: float | None
    unit: Literal["count", "ratio", "minute", "millisecond"]


class N8nInsightsSummary(Schema):
    """n8n's answer."""

    total: N8nFigure
    failed: N8nFigure
    failureRate: N8nFigure  # noqa: N815 - n8n's spelling
    timeSaved: N8nFigure  # noqa: N815 - n8n's spelling
    averageRunTime: N8nFigure  # noqa: N815 - n8n's spelling
    billable: N8nFigure
