"""Runs that begin with results of some nodes: these nodes do not run again."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from jackfield.api.history import NodeRecord
from jackfield.api.nodes import NodeRun
from jackfield.api.workflows import Outputs, Workflow
from jackfield_engine.lifecycle.resuming import CannotResume, request_of
from jackfield_engine.run.marks import untaken_mark, untaken_runs
from jackfield_engine.run.stored_form import LEFT

from .engine_lab import Lab, doc, ended, request, until
from .gate_lab import stop


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


async def resting(lab: Lab) -> tuple[Workflow, list[bytes]]:
    """A wait on one branch, and on the other a node with a result, which is reached behind the wait."""
    document: dict[str, Any] = doc(
        ("Start", "webhook"), ("Wait", "wait", {"parameters": {"until": lab.clock.now_ms() + 600_000}})
    )
    for name in ("A", "B"):
        node = {"id": name, "name": name, "type": "jackfield.pass", "position": [1, 900], "parameters": {}}
        document["nodes"].append(node)
    document["connections"]["Start"]["main"][0].append({"node": "A", "type": "main", "index": 0})
    document["connections"]["A"] = {"main": [[{"node": "B", "type": "main", "index": 0}]]}
    base: NodeRecord = {"node": "A", "index": 2, "startedAt": 5, "duration": 7, "status": "success"}
    return await lab.save(document), [chunk({**base, "outputs": [[{"json": {"old": 1}}]]})]


async def test_what_was_not_taken_yet_outlives_a_long_wait(lab: Lab) -> None:
    workflow, given = await resting(lab)
    engine = lab.engine()
    await engine.recover()
    execution = engine.submit(request(workflow, given=given))
    await until(lambda: lab.ran == ["Wait"] and not engine.live.runs)
    for _ in range(21):
        await lab.clock.advance(30)
    assert (await ended(execution)).status == "success"
    assert lab.ran == ["Wait", "B"]
    told = [(one["node"], one.get("reused")) for one in await lab.records(execution.id)]
    assert told == [("Start", None), ("Wait", None), ("A", True), ("B", None)]
    stop(engine)


async def test_a_crash_runs_no_node_that_was_not_to_run(lab: Lab) -> None:
    workflow, given = await resting(lab)
    engine = lab.engine()
    execution = engine.submit(request(workflow, given=given, durability="accept"))
    await execution.accepted
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    with pytest.raises(CannotResume, match="run it again"):
        await request_of(engine.services.context, stored)


def test_what_was_taken_since_the_mark_is_taken_no_more() -> None:
    base: NodeRecord = {"node": "A", "index": 1, "startedAt": 5, "duration": 7, "status": "success"}
    first, second, other = base, {**base, "startedAt": 6}, {**base, "node": "B"}
    rest = b"[" + untaken_mark([first, second, other]) + b"]"
    assert untaken_runs([chunk(first), rest]) == [first, second, other]
    assert untaken_runs([rest, chunk({**first, "reused": True})]) == [second, other]
    assert untaken_runs([rest, b"[" + untaken_mark([other]) + b"]"]) == [other]
    assert untaken_runs([chunk(first), LEFT]) is None
