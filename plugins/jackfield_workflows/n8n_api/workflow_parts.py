"""The routes that n8n has below `/workflows/{id}`: tags, versions, the move to a project."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import DataDamaged, NotFound
from jackfield.api.http import json_response, operation, read_model, read_query
from jackfield.api.n8n_pages import CursorQuery, asked_cursor, page, transfer
from jackfield.api.storage import WorkflowRow
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.documents.reader import MAX_VERSION
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.n8n_api.forms import n8n_schema
from jackfield_workflows.n8n_api.views import version_row, version_view
from jackfield_workflows.routes.groups import Route, payload
from jackfield_workflows.saved.tags import TagChanges
from jackfield_workflows.saved.views import tag_view

if TYPE_CHECKING:
    from jackfield.api.n8n_pages import TransferBody
    from jackfield_workflows.routes.schemas import TagIds

TAGS = ("n8n workflows",)


class N8nWorkflowParts:
    """Views on parts of saved workflows."""

    name = "n8n_workflow_parts"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._tags = TagChanges(context)
        self._secrets = SecretParameters(context)

    def routes(self) -> Sequence[Route]:
        one = "/workflows/<workflow_id>"
        return (
            ("GET", f"{one}/tags", self.list_tags),
            ("PUT", f"{one}/tags", self.replace_tags),
            ("PUT", f"{one}/transfer", self.transfer_workflow),
            ("GET", f"{one}/history", self.list_versions),
            ("GET", f"{one}/versions/<version>", self.get_version),
            ("GET", f"{one}/<int:number>", self.get_version_by_number),
        )

    @operation(
        "List the tags of a workflow",
        operation_id="listWorkflowTags",
        scope="workflows:read",
        response=n8n_schema("WorkflowTags"),
        tags=TAGS,
    )
    async def list_tags(self, workflow_id: str) -> Response:
        return json_response([tag_view(tag) for tag in (await self._row(workflow_id)).tags])

    @operation(
        "Give a workflow these tags and no others",
        operation_id="replaceWorkflowTags",
        scope="workflows:write",
        request="jackfield_workflows.routes.schemas:TagIds",
        response=n8n_schema("WorkflowTags"),
        tags=TAGS,
    )
    async def replace_tags(self, workflow_id: str) -> Response:
        body: TagIds = await read_model(payload("TagIds"))
        return json_response([tag_view(tag) for tag in await self._tags.attach(workflow_id, [t.id for t in body.root])])

    @operation(
        "Move a workflow to another project",
        scope="workflows:write",
        request="jackfield.api.n8n_pages:TransferBody",
        status=204,
        tags=TAGS,
    )
    async def transfer_workflow(self, workflow_id: str) -> Response:
        body: TransferBody = await read_model("jackfield.api.n8n_pages:TransferBody")
        await self._row(workflow_id)
        await transfer(self._context, "workflow", workflow_id, body.destination_project_id)
        return Response(status=204)

    @operation(
        "List the versions of a workflow, the newest first",
        operation_id="listWorkflowVersions",
        scope="workflows:read",
        query="jackfield.api.n8n_pages:CursorQuery",
        response=n8n_schema("VersionList"),
        tags=TAGS,
    )
    async def list_versions(self, workflow_id: str) -> Response:
        cursor, row = asked_cursor(read_query(CursorQuery)), await self._row(workflow_id)
        found = await self._context.store.versions(row.id, cursor.offset, cursor.limit)
        rows = [version_row(row.id, version) for version in found.rows]
        return json_response(page(rows, cursor.after(len(rows), found.total)))

    @operation(
        "Read one version of a workflow",
        operation_id="getWorkflowVersion",
        scope="workflows:read",
        response=n8n_schema("VersionWhole"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def get_version(self, workflow_id: str, version: str) -> Response:
        return await self._version(workflow_id, version)

    @operation(
        "Read one version of a workflow (the older path)",
        operation_id="getWorkflowVersionByNumber",
        scope="workflows:read",
        response=n8n_schema("VersionWhole"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def get_version_by_number(self, workflow_id: str, number: int) -> Response:
        return await self._version(workflow_id, str(number))

    async def _version(self, workflow_id: str, version: str) -> Response:
        ident = known_id(workflow_id, "workflow")
        is_number = version.isascii() and version.isdecimal() and len(version) <= 10
        number = int(version) if is_number else 0
        stored = await self._context.store.workflow_version(ident, number) if 0 < number <= MAX_VERSION else None
        if stored is None:
            raise NotFound("There is no such workflow, or no such version of it.")
        await self._secrets.ready(stored.document)
        return json_response(version_view(stored, self._secrets.redacted(stored.document)))

    async def _row(self, workflow_id: str) -> WorkflowRow:
        found = await self._context.store.workflow_row(known_id(workflow_id, "workflow"))
        if found is None:
            raise NotFound("There is no workflow with this id.")
        return found
