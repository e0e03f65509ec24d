"""Every blueprint of projects."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield.api.n8n_api import N8N_PREFIX, SERVICE_PREFIX
from jackfield_projects.n8n_routes import N8nProjectRoutes
from jackfield_projects.routes import PlacementRoutes, ProjectRoutes


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    groups = (
        (SERVICE_PREFIX, ProjectRoutes(context)),
        (SERVICE_PREFIX, PlacementRoutes(context)),
        (N8N_PREFIX, N8nProjectRoutes(context)),
    )
    return [_blueprint(prefix, group) for prefix, group in groups]


def _blueprint(prefix: str, group: ProjectRoutes | PlacementRoutes | N8nProjectRoutes) -> Blueprint:
    made = Blueprint(group.name, __name__, url_prefix=prefix)
    for method, path, view in group.routes():
        made.add_url_rule(path, view_func=view, methods=[method])
    return made
