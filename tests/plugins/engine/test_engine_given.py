"""Runs that begin with results of some nodes: these nodes do not run again."""

from __future__ import annotations

from typing import Any

import orjson

from jackfield.api.history import NodeRecord
from jackfield.api.nodes import NodeRun
from jackfield.api.workflows import Outputs

from .engine_lab import Lab, doc, ended, request


def chunk(*records: NodeRecord) -> bytes:
    return orjson.dumps(list(records))


async def test_nodes_with_a_result_do_not_run_and_the_others_do(lab: Lab) -> None:
    workflow = lab.parse(doc(("Start", "webhook"), ("A", "pass"), ("B", "pass"), ("C", "pass")))
    first = await ended(earlier := lab.engine().submit(request(workflow)))
    assert first.status == "success"
    records = await lab.records(earlier.id)
    lab.ran.clear()
    given = [chunk(*(record for record in records if record["node"] in ("A", "C")))]
    execution = lab.engine().submit(request(workflow, given=given))
    await ended(execution)
    assert lab.ran == ["B"]
    assert [(one["node"], one["index"], one.get("reused")) for one in await lab.records(execution.id)] == [
        ("Start", 0, None),
        ("A", 1, True),
        ("B", 2, None),
        ("C", 3, True),
    ]


async def test_results_count_run_by_run_whatever_comes_up_between(lab: Lab) -> None:
    """A is reached twice, and only its first result is there."""

    async def counting(run: NodeRun) -> Outputs:
        return [[{"json": {"made": len(lab.ran)}}]]

    lab.kind("count", counting)
    document: dict[str, Any] = doc(("Start", "webhook"), ("L", "pass"), ("A", "count"))
    document["nodes"].append({"id": "R", "name": "R", "type": "jackfield.pass", "position": [1, 9], "parameters": {}})
    document["connections"]["Start"]["main"][0].append({"node": "R", "type": "main", "index": 0})
    document["connections"]["R"] = {"main": [[{"node": "A", "type": "main", "index": 0}]]}
    workflow = lab.parse(document)
    base: NodeRecord = {"node": "A", "index": 2, "startedAt": 5, "duration": 7, "status": "success"}
    execution = lab.engine().submit(request(workflow, given=[chunk({**base, "outputs": [[{"json": {"old": 1}}]]})]))
    await ended(execution)
    runs = [one for one in await lab.records(execution.id) if one["node"] == "A"]
    assert [one["outputs"][0][0]["json"] for one in runs] == [{"old": 1}, {"made": 3}]
    assert lab.ran == ["L", "R", "A"]
