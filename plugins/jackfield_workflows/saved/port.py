"""The port `SavedDocuments`."""

from __future__ import annotations

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield.api.storage import StoredWorkflow
from jackfield.api.workflows import Document
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.saved.changes import Author, WorkflowChanges
from jackfield_workflows.saved.views import workflow_view


class SavedDocumentsPort:
    """See `jackfield.api.saved_documents.SavedDocuments`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._changes = context.port(WorkflowChanges)
        self._secrets = SecretParameters(context)

    async def create(self, document: Json, author: str | None, *, id: str) -> StoredWorkflow:
        return await self._changes.create(document, Author(author), id=known_id(id, "workflow"))

    async def replace(self, workflow_id: str, document: Json, author: str | None) -> StoredWorkflow:
        return await self._changes.replace(workflow_id, document, Author(author))

    async def set_active(self, workflow_id: str, active: bool, author: str | None) -> StoredWorkflow:
        return await self._changes.set_active(workflow_id, active, Author(author))

    async def shown(self, workflow_id: str) -> Document:
        stored = await self._context.store.workflow(known_id(workflow_id, "workflow"))
        if stored is None:
            raise NotFound("There is no workflow with this id.")
        await self._secrets.ready(stored.document)
        return self._secrets.redacted(workflow_view(stored))
