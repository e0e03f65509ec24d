"""n8n's `/workflows`: whole workflows in every answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, DataDamaged, InvalidInput, NotFound, NotSupported
from jackfield.api.http import json_response, operation, parse_model, read_json, read_query
from jackfield.api.jsontext import Json, dumps
from jackfield.api.n8n_pages import asked_cursor, page, project_of
from jackfield.api.nodes import NodeCatalog
from jackfield.api.projects import ProjectAccess, ask_about
from jackfield.api.storage import StoredWorkflow, WorkflowFilter
from jackfield.api.workflows import local_type
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.n8n_api.forms import n8n_model, n8n_schema
from jackfield_workflows.n8n_api.views import with_active_version, workflow_view
from jackfield_workflows.routes.groups import Route
from jackfield_workflows.routes.requests import author, read_optional_json
from jackfield_workflows.saved.changes import WorkflowChanges

if TYPE_CHECKING:
    from jackfield_workflows.n8n_api.schemas import N8nWorkflowQuery, N8nWorkflowsQuery, PublishBody, UpdateQuery

TAGS = ("n8n workflows",)
PAGE_BYTES = 16 * 2**20
"""JSON of one page; one with more ends early, and its cursor goes on from there."""
_NOT_WRITTEN = frozenset({
    "activeVersion", "activeVersionId", "isArchived", "parentFolder", "projectId", "shared", "sourceWorkflowId",
    "triggerCount", "versionCounter", "versionId",
})  # fmt: skip
"""The keys that n8n tells of a workflow and does not take."""


class N8nWorkflows:
    """Views on saved workflows."""

    name = "n8n_workflows"

    def __init__(self, context: PluginContext, changes: WorkflowChanges) -> None:
        self._context = context
        self._changes = changes
        self._secrets = SecretParameters(context)

    def routes(self) -> Sequence[Route]:
        one = "/workflows/<workflow_id>"
        return (
            ("GET", "/workflows", self.list_workflows),
            ("POST", "/workflows", self.create_workflow),
            ("GET", one, self.get_workflow),
            ("PUT", one, self.update_workflow),
            ("DELETE", one, self.delete_workflow),
            ("POST", f"{one}/activate", self.activate_workflow),
            ("POST", f"{one}/publish", self.publish_workflow),
            ("POST", f"{one}/deactivate", self.deactivate_workflow),
            ("POST", f"{one}/unpublish", self.unpublish_workflow),
        )

    @operation(
        "List whole workflows, the last changed first",
        scope="workflows:read",
        query=n8n_schema("N8nWorkflowsQuery"),
        response=n8n_schema("WorkflowList"),
        tags=TAGS,
    )
    async def list_workflows(self) -> Response:
        query: N8nWorkflowsQuery = read_query(n8n_schema("N8nWorkflowsQuery"))
        cursor = asked_cursor(query, query.offset)
        try:
            await ask_about(self._context.find_port(ProjectAccess), query.project_id or None)
        except NotFound:
            return json_response(page([], None))
        where = WorkflowFilter(query.active, query.name, query.tags)
        found = await self._context.store.workflows(where, offset=cursor.offset, limit=cursor.limit)
        rows: list[Json] = []
        size = seen = 0
        for row in found.rows:
            whole = await self._listed(row.id, with_pins=not query.exclude_pinned_data)
            size += len(dumps(whole))
            if rows and size > PAGE_BYTES:
                break
            seen += 1
            if whole is not None:
                rows.append(whole)
        return json_response(page(rows, cursor.after(seen, found.total)))

    async def _listed(self, workflow_id: str, *, with_pins: bool = True) -> dict[str, Json] | None:
        """None: it was deleted meanwhile. A damaged one has no nodes, and says so."""
        try:
            stored = await self._context.store.workflow(workflow_id)
        except DataDamaged as exc:
            row = await self._context.store.workflow_row(workflow_id)
            if row is None:
                return None
            times = (row.created_at, row.updated_at)
            bare = StoredWorkflow(row.id, row.name, row.active, row.version, {}, *times, row.tags)
            return {**workflow_view(bare, 0), "description": exc.message}
        return None if stored is None else await self._view(stored, with_pins=with_pins)

    @operation(
        "Create a workflow; it is inactive",
        scope="workflows:write",
        request="jackfield_workflows.routes.schemas:WorkflowDocument",
        response=n8n_schema("WorkflowWhole"),
        tags=TAGS,
        errors=(Conflict, NotSupported),
    )
    async def create_workflow(self) -> Response:
        return await self._shown(await self._changes.create(await self._asked(await read_json()), author()))

    async def _staying(self, workflow_id: str, document: Json) -> Json:
        """A change, which moves nothing. Raises as `_written`, and `InvalidInput` for another project."""
        given = _written(document)
        project = document.get("projectId") if isinstance(document, dict) else None
        if project is not None and project != await project_of(self._context, "workflow", workflow_id):
            told = {"projectId": "leave it out; PUT .../transfer moves a workflow"}
            raise InvalidInput("A change does not move a workflow to another project.", details=told)
        return given

    async def _asked(self, document: Json) -> Json:
        """A new one, in the project that it names. Raises as `_written`, and `NotFound`."""
        given = _written(document)
        project = document.get("projectId") if isinstance(document, dict) else None
        await ask_about(self._context.find_port(ProjectAccess), None if project is None else str(project))
        return given

    @operation(
        "Read a workflow",
        scope="workflows:read",
        query=n8n_schema("N8nWorkflowQuery"),
        response=n8n_schema("WorkflowWhole"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def get_workflow(self, workflow_id: str) -> Response:
        query: N8nWorkflowQuery = read_query(n8n_schema("N8nWorkflowQuery"))
        stored = await self._stored(workflow_id)
        return json_response(await self._view(stored, with_pins=not query.exclude_pinned_data))

    @operation(
        "Replace a workflow; a live one stays live",
        scope="workflows:write",
        query=n8n_schema("UpdateQuery"),
        request="jackfield_workflows.routes.schemas:WorkflowDocument",
        response=n8n_schema("WorkflowWhole"),
        tags=TAGS,
        errors=(Conflict, NotSupported),
    )
    async def update_workflow(self, workflow_id: str) -> Response:
        query: UpdateQuery = read_query(n8n_schema("UpdateQuery"))
        if not query.publish_if_active:
            raise NotSupported("A live workflow has no draft beside it: leave out publishIfActive=false.")
        return await self._shown(
            await self._changes.replace(workflow_id, await self._staying(workflow_id, await read_json()), author())
        )

    @operation(
        "Delete a workflow, and show it once more",
        scope="workflows:write",
        response=n8n_schema("WorkflowWhole"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def delete_workflow(self, workflow_id: str) -> Response:
        ident = known_id(workflow_id, "workflow")
        last = await self._listed(ident)
        await self._changes.delete(ident, author())
        return json_response(last)

    @operation(
        "Take a workflow live",
        scope="workflows:write",
        request=n8n_schema("PublishBody"),
        response=n8n_schema("WorkflowWhole"),
        tags=TAGS,
        errors=(Conflict, NotSupported),
        body_optional=True,
    )
    async def activate_workflow(self, workflow_id: str) -> Response:
        return await self._published(workflow_id)

    @operation(
        "Take a workflow live (the newer name)",
        scope="workflows:write",
        request=n8n_schema("PublishBody"),
        response=n8n_schema("WorkflowWhole"),
        tags=TAGS,
        errors=(Conflict, NotSupported),
        body_optional=True,
    )
    async def publish_workflow(self, workflow_id: str) -> Response:
        return await self._published(workflow_id)

    async def _published(self, workflow_id: str) -> Response:
        body: PublishBody = parse_model(n8n_model("PublishBody"), await read_optional_json())
        if body.version_id is not None and body.version_id != str((await self._stored(workflow_id)).version):
            raise NotSupported("Only the saved version can be live: restore the other one, or leave out versionId.")
        return await self._shown(await self._changes.set_active(workflow_id, True, author()))

    @operation(
        "Take a workflow off",
        scope="workflows:write",
        response=n8n_schema("WorkflowWhole"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def deactivate_workflow(self, workflow_id: str) -> Response:
        return await self._shown(await self._changes.set_active(workflow_id, False, author()))

    @operation(
        "Take a workflow off (the newer name)",
        scope="workflows:write",
        response=n8n_schema("WorkflowWhole"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def unpublish_workflow(self, workflow_id: str) -> Response:
        return await self._shown(await self._changes.set_active(workflow_id, False, author()))

    async def _stored(self, workflow_id: str) -> StoredWorkflow:
        found = await self._context.store.workflow(known_id(workflow_id, "workflow"))
        if found is None:
            raise NotFound("There is no workflow with this id.")
        return found

    async def _shown(self, stored: StoredWorkflow) -> Response:
        return json_response(await self._view(stored))

    async def _view(self, stored: StoredWorkflow, *, with_pins: bool = True) -> dict[str, Json]:
        """Without secrets, whoever asks."""
        await self._secrets.ready(stored.document)
        project_id = await project_of(self._context, "workflow", stored.id)
        view = self._secrets.redacted(workflow_view(stored, self._triggers(stored), project_id))
        if not with_pins:
            view = {key: value for key, value in view.items() if key != "pinData"}
        return with_active_version(view)

    def _triggers(self, stored: StoredWorkflow) -> int:
        """How many nodes start a live workflow."""
        nodes = stored.document.get("nodes")
        if not stored.active or not isinstance(nodes, list):
            return 0
        catalog = self._context.port(NodeCatalog)
        kinds = [
            catalog.find(local_type(str(node.get("type"))))
            for node in nodes
            if isinstance(node, dict) and node.get("disabled") is not True
        ]
        return sum(kind is not None and kind.description.trigger for kind in kinds)


def _written(document: Json) -> Json:
    """The parts of a workflow that a client may write.

    Raises `InvalidInput` for `active`, which n8n refuses here too; `NotSupported` for a folder.
    """
    if not isinstance(document, dict):
        return document
    if "active" in document:
        raise InvalidInput(
            "request/body/active is read-only",
            details={"active": "leave it out; activate and deactivate have addresses below the workflow's"},
        )
    if document.get("parentFolderId") is not None:
        raise NotSupported(
            "This API knows no folders; leave out parentFolderId, and use PUT /api/v1/workflows/{id}/folder."
        )
    return {key: value for key, value in document.items() if key not in _NOT_WRITTEN | {"parentFolderId"}}
