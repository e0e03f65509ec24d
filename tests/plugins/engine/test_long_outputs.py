"""Long lists of items: the same results, made on threads, compact, and let go of in slices."""

from __future__ import annotations

import asyncio
import sys
import weakref
from typing import Any

import orjson
import pytest
from engine_lab import Lab, doc, ended, request

from jackfield.api.history import node_records, original_input
from jackfield.api.json_slices import written
from jackfield.api.nodes import NodeError, NodeRun
from jackfield.api.nodes.items import LONG, compact_item, compact_pair, entered, is_long, new_item, own_pair, passed_on
from jackfield.api.workflows import Items, Outputs
from jackfield_engine.run.stored_form import LONG_INPUT, encode, encode_long
from jackfield_engine.shared.letting_go import let_go

COUNT = LONG + 123


def items(count: int = COUNT) -> Items:
    return [{"json": {"n": number}} for number in range(count)]


async def many(run: NodeRun) -> Outputs:
    return [items()]


def test_what_is_long() -> None:
    assert not is_long([items(10), items(10)])
    assert is_long([items()])
    assert is_long([[{"json": {"rows": [1] * COUNT}}]])
    assert is_long([[{"json": {"text": "x" * 1_000_001}}]])
    assert not is_long([[{"json": {"rows": [1] * 10, "text": "x"}}]])
    for odd in (None, [3], [[3]], [[{"json": 3}]], [[None]]):
        assert not is_long(odd)  # type: ignore[arg-type]  # a node may give anything


def test_entered_items_are_the_same_and_compact() -> None:
    given: Items = [*items(), {"json": {}, "binary": {"f": {"data": "", "mimeType": "a/b"}}, "pairedItem": {"item": 7}}]
    for index in (0, 1):
        found = entered(given, index)
        assert found == [one for start in range(0, len(given), 100) for one in parts(given, start, index)]
    assert orjson.loads(orjson.dumps(found)) == found
    assert sys.getsizeof(compact_item({}, {"item": 0})) < 0.7 * sys.getsizeof({"json": {}, "pairedItem": {}})
    assert (compact_pair(3), type(compact_pair(3))) == ({"item": 3}, dict)


def parts(given: Items, start: int, index: int) -> Items:
    """What short lists become."""
    made = entered(given[start : start + 100], index)
    return [{**one, "pairedItem": {**one["pairedItem"], "item": place + start}} for place, one in enumerate(made)]  # type: ignore[dict-item]


def test_a_pairing_is_there_once() -> None:
    (item,) = entered([{"json": {"n": 1}}], 0)
    assert passed_on(item, 0)["pairedItem"] is item["pairedItem"] is own_pair(item, 0)
    assert own_pair(item, 1) == {"item": 1}
    for place, other in enumerate(entered(items(), 2)):
        assert passed_on(other, place, 2) is other
        assert own_pair(other, place, 2) is other["pairedItem"]
        assert own_pair(other, place, 1) == {"item": place, "input": 1}
        assert own_pair(other, place) == {"item": place}
    assert own_pair({"json": {}}, 4) == {"item": 4}
    assert new_item({"a": 1}, 2) == {"json": {"a": 1}, "pairedItem": {"item": 2}}


ODD: list[Any] = [
    {"json": {"big": 2**70}}, {"json": {"half": "\ud800"}}, {"json": {}, "more": [[]] * 40, "z": dict.fromkeys("abc")},
]  # fmt: skip


@pytest.mark.parametrize("odd", [[], ODD])
def test_records_are_written_the_same_in_slices(odd: list[Any]) -> None:
    record: Any = {"node": "A", "index": 1, "outputs": [[*items(), *odd], [], items(3)], "context": {}}
    assert orjson.loads(encode_long(record)) == orjson.loads(encode(record))
    wide = {f"k{n}": [n, {}] for n in range(3000)}
    assert orjson.loads(written([wide, [], {}, None, "x"])) == [wide, [], {}, None, "x"]


async def test_a_long_run_gives_and_stores_what_a_short_one_does(lab: Lab) -> None:
    lab.kind("many", many)
    workflow = await lab.save(doc(("Start", "webhook"), ("M", "many"), ("A", "pass"), ("B", "pass")))
    execution = lab.engine().submit(request(workflow))
    await asyncio.wait_for(asyncio.shield(execution.stored), 60)
    outcome = await ended(execution)
    assert [item["json"]["n"] for item in outcome.items] == list(range(COUNT))
    records = await lab.records(execution.id)
    assert [len(record["outputs"][0]) for record in records[1:]] == [COUNT] * 3
    assert records[3]["outputs"][0][COUNT - 1] == {"json": {"n": COUNT - 1}, "pairedItem": {"item": COUNT - 1}}


async def test_a_long_run_fails_and_goes_on_as_a_short_one_does(lab: Lab) -> None:
    async def failing(run: NodeRun) -> Outputs:
        raise NodeError("no")

    lab.kind("many", many)
    lab.kind("fails", failing)
    kept = {"onError": "continueRegularOutput"}
    document = doc(("Start", "webhook"), ("M", "many"), ("F", "fails"), ("B", "pass"))
    for node in document["nodes"]:  # type: ignore[union-attr]  # a document's nodes are a list
        if node["name"] == "F":  # type: ignore[index, call-overload]  # of objects
            node.update(kept)  # type: ignore[union-attr]
    execution = lab.engine().submit(request(await lab.save(document)))
    await asyncio.wait_for(asyncio.shield(execution.stored), 60)
    outcome = await ended(execution)
    assert (outcome.status, len(outcome.items)) == ("success", COUNT)
    assert outcome.items[5]["json"] == {"n": 5}


async def test_what_is_let_go_of_is_freed() -> None:
    class Tracked(dict[str, Any]):
        """Can be watched."""

    item = Tracked(json={"n": 1})
    gone = weakref.ref(item)
    given: Any = [item, *items()]
    let_go([given])
    del item, given
    for _ in range(2000):
        if gone() is None:
            return
        await asyncio.sleep(0.005)
    raise AssertionError("the item is still there")


@pytest.mark.parametrize("letters", [10, LONG_INPUT])
async def test_the_json_of_a_long_input_is_not_kept_beside_its_items(lab: Lab, letters: int) -> None:
    """Once the store has the acceptance, as of a run in which a node takes its time."""
    found: list[object] = []

    async def looked(run: NodeRun) -> Outputs:
        (live,) = engine.live.runs.values()
        found.append(live.request.encoded is None)
        live.slow()
        found.append(live.disk.status)
        return [run.items]

    lab.kind("looked", looked)
    engine = lab.engine()
    given: Items = [{"json": {"text": "x" * letters}}]
    workflow = await lab.save(doc(("Start", "webhook"), ("L", "looked")))
    wanted = request(workflow, items=given, encoded=orjson.dumps(given), durability="finish")
    execution = engine.submit(wanted)
    await asyncio.wait_for(asyncio.shield(execution.stored), 60)
    assert found == [letters == LONG_INPUT, "running"]
    assert (await ended(execution)).items[0]["json"] == given[0]["json"]
    stored = await lab.store.execution(execution.id)
    assert stored is not None
    assert original_input(stored).items == given
    assert [record["node"] for record in node_records(stored.steps)] == ["Start", "L"]
