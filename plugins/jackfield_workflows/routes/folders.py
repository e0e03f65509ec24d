"""`/folders`, and the folder of a workflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.http import json_response, operation, read_model
from jackfield.api.jsontext import Json
from jackfield.api.storage import Folder
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.routes.groups import Route, payload, schema
from jackfield_workflows.saved.folders import FolderChange, FolderChanges

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas_folders import FolderBody, FolderPatch, FolderPlace

TAGS = ("folders",)
MODULE = "schemas_folders"
SHOWN = schema("FolderShown", MODULE)
PLACE = schema("FolderPlace", MODULE)


class FolderRoutes:
    """Views on folders."""

    name = "folders"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._folders = context.port(FolderChanges)

    def routes(self) -> Sequence[Route]:
        one, own = "/folders/<folder_id>", "/workflows/<workflow_id>/folder"
        return (
            ("GET", "/folders", self.list_folders),
            ("POST", "/folders", self.create_folder),
            ("PATCH", one, self.update_folder),
            ("DELETE", one, self.delete_folder),
            ("GET", own, self.get_workflow_folder),
            ("PUT", own, self.move_workflow),
        )

    @operation(
        "List all folders of workflows by name; `parentId` makes a tree of them",
        scope="workflows:read",
        response=schema("FolderList", MODULE),
        tags=TAGS,
    )
    async def list_folders(self) -> Response:
        found = await self._folders.all()
        return json_response({"data": [folder_view(each) for each in found], "total": len(found)})

    @operation(
        "Create a folder",
        scope="workflows:write",
        request=schema("FolderBody", MODULE),
        response=SHOWN,
        status=201,
        tags=TAGS,
        errors=(Conflict, NotFound),
    )
    async def create_folder(self) -> Response:
        body: FolderBody = await read_model(payload("FolderBody", MODULE))
        return json_response(folder_view(await self._folders.create(body.name, body.parent_id)), 201)

    @operation(
        "Rename a folder, or move it into another one",
        scope="workflows:write",
        request=schema("FolderPatch", MODULE),
        response=SHOWN,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def update_folder(self, folder_id: str) -> Response:
        body: FolderPatch = await read_model(payload("FolderPatch", MODULE))
        change = FolderChange(body.name, "parent_id" in body.model_fields_set, body.parent_id)
        return json_response(folder_view(await self._folders.change(folder_id, change)))

    @operation(
        "Delete a folder; what it holds moves into its parent",
        scope="workflows:write",
        status=204,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def delete_folder(self, folder_id: str) -> Response:
        await self._folders.delete(folder_id)
        return Response(status=204)

    @operation("Read which folder a workflow is in", scope="workflows:read", response=PLACE, tags=TAGS)
    async def get_workflow_folder(self, workflow_id: str) -> Response:
        row = await self._context.store.workflow_row(known_id(workflow_id, "workflow"))
        if row is None:
            raise NotFound("There is no workflow with this id.")
        return json_response({"folderId": row.folder_id})

    @operation(
        "Move a workflow into a folder, or out of all; it gets no new version",
        scope="workflows:write",
        request=PLACE,
        response=PLACE,
        tags=TAGS,
    )
    async def move_workflow(self, workflow_id: str) -> Response:
        body: FolderPlace = await read_model(payload("FolderPlace", MODULE))
        await self._folders.place(workflow_id, body.folder_id)
        return json_response({"folderId": body.folder_id})


def folder_view(folder: Folder) -> dict[str, Json]:
    return {
        "id": folder.id,
        "name": folder.name,
        "parentId": folder.parent_id,
        "workflowCount": folder.workflows,
        "createdAt": iso(folder.created_at),
        "updatedAt": iso(folder.updated_at),
    }
