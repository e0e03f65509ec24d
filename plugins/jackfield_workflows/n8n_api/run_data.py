"""The data of an execution in n8n's form: `resultData.runData`, by node."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from jackfield.api.history import NodeRecord, is_shown, node_records, outputs_of
from jackfield.api.jsontext import Json
from jackfield.api.storage import StoredExecution
from jackfield.api.workflows import Items
from jackfield_workflows.history.views import input_items
from jackfield_workflows.n8n_api.views import execution_view


def whole_execution(stored: StoredExecution, workflow: Mapping[str, Json] | None) -> dict[str, Json]:
    """With its data, and the workflow that ran, without secrets."""
    return {
        **execution_view(stored.row),
        "data": run_data(stored),
        "workflowData": dict(workflow) if workflow else None,
    }


def run_data(stored: StoredExecution) -> dict[str, Json]:
    """n8n's `IRunExecutionData`, as far as it is kept. Sources of node runs are not."""
    given = input_items(stored)
    runs: dict[str, list[Json]] = {}
    last = ""
    for number, record in enumerate(node_records(stored.steps)):
        last = record["node"]
        if is_shown(record):
            runs.setdefault(last, []).append(_node_run(record, number, given))
    result: dict[str, Json] = {"runData": runs, "lastNodeExecuted": last}  # type: ignore[dict-item]  # lists of JSON
    if stored.row.error is not None:
        result["error"] = _error(orjson.loads(stored.row.error))
    return {"startData": {}, "resultData": result}


def _node_run(record: NodeRecord, number: int, given: Items) -> dict[str, Json]:
    run: dict[str, Json] = {
        "startTime": record["startedAt"],
        "executionIndex": number,
        "executionTime": record["duration"],
        "executionStatus": "success" if record["status"] == "success" else "error",
        "source": [],
        "data": {"main": outputs_of(record, given) or []},  # type: ignore[dict-item]  # items are JSON
    }
    if "error" in record:
        run["error"] = {**record["error"], "node": {"name": record["node"]}}  # type: ignore[dict-item]  # as above
    return run


def _error(kept: Mapping[str, Json]) -> dict[str, Json]:
    """`node` is an object there."""
    node = kept.get("node")
    return {**kept, "node": {"name": node}} if isinstance(node, str) else dict(kept)
