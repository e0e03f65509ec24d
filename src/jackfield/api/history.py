"""The stored form of an execution, for those who read it: what it was started with, and its node runs in order.

A node run is a record `{node, index, startedAt, duration, status, outputs | inputOutput, error?, context?, reused?}`.
Records stand in chunks of JSON; between them an engine may leave its own marks, which readers pass over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, NotRequired, TypedDict

import orjson

from .json_slices import stored as stored_slices
from .jsontext import LARGE, Json
from .records import record
from .storage import StoredExecution
from .workflows import BinaryData, Items, Outputs


class NodeRecordError(TypedDict):
    """Why a node failed, and at which of its items."""

    message: str
    itemIndex: NotRequired[int]


class SuspendedRun(TypedDict):
    """The data that a node run goes on with; see `jackfield.api.nodes.Resumed`.

    `waits`: how many waits the run has had with this one; absent means 1. `items`: absent until the call has come.
    """

    state: dict[str, Json]
    waits: NotRequired[int]
    items: NotRequired[Items]


class NodeRecord(TypedDict):
    """One node run.

    `startedAt`: Unix ms. `duration`: ms. `outputs`: absent when the run stopped the workflow. An empty list when the
    branch ends there and nobody is shown a run, as with n8n's null. `inputOutput`: in place of outputs for the start
    node, whose output of this number is the execution's input. `context`: the node's memory. `reused`: it ran in an
    earlier execution, and its result was taken over. `spilled`: in place of outputs, the file of the execution that has
    their JSON; see `jackfield.api.spilled_outputs`. `suspended`: the run is not over; its outputs are what is shown
    while it waits.
    """

    node: str
    index: int
    startedAt: int
    duration: int
    status: Literal["success", "failed"]
    outputs: NotRequired[Outputs]
    inputOutput: NotRequired[int]
    spilled: NotRequired[BinaryData]
    error: NotRequired[NodeRecordError]
    context: NotRequired[dict[str, Json]]
    reused: NotRequired[bool]
    suspended: NotRequired[SuspendedRun]


@record
class OriginalInput:
    """The input that an execution started with; see `ExecutionRequest`."""

    start: str
    items: Items
    output: int
    pin: bool
    depth: int
    until: str = ""


def node_records(chunks: Iterable[bytes]) -> list[NodeRecord]:
    """Every record, without marks.

    A record replaces the stored ones from its index on. The store may have kept a write that was repeated because its
    end was not known, or a node ran again. Raises ValueError when a chunk is not what an engine wrote.
    """
    records: list[NodeRecord] = []
    for one in (one for chunk in chunks for one in loaded(chunk) if "mark" not in one):
        while records and records[-1]["index"] >= one["index"]:
            records.pop()
        records.append(one)
    return records


def is_shown(record: NodeRecord) -> bool:
    """Whether the record is a run of its node; see `NodeRecord.outputs`."""
    return record.get("outputs") != [] or "error" in record


def loaded(data: bytes) -> Any:  # whatever was stored
    """Stored JSON. Large one takes its time, and belongs on a thread: it is read in slices. Raises ValueError."""
    return orjson.loads(data) if len(data) < LARGE else stored_slices(data)


def outputs_of(record: NodeRecord, given: Items) -> Outputs | None:
    """The outputs of a run; None when it stopped the workflow. given: the execution's input items."""
    number = record.get("inputOutput")
    if number is not None:
        return [*([] for _ in range(number)), given]
    return record.get("outputs")


def original_input(stored: StoredExecution) -> OriginalInput:
    """Raises ValueError, KeyError, TypeError when what is stored is damaged."""
    kept = loaded(stored.input)
    return OriginalInput(
        start=kept["start"],
        items=kept["items"],
        output=kept.get("output", 0),
        pin=kept.get("pin", False),
        until=kept.get("until", ""),
        depth=kept.get("depth", 0),
    )


def stored_json(value: object) -> bytes:
    """JSON that orjson reads again: halves of characters, which text from scripts may hold, become U+FFFD, and integers
    beyond 64 bits are written out. Raises TypeError, ValueError, RecursionError."""
    try:
        return orjson.dumps(value)
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
