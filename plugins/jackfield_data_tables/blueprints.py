"""Every blueprint of data tables."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield.api.n8n_api import N8N_PREFIX, SERVICE_PREFIX
from jackfield_data_tables.csv_routes import CsvRoutes
from jackfield_data_tables.n8n_routes import N8nTableRoutes
from jackfield_data_tables.routes import OwnTableRoutes


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    groups = (
        (SERVICE_PREFIX, OwnTableRoutes(context)),
        (SERVICE_PREFIX, CsvRoutes(context)),
        (N8N_PREFIX, N8nTableRoutes(context)),
    )
    return [_blueprint(prefix, group) for prefix, group in groups]


def _blueprint(prefix: str, group: OwnTableRoutes | CsvRoutes | N8nTableRoutes) -> Blueprint:
    made = Blueprint(group.name, __name__, url_prefix=prefix)
    for method, path, view in group.routes():
        made.add_url_rule(path, view_func=view, methods=[method])
    return made
