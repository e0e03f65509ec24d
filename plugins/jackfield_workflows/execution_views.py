"""Executions as the API shows them. Source: decisions.md section 1, `GET /executions`."""

from __future__ import annotations

import asyncio

import orjson

from jackfield.api import jsontext
from jackfield.api.clock import iso
from jackfield.api.engine import Failure
from jackfield.api.jsontext import Json
from jackfield.api.storage import ExecutionRow, StoredExecution
from jackfield.api.workflows import Items, Outputs
from jackfield_workflows.records import Record, decode, outputs_of

_INLINE = 64 * 1024
"""Up to so many bytes of stored data are rendered on the event loop."""


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


async def execution_body(stored: StoredExecution) -> bytes:
    """The whole execution as JSON; a large one is put together off the event loop."""
    if len(stored.input) + sum(len(chunk) for chunk in stored.steps) <= _INLINE:
        return _execution_body(stored)
    return await asyncio.to_thread(_execution_body, stored)


def _execution_body(stored: StoredExecution) -> bytes:
    return jsontext.dumps(execution_view(stored))


def execution_view(stored: StoredExecution) -> dict[str, Json]:
    """With the items of the last node and every node run."""
    given = _input_items(stored)
    nodes: dict[str, list[Json]] = {}
    outputs: Outputs = []
    for record in decode(stored.steps):
        outputs = outputs_of(record, given) or []
        nodes.setdefault(record["node"], []).append(_run_view(record, outputs))
    data = next((items for items in outputs if items), [])
    return {**execution_row_view(stored.row), "data": data, "nodes": nodes}  # type: ignore[dict-item]


def _input_items(stored: StoredExecution) -> Items:
    found = orjson.loads(stored.input) if stored.input else {}
    items = found.get("items") if isinstance(found, dict) else None
    return items if isinstance(items, list) else []


def _run_view(record: Record, outputs: Outputs) -> dict[str, Json]:
    view: dict[str, Json] = {
        "index": record["index"],
        "startedAt": iso(record["startedAt"]),
        "duration": record["duration"],
        "status": record["status"],
        "outputs": outputs,  # type: ignore[dict-item]
    }
    if "error" in record:
        view["error"] = record["error"]  # type: ignore[assignment]
    return view
