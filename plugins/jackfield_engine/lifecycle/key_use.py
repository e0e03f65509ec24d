"""How long addresses of waiting executions need a key that was replaced."""

from __future__ import annotations

from collections.abc import Sequence

from jackfield.api.context import PluginContext
from jackfield.api.resealing import KeyUse
from jackfield.api.storage import ExecutionFilter


def key_uses(context: PluginContext) -> Sequence[KeyUse]:
    return [ResumeKeys(context)]


class ResumeKeys:
    """`jackfield.api.resealing.KeyUse`."""

    name = "addresses of waiting executions"

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    async def needs_earlier(self, replaced_at: int) -> str:
        """An address may have been given away from the begin of its execution on."""
        found = await self._context.store.execution_stats(ExecutionFilter(status="waiting", until=replaced_at))
        count = found.get("waiting", 0)
        return f"{count} waiting executions may have given addresses away that they have signed." if count else ""
