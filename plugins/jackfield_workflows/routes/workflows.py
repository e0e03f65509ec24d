"""`/workflows`: create, read, change, list, activate, copy, check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.audit import UNRECORDED
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import Conflict, DataDamaged, InvalidInput, NotFound
from jackfield.api.http import json_response, operation, parse_model, read_json, read_model, read_query
from jackfield.api.ids import is_uuid
from jackfield.api.jsontext import Json
from jackfield.api.large_json import off_loop
from jackfield.api.storage import StoredWorkflow, WorkflowFilter
from jackfield.api.triggers import Start
from jackfield.api.workflows import Problem
from jackfield_workflows.activation.attention import Attention
from jackfield_workflows.activation.checks import ActivationChecks
from jackfield_workflows.activation.obstacles import joined
from jackfield_workflows.activation.trigger_calls import TriggerCalls
from jackfield_workflows.activation.views import activation_view, attention_of, starts_view
from jackfield_workflows.documents.credential_exports import CREDENTIAL, is_credential
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.documents.reader import MAX_VERSION
from jackfield_workflows.documents.sealing import SealedSecrets
from jackfield_workflows.documents.secret_parameters import SecretParameters, has_masks
from jackfield_workflows.documents.tags import tag_names
from jackfield_workflows.routes.groups import Route, payload, schema
from jackfield_workflows.routes.requests import author, page_view, read_optional_json
from jackfield_workflows.saved.changes import WorkflowChanges, wanted_state
from jackfield_workflows.saved.folders import FolderChanges
from jackfield_workflows.saved.views import row_view, validation_view, version_view, workflow_view

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import CreateQuery, DuplicateBody, PageQuery, VersionLabel, WorkflowsQuery

TAGS = ("workflows",)
NO_FOLDER = "none"
ETAG = {"ETag": "The version in quotes, for If-Match of a change."}
CREATED = {**ETAG, "Location": "Path of the new workflow."}
IF_MATCH = {"If-Match": 'The version that may be changed, such as 3 or "3"; otherwise 409. * or none: any.'}


class WorkflowRoutes:
    """Views on saved workflows."""

    name = "workflows"

    def __init__(self, context: PluginContext, changes: WorkflowChanges) -> None:
        self._context = context
        self._changes = changes
        self._attention = context.port(Attention)
        self._folders = context.port(FolderChanges)
        self._checks = ActivationChecks(context)
        self._secrets = SecretParameters(context)
        self._sealed = SealedSecrets(context)

    def routes(self) -> Sequence[Route]:
        one = "/workflows/<workflow_id>"
        return (
            ("GET", "/workflows", self.list_workflows),
            ("POST", "/workflows", self.create_workflow),
            ("POST", "/workflows/validate", self.validate_workflow),
            ("GET", one, self.get_workflow),
            ("PUT", one, self.replace_workflow),
            ("PATCH", one, self.patch_workflow),
            ("DELETE", one, self.delete_workflow),
            ("GET", f"{one}/activation", self.get_activation),
            ("POST", f"{one}/activate", self.activate_workflow),
            ("POST", f"{one}/deactivate", self.deactivate_workflow),
            ("POST", f"{one}/duplicate", self.duplicate_workflow),
            ("GET", f"{one}/versions", self.list_versions),
            ("GET", f"{one}/versions/<version>", self.get_version),
            ("PATCH", f"{one}/versions/<version>", self.label_version),
            ("POST", f"{one}/versions/<version>/restore", self.restore_version),
        )

    @operation(
        "List workflows: searched, sorted, a page at a time; the last changed first by default",
        scope="workflows:read",
        query=schema("WorkflowsQuery"),
        response=schema("WorkflowPage"),
        tags=TAGS,
    )
    async def list_workflows(self) -> Response:
        page: WorkflowsQuery = read_query(schema("WorkflowsQuery"))
        where = WorkflowFilter(
            page.active,
            tags=page.tags,
            words=page.search,
            folder="" if page.folder == NO_FOLDER else page.folder,
            order=page.order,
        )
        found = await self._context.store.workflows(where, offset=page.offset, limit=page.limit)
        rows = [row_view(row, self._attention.of(row.id), self._attention.starts_of(row.id)) for row in found.rows]
        return json_response(page_view(rows, found.total, page))

    @operation(
        "Create a workflow; it is inactive unless it says active",
        scope="workflows:write",
        query=schema("CreateQuery"),
        request=schema("WorkflowDocument"),
        response=schema("WorkflowShown"),
        status=201,
        tags=TAGS,
        errors=(Conflict, NotFound),
        headers=CREATED,
    )
    async def create_workflow(self) -> Response:
        document = await read_json()
        active = wanted_state(document) is True
        query: CreateQuery = read_query(schema("CreateQuery"))
        place = None if query.folder is None else await self._folders.existing(query.folder)
        return await self._created(await self._changes.create(document, author(), active=active, folder_id=place))

    @operation(
        "Read a workflow",
        scope="workflows:read",
        response=schema("WorkflowShown"),
        tags=TAGS,
        errors=(DataDamaged,),
        headers=ETAG,
    )
    async def get_workflow(self, workflow_id: str) -> Response:
        stored = await self._context.store.workflow(known_id(workflow_id, "workflow"))
        if stored is None:
            raise NotFound("There is no workflow with this id.")
        return await self._shown(stored)

    @operation(
        "Replace a workflow; a live one stays live unless it says active: false",
        scope="workflows:write",
        request=schema("WorkflowDocument"),
        response=schema("WorkflowShown"),
        tags=TAGS,
        errors=(Conflict,),
        headers=ETAG,
        reads=IF_MATCH,
    )
    async def replace_workflow(self, workflow_id: str) -> Response:
        document = await read_json()
        active = wanted_state(document)
        return await self._shown(await self._changes.replace(workflow_id, document, author(), active=active))

    @operation(
        "Replace single top-level keys of a workflow",
        operation_id="updateWorkflow",
        scope="workflows:write",
        response=schema("WorkflowShown"),
        tags=TAGS,
        request=schema("WorkflowPatch"),
        errors=(Conflict,),
        headers=ETAG,
        reads=IF_MATCH,
    )
    async def patch_workflow(self, workflow_id: str) -> Response:
        changes = await read_json()
        active = wanted_state(changes)
        return await self._shown(await self._changes.patch(workflow_id, changes, author(), active=active))

    @operation(
        "Delete a workflow with its versions and routes",
        scope="workflows:write",
        status=204,
        tags=TAGS,
        errors=(Conflict,),
        reads=IF_MATCH,
    )
    async def delete_workflow(self, workflow_id: str) -> Response:
        await self._changes.delete(workflow_id, author())
        return Response(status=204)

    @operation(
        "Say whether a workflow is live, whether it could be, and what keeps it from it",
        scope="workflows:read",
        response=schema("ActivationState"),
        tags=TAGS,
        errors=(DataDamaged,),
    )
    async def get_activation(self, workflow_id: str) -> Response:
        stored = await self._context.store.workflow(known_id(workflow_id, "workflow"))
        if stored is None:
            raise NotFound("There is no workflow with this id.")
        found = await self._checks.of_stored(stored)
        return json_response(activation_view(stored, found, self._attention.of(stored.id)))

    @operation(
        "Take a workflow live",
        scope="workflows:write",
        response=schema("Activation"),
        tags=TAGS,
        errors=(Conflict,),
        reads=IF_MATCH,
    )
    async def activate_workflow(self, workflow_id: str) -> Response:
        return self._activation(await self._changes.set_active(workflow_id, True, author()))

    @operation(
        "Take a workflow off",
        scope="workflows:write",
        response=schema("Activation"),
        tags=TAGS,
        errors=(Conflict,),
        reads=IF_MATCH,
    )
    async def deactivate_workflow(self, workflow_id: str) -> Response:
        return self._activation(await self._changes.set_active(workflow_id, False, author()))

    @operation(
        "Copy a workflow; the copy is inactive",
        scope="workflows:write",
        request=schema("DuplicateBody"),
        response=schema("WorkflowShown"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
        body_optional=True,
        headers=CREATED,
    )
    async def duplicate_workflow(self, workflow_id: str) -> Response:
        body: DuplicateBody = parse_model(payload("DuplicateBody"), await read_optional_json())
        return await self._created(await self._changes.duplicate(workflow_id, body.name, author()))

    @operation(
        "Say what is wrong with a workflow, without saving it",
        scope="workflows:read",
        request=schema("WorkflowDocument"),
        response=schema("Validation"),
        tags=TAGS,
        act=UNRECORDED,
    )
    async def validate_workflow(self) -> Response:
        document = await read_json()
        if not isinstance(document, dict):
            raise InvalidInput("A workflow must be an object.", details={"body": "send the workflow's JSON"})
        found, starts = await self._judged(await self._with_secrets(document))
        return json_response({**validation_view(found), "starts": starts_view(starts)})

    async def _with_secrets(self, document: dict[str, Json]) -> dict[str, Json]:
        """The document as a write to the workflow of its id would store it."""
        ident = document.get("id")
        if not (isinstance(ident, str) and is_uuid(ident) and has_masks(document)):
            return document
        stored = await self._context.store.workflow(ident)
        return document if stored is None else self._secrets.kept(document, await self._sealed.opened(stored.document))

    async def _judged(self, document: dict[str, Json]) -> tuple[list[Problem], Sequence[Start]]:
        """Problems of the structure, else of nodes and wires and of what the triggers would refuse to take live; and
        what starts it."""
        if is_credential(document):
            return [Problem("body", CREDENTIAL)], ()
        reader = self._context.port(WorkflowReader)
        try:
            tag_names(document)
            workflow = await off_loop(document, lambda: reader.parse(document))
        except InvalidInput as exc:
            return [Problem(path, str(message)) for path, message in (exc.details or {}).items()], ()
        found = await off_loop(document, lambda: reader.problems(workflow))
        activation = await self._checks.problems(workflow)
        return joined(found, activation), await self._context.port(TriggerCalls).starts(workflow)

    @operation(
        "List the versions of a workflow, newest first",
        operation_id="listWorkflowVersions",
        scope="workflows:read",
        query=schema("PageQuery"),
        response=schema("VersionPage"),
        tags=TAGS,
    )
    async def list_versions(self, workflow_id: str) -> Response:
        page: PageQuery = read_query(schema("PageQuery"))
        found = await self._context.store.versions(known_id(workflow_id, "workflow"), page.offset, page.limit)
        if not found.total:
            raise NotFound("There is no workflow with this id.")
        return json_response(page_view([version_view(row) for row in found.rows], found.total, page))

    @operation(
        "Read one version of a workflow",
        operation_id="getWorkflowVersion",
        scope="workflows:read",
        response=schema("WorkflowShown"),
        tags=TAGS,
        headers=ETAG,
        errors=(DataDamaged,),
    )
    async def get_version(self, workflow_id: str, version: str) -> Response:
        stored = await self._context.store.workflow_version(known_id(workflow_id, "workflow"), _number(version))
        if stored is None:
            raise NotFound("There is no such workflow, or no such version of it.")
        return await self._shown(stored)

    @operation(
        "Name a version, so that it is found and kept; an empty name takes it away",
        scope="workflows:write",
        request=schema("VersionLabel"),
        status=204,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def label_version(self, workflow_id: str, version: str) -> Response:
        body: VersionLabel = await read_model(payload("VersionLabel"))
        if not await self._context.store.label_version(known_id(workflow_id, "workflow"), _number(version), body.label):
            raise NotFound("There is no such workflow, or no such version of it.")
        return Response(status=204)

    @operation(
        "Save an old version as the new one",
        operation_id="restoreWorkflowVersion",
        scope="workflows:write",
        response=schema("WorkflowShown"),
        tags=TAGS,
        errors=(Conflict,),
        headers=ETAG,
        reads=IF_MATCH,
    )
    async def restore_version(self, workflow_id: str, version: str) -> Response:
        return await self._shown(await self._changes.restore(workflow_id, _number(version), author()))

    async def _shown(self, stored: StoredWorkflow, status: int = 200) -> Response:
        """Without secrets, whoever asks."""
        await self._secrets.ready(stored.document)
        response = json_response(self._secrets.redacted(workflow_view(stored, self._attention.of(stored.id))), status)
        response.headers["ETag"] = f'"{stored.version}"'
        return response

    def _activation(self, stored: StoredWorkflow) -> Response:
        shown = {"id": stored.id, "active": stored.active, **attention_of(self._attention.of(stored.id))}
        return json_response(shown)

    async def _created(self, stored: StoredWorkflow) -> Response:
        response = await self._shown(stored, 201)
        response.headers["Location"] = f"/api/v1/workflows/{stored.id}"
        return response


def _number(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= 10 and 0 < int(text) <= MAX_VERSION:
        return int(text)
    raise NotFound("There is no such version of the workflow.")
