"""The stored forms of an execution: its input, its node runs as chunks of JSON records in order, its failure.

A record is {node, index, startedAt, duration, status, outputs | inputOutput, error?, context?}; see `Record`. Between
the chunks of records stand marks, which tell crashes from stops.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NotRequired, TypedDict

import orjson

from jackfield.api.engine import ExecutionRequest, Failure
from jackfield.api.jsontext import Json, depth_exceeds
from jackfield.api.nodes import NodeError
from jackfield.api.storage import ExecutionStatus, NewExecution
from jackfield.api.workflows import Items, Outputs

RESUMED = b'[{"mark":"resumed"}]'
"""The chunk that a process stores before it goes on with an execution that an earlier process left open."""
LEFT = b'[{"mark":"left"}]'
"""The chunk of a process that stopped or waits in order, and has nothing else to store."""


class RecordError(TypedDict):
    message: str
    itemIndex: NotRequired[int]


class Record(TypedDict):
    """One node run. startedAt: Unix ms; duration: ms. outputs: absent when the run stopped the workflow. inputOutput:
    in place of outputs for the start node, whose output of this number is the execution's input. context: the node's
    memory."""

    node: str
    index: int
    startedAt: int
    duration: int
    status: Literal["success", "failed"]
    outputs: NotRequired[Outputs]
    inputOutput: NotRequired[int]
    error: NotRequired[RecordError]
    context: NotRequired[dict[str, Json]]


MAX_DEPTH = 250
"""Levels of lists and objects in a record: what is kept must be readable again, also inside an answer of the API."""


def encode(record: Record) -> bytes:
    """JSON. Raises `NodeError` when the outputs are not JSON."""
    try:
        return orjson.dumps(record)
    except TypeError:
        pass
    try:
        if not depth_exceeds(record, MAX_DEPTH):
            return to_json(record)
    except (TypeError, ValueError, RecursionError):
        pass
    raise NodeError("The node's output cannot be kept: it is nested too deeply or is not JSON data.")


def to_json(value: object) -> bytes:
    """JSON that orjson reads again: halves of characters, which text from scripts may hold, become U+FFFD, and integers
    beyond 64 bits are written out. Raises TypeError, ValueError, RecursionError."""
    try:
        return orjson.dumps(value)
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def chunk(records: Sequence[bytes]) -> bytes:
    """Encoded records as one chunk."""
    return b"[" + b",".join(records) + b"]"


def decode(chunks: Iterable[bytes]) -> list[Record]:
    """Every record, without marks. One replaces what was stored from its index on: the store may have kept a write that
    was repeated because its end was not known, or a node ran again. Raises ValueError when a chunk is not what this
    module wrote."""
    records: list[Record] = []
    for record in (record for one in chunks for record in orjson.loads(one) if "mark" not in record):
        while records and records[-1]["index"] >= record["index"]:
            records.pop()
        records.append(record)
    return records


def call_mark(call: Mapping[str, Json]) -> bytes:
    """What stands behind the node run that waits for a call."""
    return to_json({"mark": "call", "call": call})


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


def outputs_of(record: Record, given: Items) -> Outputs | None:
    """The outputs of a run; None when it stopped the workflow. given: the execution's input items."""
    number = record.get("inputOutput")
    if number is not None:
        return [*([] for _ in range(number)), given]
    return record.get("outputs")


def input_json(request: ExecutionRequest) -> bytes:
    """What an execution is started with, as it is stored."""
    until = {"until": request.until} if request.until else {}
    return to_json(
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
    return to_json(error)


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
