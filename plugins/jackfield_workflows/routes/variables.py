"""`/variables`: what expressions read as `$vars`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quart import Response

from jackfield.api.clock import iso
from jackfield.api.context import PluginContext
from jackfield.api.errors import Conflict, NotFound
from jackfield.api.http import json_response, operation, read_model
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json
from jackfield.api.storage import Variable
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.routes.groups import Route, payload, schema

if TYPE_CHECKING:
    from jackfield_workflows.routes.schemas import VariableBody, VariableChange

TAGS = ("variables",)


class VariableRoutes:
    """Views on variables. Whoever keeps their values listens to `variables.changed` on the topic workflows."""

    name = "variables"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

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
        found = sorted(await self._context.store.variables(), key=lambda variable: variable.key)
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
        body: VariableBody = await read_model(payload("VariableBody"))
        now = self._context.clock.now_ms()
        return await self._put(Variable(new_id(), body.key, body.value, now, now), 201)

    @operation("Read a variable", scope="workflows:read", response=schema("VariableShown"), tags=TAGS)
    async def get_variable(self, variable_id: str) -> Response:
        return json_response(variable_view(await self._stored(variable_id)))

    @operation(
        "Replace a variable",
        scope="workflows:write",
        request=schema("VariableBody"),
        response=schema("VariableShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def replace_variable(self, variable_id: str) -> Response:
        present = await self._stored(variable_id)
        body: VariableBody = await read_model(payload("VariableBody"))
        return await self._put(self._changed(present, body.key, body.value))

    @operation(
        "Change a variable's key or value",
        scope="workflows:write",
        request=schema("VariableChange"),
        response=schema("VariableShown"),
        tags=TAGS,
        errors=(Conflict,),
    )
    async def patch_variable(self, variable_id: str) -> Response:
        present = await self._stored(variable_id)
        body: VariableChange = await read_model(payload("VariableChange"))
        return await self._put(
            self._changed(
                present,
                present.key if body.key is None else body.key,
                present.value if body.value is None else body.value,
            )
        )

    @operation("Delete a variable", scope="workflows:write", status=204, tags=TAGS)
    async def delete_variable(self, variable_id: str) -> Response:
        present = await self._stored(variable_id)
        await self._context.store.delete_variable(present.id)
        self._publish(present)
        return Response(status=204)

    def _changed(self, present: Variable, key: str, value: str) -> Variable:
        return Variable(present.id, key, value, present.created_at, self._context.clock.now_ms())

    async def _put(self, variable: Variable, status: int = 200) -> Response:
        await self._context.store.put_variable(variable)
        self._publish(variable)
        return json_response(variable_view(variable), status)

    def _publish(self, variable: Variable) -> None:
        self._context.events.publish("workflows", "variables.changed", {"key": variable.key})

    async def _stored(self, variable_id: str) -> Variable:
        known_id(variable_id, "variable")
        found = next((found for found in await self._context.store.variables() if found.id == variable_id), None)
        if found is None:
            raise NotFound("There is no variable with this id.")
        return found


def variable_view(variable: Variable) -> dict[str, Json]:
    return {
        "id": variable.id,
        "key": variable.key,
        "value": variable.value,
        "createdAt": iso(variable.created_at),
        "updatedAt": iso(variable.updated_at),
    }
