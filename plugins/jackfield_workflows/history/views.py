"""Executions as the API shows them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import orjson

from jackfield.api import jsontext
from jackfield.api.clock import iso
from jackfield.api.engine import Failure
from jackfield.api.history import NodeRecord, is_shown, loaded, node_records, outputs_of
from jackfield.api.json_slices import written
from jackfield.api.jsontext import Json
from jackfield.api.storage import ExecutionRow, StoredExecution
from jackfield.api.workflows import Items, Outputs

_INLINE = 64 * 1024
"""Up to that many bytes of stored data are rendered on the event loop."""
_OUTPUT_BYTES = 128 * 1024
"""The most JSON of one output in a view with `items`; a larger item is left to the pages of items."""
_VIEW_BYTES = 8 * 1024 * 1024
"""The most of all outputs together."""
_PAGE_BYTES = 4 * 1024 * 1024
"""The most of a page of items that has more than one."""
RenderedT = TypeVar("RenderedT")


def execution_row_view(row: ExecutionRow) -> dict[str, Json]:
    """A list row. `startedAt` of a run that still waits for its turn is when it was accepted."""
    view: dict[str, Json] = {
        "id": row.id,
        "workflowId": row.workflow_id,
        "workflowVersion": row.workflow_version,
        "status": row.status,
        "mode": row.mode,
        "startedAt": iso(row.created_at if row.started_at is None else row.started_at),
    }
    if row.finished_at is not None:
        view["finishedAt"] = iso(row.finished_at)
    if row.error is not None:
        view["error"] = orjson.loads(row.error)
    if row.retry_of is not None:
        view["retryOf"] = row.retry_of
    if row.resume_at is not None and row.status == "waiting":
        view["resumeAt"] = iso(row.resume_at)
    return view


def failure_view(failure: Failure) -> dict[str, Json]:
    view: dict[str, Json] = {"message": failure.message}
    if failure.node is not None:
        view["node"] = failure.node
    if failure.item is not None:
        view["itemIndex"] = failure.item
    return view


async def execution_body(stored: StoredExecution, most: int | None = None) -> bytes:
    """The execution as JSON; a large one is put together off the event loop. most: items of each output; None: all."""
    return await rendered(stored, lambda: written(execution_view(stored, most)))


async def items_body(stored: StoredExecution, run: int, output: int, offset: int, limit: int) -> bytes | None:
    """A page of the items of one output as JSON; None when there is no such node run or output."""
    return await rendered(stored, lambda: _items_page(stored, run, output, offset, limit))


async def rendered(stored: StoredExecution, render: Callable[[], RenderedT]) -> RenderedT:
    """The result of `render` for the execution; of a large one on a thread."""
    if len(stored.input) + sum(len(chunk) for chunk in stored.steps) <= _INLINE:
        return render()
    return await asyncio.to_thread(render)


def execution_view(stored: StoredExecution, most: int | None = None) -> dict[str, Json]:
    """With the items of the last node and every node run. most: see `execution_body`."""
    given = input_items(stored)
    nodes: dict[str, list[Json]] = {}
    last: dict[str, Outputs] = {}
    name, left = "", _VIEW_BYTES
    for record in node_records(stored.steps):
        name = record["node"]
        if not is_shown(record):
            continue
        outputs = outputs_of(record, given) or []
        view = _run_view(record, outputs)
        if most is not None:
            view["counts"] = [len(items) for items in outputs]
            outputs, spent = _beginnings(outputs, most, min(left, _OUTPUT_BYTES))
            view["outputs"] = outputs  # type: ignore[assignment]
            left -= spent
        nodes.setdefault(name, []).append(view)
        last[name] = outputs
    data = next((items for items in last.get(name, ()) if items), [])
    return {**execution_row_view(stored.row), "data": data, "nodes": nodes}  # type: ignore[dict-item]


def _beginnings(outputs: Outputs, most: int, budget: int) -> tuple[Outputs, int]:
    """At most that many items of each output, of at most that many bytes of JSON; and all their bytes."""
    found: Outputs = []
    spent = 0
    for items in outputs:
        kept, size = _beginning(items[:most], budget)
        found.append(kept)
        spent += size
    return found, spent


def _beginning(items: Items, budget: int) -> tuple[Items, int]:
    spent = 0
    for index, item in enumerate(items):
        size = len(jsontext.dumps(item))
        if spent + size > budget:
            return items[:index], spent
        spent += size
    return items, spent


def _items_page(stored: StoredExecution, run: int, output: int, offset: int, limit: int) -> bytes | None:
    given = input_items(stored)
    record = next((one for one in node_records(stored.steps) if one["index"] == run), None)
    outputs = (outputs_of(record, given) or []) if record is not None else []
    if output >= len(outputs):
        return None
    items = outputs[output]
    wanted = items[offset : offset + limit]
    page = _beginning(wanted, _PAGE_BYTES)[0] or wanted[:1]
    return jsontext.dumps({"data": page, "total": len(items), "offset": offset, "limit": limit})


def input_items(stored: StoredExecution) -> Items:
    found = loaded(stored.input) if stored.input else {}
    items = found.get("items") if isinstance(found, dict) else None
    return items if isinstance(items, list) else []


_NOTED = ("tokenUsage", "toolCalls")
"""Of what a node keeps with its record, that which is for people."""


def _run_view(record: NodeRecord, outputs: Outputs) -> dict[str, Json]:
    view: dict[str, Json] = {
        "index": record["index"],
        "startedAt": iso(record["startedAt"]),
        "duration": record["duration"],
        "status": record["status"],
        "outputs": outputs,  # type: ignore[dict-item]
    }
    if "error" in record:
        view["error"] = record["error"]  # type: ignore[assignment]
    if record.get("reused"):
        view["reused"] = True
    noted = record.get("context") or {}
    return {**view, **{name: noted[name] for name in _NOTED if name in noted}}
