"""Every blueprint of evaluations."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield.api.n8n_api import SERVICE_PREFIX
from jackfield_evaluations.http.definitions import DefinitionRoutes
from jackfield_evaluations.http.runs import EvaluationRunRoutes


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    groups: Sequence[DefinitionRoutes | EvaluationRunRoutes] = (DefinitionRoutes(context), EvaluationRunRoutes(context))
    made = []
    for group in groups:
        blueprint = Blueprint(group.name, __name__, url_prefix=SERVICE_PREFIX)
        for method, path, view in group.routes():
            blueprint.add_url_rule(path, view_func=view, methods=[method])
        made.append(blueprint)
    return made
