"""Spans of executions that end without having been in memory."""

from __future__ import annotations

from jackfield.api.history import loaded
from jackfield.api.storage import FinishedExecution, StoredExecution
from jackfield.api.tracing import Attribute, Span
from jackfield_engine.lifecycle.resuming import trace_of, within_slices
from jackfield_engine.shared.services import Services

_NS = 1_000_000


async def end_stored_span(services: Services, stored: StoredExecution, end: FinishedExecution) -> None:
    """The store has the execution's end."""
    if services.tracer is None:
        return
    try:
        own = trace_of((await within_slices(stored, lambda: loaded(stored.input))).get("trace"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return  # it is damaged
    if own is None:
        return
    row = stored.row
    attributes: dict[str, Attribute] = {
        "n8n.execution.id": row.id,
        "n8n.execution.mode": row.mode,
        "n8n.execution.status": end.status,
        "error.type": end.status,
    }
    if row.workflow_id is not None:
        attributes["n8n.workflow.id"] = row.workflow_id
    started, ended = end.started_at * _NS, max(end.started_at, end.finished_at) * _NS
    services.tracer.end(
        Span(own.own, "workflow.execute", started, ended, own.parent, "internal", attributes, end.status)
    )
