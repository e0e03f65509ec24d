"""`/insights`, and n8n's `/insights/summary`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Blueprint, Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import InvalidInput
from jackfield.api.http import json_response, operation, read_query
from jackfield.api.n8n_api import N8N_PREFIX, SERVICE_PREFIX
from jackfield_insights.desk import InsightsDesk, InsightsQuery
from jackfield_insights.periods import Period, PeriodName, period_between, period_of
from jackfield_insights.views import insights_view, n8n_summary, nodes_view

if TYPE_CHECKING:
    from jackfield_insights.schemas import InsightsAsked, N8nSummaryAsked, SlowNodesAsked

_LATEST = 253_370_764_800_000
"""Unix ms of the year 9999, the last one that has a date."""


def _schema(name: str) -> str:
    return f"jackfield_insights.schemas:{name}"


class InsightRoutes:
    """Views of both APIs."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._desk = context.port(InsightsDesk)

    @operation(
        "Sum up executions that have ended, by time, workflow and project",
        scope="executions:read",
        query=_schema("InsightsAsked"),
        response=_schema("InsightsShown"),
        tags=("insights",),
    )
    async def get_insights(self) -> Response:
        asked: InsightsAsked = read_query(_schema("InsightsAsked"))
        period = self._period(asked.period, asked.since, asked.until)
        query = InsightsQuery(period, asked.workflow_id, asked.project_id, everything=asked.executions == "all")
        return json_response(insights_view(await self._desk.whole(query)))

    @operation(
        "List the slowest nodes of the newest executions",
        scope="executions:read",
        query=_schema("SlowNodesAsked"),
        response=_schema("SlowNodeList"),
        tags=("insights",),
    )
    async def list_slow_nodes(self) -> Response:
        asked: SlowNodesAsked = read_query(_schema("SlowNodesAsked"))
        query = InsightsQuery(self._period(asked.period, asked.since, asked.until), asked.workflow_id)
        found = await self._desk.slow_nodes(query, asked.limit)
        names = await self._desk.names(each.workflow_id for each in found.nodes)
        return json_response(nodes_view(found, names))

    @operation(
        "Sum up executions that have ended",
        operation_id="getInsightsSummary",
        scope="executions:read",
        query=_schema("N8nSummaryAsked"),
        response=_schema("N8nInsightsSummary"),
        tags=("n8n insights",),
    )
    async def summary(self) -> Response:
        asked: N8nSummaryAsked = read_query(_schema("N8nSummaryAsked"))
        period = self._period("week", asked.startDate, asked.endDate)
        return json_response(n8n_summary(*await self._desk.totals(InsightsQuery(period, project_id=asked.projectId))))

    def _period(self, name: PeriodName, since: int | None, until: int | None) -> Period:
        """Raises `InvalidInput`."""
        now = self._context.clock.now_ms()
        if since is None and until is None:
            return period_of(name, now)
        end = now if until is None else until
        first = period_of(name, end).since if since is None else since
        if first >= end:
            raise InvalidInput("The period ends before it begins.", details={"since": "give an earlier moment"})
        if first < 0:
            raise InvalidInput("The period begins before 1970.", details={"since": "give a moment from 1970 on"})
        if end > _LATEST:
            raise InvalidInput("The period ends after 9998.", details={"until": "give an earlier moment"})
        return period_between(first, end)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    routes = InsightRoutes(context)
    own = Blueprint("insights", __name__, url_prefix=SERVICE_PREFIX)
    own.add_url_rule("/insights", view_func=routes.get_insights, methods=["GET"])
    own.add_url_rule("/insights/nodes", view_func=routes.list_slow_nodes, methods=["GET"])
    theirs = Blueprint("n8n_insights", __name__, url_prefix=N8N_PREFIX)
    theirs.add_url_rule("/insights/summary", view_func=routes.summary, methods=["GET"])
    return [own, theirs]
