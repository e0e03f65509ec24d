"""`GET /api/usage/report`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Blueprint, Response

from jackfield.api.http import operation, read_query, success
from jackfield_telemetry import routes

if TYPE_CHECKING:
    from jackfield.api.context import PluginContext

_SCHEMAS = "jackfield_telemetry.report_schemas"


class ReportRoutes:
    """The view on reports."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    @operation(
        "Usage by day, week, month, session, model ..., or in blocks of 5 hours",
        scope=None,
        query=f"{_SCHEMAS}:ReportQuery",
        response=f"{_SCHEMAS}:ReportAnswer",
        tags=("usage",),
    )
    async def report(self) -> Response:
        from jackfield_telemetry.asking import Asked, asked_report
        from jackfield_telemetry.report_schemas import ReportQuery
        from jackfield_telemetry.service import UsageService

        asked, service = Asked(**read_query(ReportQuery).model_dump()), self._context.port(UsageService)
        data, warnings = await asyncio.to_thread(asked_report, service, asked)
        return success(data, warnings=warnings)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    """Reports, and the other routes of usage."""
    views = ReportRoutes(context)
    made = Blueprint("usage_reports", __name__, url_prefix="/api/usage")
    made.add_url_rule("/report", view_func=views.report, methods=["GET"])
    return [*routes.blueprints(context), made]
