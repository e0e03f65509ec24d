"""Writing the stored forms of an execution, which `jackfield.api.history` reads: its input, its node runs as chunks of
JSON records in order, its failure.

Between the chunks of records stand marks, which tell crashes from stops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from jackfield.api.engine import ExecutionRequest, Failure
from jackfield.api.history import NodeRecord, stored_json
from jackfield.api.jsontext import Json, depth_exceeds
from jackfield.api.nodes import NodeError
from jackfield.api.storage import ExecutionStatus, NewExecution

RESUMED = b'[{"mark":"resumed"}]'
"""The chunk that a process stores before it goes on with an execution that an earlier process left open."""
LEFT = b'[{"mark":"left"}]'
"""The chunk of a process that stopped or waits in order, and has nothing else to store."""


MAX_DEPTH = 250
"""Levels of lists and objects in a record: what is kept must be readable again, also inside an answer of the API."""


def encode(record: NodeRecord) -> bytes:
    """JSON. Raises `NodeError` when the outputs are not JSON."""
    try:
        return orjson.dumps(record)
    except TypeError:
        pass
    try:
        if not depth_exceeds(record, MAX_DEPTH):
            return stored_json(record)
    except (TypeError, ValueError, RecursionError):
        pass
    raise NodeError("The node's output cannot be kept: it is nested too deeply or is not JSON data.")


def chunk(records: Sequence[bytes]) -> bytes:
    """Encoded records as one chunk."""
    return b"[" + b",".join(records) + b"]"


def call_mark(call: Mapping[str, Json]) -> bytes:
    """What stands behind the node run that waits for a call."""
    return stored_json({"mark": "call", "call": call})


def awaited_call(chunks: Sequence[bytes]) -> dict[str, Json] | None:
    """The call that an execution waits for, if it waits for one."""
    last = orjson.loads(chunks[-1]) if chunks else []
    return last[-1]["call"] if last and last[-1].get("mark") == "call" else None


def resumes(chunks: Sequence[bytes]) -> int:
    """How often in a row an execution was resumed without getting as far as a further stored node run."""
    count = 0
    while count < len(chunks) and chunks[-1 - count] == RESUMED:
        count += 1
    return count


def input_json(request: ExecutionRequest) -> bytes:
    """What an execution is started with, as it is stored."""
    until = {"until": request.until} if request.until else {}
    return stored_json(
        {
            **until,
            "start": request.start,
            "items": request.items,
            "output": request.start_output,
            "pin": request.use_pin_data,
            "responseNode": request.response_node,
            "depth": request.depth,
        }
    )


def failure_json(failure: Failure) -> bytes:
    """`{message, node?, itemIndex?}`"""
    error: dict[str, Json] = {"message": failure.message}
    if failure.node is not None:
        error["node"] = failure.node
    if failure.item is not None:
        error["itemIndex"] = failure.item
    return stored_json(error)


def new_execution(
    request: ExecutionRequest, execution_id: str, data: bytes, status: ExecutionStatus, created_at: int, started_at: int
) -> NewExecution:
    """The acceptance. data: see `input_json`. The document goes along when it is saved nowhere else."""
    workflow = request.workflow
    unsaved = workflow.id is None or workflow.version < 1
    return NewExecution(
        id=execution_id,
        workflow_id=workflow.id,
        workflow_version=workflow.version,
        mode=request.mode,
        status=status,
        created_at=created_at,
        input=data,
        started_at=None if status == "queued" else started_at,
        document=workflow.document if unsaved else None,
        retry_of=request.retry_of,
        call=request.call,
        delivery=request.delivery,
    )
