"""The rules of the run loop, one by one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from loop_models import OUTPUTS, a_graph, a_node, a_workflow, chain, complete, numbers, plain

from jackfield.api.nodes import NodeError
from jackfield.api.workflows import Outputs
from jackfield_engine.loop.graph import Graph, build_graph, towards
from jackfield_engine.loop.runloop import RunLoop, TooManyRuns
from jackfield_engine.loop.tasks import Task


def first(graph: Graph, start: str = "a", *values: int, **more: object) -> tuple[RunLoop, Task]:
    loop = RunLoop(graph, start, numbers(*(values or (1,))), **more)  # type: ignore[arg-type]
    task = loop.next()
    assert task is not None
    return loop, task


def order(graph: Graph, outputs: dict[str, Outputs] | None = None) -> list[str]:
    """The names of the nodes in order of running; a node gives what it got unless told otherwise."""
    loop = RunLoop(graph, "a", numbers(1))
    found: list[str] = []
    while (task := loop.next()) is not None:
        name = task.step.node.name
        found.append(name)
        complete(loop, task, (outputs or {}).get(name) or [task.given.seen[0]])
    return found


def test_the_start_node_gives_the_items_at_its_output() -> None:
    graph = a_graph([a_node("a"), a_node("b"), a_node("c")], [("a", 0, "b", 0), ("a", 1, "c", 0)])
    loop = RunLoop(graph, "a", numbers(7), output=1)
    task = loop.next()
    assert task is not None
    assert (task.step.node.name, plain(task.given.inputs[0]), task.index) == ("c", [{"n": 7}], 1)


def test_an_unknown_start_is_an_error() -> None:
    with pytest.raises(KeyError):
        RunLoop(chain("a"), "b", numbers(1))


def branches(order: str) -> Graph:
    places = {"a": (0, 0), "low": (0, 9), "left": (0, 1), "right": (5, 1), "after": (9, 9)}
    nodes = [a_node(name, position=place) for name, place in places.items()]
    wires = [("a", 0, "low", 0), ("a", 0, "right", 0), ("a", 0, "left", 0), ("left", 0, "after", 0)]
    return a_graph(nodes, wires, order=order)


def test_v1_runs_a_branch_to_its_end_and_the_top_left_first() -> None:
    assert order(branches("v1")) == ["left", "after", "right", "low"]


def test_v0_runs_in_order_of_the_document_and_breadth_first() -> None:
    assert order(branches("v0")) == ["low", "right", "left", "after"]


def test_an_output_without_items_runs_nothing() -> None:
    graph = a_graph([a_node("a"), a_node("b"), a_node("yes"), a_node("no")], [
        ("a", 0, "b", 0), ("b", 0, "yes", 0), ("b", 1, "no", 0),
    ])  # fmt: skip
    assert order(graph, {"b": [[], numbers(1)]}) == ["b", "no"]


def test_two_wires_into_one_input_run_the_node_once_per_wire() -> None:
    graph = a_graph([a_node("a"), a_node("b"), a_node("c", position=(1, 0)), a_node("d")], [
        ("a", 0, "b", 0), ("a", 0, "c", 0), ("b", 0, "d", 0), ("c", 0, "d", 0),
    ])  # fmt: skip
    assert order(graph) == ["b", "d", "c", "d"]


def test_of_two_wires_to_one_place_the_last_is_followed_first() -> None:
    loop = RunLoop(a_graph([a_node("z"), a_node("a"), a_node("b")], [
        ("z", 0, "a", 0), ("a", 0, "b", 0), ("a", 1, "b", 0),
    ]), "z", numbers(1))  # fmt: skip
    task = loop.next()
    assert task is not None
    complete(loop, task, [numbers(1), numbers(2)])
    assert plain(loop.next().given.inputs[0]) == [{"n": 2}]  # type: ignore[union-attr]


def merge() -> Graph:
    return a_graph([a_node("a"), a_node("b"), a_node("c", position=(1, 0)), a_node("m")], [
        ("a", 0, "b", 0), ("a", 0, "c", 0), ("b", 0, "m", 0), ("c", 0, "m", 1),
    ])  # fmt: skip


def test_several_inputs_wait_for_all_of_them() -> None:
    loop, task = first(merge())
    while task.step.node.name != "m":
        complete(loop, task, [numbers(1 if task.step.node.name == "b" else 2)])
        following = loop.next()
        assert following is not None
        task = following
    assert [plain(items) for items in task.given.inputs] == [[{"n": 1}], [{"n": 2}]]
    assert [source and source.node for source in task.sources] == ["b", "c"]
    pairs = [item["pairedItem"] for items in task.given.inputs for item in items]
    assert pairs == [
        {"item": 0},
        {"item": 0, "input": 1},
    ]


def test_a_missing_input_is_empty_once_nothing_else_can_run() -> None:
    loop, task = first(merge())
    complete(loop, task, [[]])
    task = loop.next()  # type: ignore[assignment]
    complete(loop, task, [numbers(2)])
    last = loop.next()
    assert last is not None
    assert last.step.node.name == "m"
    assert [plain(items) for items in last.given.inputs] == [[], [{"n": 2}]]
    assert last.sources[0] is None
    complete(loop, last, [[]])
    assert loop.next() is None


def test_of_two_waiting_nodes_the_earlier_in_the_graph_runs_first() -> None:
    """m waits for n's end too, so n must not be starved by m's order of waiting."""
    graph = a_graph([a_node(name) for name in "amnz"], [
        ("a", 0, "m", 0), ("n", 0, "m", 1), ("a", 0, "n", 0), ("z", 0, "n", 1),
    ])  # fmt: skip
    assert order(graph) == ["n", "m"]


def test_a_cycle_runs_until_it_gives_nothing() -> None:
    graph = a_graph([a_node("a"), a_node("b")], [("a", 0, "b", 0), ("b", 0, "b", 0)])
    loop, task = first(graph)
    for left in (2, 1, 0):
        assert task.given.run == 2 - left
        complete(loop, task, [numbers(left)] if left else [[]])
        following = loop.next()
        task = following or task
    assert loop.next() is None


def test_an_endless_cycle_meets_the_limit() -> None:
    graph = a_graph([a_node("a"), a_node("b")], [("a", 0, "b", 0), ("b", 0, "b", 0)])
    loop = RunLoop(graph, "a", numbers(1), max_runs=5)
    for _ in range(4):
        task = loop.next()
        assert task is not None
        complete(loop, task, [task.given.inputs[0]])
    with pytest.raises(TooManyRuns):
        loop.next()
    assert loop.next() is None


def test_a_disabled_node_hands_on_its_first_input() -> None:
    graph = a_graph([a_node("a"), a_node("b", disabled=True), a_node("c")], [("a", 0, "b", 0), ("b", 0, "c", 0)])
    loop, task = first(graph, "a", 1, 2)
    assert task.preset is not None
    assert plain(task.preset[0]) == [{"n": 1}, {"n": 2}]
    complete(loop, task, task.preset)
    assert plain(loop.next().given.inputs[0]) == [{"n": 1}, {"n": 2}]  # type: ignore[union-attr]


def test_pinned_data_counts_only_when_asked_for() -> None:
    graph = chain("a", "b", pin={"b": numbers(9)})
    assert first(graph)[1].preset is None
    loop, task = first(graph, pin=True)
    assert task.preset == [[{"json": {"n": 9}, "pairedItem": {"item": 0}}]]
    assert complete(loop, task, task.preset) == task.preset


def test_execute_once_shows_the_first_item_and_loses_none_when_it_fails() -> None:
    graph = a_graph([a_node("a"), a_node("b", execute_once=True, on_error="continueRegularOutput")], [("a", 0, "b", 0)])
    loop, task = first(graph, "a", 1, 2)
    assert plain(task.given.seen[0]) == [{"n": 1}]
    assert plain(loop.fail(task, NodeError("no"))[0]) == [{"n": 1}, {"n": 2}]  # type: ignore[index]


def test_always_output_data_gives_one_empty_item() -> None:
    graph = a_graph(
        [a_node("a"), a_node("b", always_output_data=True), a_node("c")], [("a", 0, "b", 0), ("b", 0, "c", 0)]
    )
    loop, task = first(graph, "a", 1, 2)
    assert complete(loop, task, [[]]) == [[{"json": {}, "pairedItem": [{"item": 0}, {"item": 1}]}]]
    assert loop.next() is not None


def test_always_output_data_fills_the_first_output_alone() -> None:
    loop, task = first(a_graph([a_node("a"), a_node("b", always_output_data=True)], [("a", 0, "b", 0)]))
    given = {"json": {"n": 3}, "pairedItem": {"item": 0}}
    filling = {"json": {}, "pairedItem": [{"item": 0}]}
    assert complete(loop, task, [[], numbers(3)]) == [[filling], [given]]
    loop, task = first(a_graph([a_node("a"), a_node("b", always_output_data=True)], [("a", 0, "b", 0)]))
    assert complete(loop, task, [numbers(3), []]) == [[given], []]


def failing(mode: str) -> tuple[RunLoop, Task]:
    nodes = [a_node("a"), a_node("b", on_error=mode), a_node("ok"), a_node("bad")]
    return first(a_graph(nodes, [("a", 0, "b", 0), ("b", 0, "ok", 0), ("b", 2, "bad", 0)]), "a", 1, 2)


def test_a_failure_stops_the_workflow() -> None:
    loop, task = failing("stopWorkflow")
    assert loop.fail(task, NodeError("no")) is None
    assert loop.stopped
    assert loop.last == "b"
    assert loop.next() is None


@pytest.mark.parametrize("mode", ["continueRegularOutput", "continueErrorOutput"])
def test_a_node_that_fails_as_a_whole_passes_its_input_on(mode: str) -> None:
    loop, task = failing(mode)
    outputs = loop.fail(task, NodeError("no"))
    assert outputs is not None
    assert [plain(items) for items in outputs] == [[{"n": 1}, {"n": 2}]]
    following = loop.next()
    assert following is not None
    assert following.step.node.name == "ok"
    assert loop.error is None


def test_a_failure_after_which_nothing_runs_is_kept() -> None:
    loop, task = failing("continueRegularOutput")
    loop.fail(task, NodeError("no"))
    task = loop.next()  # type: ignore[assignment]
    loop.fail(task, NodeError("neither"))
    assert loop.next() is None
    assert loop.error == "neither"


def test_items_that_failed_go_to_the_error_output_with_their_input() -> None:
    loop, task = failing("continueErrorOutput")
    given: Outputs = [
        [
            {"json": {"error": "bad"}, "pairedItem": {"item": 1}},
            {"json": {"n": 1}, "pairedItem": {"item": 0}},
            {"json": {"error": "bad", "message": "m"}, "pairedItem": 0},
            {"json": {"error": "a field", "message": "m", "n": 1}, "pairedItem": 0},
            {"json": {"x": 1}, "error": {"message": "carried"}, "pairedItem": [{"item": 0}]},
        ]
    ]
    outputs = complete(loop, task, given)
    assert plain(outputs[0]) == [{"n": 1}, {"error": "a field", "message": "m", "n": 1}]
    assert outputs[1] == []
    assert plain(outputs[2]) == [
        {"n": 2, "error": "bad"},
        {"n": 1, "error": "bad", "message": "m"},
        {"error": "carried"},
    ]


@pytest.mark.parametrize("wrong", [None, [None], [[None]], [[{}]], [[{"json": 5}]], "text"])
def test_outputs_that_are_no_items_are_refused_and_the_node_can_still_fail(wrong: object) -> None:
    loop, task = failing("continueRegularOutput")
    with pytest.raises(NodeError):
        complete(loop, task, wrong)  # type: ignore[arg-type]
    assert loop.fail(task, NodeError("no")) is not None


def test_the_loop_is_used_in_turn() -> None:
    loop, task = first(chain("a", "b", "c"))
    with pytest.raises(RuntimeError):
        loop.next()
    complete(loop, task, [numbers(1)])
    with pytest.raises(RuntimeError):
        complete(loop, task, [numbers(1)])


def test_items_handed_in_are_never_changed() -> None:
    items = numbers(1, 2)
    loop = RunLoop(chain("a", "b"), "a", items)
    task = loop.next()
    assert task is not None
    given = [[{"json": {"n": 5}}, {"json": {"n": 6}}]]
    complete(loop, task, given)  # type: ignore[arg-type]
    assert items == numbers(1, 2)
    assert given == [[{"json": {"n": 5}}, {"json": {"n": 6}}]]


def test_what_does_not_lead_to_the_end_does_not_run() -> None:
    wires = [("a", 0, "b", 0), ("a", 0, "x", 0), ("b", 0, "c", 0), ("b", 1, "y", 0), ("c", 0, "d", 0), ("c", 0, "b", 0)]
    graph = a_graph([a_node(name) for name in "abcdxy"], wires)
    assert order(towards(graph, "c")) == ["b", "c"]
    assert order(towards(graph, "a")) == []
    assert towards(graph, "") is towards(graph, "nobody") is graph


def test_a_node_that_serves_itself_runs_on_what_its_start_has_given() -> None:
    workflow = a_workflow([a_node("Serve"), a_node("After")], [("Serve", 0, "After", 0)], pin={"Serve": numbers(9)})
    graph = build_graph(workflow, lambda node: OUTPUTS, own=lambda node: 1 if node.name == "Serve" else None)
    loop = RunLoop(graph, "Serve", numbers(1), output=1)
    task = loop.next()
    assert task is not None
    assert (task.step.node.name, plain(task.given.inputs[0]), task.given.run) == ("Serve", [{"n": 1}], 1)
    loop.complete(task, [numbers(2)])
    after = loop.next()
    assert after is not None
    assert (after.step.node.name, plain(after.given.inputs[0])) == ("After", [{"n": 2}])
    loop.complete(after, [numbers(3)])
    assert loop.next() is None
    assert plain(loop.last_items()) == [{"n": 3}]
    pinned = RunLoop(graph, "Serve", numbers(1), output=1, pin=True)
    preset = pinned.next()
    assert preset is not None
    assert preset.preset is not None
    assert [plain(items) for items in preset.preset] == [[{"n": 9}]]
    pinned.complete(preset, preset.preset)
    following = pinned.next()
    assert following is not None
    assert following.step.node.name == "After"
