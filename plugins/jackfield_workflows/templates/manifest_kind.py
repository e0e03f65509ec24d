"""The kind of manifests that templates of workflows are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jackfield.api.manifests import ManifestKind

if TYPE_CHECKING:
    from jackfield_workflows.templates.kinds import WorkflowTemplate

_MODEL = "jackfield_workflows.templates.kinds:WorkflowTemplate"
WORKFLOW_TEMPLATES: ManifestKind[WorkflowTemplate] = ManifestKind("workflow-templates", _MODEL)
KINDS = [WORKFLOW_TEMPLATES]
