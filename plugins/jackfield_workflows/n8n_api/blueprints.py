"""Every blueprint of n8n's public API that is about workflows."""

from __future__ import annotations

from collections.abc import Sequence

from quart import Blueprint

from jackfield.api.context import PluginContext
from jackfield.api.n8n_api import N8N_PREFIX
from jackfield_workflows.n8n_api.absent import absent_parts
from jackfield_workflows.n8n_api.audit import N8nAudit
from jackfield_workflows.n8n_api.executions import N8nExecutions
from jackfield_workflows.n8n_api.tags import N8nTags
from jackfield_workflows.n8n_api.variables import N8nVariables
from jackfield_workflows.n8n_api.workflow_parts import N8nWorkflowParts
from jackfield_workflows.n8n_api.workflows import N8nWorkflows
from jackfield_workflows.routes.groups import blueprint
from jackfield_workflows.saved.changes import WorkflowChanges


def n8n_blueprints(context: PluginContext, changes: WorkflowChanges) -> Sequence[Blueprint]:
    """changes: those of the management API, so that writes to one workflow wait for one another."""
    groups = (
        N8nWorkflows(context, changes),
        N8nWorkflowParts(context),
        N8nExecutions(context),
        N8nTags(context),
        N8nVariables(context),
        N8nAudit(context),
    )
    return [*(blueprint(group, N8N_PREFIX) for group in groups), absent_parts()]
