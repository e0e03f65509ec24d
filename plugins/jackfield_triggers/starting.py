"""Starting a workflow together with what its trigger remembers from then on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jackfield.api.binary import BinaryStore
from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, Execution, ExecutionRequest
from jackfield.api.errors import Conflict
from jackfield.api.ids import new_id
from jackfield.api.jsontext import Json
from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Item, Node, Workflow
from jackfield_triggers.static_memory import Remembered, checked, remembered

_TRIES = 20


async def started(
    context: PluginContext,
    workflow: Workflow,
    node: Node,
    execution_id: str,
    items: Sequence[Item],
    before: Remembered,
    own: dict[str, Json],
    limit: int,
) -> Execution | None:
    """Returns once the execution and `own` are stored. None: somebody else has changed what the node remembers, so that
    these items are not new any more. limit: bytes of `own`. Raises `JackfieldError`, `NodeError`."""
    now, given = before, list(items)
    for attempt in range(_TRIES):
        if attempt:  # an id that was refused once is not used again; its files go along
            execution_id = new_id()
            await context.port(BinaryStore).adopt(execution_id, given)
        request = ExecutionRequest(
            workflow=workflow,
            mode="trigger",
            start=node.name,
            items=given,
            id=execution_id,
            static=checked(now.change(own), own, limit),
        )
        execution = context.port(Engine).submit(request)
        try:
            await asyncio.shield(execution.accepted)
        except Conflict as exc:
            if "staticData" not in (exc.details or {}):
                raise
        else:
            return execution
        now = await remembered(context, before.workflow_id, before.section)
        if now.own != before.own:
            return None
    raise NodeError("The items cannot be stored: executions change the workflow's static data all the time.")
