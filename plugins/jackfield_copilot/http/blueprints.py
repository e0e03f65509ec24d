"""Every blueprint of the plugin."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield_copilot.http.draft_routes import DraftRoutes
from jackfield_copilot.http.session_routes import session_blueprint


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    group = DraftRoutes(context)
    made = Blueprint(group.name, __name__, url_prefix=SERVICE_PREFIX)
    for method, path, view in group.routes():
        made.add_url_rule(path, view_func=view, methods=[method])
    return [made, session_blueprint(context)]
