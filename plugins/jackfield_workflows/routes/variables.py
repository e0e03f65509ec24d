"""`/variables`: what expressions read as `$vars`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict
from jackfield.api.http import json_response, operation, read_model
from jackfield.api.jsontext import Json
from jackfield.api.storage import Variable
from jackfield_workflows.routes.groups import Route, payload, schema
from jackfield_workflows.saved.variables import VariableChanges

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import VariableBody, VariableChange

TAGS = ("variables",)


class VariableRoutes:
    """Views on variables."""

    name = "variables"

    def __init__(self, context: PluginContext) -> None:
        self._variables = VariableChanges(context)

    def routes(self) -> Sequence[Route]:
        one = "/variables/<variable_id>"
        return (
            ("GET", "/variables", self.list_variables),
            ("POST", "/variables", self.create_variable),
            ("GET", one, self.get_variable),
            ("PUT", one, self.replace_variable),
            ("PATCH", one, self.patch_variable),
            ("DELETE", one, self.delete_variable),
        )

    @operation("List variables", scope="workflows:read", response=schema("VariableList"), tags=TAGS)
    async def list_variables(self) -> Response:
        found = await self._variables.every()
        return json_response({"data": [variable_view(variable) for variable in found], "total": len(found)})

    @operation(
        "Create a variable",
        scope="workflows:write",
        request=schema("VariableBody"),
        response=schema("VariableShown"),
        status=201,
        tags=TAGS,
        errors=(Conflict,),
    )
    async def create_variable(self) -> Response:
        return json_response(variable_view(await self._variables.create(*await _whole())), 201)

    @operation("Read a variable", scope="workflows:read", response=schema("VariableShown"), tags=TAGS)
    async def get_variable(self, variable_id: str) -> Response:
        return json_response(variable_view(await self._variables.find(variable_id)))

    @operation(
        "Replace a variable",
        scope="workflows:write",
        request=schema("VariableBody"),
        response=schema("VariableShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def replace_variable(self, variable_id: str) -> Response:
        return json_response(variable_view(await self._variables.change(variable_id, _whole)))

    @operation(
        "Change a variable's key or value",
        operation_id="updateVariable",
        scope="workflows:write",
        request=schema("VariableChange"),
        response=schema("VariableShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def patch_variable(self, variable_id: str) -> Response:
        return json_response(variable_view(await self._variables.change(variable_id, _parts)))

    @operation("Delete a variable", scope="workflows:write", status=204, tags=TAGS)
    async def delete_variable(self, variable_id: str) -> Response:
        await self._variables.delete(variable_id)
        return Response(status=204)


async def _whole(_: Variable | None = None) -> tuple[str, str]:
    body: VariableBody = await read_model(payload("VariableBody"))
    return body.key, body.value


async def _parts(present: Variable) -> tuple[str, str]:
    """Parts that the body leaves out stay."""
    body: VariableChange = await read_model(payload("VariableChange"))
    return (present.key if body.key is None else body.key), (present.value if body.value is None else body.value)


def variable_view(variable: Variable) -> dict[str, Json]:
    return {
        "id": variable.id,
        "key": variable.key,
        "value": variable.value,
        "createdAt": iso(variable.created_at),
        "updatedAt": iso(variable.updated_at),
    }
