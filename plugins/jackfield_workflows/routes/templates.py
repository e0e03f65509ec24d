"""`/api/v1/workflow-templates`: what a new workflow can start from."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.http import json_response, operation
from jackfield.api.jsontext import Json
from jackfield.api.manifests import ManifestLibraries, Manifests
from jackfield.api.similar_names import did_you_mean
from jackfield.api.workflows import local_type
from jackfield_workflows.routes.groups import Route, schema
from jackfield_workflows.templates.kinds import WorkflowTemplate
from jackfield_workflows.templates.manifest_kind import WORKFLOW_TEMPLATES

TAGS = ("workflow templates",)
MODULE = "schemas_templates"


class WorkflowTemplateRoutes:
    """Views on templates of workflows."""

    name = "workflow_templates"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        return (
            ("GET", "/workflow-templates", self.list_workflow_templates),
            ("GET", "/workflow-templates/<template_id>", self.get_workflow_template),
        )

    @property
    def _library(self) -> Manifests[WorkflowTemplate]:
        return self._context.port(ManifestLibraries).of(WORKFLOW_TEMPLATES)

    @operation(
        "List templates of workflows by name",
        scope="workflows:read",
        response=schema("WorkflowTemplateList", MODULE),
        tags=TAGS,
    )
    async def list_workflow_templates(self) -> Response:
        found = sorted((await self._library.all()).values(), key=lambda each: each.title.casefold())
        rows: list[Json] = await asyncio.to_thread(
            lambda: [template_row(each) for each in found]
        )  # reads every document
        return json_response({"data": rows, "total": len(rows), "warnings": list(self._library.warnings())})

    @operation(
        "Read a template with its workflow, which `POST /workflows` takes as it is",
        scope="workflows:read",
        response=schema("WorkflowTemplateShown", MODULE),
        tags=TAGS,
    )
    async def get_workflow_template(self, template_id: str) -> Response:
        found = await self._library.find(template_id)
        if found is None:
            similar = did_you_mean(template_id[:100], await self._library.all())
            raise NotFound(f"There is no template of this id{similar or '.'}")
        shown = await asyncio.to_thread(lambda: {**template_row(found), "workflow": dict(found.document)})
        return json_response(shown)


def template_row(template: WorkflowTemplate) -> dict[str, Json]:
    return {
        "id": template.id,
        "name": template.title,
        "description": template.description,
        "category": template.category,
        "nodeTypes": _node_types(template),
        "credentials": [{"node": each.node, "kind": each.kind} for each in template.credentials],
        "setup": list(template.setup),
    }


def _node_types(template: WorkflowTemplate) -> list[Json]:
    nodes = template.document["nodes"]
    listed = nodes if isinstance(nodes, list) else []
    return list(dict.fromkeys(local_type(str(node.get("type", ""))) for node in listed if isinstance(node, dict)))
