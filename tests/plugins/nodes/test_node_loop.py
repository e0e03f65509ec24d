"""Loop Over Items, every version, run by run. Whole loops are in the engine's tests."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from node_fakes import Bench, items

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Items, Node, Outputs
from jackfield.testing.node_runs import FakeNodeRun


def numbers(count: int, start: int = 0) -> Items:
    return items(*({"n": number} for number in range(start, start + count)))


async def rounds(bench: Bench, version: float | None, given: list[Items], **parameters: Any) -> list[Outputs]:
    """The outputs of runs that get these inputs, one after the other."""
    memory: dict[str, Any] = {}
    made = []
    for index, rows in enumerate(given):
        run = bench.run("splitInBatches", version, parameters, rows, context=memory, earlier=given[:index])
        made.append(await bench.outputs(run))
        memory = orjson.loads(orjson.dumps(run.context))  # as after a restart
    return made


def shown(outputs: Outputs) -> list[list[Any]]:
    return [[item["json"]["n"] for item in one] for one in outputs]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        (1, [[[0, 1]], [[2]], []]),
        (2, [[[0, 1], []], [[2], []], [[], [7, 8, 9]]]),
        (3, [[[], [0, 1]], [[], [2]], [[7, 8, 9], []]]),
        (None, [[[], [0, 1]], [[], [2]], [[7, 8, 9], []]]),
    ],
)
async def test_batches_then_everything_that_came_back(
    bench: Bench, version: float | None, expected: list[list[list[int]]]
) -> None:
    """Version 1 has one output and ends in silence, version 2 [loop, done], version 3 [done, loop]."""
    made = await rounds(bench, version, [numbers(3), numbers(2, 7), numbers(1, 9)], batchSize=2)
    assert [shown(outputs) for outputs in made] == expected


@pytest.mark.parametrize(("version", "outputs"), [(1, 1), (2, 2), (3, 2), (None, 2)])
def test_outputs(bench: Bench, version: float | None, outputs: int) -> None:
    node = Node("n1", "L", "jackfield.splitInBatches", "splitInBatches", version, {})
    assert bench.types["splitInBatches"].outputs(node) == outputs


@pytest.mark.parametrize(("version", "size"), [(1, 10), (2, 10), (3, 1), (None, 1)])
async def test_the_batch_size_unless_said_otherwise(bench: Bench, version: float | None, size: int) -> None:
    (outputs,) = await rounds(bench, version, [numbers(12)])
    assert max(map(len, outputs)) == size


async def test_items_are_paired_with_the_run_that_got_them(bench: Bench) -> None:
    made = await rounds(bench, 3, [numbers(3), numbers(2, 7), numbers(1, 9)], batchSize=2)
    pairs = [[item["pairedItem"] for item in outputs[0] + outputs[1]] for outputs in made]
    assert pairs == [
        [{"item": 0}, {"item": 1}],
        [{"item": 2, "run": 0}],
        [{"item": 0, "run": 1}, {"item": 1, "run": 1}, {"item": 0}],
    ]


async def test_files_go_along(bench: Bench) -> None:
    given: Any = [{"json": {}, "binary": {"data": {"data": "", "mimeType": "a/b"}}}]
    ((_, (item,)),) = await rounds(bench, 3, [given])
    assert item["binary"] == given[0]["binary"]


async def test_expressions_find_the_state_in_the_nodes_memory(bench: Bench) -> None:
    given = [numbers(3), numbers(2), numbers(1)]
    memory: dict[str, Any] = {}
    seen = []
    for index, rows in enumerate(given):
        run = bench.run("splitInBatches", 3, {"batchSize": 2}, rows, context=memory, earlier=given[:index])
        await bench.outputs(run)
        seen.append([memory[key] for key in ("currentRunIndex", "maxRunIndex", "noItemsLeft", "done")])
    assert seen == [[0, 2, False, False], [1, 2, True, False], [2, 2, True, True]]


async def test_the_memory_stays_small(bench: Bench) -> None:
    run = bench.run("splitInBatches", 3, {}, numbers(10_000))
    await bench.outputs(run)
    assert len(orjson.dumps(run.context)) < 150


async def test_reset_begins_anew_with_what_comes_in(bench: Bench) -> None:
    made = await rounds(bench, 3, [numbers(3), numbers(2, 7)], batchSize=2, options={"reset": True})
    assert [shown(outputs) for outputs in made] == [[[], [0, 1]], [[], [7, 8]]]


async def test_without_reset_a_finished_loop_is_done_whatever_comes_in(bench: Bench) -> None:
    made = await rounds(bench, 3, [numbers(1), numbers(1, 7), numbers(1, 8)])
    assert [shown(outputs) for outputs in made] == [[[], [0]], [[7], []], [[7, 8], []]]


@pytest.mark.parametrize("size", [0, -1, "many"])
async def test_a_batch_has_at_least_one_item(bench: Bench, size: Any) -> None:
    run: FakeNodeRun = bench.run("splitInBatches", 3, {"batchSize": size}, numbers(1))
    with pytest.raises(NodeError, match="batchSize"):
        await bench.outputs(run)


@pytest.mark.parametrize("nothing", ["", None])
async def test_an_expression_that_gives_nothing_does_not_begin_anew(bench: Bench, nothing: Any) -> None:
    run = bench.run("splitInBatches", 3, {"options": {"reset": nothing}}, items({"n": 1}, {"n": 2}))
    done, loop = await bench.outputs(run)
    assert (done, [item["json"] for item in loop]) == ([], [{"n": 1}])
