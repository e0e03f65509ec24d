"""Previews of expressions: a few at a time, each on the data of one stored execution."""

from __future__ import annotations

import asyncio

from jackfield.api.context import PluginContext
from jackfield.api.engine import ExpressionPreview, PreviewRequest
from jackfield.api.errors import NotFound, RateLimited
from jackfield.api.jsontext import Json
from jackfield.api.records import replace
from jackfield.api.spilled_outputs import with_outputs
from jackfield_workflows.documents.identities import known_id
from jackfield_workflows.history.retries import executed_workflow
from jackfield_workflows.settings import WorkflowsSettings

WAITING = 32
"""Previews that may wait for their turn; one more is refused."""


class Previews:
    """Each has the data of an execution in memory: so few at a time."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._most = context.settings(WorkflowsSettings).previews
        self._free = asyncio.Semaphore(self._most)
        self._wanted = 0

    async def evaluate(self, request: PreviewRequest, execution: str | None) -> dict[str, Json]:
        """See `ExpressionPreview`. execution: id of the one whose data they see, None for pinned data alone. Raises
        `NotFound` as well, for an unknown execution, and `RateLimited` when too many wait."""
        if self._wanted >= self._most + WAITING:
            raise RateLimited(1, "Too many previews are asked for; see workflows.previews.")
        self._wanted += 1
        try:
            async with self._free:
                return await self._context.port(ExpressionPreview).evaluate(await self._with_data(request, execution))
        finally:
            self._wanted -= 1

    async def _with_data(self, request: PreviewRequest, execution: str | None) -> PreviewRequest:
        if execution is None:
            return request
        stored = await self._context.store.execution(known_id(execution, "execution"))
        if stored is None:
            raise NotFound("There is no execution with this id.")
        stored = await with_outputs(self._context, stored)
        return replace(request, stored=stored, ran=await executed_workflow(self._context, stored, same_version=True))
