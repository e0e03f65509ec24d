"""`/api/logs`. The views stand in `logs`, which the first request loads."""

from __future__ import annotations

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield.api.errors import RateLimited
from jackfield.api.http import deferred_view, operation

_SCHEMAS = "jackfield_events.schemas"
_VIEWS = "jackfield_events.logs"
READ = operation(
    "Read the daemon's log, the newest lines first",
    operation_id="listLogLines",
    scope="admin",
    query=f"{_SCHEMAS}:LogQuery",
    response=f"{_SCHEMAS}:LogAnswer",
    tags=("daemon",),
)
STREAM = operation(
    "Follow the daemon's log as server-sent events",
    operation_id="streamLogLines",
    scope="admin",
    query=f"{_SCHEMAS}:LogStreamQuery",
    tags=("daemon",),
    media=("text/event-stream",),
    errors=(RateLimited,),
)


def blueprint(context: PluginContext) -> Blueprint:
    made = Blueprint("logs", __name__, url_prefix="/api/logs")
    made.get("", endpoint="read")(deferred_view(f"{_VIEWS}:read", context, READ))
    made.get("/stream", endpoint="stream")(deferred_view(f"{_VIEWS}:stream", context, STREAM))
    return made
