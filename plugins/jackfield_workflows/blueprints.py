"""Every blueprint of the management API."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield_workflows.n8n_api.blueprints import n8n_blueprints
from jackfield_workflows.node_pages.routes import NodePageRoutes
from jackfield_workflows.routes.events import EventRoutes
from jackfield_workflows.routes.executions import ExecutionRoutes
from jackfield_workflows.routes.folders import FolderRoutes
from jackfield_workflows.routes.groups import blueprint
from jackfield_workflows.routes.imports import ImportRoutes
from jackfield_workflows.routes.node_lists import NodeListRoutes
from jackfield_workflows.routes.node_types import NodeTypeRoutes
from jackfield_workflows.routes.preview import PreviewRoutes
from jackfield_workflows.routes.runs import RunRoutes
from jackfield_workflows.routes.tags import TagRoutes
from jackfield_workflows.routes.templates import WorkflowTemplateRoutes
from jackfield_workflows.routes.variables import VariableRoutes
from jackfield_workflows.routes.workflows import WorkflowRoutes
from jackfield_workflows.saved.changes import WorkflowChanges


def blueprints(context: PluginContext) -> Sequence[Blueprint]:
    changes = context.port(WorkflowChanges)
    groups = (
        WorkflowRoutes(context, changes),
        ImportRoutes(context, changes),
        RunRoutes(context),
        PreviewRoutes(context),
        ExecutionRoutes(context),
        VariableRoutes(context),
        TagRoutes(context),
        FolderRoutes(context),
        WorkflowTemplateRoutes(context),
        NodePageRoutes(context),
        NodeTypeRoutes(context),
        NodeListRoutes(context),
        EventRoutes(context),
    )
    return [*(blueprint(group) for group in groups), *n8n_blueprints(context, changes)]
