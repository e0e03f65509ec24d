"""One execution on behalf of an evaluation: started or found again, waited for, and read."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field

from jackfield.api.context import PluginContext
from jackfield.api.engine import Engine, ExecutionRequest, Outcome
from jackfield.api.errors import Conflict, ExecutionTimeout, JackfieldError, NotFound
from jackfield.api.history import NodeRecord, node_records
from jackfield.api.ids import new_id
from jackfield.api.nodes import NodeCatalog, entry_items
from jackfield.api.records import record
from jackfield.api.spilled_outputs import with_outputs
from jackfield.api.storage import OPEN_STATUSES, StoredExecution
from jackfield.api.workflows import Items, Workflow
from jackfield_evaluations.executing.reach import place_execution

_LOOKS, _LOOK_S = 200, 0.05
"""How often, and after how many seconds each time, the store is asked for the end of an execution."""


@record
class EvaluationTask:
    """The run to start. `start`: name of the node that it starts at. `items`: what that is given."""

    workflow: Workflow
    start: str
    items: Items


@record
class RanExecution:
    """How it ended. duration_ms: from its start to its end; records: its node runs, empty where the workflow keeps
    none."""

    id: str
    outcome: Outcome
    duration_ms: int
    records: Sequence[NodeRecord] = field(default_factory=list)

    @property
    def problem(self) -> str:
        """Empty: it has succeeded."""
        if self.outcome.status == "success":
            return ""
        failure = self.outcome.failure
        if failure is None:
            return f"The execution ended as {self.outcome.status}."
        return f"{failure.node}: {failure.message}" if failure.node else failure.message


Noted = Callable[[str], Awaitable[None]]
"""Gets the id of an execution before it starts, and returns once that is durable."""


async def run_execution(context: PluginContext, task: EvaluationTask, seconds: float, noted: Noted) -> RanExecution:
    """Start it and wait for its end; out of time, it cancels the execution. Cancelling the wait leaves the execution.
    Raises `JackfieldError`."""
    execution_id = new_id()
    await noted(execution_id)
    if task.workflow.id is None:
        await place_execution(context, execution_id)
    given = entry_items(task.workflow, task.start, task.items, context.port(NodeCatalog)) or task.items
    request = ExecutionRequest(task.workflow, "manual", task.start, given, id=execution_id)
    execution = context.port(Engine).submit(request)
    await asyncio.shield(execution.accepted)
    return await await_execution(context, execution_id, seconds)


async def await_execution(context: PluginContext, execution_id: str, seconds: float) -> RanExecution:
    """Wait for one that was started, at this daemon or another. Raises as `run_execution`, and `NotFound`."""
    engine = context.port(Engine)
    started = context.clock.now_ms()
    try:
        outcome = await engine.result(execution_id, seconds)
    except ExecutionTimeout:
        await cancel_execution(context, execution_id)
        raise JackfieldError(f"It did not end within {seconds:g} seconds.") from None
    return await _read(context, execution_id, outcome, context.clock.now_ms() - started)


async def cancel_execution(context: PluginContext, execution_id: str) -> None:
    """Does nothing for one that is over or was never stored."""
    with contextlib.suppress(NotFound, Conflict):
        await context.port(Engine).cancel(execution_id)


async def _read(context: PluginContext, execution_id: str, outcome: Outcome, waited_ms: int) -> RanExecution:
    stored = await _ended(context, execution_id)
    if stored is None:
        return RanExecution(execution_id, outcome, waited_ms)
    whole = await with_outputs(context, stored)
    try:
        records = await asyncio.to_thread(node_records, whole.steps)
    except ValueError:
        raise JackfieldError("The stored form of the execution is damaged.") from None
    row = stored.row
    began = row.started_at or row.created_at
    return RanExecution(execution_id, outcome, (row.finished_at or began) - began, records)


async def _ended(context: PluginContext, execution_id: str) -> StoredExecution | None:
    """The execution once its end is durable: the event comes before."""
    for _ in range(_LOOKS):
        stored = await context.store.execution(execution_id)
        if stored is None or stored.row.status not in OPEN_STATUSES:
            return stored
        await context.clock.sleep(_LOOK_S)
    raise JackfieldError("The end of the execution was not stored in time.")


def first_item(records: Sequence[NodeRecord], node: str) -> Mapping[str, object] | None:
    """The JSON of the first item that the node's last run gave; None: there is none."""
    for each in reversed(records):
        if each["node"] == node:
            return next((items[0]["json"] for items in each.get("outputs") or [] if items), None)
    return None
