"""Data of an earlier execution for a run to one node: what has not changed since then is not run again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from jackfield.api.context import PluginContext
from jackfield.api.engine import ExecutionRequest
from jackfield.api.errors import Conflict, InvalidInput, NotFound
from jackfield.api.history import NodeRecord, OriginalInput, node_records, original_input, stored_json
from jackfield.api.json_slices import written
from jackfield.api.records import replace
from jackfield.api.storage import OPEN_STATUSES, StoredExecution
from jackfield.api.workflows import Items, Outputs, Workflow
from jackfield_workflows.history.outside import changed_outside
from jackfield_workflows.history.retries import executed_workflow
from jackfield_workflows.saved.node_changes import named_nodes, parts_of
from jackfield_workflows.starts import leading


async def with_data_of(context: PluginContext, stored: StoredExecution, fresh: ExecutionRequest) -> ExecutionRequest:
    """The request with the results of the nodes before `until` that have not changed since the execution, and with what
    it began with. The request as it is when nothing of it can be taken. Raises `Conflict` while the execution is open,
    and `InvalidInput` for one of another workflow, or without a node to run to."""
    if not fresh.until:
        raise InvalidInput("Only a run to a node reuses data.", details={"until": "name the node to run to"})
    if stored.row.workflow_id != fresh.workflow.id:
        message = "name an execution of this workflow"
        raise InvalidInput("The execution is of another workflow.", details={"reuse": message})
    if stored.row.status in OPEN_STATUSES:
        raise Conflict(f"The execution is still {stored.row.status}; cancel it first or wait for its end.")
    try:
        ran = await executed_workflow(context, stored, same_version=True)
    except NotFound:  # nobody can say what has changed
        return fresh
    began = await asyncio.to_thread(original_input, stored)
    records = await asyncio.to_thread(node_records, stored.steps)
    row = stored.row
    outside = await changed_outside(context, fresh.workflow, row.started_at or row.created_at)
    kept = await asyncio.to_thread(reusable, records, began, ran, fresh.workflow, fresh.until, outside)
    if kept is None:
        return fresh
    given = [await asyncio.to_thread(written, kept, stored_json)] if kept else ()
    return replace(
        fresh, start=began.start, items=began.items, start_output=began.output, given=given, encoded=None, memory=None
    )


def reusable(
    records: Sequence[NodeRecord],
    began: OriginalInput,
    ran: Workflow,
    now: Workflow,
    until: str,
    outside: frozenset[str] = frozenset(),
) -> list[NodeRecord] | None:
    """The runs of nodes before `until` that are as they were, with all that leads to them; None when the beginning
    itself is not. A node with a failed run, and one that was the end of that execution, lets nothing behind it count.
    `until` runs in any case. `outside`: nodes whose variables or credentials have changed; that of the beginning has
    given its items already.
    """
    before = leading(now, until) - {until}
    changed = _changed(records, began, ran, now)
    if began.start not in before or began.start in changed or ran.settings.order != now.settings.order:
        return None
    stale = (
        changed
        | (outside - {began.start})
        | {until}
        | {record["node"] for record in records if record["status"] == "failed"}
    )
    stale |= _behind(now, {began.until}) if began.until else set()
    stale |= _following(now, stale)
    return [record for record in records if record["node"] in before - stale and record["index"] > 0]


def _changed(records: Sequence[NodeRecord], began: OriginalInput, ran: Workflow, now: Workflow) -> set[str]:
    """Names of nodes of the current workflow that are not as they were."""
    then = ran.pin_data if began.pin else {}
    gave = {**{record["node"]: record.get("outputs") for record in records}, began.start: _given(began)}
    return {
        name
        for name in now.nodes
        if _described(ran, name) != _described(now, name)
        or (name not in now.pin_data and name in then)
        or (
            name in now.pin_data
            and now.pin_data[name] != then.get(name)
            and not _is(now.pin_data[name], gave.get(name))
        )
    }


def _given(began: OriginalInput) -> Outputs:
    return [*([] for _ in range(began.output)), began.items]


def _is(pinned: Items, outputs: Outputs | None) -> bool:
    """Whether the node gave what is pinned: people pin what a run has given, without where its items came from."""
    return outputs is not None and bool(outputs) and _plain(pinned) == _plain(outputs[0])


def _plain(items: Items) -> list[tuple[object, object]]:
    return [(item["json"], item.get("binary")) for item in items]


_SHAPING = ("type", "parameters", "credentials", "disabled", "on_error", "execute_once", "always_output_data")


def _described(workflow: Workflow, name: str) -> list[object] | None:
    """The parts that decide on the node's results beside its items: itself, the wires to it, and its parts."""
    node = workflow.nodes.get(name)
    if node is None:
        return None
    found: list[object] = [node.version, *(getattr(node, key) for key in _SHAPING)]
    found.append(sorted(f"{source}\0{output}\0{index}" for source, output, index in _wires_to(workflow, name)))
    for part in parts_of(workflow, name):
        inner = workflow.nodes.get(part)
        found.append([part, *([] if inner is None else [inner.version, *(getattr(inner, key) for key in _SHAPING)])])
    return found


def _wires_to(workflow: Workflow, name: str) -> Iterable[tuple[str, int, int]]:
    for source, outputs in workflow.wires.items():
        for output, targets in enumerate(outputs):
            for wire in targets:
                if wire.node == name:
                    yield source, output, wire.input


def _following(workflow: Workflow, names: Iterable[str]) -> set[str]:
    """The nodes behind these, those that read them or what follows them by name, and all behind those."""
    readers: dict[str, set[str]] = {}
    for name in workflow.nodes:
        for one in (name, *(part for part in parts_of(workflow, name) if part in workflow.nodes)):
            for read in named_nodes(workflow, one):
                readers.setdefault(read, set()).add(name)
    found: set[str] = set()
    fresh = set(names)
    while fresh:
        found |= fresh
        fresh = _behind(workflow, fresh).union(*(readers.get(name, ()) for name in fresh)) - found
    return found


def _behind(workflow: Workflow, names: Iterable[str]) -> set[str]:
    """The nodes to which wires lead from these."""
    found: set[str] = set()
    open_names = list(names)
    while open_names:
        for targets in workflow.wires.get(open_names.pop(), ()):
            fresh = {wire.node for wire in targets} - found
            found |= fresh
            open_names += fresh
    return found
