"""The key of a node run: the same when it is repeated, another one for everything else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from engine_lab import Lab, doc, ended, request
from power_lab import halt

from jackfield.api.nodes import NodeError, NodeResult, NodeRun
from jackfield.api.nodes.keys import derived_key

ITEMS: Any = [{"json": {"n": 1}}, {"json": {"n": 2}}]


class Keys:
    """Notes the keys of each run of a node, and does then what the test says. step: stands still, fails, passes."""

    def __init__(self, lab: Lab, **steps: str) -> None:
        self.runs: list[list[str]] = []
        self._left = [*steps.values()]
        lab.kind("keyed", self._act, effect=True)

    async def _act(self, run: NodeRun) -> NodeResult:
        self.runs.append([run.idempotency_key(item) for item in range(len(run.items))])
        step = self._left.pop(0) if self._left else "pass"
        if step == "stand":
            await asyncio.get_running_loop().create_future()
        if step == "fail":
            raise NodeError("not yet")
        return [] if step == "nothing" else [run.items]


async def test_it_stays_over_a_crash_and_a_person_who_retries_gets_another(lab: Lab) -> None:
    keys = Keys(lab, first="stand")
    workflow = await lab.save(doc(("Start", "webhook"), ("A", "pass"), ("B", "keyed")))
    engine = lab.engine()
    execution = engine.submit(request(workflow, items=ITEMS))
    while not keys.runs:
        await asyncio.sleep(0)
    await halt(engine)
    engine = lab.engine()
    await engine.recover()
    assert (await engine.result(execution.id, 5)).status == "success"
    interrupted, repeated = keys.runs
    assert interrupted == repeated
    assert len(set(repeated)) == 2, "each item has its own"

    await ended(engine.submit(request(workflow, mode="retry", items=ITEMS, retry_of=execution.id)))
    assert not set(keys.runs[2]) & set(repeated)


async def test_it_stays_when_the_node_is_tried_again(lab: Lab) -> None:
    keys = Keys(lab, first="fail")
    retries = {"retryOnFail": True, "maxTries": 2, "waitBetweenTries": 1000}
    execution = lab.engine().submit(request(lab.parse(doc(("Start", "webhook"), ("A", "keyed", retries)))))
    await lab.clock.advance(1)
    assert (await ended(execution)).status == "success"
    assert len(keys.runs) == 2
    assert keys.runs[0] == keys.runs[1]


@pytest.mark.parametrize("first", ["pass", "nothing"])
async def test_each_run_of_a_node_has_its_own(lab: Lab, first: str) -> None:
    """A run that nobody is shown has not the index of the next one's key either."""
    keys = Keys(lab, first=first, second="nothing")
    document: Any = doc(("Start", "webhook"), ("P", "pass"), ("A", "keyed"))
    document["connections"]["Start"]["main"][0].append({"node": "A", "type": "main", "index": 0})
    assert (await ended(lab.engine().submit(request(lab.parse(document))))).status == "success"
    assert len(keys.runs) == 2
    assert keys.runs[0] != keys.runs[1]


async def test_a_part_has_one_for_each_call_and_the_same_ones_when_the_run_is_repeated(lab: Lab) -> None:
    keys = Keys(lab)

    async def ask(run: NodeRun) -> NodeResult:
        (part,) = run.attached("ai_tool")
        for item, question in ((0, "a"), (0, "b"), (0, "a"), (1, "a")):
            await part.execute(item, {"question": question})
        if len(keys.runs) < 8:
            raise NodeError("once more")
        return [run.items]

    lab.kind("ask", ask)
    retries = {"retryOnFail": True, "maxTries": 2, "waitBetweenTries": 1000}
    document: Any = doc(("Start", "webhook"), ("A", "ask", retries))
    document["nodes"].append({"id": "P", "name": "P", "type": "jackfield.keyed", "position": [0, 0], "parameters": {}})
    document["connections"]["P"] = {"ai_tool": [[{"node": "A", "type": "ai_tool", "index": 0}]]}
    execution = lab.engine().submit(request(lab.parse(document), items=ITEMS))
    await lab.clock.advance(1)
    assert (await ended(execution)).status == "success"
    assert keys.runs[:4] == keys.runs[4:]
    assert len({key for (key,) in keys.runs[:4]}) == 4


def test_equal_parts_alone_have_the_same_key() -> None:
    assert derived_key(("e", "a", 1, 2)) == derived_key(("e", "a", 1, 2))
    parts: list[tuple[str | int, ...]] = [("e", "a", 1, 2), ("e", "a", 12), ("e", "a", "1", 2), ("e", "\ud800", 1, 2)]
    assert len({derived_key(each) for each in parts}) == len(parts)
