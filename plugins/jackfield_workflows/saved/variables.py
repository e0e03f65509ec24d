"""The changes that the API makes to variables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from jackfield.api.context import PluginContext
from jackfield.api.errors import NotFound
from jackfield.api.ids import new_id
from jackfield.api.storage import Variable
from jackfield_workflows.documents.identities import known_id

ReadChange: TypeAlias = Callable[[Variable], Awaitable[tuple[str, str]]]
"""The variable as it is -> its key and its value as the request wants them."""


class VariableChanges:
    """Variables of the store. A part that keeps their values listens to `variables.changed` on the topic workflows."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def every(self) -> list[Variable]:
        """By key."""
        return sorted(await self._context.store.variables(), key=lambda variable: variable.key)

    async def find(self, variable_id: str) -> Variable:
        """Raises `NotFound`."""
        known_id(variable_id, "variable")
        found = next((found for found in await self._context.store.variables() if found.id == variable_id), None)
        if found is None:
            raise NotFound("There is no variable with this id.")
        return found

    async def create(self, key: str, value: str) -> Variable:
        """Raises `Conflict` when there is one of this key."""
        now = self._context.clock.now_ms()
        return await self._put(Variable(new_id(), key, value, now, now))

    async def change(self, variable_id: str, read: ReadChange) -> Variable:
        """Raises `NotFound` before the request is read, `Conflict` when another variable has the key."""
        present = await self.find(variable_id)
        key, value = await read(present)
        now = self._context.clock.now_ms()
        return await self._put(Variable(present.id, key, value, present.created_at, now))

    async def delete(self, variable_id: str) -> None:
        """Raises `NotFound`."""
        present = await self.find(variable_id)
        await self._context.store.delete_variable(present.id)
        self._publish(present)

    async def _put(self, variable: Variable) -> Variable:
        await self._context.store.put_variable(variable)
        self._publish(variable)
        return variable

    def _publish(self, variable: Variable) -> None:
        self._context.events.publish("workflows", "variables.changed", {"key": variable.key})
