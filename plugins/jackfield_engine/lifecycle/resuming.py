"""From a stored execution back to what runs, and to what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar
from zlib import crc32

import orjson

from jackfield.api.body_budget import TakenMemory
from jackfield.api.context import PluginContext, WorkflowReader
from jackfield.api.engine import ExecutionRequest, Failure, Mode, Outcome
from jackfield.api.errors import JackfieldError, NotFound, StoreUnavailable
from jackfield.api.history import NodeRecord, loaded, node_records, outputs_of
from jackfield.api.jsontext import LARGE
from jackfield.api.storage import CallUpdate, ExecutionStatus, FinishedExecution, StoredExecution
from jackfield.api.tracing import OpenSpan, trace_context
from jackfield.api.workflows import Items, Workflow
from jackfield_engine.run.marks import untaken_runs
from jackfield_engine.run.stored_form import failure_json

T = TypeVar("T")


class CannotResume(Exception):
    """The execution's workflow or data is not there any more."""


async def request_of(
    context: PluginContext, stored: StoredExecution, memory: TakenMemory | None = None
) -> ExecutionRequest:
    """The request that the execution was started with. `memory`: that it takes. Raises `CannotResume`,
    `StoreUnavailable`."""
    try:
        given = await within_slices(stored, lambda: loaded(stored.input))
        workflow = await _workflow(context, stored)
        if given["start"] not in workflow.nodes:
            raise CannotResume(f"Its start node '{given['start']}' does not exist.")
        if given.get("given") and await left_of(stored) is None:  # nodes would run that were not to run
            raise CannotResume("It had results of an earlier execution, which are lost; run it again.")
        mode: Mode = stored.row.mode  # type: ignore[assignment]  # written from a request
        return ExecutionRequest(
            workflow=workflow,
            mode=mode,
            start=given["start"],
            items=given["items"],
            start_output=given.get("output", 0),
            use_pin_data=given.get("pin", False),
            until=given.get("until", ""),
            response_node=given.get("responseNode", False),
            depth=given.get("depth", 0),
            retry_of=stored.row.retry_of,
            memory=memory,
            trace=trace_of(given.get("trace")),
        )
    except (ValueError, KeyError, TypeError):
        raise CannotResume("The stored form of it is damaged.") from None


def trace_of(kept: dict[str, str] | None) -> OpenSpan | None:
    """The execution's span, from what the store has: see `stored_span`. Raises KeyError, TypeError."""
    own = None if kept is None else trace_context(kept["span"], kept.get("state", ""))
    return None if kept is None or own is None else OpenSpan(own, kept["parent"])


async def _workflow(context: PluginContext, stored: StoredExecution) -> Workflow:
    row = stored.row
    try:
        if stored.document is not None:
            reader = context.port(WorkflowReader)
            return await reader.parse_stored(stored.document, id=row.workflow_id, version=row.workflow_version)
        if row.workflow_id is not None:
            return await context.port(WorkflowReader).load(row.workflow_id, row.workflow_version)
    except NotFound:
        raise CannotResume("Its workflow was deleted while it was open.") from None
    except StoreUnavailable:
        raise
    except JackfieldError as exc:
        raise CannotResume(exc.message) from None
    raise CannotResume("Its workflow is not kept.")


async def within_slices(stored: StoredExecution, work: Callable[[], T]) -> T:
    """The run that is made of a stored execution; on a thread when it is large."""
    size = len(stored.input) + sum(map(len, stored.steps))
    return await asyncio.to_thread(work) if size > LARGE else work()


async def records_of(stored: StoredExecution) -> list[NodeRecord]:
    """The node runs so far. Raises `CannotResume`."""
    try:
        return await within_slices(stored, lambda: node_records(stored.steps))
    except ValueError:
        raise CannotResume("The stored form of it is damaged.") from None


async def left_of(stored: StoredExecution) -> list[NodeRecord] | None:
    """The part that it has not taken over yet of the results that it began with; None: it began with none. Raises
    `CannotResume`."""
    try:
        return await within_slices(stored, lambda: untaken_runs(stored.steps))
    except (ValueError, KeyError):
        raise CannotResume("The stored form of it is damaged.") from None


def check_resumes(count: int, limit: int) -> None:
    """Raises `CannotResume` when the daemon ended too often while a node of the execution ran. count: in a row."""
    if count >= limit:
        raise CannotResume(
            f"It was resumed {count} times in a row, and each time the daemon ended unexpectedly after a node had "
            "begun. The node may have caused that itself. See the daemon's log, then retry it. The setting "
            "executions.max_resumes is the limit."
        )


def back_off(execution_id: str, count: int, first: float, longest: float) -> float:
    """Seconds from the daemon's start until an execution is resumed once more, after `count` resumes that came to
    nothing. Spread by half, by id and count: what a crashing one met beside it comes to its end without it."""
    if not count:
        return 0.0
    spread = 0.5 + crc32(f"{execution_id} {count}".encode()) / 2**32
    return spread * min(first * 2.0 ** min(count - 1, 60), longest)


def outcome_of(stored: StoredExecution, finished: FinishedExecution | None = None) -> Outcome:
    """How a stored execution ended. finished: an end that is newer than what is stored."""
    error = finished.error if finished is not None else stored.row.error
    status = finished.status if finished is not None else stored.row.status
    failure = orjson.loads(error) if error else None
    records = node_records(stored.steps)
    return Outcome(
        status=status if status in ("success", "cancelled") else "failed",
        items=_last_items(stored, records),
        failure=None if failure is None else Failure(failure["message"], failure.get("node"), failure.get("itemIndex")),
        last_node=records[-1]["node"] if records else None,
    )


def _last_items(stored: StoredExecution, records: list[NodeRecord]) -> Items:
    if not records:
        return []
    given: Items = loaded(stored.input).get("items", [])
    outputs = outputs_of(records[-1], given) or []
    return next((items for items in outputs if items), [])


def ended(
    stored: StoredExecution, status: ExecutionStatus, message: str | None, now_ms: int, owner: str
) -> FinishedExecution:
    """The end of an execution that is not in memory. owner: who writes it."""
    pending = stored.call is not None and stored.call_status == "pending"
    return FinishedExecution(
        id=stored.row.id,
        status=status,
        finished_at=now_ms,
        started_at=stored.row.started_at or stored.row.created_at,
        error=None if message is None else failure_json(Failure(message)),
        call=CallUpdate(*stored.call, status="failed") if stored.call is not None and pending else None,
        number=stored.next_chunk,
        owner=owner,
    )
