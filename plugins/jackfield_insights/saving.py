"""The time that a workflow's successful executions save, as its settings say."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.errors import JackfieldError, StoreUnavailable
from jackfield.api.workflows import Workflow

SETTING = "timeSavedPerExecution"
"""Minutes; n8n's name."""
_MOST = 525_600.0
"""Minutes of a year: more is a slip."""
_AT_ONCE = 16


class SavedTime:
    """Minutes by workflow."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def minutes(self, workflow_ids: Iterable[str]) -> dict[str, float]:
        """Of those that save any. Raises `StoreUnavailable`."""
        found: dict[str, float] = {}
        room = asyncio.Semaphore(_AT_ONCE)

        async def look(workflow_id: str) -> None:
            async with room:
                if minutes := await self._of(workflow_id):
                    found[workflow_id] = minutes

        await asyncio.gather(*(look(workflow_id) for workflow_id in workflow_ids if workflow_id))
        return found

    async def _of(self, workflow_id: str) -> float:
        try:
            return minutes_of(await self._context.port(WorkflowReader).load(workflow_id))
        except StoreUnavailable:
            raise
        except JackfieldError:
            return 0.0  # it is deleted, or cannot be read


def minutes_of(workflow: Workflow) -> float:
    """0: nothing is said."""
    given = workflow.settings.raw.get(SETTING)
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not math.isfinite(given):
        return 0.0
    return min(max(float(given), 0.0), _MOST)
