"""The two ways to the workflows: the store, when no daemon runs, and the daemon's API, when one does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from jackfield.api.auth import OWNER
from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield.api.storage import StoredWorkflow, WorkflowFilter
from jackfield.api.workflows import Document
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.documents.sealing import SealedSecrets
from jackfield_workflows.documents.secret_parameters import SecretParameters
from jackfield_workflows.saved.changes import Author, WorkflowChanges
from jackfield_workflows.saved.imports import Importer, import_view
from jackfield_workflows.saved.views import row_view, workflow_view

PAGE = 100
AUTHOR = Author(replace(OWNER, username="command line"))


class SavedWorkflows(Protocol):
    """The workflows that the commands ask for. Every method raises `JackfieldError`."""

    async def rows(self) -> list[Mapping[str, Json]]:
        """Every workflow without its nodes, as `GET /workflows` shows it."""

    async def read(self, workflow_id: str) -> Document:
        """One workflow as `GET /workflows/{id}` shows it. Raises `NotFound`."""

    async def put(self, documents: Sequence[Json], *, partial: bool) -> Mapping[str, Json]:
        """Import; what `POST /workflows/import` answers."""


class StoredWorkflows:
    """`SavedWorkflows` of the store, for when no daemon runs."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._secrets = SecretParameters(context)

    async def rows(self) -> list[Mapping[str, Json]]:
        found: list[Mapping[str, Json]] = []
        while True:
            page = await self._context.store.workflows(WorkflowFilter(), offset=len(found), limit=PAGE)
            found += [row_view(row) for row in page.rows]
            if not page.rows or len(found) >= page.total:
                return found

    async def read(self, workflow_id: str) -> Document:
        return self._secrets.redacted(workflow_view(await self._stored(workflow_id)))

    async def read_whole(self, workflow_id: str) -> Document:
        """As `read`, with its secrets: for who may read the key beside the store. Raises `NotFound`,
        `ConfigurationError`."""
        stored = await self._stored(workflow_id)
        opened = await SealedSecrets(self._context).opened(stored.document)
        return workflow_view(replace(stored, document=opened))

    async def _stored(self, workflow_id: str) -> StoredWorkflow:
        stored = await self._context.store.workflow(known_id(workflow_id, "workflow"))
        if stored is None:
            raise NotFound("There is no workflow with this id.")
        return stored

    async def put(self, documents: Sequence[Json], *, partial: bool) -> Mapping[str, Json]:
        changes = WorkflowChanges(self._context)
        return import_view(await Importer(self._context, changes).run(documents, AUTHOR, partial=partial))
