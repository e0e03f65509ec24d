"""The stored form of an execution: the acceptance with its input, chunks of node runs, marks and the failure.

All but the acceptance is JSON, which `jackfield.api.history` reads.
"""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from jackfield.api.call_places import body_in, moved
from jackfield.api.caller_secrets import CREDENTIAL_NAMES, LOOKED_AT, Hidden, hide
from jackfield.api.engine import ExecutionRequest, Failure
from jackfield.api.history import NodeRecord, stored_json
from jackfield.api.json_slices import written
from jackfield.api.jsontext import Json, depth_exceeds
from jackfield.api.nodes import NodeError
from jackfield.api.records import replace
from jackfield.api.storage import ExecutionStatus, NewCall, NewExecution
from jackfield.api.workflows import Items
from jackfield_engine.run.spans import stored_span

LEFT = b'[{"mark":"left"}]'
"""The chunk of a process that stopped or waits in order, and has nothing else to store."""
LONG_INPUT = 4 * 1024 * 1024
"""Bytes of JSON from which on the input is not kept beside its items once the store has it."""
MAX_DEPTH = 250
"""Levels of lists and objects in a record: what is kept must be readable again, also inside an answer of the API."""


def tells_of_call(items: Items) -> bool:
    """Whether the items may hold what a caller proved itself with. Of most calls nothing more is asked."""
    for item in items[:LOOKED_AT]:
        headers, query = item["json"].get("headers"), item["json"].get("query")
        if query or (isinstance(headers, dict) and CREDENTIAL_NAMES.search(",".join(headers).lower())):
            return True
    return False


def encode(record: NodeRecord) -> bytes:
    """JSON. Raises `NodeError` when the outputs are not JSON."""
    try:
        return orjson.dumps(record)
    except TypeError:
        return encode_unusual(record)


def encode_unusual(record: NodeRecord) -> bytes:
    """The same for a record that orjson refuses, such as one with integers of more than 64 bits."""
    try:
        if not depth_exceeds(record, MAX_DEPTH):
            return stored_json(record)
    except (TypeError, ValueError, RecursionError):
        pass
    raise NodeError("The node's output cannot be kept: it is nested too deeply or is not JSON data.")


def encode_long(record: NodeRecord) -> bytes:
    """The same for a record with long outputs, on a thread: other threads run in between."""
    try:
        return written(record, orjson.dumps)
    except TypeError:
        return encode(record)


def call_mark(call: Mapping[str, Json]) -> bytes:
    """The mark that stands behind the node run that waits for a call."""
    return stored_json({"mark": "call", "call": call})


def resumed_mark(life: str, daemon: str) -> bytes:
    """The chunk before a node begins in a life of a daemon that took the execution over."""
    return orjson.dumps([{"mark": "resumed", "life": life, "daemon": daemon}])


def stored_input(request: ExecutionRequest, encoded: bytes | None, hidden: Hidden) -> tuple[bytes, NewCall | None]:
    """The input and its call, whose body stands in it, as the store gets both. `encoded`: as `input_json` takes it;
    `hidden`: is taken out of both."""
    given, begin = input_json(request, encoded)
    kept = hide(given, hidden) if hidden else given
    return kept, _placed_call(request.call, given, kept, begin, hidden)


def input_json(request: ExecutionRequest, encoded: bytes | None = None) -> tuple[bytes, int]:
    """The request that an execution is started with, as it is stored, and where its items begin. `encoded`: the items
    as JSON, where that is there already."""
    start = {**({"until": request.until} if request.until else {}), **({"given": True} if request.given else {})}
    start["start"] = request.start
    rest: dict[str, object] = {
        "output": request.start_output,
        "pin": request.use_pin_data,
        "responseNode": request.response_node,
        "depth": request.depth,
    }
    if request.trace is not None:
        rest["trace"] = stored_span(request.trace)
    head = stored_json(start)[:-1] + b',"items":'
    items = stored_json(request.items) if encoded is None else encoded
    return b"".join((head, items, b",", orjson.dumps(rest)[1:])), len(head)


def _placed_call(call: NewCall | None, given: bytes, kept: bytes, begin: int, hidden: Hidden) -> NewCall | None:
    """The call, whose body stands in the input. `given`, `kept`: the input before and after what is hidden was taken
    out of it. `begin`: where its items do."""
    if call is None or not call.places:
        return call
    places = moved(call.places, begin)
    if kept is given:
        return replace(call, places=places)
    first, end = places[0][0], sum(places[-1])
    by = len(hide(given[:first], hidden)) - first
    if kept[first + by : end + by] == given[first:end]:
        return replace(call, places=moved(places, by))
    return replace(call, body=body_in(given, places), places=())


def failure_json(failure: Failure) -> bytes:
    """`{message, node?, itemIndex?}`"""
    error: dict[str, Json] = {"message": failure.message}
    if failure.node is not None:
        error["node"] = failure.node
    if failure.item is not None:
        error["itemIndex"] = failure.item
    return stored_json(error)


def new_execution(
    request: ExecutionRequest,
    execution_id: str,
    data: bytes,
    call: NewCall | None,
    status: ExecutionStatus,
    created_at: int,
    started_at: int | None,
    owner: str | None,
) -> NewExecution:
    """The acceptance. data: see `stored_input`; call: as it stands in it. started_at: None: when it was created. The
    document goes along when it is saved nowhere else."""
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
        started_at=None if status == "queued" else started_at or created_at,
        document=workflow.document if unsaved else None,
        retry_of=request.retry_of,
        call=call,
        delivery=request.delivery,
        owner=owner,
        static=request.static,
    )


def too_much(limit: int) -> str:
    return (
        f"The results of the execution's nodes have more than {limit} bytes together. The setting executions.max_data "
        "raises the limit."
    )
