"""Every blueprint of the management API."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield_workflows.changes import WorkflowChanges
from jackfield_workflows.routes import blueprint
from jackfield_workflows.routes_events import EventRoutes
from jackfield_workflows.routes_executions import ExecutionRoutes
from jackfield_workflows.routes_import import ImportRoutes
from jackfield_workflows.routes_node_types import NodeTypeRoutes
from jackfield_workflows.routes_preview import PreviewRoutes
from jackfield_workflows.routes_runs import RunRoutes
from jackfield_workflows.routes_variables import VariableRoutes
from jackfield_workflows.routes_workflows import WorkflowRoutes


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    changes = WorkflowChanges(context)
    groups = (
        WorkflowRoutes(context, changes),
        ImportRoutes(context, changes),
        RunRoutes(context),
        PreviewRoutes(context),
        ExecutionRoutes(context),
        VariableRoutes(context),
        NodeTypeRoutes(context),
        EventRoutes(context),
    )
    return [blueprint(group) for group in groups]
