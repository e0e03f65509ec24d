"""`/workflows/import`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, InvalidInput
from jackfield.api.http import AuditedThing, audit_notes, json_response, operation, read_json, read_query
from jackfield_workflows.routes.groups import Route, schema
from jackfield_workflows.routes.requests import author
from jackfield_workflows.saved.changes import Author, WorkflowChanges
from jackfield_workflows.saved.imports import Importer, documents_of, import_view

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import PartialImportQuery


class ImportRoutes:
    """Takes documents as other systems export them."""

    name = "workflow_imports"

    def __init__(self, context: PluginContext, changes: WorkflowChanges) -> None:
        self._importer = Importer(context, changes)

    def routes(self) -> Sequence[Route]:
        return (("POST", "/workflows/import", self.import_workflows),)

    @operation(
        "Create or update workflows from one document or a list; with ?partial=true although some have mistakes",
        scope="workflows:write",
        response=schema("ImportShown"),
        tags=("workflows",),
        query=schema("PartialImportQuery"),
        request=schema("ImportBody"),
        also=(207,),
    )
    async def import_workflows(self) -> Response:
        """200 when all are stored, 207 when some are, 400 or 403 when none is: never half without saying so."""
        query: PartialImportQuery = read_query(schema("PartialImportQuery"))
        documents = documents_of(await read_json())
        things = list[AuditedThing]()
        audit_notes().things = things
        results = await self._importer.run(
            documents,
            Author(author().caller),
            partial=bool(query.partial),
            told=lambda ident, name: things.append(AuditedThing("workflow", ident, name)),
        )
        view = import_view(results)
        if view["imported"]:
            return json_response(view)
        if view["notImported"] != len(results):
            return json_response(view, 207)
        denied = next((found.problems[0].message for found in results if found.denied), "")
        if denied:
            raise AccessDenied(f"No workflow was imported. {denied}", extra=view)
        raise InvalidInput("No workflow was imported; results say why.", extra=view)
