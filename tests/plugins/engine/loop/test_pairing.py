"""Following items back to where they come from."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from loop_models import a_graph, a_node, chain, complete, numbers

from jackfield.api.expressions import ExpressionProblem, ItemPosition
from jackfield.api.workflows import Items, Outputs
from jackfield_engine.loop.runloop import RunLoop
from jackfield_engine.loop.tasks import Task
from jackfield_expressions.pairing import ItemPairing


def made(*pairs: object) -> Items:
    """Items that say where they come from; None says nothing."""
    return [
        {"json": {}} if pair is None else {"json": {}, "pairedItem": pair}  # type: ignore[typeddict-item]
        for pair in pairs
    ]


def reach(loop: RunLoop, name: str, outputs: dict[str, Outputs]) -> Task:
    """Run until this node is next."""
    while (task := loop.next()) is not None:
        if task.step.node.name == name:
            return task
        complete(loop, task, outputs.get(task.step.node.name) or [task.given.seen[0]])
    raise AssertionError("it was never reached")


def found(task: Task, loop: RunLoop, name: str, index: int = 0) -> ItemPosition:
    return ItemPairing(loop.results).trace(task.sources[0], index, name)


def test_items_that_pass_through_keep_their_place() -> None:
    loop = RunLoop(chain("a", "b", "c"), "a", numbers(1, 2))
    task = reach(loop, "c", {"b": [made({"item": 1}, {"item": 0})]})
    assert [found(task, loop, "a", index) for index in (0, 1)] == [
        ItemPosition("a", 0, 0, 1),
        ItemPosition("a", 0, 0, 0),
    ]
    assert found(task, loop, "b", 1) == ItemPosition("b", 0, 0, 1)


def test_as_many_items_as_came_in_are_paired_by_index() -> None:
    loop = RunLoop(chain("a", "b", "c"), "a", numbers(1, 2))
    task = reach(loop, "c", {"b": [made(None, None)]})
    assert [found(task, loop, "a", index).item for index in (0, 1)] == [0, 1]


def test_all_items_made_of_one_are_paired_with_it() -> None:
    loop = RunLoop(chain("a", "b", "c"), "a", numbers(1))
    task = reach(loop, "c", {"b": [made(None, None, None)]})
    assert {found(task, loop, "a", index) for index in range(3)} == {ItemPosition("a", 0, 0, 0)}


def test_another_number_of_items_without_pairing_is_an_error() -> None:
    loop = RunLoop(chain("a", "b", "c"), "a", numbers(1, 2))
    task = reach(loop, "c", {"b": [made(None), made(None), made(None)]})
    with pytest.raises(ExpressionProblem, match=r"cannot be traced back .*'a' \(the trace ends at the node 'b'\)"):
        found(task, loop, "a")
    assert found(task, loop, "b").node == "b"


@pytest.mark.parametrize("pair", [{"item": 9}, {"item": 0, "input": 4}, {"item": -1}, {"item": True}, "x", [], {}])
def test_a_pairing_that_leads_nowhere_is_an_error(pair: object) -> None:
    loop = RunLoop(chain("a", "b", "c"), "a", numbers(1, 2))
    task = reach(loop, "c", {"b": [made(pair)]})
    with pytest.raises(ExpressionProblem):
        found(task, loop, "a")


@pytest.mark.parametrize("pair", [1, {"item": 1}, [1], [{"item": 1}], [{"item": 1, "input": 0}, 1]])
def test_every_form_of_a_reference(pair: object) -> None:
    loop = RunLoop(chain("a", "b", "c"), "a", numbers(1, 2))
    assert found(reach(loop, "c", {"b": [made(pair)]}), loop, "a") == ItemPosition("a", 0, 0, 1)


def test_an_item_made_of_several_is_ambiguous_unless_they_are_one() -> None:
    loop = RunLoop(chain("a", "b", "c", "d"), "a", numbers(1, 2, 3))
    outputs = {"b": [made(0, 0, 2)], "c": [made([0, 1], [1, 2])]}
    task = reach(loop, "d", outputs)
    assert found(task, loop, "a", 0) == ItemPosition("a", 0, 0, 0)
    with pytest.raises(ExpressionProblem, match=r"2 items of the node 'a'.*ambiguous"):
        found(task, loop, "a", 1)


def test_what_is_broken_in_a_list_is_left_out() -> None:
    loop = RunLoop(chain("a", "b", "c"), "a", numbers(1, 2))
    assert found(reach(loop, "c", {"b": [made([7, 1])]}), loop, "a").item == 1


def test_a_node_beside_the_way_is_an_error() -> None:
    graph = a_graph([a_node(name) for name in "abc"], [("a", 0, "b", 0), ("a", 0, "c", 0)])
    loop = RunLoop(graph, "a", numbers(1))
    with pytest.raises(ExpressionProblem):
        found(reach(loop, "c", {}), loop, "b")


def test_inputs_are_told_apart() -> None:
    graph = a_graph([a_node(name) for name in "abcmz"], [
        ("a", 0, "b", 0), ("a", 1, "c", 0), ("b", 0, "m", 0), ("c", 0, "m", 1), ("m", 0, "z", 0),
    ])  # fmt: skip
    loop = RunLoop(graph, "a", numbers(1))
    first = loop.next()
    assert first is not None
    complete(loop, first, [numbers(5)])
    loop = RunLoop(a_graph([a_node(name) for name in "abcmz"], [
        ("a", 0, "b", 0), ("a", 0, "c", 0), ("b", 0, "m", 0), ("c", 0, "m", 1), ("m", 0, "z", 0),
    ]), "a", numbers(1, 2))  # fmt: skip
    outputs = {"b": [made(0)], "c": [made(1)], "m": [made({"item": 0, "input": 1}, {"item": 0})]}
    task = reach(loop, "z", outputs)
    assert found(task, loop, "c", 0) == ItemPosition("c", 0, 0, 0)
    assert found(task, loop, "b", 1) == ItemPosition("b", 0, 0, 0)
    assert [found(task, loop, "a", index).item for index in (0, 1)] == [1, 0]
    with pytest.raises(ExpressionProblem):
        found(task, loop, "b", 0)


def test_in_a_loop_the_nearest_run_counts() -> None:
    graph = a_graph([a_node("a"), a_node("b"), a_node("c")], [("a", 0, "b", 0), ("b", 0, "b", 0), ("b", 1, "c", 0)])
    loop = RunLoop(graph, "a", numbers(1, 2))
    for _ in range(3):
        task = loop.next()
        assert task is not None
        complete(loop, task, [[task.given.inputs[0][1], task.given.inputs[0][0]]])
    task = loop.next()
    assert task is not None
    complete(loop, task, [[], task.given.inputs[0]])
    last = loop.next()
    assert last is not None
    assert last.step.node.name == "c"
    assert found(last, loop, "b") == ItemPosition("b", 3, 1, 0)
    assert found(last, loop, "a") == ItemPosition("a", 0, 0, 1)


def test_a_long_loop_is_followed_without_recursion() -> None:
    graph = a_graph([a_node("a"), a_node("b"), a_node("c")], [("a", 0, "b", 0), ("b", 0, "b", 0), ("b", 1, "c", 0)])
    loop = RunLoop(graph, "a", numbers(1))
    for _ in range(3000):
        task = loop.next()
        assert task is not None
        complete(loop, task, [task.given.inputs[0]])
    task = loop.next()
    assert task is not None
    complete(loop, task, [[], task.given.inputs[0]])
    last = loop.next()
    assert last is not None
    assert found(last, loop, "a") == ItemPosition("a", 0, 0, 0)


def test_there_is_no_item_outside_of_the_outputs() -> None:
    loop = RunLoop(chain("a", "b"), "a", numbers(1))
    assert ItemPairing(loop.results).item_at(ItemPosition("a", 0, 0, 0)) == {"json": {"n": 1}}
    assert ItemPairing(loop.results).item_at(ItemPosition("a", 0, 0, 1)) is None
    assert ItemPairing(loop.results).item_at(ItemPosition("a", 0, 3, 0)) is None


def test_which_output_leads_to_a_node() -> None:
    graph = a_graph([a_node(name) for name in "abcde"], [
        ("a", 0, "b", 0), ("a", 1, "c", 0), ("c", 0, "d", 0), ("b", 0, "d", 0), ("a", 1, "d", 0), ("d", 0, "a", 0),
    ])  # fmt: skip
    towards = graph.output_towards
    assert (towards("a", "b"), towards("a", "c"), towards("a", "d"), towards("d", "b")) == (0, 1, 1, 0)
    assert (towards("a", "e"), towards("gone", "a"), towards("d", "d")) == (0, 0, 0)


def test_many_items_made_of_the_same_many_are_traced_once() -> None:
    count = 3000
    loop = RunLoop(chain("a", "b", "c", "d", "e"), "a", numbers(1))
    outputs = {
        "b": [made(*({"item": 0} for _ in range(count)))],
        "c": [made([{"item": index} for index in range(count)])],
        "d": [made(*({"item": 0} for _ in range(count)))],
    }
    task = reach(loop, "e", outputs)
    pairing = ItemPairing(loop.results)
    places = {pairing.trace(task.sources[0], index, "a") for index in range(count)}
    assert places == {ItemPosition("a", 0, 0, 0)}
    assert len(pairing.known["a"]) == count + 2  # each item of b, and those of a and c
    for index in range(count):
        with pytest.raises(ExpressionProblem, match="ambiguous"):
            pairing.trace(task.sources[0], index, "b")
    assert len(pairing.known["b"]) == 3  # of b two are enough


def test_a_pair_that_leads_nowhere_does_not_hide_the_other() -> None:
    loop = RunLoop(chain("a", "b", "c"), "a", numbers(1))
    task = reach(loop, "c", {"b": [made([{"item": 7}, {"item": 0}])]})
    assert found(task, loop, "a") == ItemPosition("a", 0, 0, 0)
