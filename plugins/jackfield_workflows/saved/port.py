"""The port `SavedDocuments`."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.auth import Principal
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import ConfigurationError, DataDamaged, NotFound
from jackfield.api.json_values import dumps
from jackfield.api.jsontext import Json
from jackfield.api.large_json import off_loop
from jackfield.api.storage import StoredWorkflow
from jackfield.api.workflows import Document
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.documents.sealing import SealedSecrets
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.documents.tags import tag_names
from jackfield_workflows.saved.changes import Author, WorkflowChanges, given_document
from jackfield_workflows.saved.folders import FolderChanges
from jackfield_workflows.saved.views import workflow_view


class SavedDocumentsPort:
    """See `jackfield.api.saved_documents.SavedDocuments`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._changes = context.port(WorkflowChanges)
        self._folders = context.port(FolderChanges)
        self._secrets = SecretParameters(context)
        self._sealed = SealedSecrets(context)

    async def create(self, document: Json, author: Principal, *, id: str) -> StoredWorkflow:
        return await self._changes.create(document, Author(author), id=known_id(id, "workflow"))

    async def replace(self, workflow_id: str, document: Json, author: Principal) -> StoredWorkflow:
        present = await self._same(workflow_id, document)
        return present or await self._changes.replace(workflow_id, document, Author(author))

    async def set_active(self, workflow_id: str, active: bool, author: Principal) -> StoredWorkflow:
        return await self._changes.set_active(workflow_id, active, Author(author))

    async def delete(self, workflow_id: str, author: Principal) -> None:
        await self._changes.delete(known_id(workflow_id, "workflow"), Author(author))

    async def put_into(self, workflow_id: str, path: Sequence[str]) -> None:
        await self._folders.place(workflow_id, await self._folders.at(path))

    async def folder_path(self, workflow_id: str) -> Sequence[str]:
        row = await self._context.store.workflow_row(known_id(workflow_id, "workflow"))
        if row is None:
            raise NotFound("There is no workflow with this id.")
        return await self._folders.path(row.folder_id)

    async def shown(self, workflow_id: str) -> Document:
        stored = await self._context.store.workflow(known_id(workflow_id, "workflow"))
        if stored is None:
            raise NotFound("There is no workflow with this id.")
        await self._secrets.ready(stored.document)
        return self._secrets.redacted(workflow_view(stored))

    async def _same(self, workflow_id: str, document: Json) -> StoredWorkflow | None:
        """The stored workflow, if it has this document and these tags; None also when nobody can say."""
        tags = tag_names(document)
        try:
            stored = await self._context.store.workflow(known_id(workflow_id, "workflow"))
            opened = None if stored is None else await self._sealed.opened(stored.document)
        except (DataDamaged, ConfigurationError):  # it can be replaced unread
            return None
        given = given_document(document)
        if stored is None or opened is None or not isinstance(given, dict):
            return None
        if tags is not None and set(tags) != {tag.name for tag in stored.tags}:
            return None
        reader = self._context.port(WorkflowReader)
        same = await off_loop(given, lambda: dumps(reader.parse(given).document) == dumps(opened))
        return stored if same else None
