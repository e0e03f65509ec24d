"""`/api/usage`: statistics, reports, imports, export. The views stand in `views`, which the first request loads."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.audit import UNRECORDED
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.http import SAVED, deferred_view, operation

TAGS = ("usage",)
_SCHEMAS = "jackfield_telemetry.http.schemas"
_REPORTS = "jackfield_telemetry.http.report_schemas"
_VIEWS = "jackfield_telemetry.http.views"

USAGE = operation(
    "Tokens and cost of a period",
    operation_id="getUsage",
    scope=None,
    query=f"{_SCHEMAS}:UsageQuery",
    response=f"{_SCHEMAS}:UsageAnswer",
    tags=TAGS,
    errors=(NotFound,),
)
IMPORT = operation(
    "Count what is new in agents' own logs",
    operation_id="importAgentUsage",
    scope=None,
    query=f"{_SCHEMAS}:ImportQuery",
    response=f"{_SCHEMAS}:ImportAnswer",
    tags=TAGS,
    act=UNRECORDED,
)
EXPORT = operation(
    "All usage as CSV or JSON",
    operation_id="exportUsage",
    scope=None,
    query=f"{_SCHEMAS}:ExportQuery",
    response=f"{_SCHEMAS}:ExportAnswer",
    tags=TAGS,
    media=("text/csv", "application/json"),
    errors=(Conflict, NotFound),
    headers=SAVED,
    act="usage.export",
)
REPORT = operation(
    "Usage by day, week, month, session, model ..., or in blocks of 5 hours",
    operation_id="getUsageReport",
    scope=None,
    query=f"{_REPORTS}:ReportQuery",
    response=f"{_REPORTS}:ReportAnswer",
    tags=TAGS,
    errors=(NotFound,),
)

ANSWERS = operation(
    "Usage answer by answer, with each one's id",
    operation_id="listUsageAnswers",
    scope=None,
    query=f"{_REPORTS}:AnswersQuery",
    response=f"{_REPORTS}:LoggedAnswersAnswer",
    tags=TAGS,
    errors=(NotFound,),
)


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    made = Blueprint("usage", __name__, url_prefix="/api/usage")
    made.get("", endpoint="usage")(deferred_view(f"{_VIEWS}:usage", context, USAGE))
    made.post("/import-agent", endpoint="import_agent")(deferred_view(f"{_VIEWS}:import_agent", context, IMPORT))
    made.get("/export", endpoint="export")(deferred_view(f"{_VIEWS}:export", context, EXPORT))
    made.get("/report", endpoint="report")(deferred_view(f"{_VIEWS}:report", context, REPORT))
    made.get("/answers", endpoint="answers")(deferred_view(f"{_VIEWS}:answers", context, ANSWERS))
    return [made]
