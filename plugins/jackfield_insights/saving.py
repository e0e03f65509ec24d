"""The time that a workflow's successful executions save, as its settings say."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from jackfield.api.context import PluginContext
from jackfield.api.errors import DataDamaged
from jackfield.api.json_values import Json
from jackfield_insights.settings import InsightsSettings

SETTING = "timeSavedPerExecution"
"""Minutes; n8n's name."""
_MOST = 525_600.0
"""Minutes of a year: more is a slip."""
_AT_ONCE = 16


class SavedTime:
    """Minutes by workflow. It remembers those of a version, and reads a document again for another version alone."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._most = context.settings(InsightsSettings).remembered_workflows
        self._remembered: OrderedDict[str, tuple[int, int, float]] = OrderedDict()
        """Version, when it was made, and minutes. A deleted workflow comes back under its id at version 1."""

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
        row = await self._context.store.workflow_row(workflow_id)
        if row is None:
            return 0.0  # it is deleted, or the caller does not see it
        known = self._remembered.get(workflow_id)
        if known is not None and known[:2] == (row.version, row.created_at):
            self._remembered.move_to_end(workflow_id)
            return known[2]
        try:
            stored = await self._context.store.workflow(workflow_id)
        except DataDamaged:
            return 0.0
        if stored is None:
            return 0.0
        minutes = minutes_of(stored.document)
        self._remembered[workflow_id] = (stored.version, stored.created_at, minutes)
        self._remembered.move_to_end(workflow_id)
        if len(self._remembered) > self._most:
            self._remembered.popitem(last=False)
        return minutes


def minutes_of(document: Mapping[str, Json]) -> float:
    """0: the settings say nothing."""
    settings = document.get("settings")
    given = settings.get(SETTING) if isinstance(settings, dict) else None
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not math.isfinite(given):
        return 0.0
    return min(max(float(given), 0.0), _MOST)
