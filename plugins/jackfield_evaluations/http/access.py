"""The rules that say who may see an evaluation and its runs, and who may change them: whoever may so with what they
run."""

from __future__ import annotations

from collections.abc import Mapping

from jackfield.api.context import PluginContext
from jackfield.api.errors import AccessDenied, NotFound
from jackfield.api.jsontext import Json
from jackfield.api.projects import ProjectAccess, present_reach
from jackfield.api.storage import ResourceKind


class EvaluationAccess:
    """By the projects of the workflow or profile and of the data table that a definition names. All verbs raise
    `StoreUnavailable`."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def sees(self, definition: Mapping[str, Json]) -> bool:
        """Whether the caller sees all that the evaluation is about. Where something of it is deleted, nobody knows
        whose it was: only those see it who see everything."""
        if await self._is_unlimited():
            return True
        table, (kind, ident) = _table(definition), _target(definition)
        store = self._context.store
        if await store.data_table(table) is None:
            return False
        if kind == "workflow":
            return await store.workflow_row(ident) is not None
        return await self._context.port(ProjectAccess).sees(kind, ident)

    async def require_seen(self, definition: Mapping[str, Json], missing: str) -> None:
        """Raises `NotFound` with this message."""
        if not await self.sees(definition):
            raise NotFound(missing)

    async def require_change(self, definition: Mapping[str, Json], missing: str) -> None:
        """Of an evaluation, a run. Also to start one: as whoever starts the workflow or the profile, and changes the
        table whose rows a profile gets. Raises `NotFound` with this message, `AccessDenied`."""
        await self.require_seen(definition, missing)
        kind, ident = _target(definition)
        if await self._is_unlimited():
            return
        access = self._context.port(ProjectAccess)
        may = await access.require(kind, ident, "start")
        if kind != "workflow":
            may = may and await access.require("data-table", _table(definition), "write")
        if not may:
            raise AccessDenied("You may not start what this evaluation runs.")

    async def _is_unlimited(self) -> bool:
        return present_reach() is None or await self._context.port(ProjectAccess).rights() is None


def _table(definition: Mapping[str, Json]) -> str:
    return str(definition.get("tableId"))


def _target(definition: Mapping[str, Json]) -> tuple[ResourceKind, str]:
    target = definition.get("target")
    found = target if isinstance(target, dict) else {}
    if found.get("kind") == "profile":
        return "profile", str(found.get("profile"))
    return "workflow", str(found.get("workflowId"))
