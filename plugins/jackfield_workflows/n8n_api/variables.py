"""n8n's `/variables`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.http import json_response, operation, read_model, read_query
from jackfield.api.n8n_pages import asked_cursor, page
from jackfield.api.projects import ProjectAccess, ask_about
from jackfield.api.storage import Variable
from jackfield_workflows.n8n_api.forms import n8n_model, n8n_schema
from jackfield_workflows.n8n_api.views import variable_view
from jackfield_workflows.routes.groups import Route
from jackfield_workflows.saved.variables import VariableChanges

if TYPE_CHECKING:
    from jackfield_workflows.n8n_api.schemas import NewVariableBody, VariablesQuery

TAGS = ("n8n variables",)


class N8nVariables:
    """Views on variables."""

    name = "n8n_variables"

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._variables = VariableChanges(context)
        self._projects = context.find_port(ProjectAccess)

    def routes(self) -> Sequence[Route]:
        one = "/variables/<variable_id>"
        return (
            ("GET", "/variables", self.list_variables),
            ("POST", "/variables", self.create_variable),
            ("PUT", one, self.update_variable),
            ("DELETE", one, self.delete_variable),
        )

    @operation(
        "List variables",
        scope="workflows:read",
        query=n8n_schema("VariablesQuery"),
        response=n8n_schema("VariableCursorPage"),
        tags=TAGS,
    )
    async def list_variables(self) -> Response:
        query: VariablesQuery = read_query(n8n_schema("VariablesQuery"))
        cursor = asked_cursor(query)
        try:
            await ask_about(self._projects, query.project_id or None)
            found = await self._variables.every()
        except NotFound:
            found = []
        wanted = [variable for variable in found if not (query.state and variable.value)]
        rows = wanted[cursor.offset : cursor.offset + cursor.limit]
        return json_response(page([variable_view(row) for row in rows], cursor.after(len(rows), len(wanted))))

    @operation(
        "Create a variable",
        scope="workflows:write",
        request=n8n_schema("NewVariableBody"),
        response=n8n_schema("VariableWhole"),
        status=201,
        tags=TAGS,
        errors=(Conflict, NotFound),
    )
    async def create_variable(self) -> Response:
        return json_response(variable_view(await self._variables.create(*await self._read())), 201)

    @operation(
        "Replace a variable",
        scope="workflows:write",
        request=n8n_schema("NewVariableBody"),
        status=204,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def update_variable(self, variable_id: str) -> Response:
        await self._variables.change(variable_id, self._read)
        return Response(status=204)

    @operation("Delete a variable", scope="workflows:write", status=204, tags=TAGS)
    async def delete_variable(self, variable_id: str) -> Response:
        await self._variables.delete(variable_id)
        return Response(status=204)

    async def _read(self, _: Variable | None = None) -> tuple[str, str]:
        body: NewVariableBody = await read_model(n8n_model("NewVariableBody"))
        await ask_about(self._projects, body.project_id)
        return body.key, body.value
