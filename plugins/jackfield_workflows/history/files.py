"""Files of executions that are deleted."""

from __future__ import annotations

from jackfield.api.binary import BinaryError, BinaryStore
from jackfield.api.context import PluginContext


async def drop_files(context: PluginContext, execution_id: str) -> None:
    """The execution was deleted; what does not go now goes with the next sweep."""
    try:
        await context.port(BinaryStore).release([execution_id])
    except BinaryError as exc:
        context.log.warning("files of execution %s were not deleted: %s", execution_id, exc.message)
