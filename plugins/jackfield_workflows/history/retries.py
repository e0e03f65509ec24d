"""Running an execution again: from its original input, from the node that failed, or from any node that ran."""

from __future__ import annotations

import asyncio
from typing import Literal

from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import ExecutionRequest
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.history import NodeRecord, node_records, original_input, stored_json
from jackfield.api.json_slices import written
from jackfield.api.nodes import NodeCatalog
from jackfield.api.storage import OPEN_STATUSES, StoredExecution
from jackfield.api.workflows import Workflow
from jackfield_workflows.starts import start_node

StartAt = Literal["start", "failed", "node", "latest"]
"""latest: from the node that failed, with the workflow as it is saved now."""


async def retry_request(
    context: PluginContext, stored: StoredExecution, start_at: StartAt, node: str = ""
) -> ExecutionRequest:
    """The request to submit. node: with `node`, the one from whose first run on everything runs again.

    Raises `Conflict` while the execution is open, when nothing failed, or when the workflow has lost a node that ran.
    Raises `InvalidInput` for a node that did not run, and `NotFound` when its workflow is gone.
    """
    if stored.row.status in OPEN_STATUSES:
        raise Conflict(f"The execution is still {stored.row.status}; cancel it first or wait for its end.")
    if start_at in ("failed", "latest") and stored.row.status == "success":
        raise Conflict("No node of this execution failed; retry it from the start.")
    again = await asyncio.to_thread(original_input, stored)
    replays = start_at != "start"
    records = await asyncio.to_thread(node_records, stored.steps) if replays else []
    replay = before_node(records, node) if start_at == "node" else before_failure(records)
    workflow = await executed_workflow(context, stored, same_version=start_at in ("failed", "node"))
    _check_replayed(workflow, replay)
    known = again.start in workflow.nodes
    return ExecutionRequest(
        workflow=workflow,
        mode="retry",
        start=again.start if known else start_node(workflow, context.port(NodeCatalog)),
        items=again.items,
        start_output=again.output if known else 0,
        use_pin_data=again.pin,
        until=again.until if again.until in workflow.nodes else "",
        retry_of=stored.row.id,
        replay=[await asyncio.to_thread(written, replay, stored_json)] if replays else (),
        depth=again.depth,
    )


def _check_replayed(workflow: Workflow, replay: list[NodeRecord]) -> None:
    """Raises `Conflict` when the workflow has lost a node that has run."""
    lost = dict.fromkeys(record["node"] for record in replay if record["node"] not in workflow.nodes)
    if lost:
        names = ", ".join(list(lost)[:20])
        raise Conflict(f"The workflow has no node {names} any more; retry its own version, or from the start.")


def before_failure(records: list[NodeRecord]) -> list[NodeRecord]:
    """The records up to the node that ended the run; all of them when none did (it was cancelled). A node that failed
    and let the run go on has outputs."""
    if records and records[-1].get("status") == "failed" and not records[-1].get("outputs"):
        return records[:-1]
    return records


def before_node(records: list[NodeRecord], node: str) -> list[NodeRecord]:
    """The records up to the node's first run. Raises `InvalidInput` when it did not run, or is where all began."""
    index = next((place for place, step in enumerate(records) if step["node"] == node), None)
    if index:
        return records[:index]
    ran = ", ".join(dict.fromkeys(step["node"] for step in records[1:21]))
    hint = f"give one of: {ran}" if ran else "no node ran behind the start; leave out from"
    raise InvalidInput(f"The execution cannot be run again from a node {node[:100]}.", details={"node": hint})


async def executed_workflow(context: PluginContext, stored: StoredExecution, *, same_version: bool) -> Workflow:
    """The saved workflow as it is now, or at the execution's version; an unsaved one is kept with the execution. Raises
    `NotFound` when it is gone."""
    row = stored.row
    document = stored.document
    if document is not None:
        reader = context.port(WorkflowReader)
        return await reader.parse_stored(document, id=row.workflow_id, version=row.workflow_version)
    if row.workflow_id is None:
        raise NotFound("The workflow of this execution is not kept.")
    try:
        return await context.port(WorkflowReader).load(row.workflow_id, row.workflow_version if same_version else None)
    except NotFound:
        raise NotFound("The workflow of this execution was deleted, so that it cannot be retried.") from None
