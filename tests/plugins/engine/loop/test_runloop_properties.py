"""What holds for every graph: nothing lost, nothing doubled, an end, the order, and the same again from any point."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from loop_models import Behaviour, Trace, graphs, numbers, play

from jackfield.api.nodes.items import carries_error
from jackfield.api.workflows import Outputs
from jackfield_engine.loop.graph import Graph
from jackfield_engine.loop.runloop import RunLoop
from jackfield_engine.loop.tasks import Task

LIMIT = 60
behaviours = st.builds(Behaviour, st.integers(0, 2**32), st.sampled_from((0.0, 0.2)), st.sampled_from((0.2, 0.5)))


def loop_of(graph: Graph) -> RunLoop:
    return RunLoop(graph, "n0", numbers(1, 2), max_runs=LIMIT)


@settings(max_examples=80, deadline=None)
@given(graphs(), behaviours)
def test_every_run_ends_within_the_limit(graph: Graph, behaviour: Behaviour) -> None:
    loop = loop_of(graph)
    trace = play(loop, behaviour)
    assert len(trace.tasks) < LIMIT
    assert loop.next() is None
    assert loop.count == len(trace.tasks) + 1
    assert [task.index for task in trace.tasks] == list(range(1, len(trace.tasks) + 1))


@settings(max_examples=80, deadline=None)
@given(graphs(), behaviours)
def test_no_items_are_doubled(graph: Graph, behaviour: Behaviour) -> None:
    """Each non-empty output at the end of a wire is an input of at most one later run, item by item."""
    loop = loop_of(graph)
    trace = play(loop, behaviour)
    assert not taken_by(trace) - handed_by(graph, loop)


@settings(max_examples=80, deadline=None)
@given(graphs(inputs=1), behaviours)
def test_a_node_with_one_input_loses_no_items(graph: Graph, behaviour: Behaviour) -> None:
    loop = loop_of(graph)
    trace = play(loop, behaviour)
    if not loop.stopped:
        assert taken_by(trace) == handed_by(graph, loop)


def handed_by(graph: Graph, loop: RunLoop) -> Counter[object]:
    """Without empty items, which `alwaysOutputData` makes and `taken_by` leaves out."""
    handed: Counter[object] = Counter()
    for name, results in loop.results.items():
        for run, result in enumerate(results):
            for link in graph.steps[name].links:
                items = result.outputs[link.output] if link.output < len(result.outputs) else []
                json = [item["json"] for item in items]
                if json and json != [{}]:
                    handed[name, run, link.output, link.node, link.input, repr(json)] += 1
    return handed


def taken_by(trace: Trace) -> Counter[object]:
    """Without the empty items that order v0 begins nodes with."""
    taken: Counter[object] = Counter()
    for task in trace.tasks:
        for index, source in enumerate(task.sources):
            json = [item["json"] for item in task.given.inputs[index]]
            if source is not None and json and json != [{}]:
                taken[source.node, source.run, source.output, task.step.node.name, index, repr(json)] += 1
            elif source is None:
                assert task.given.inputs[index] == []
    return taken


@settings(max_examples=80, deadline=None)
@given(graphs(), behaviours)
def test_no_item_that_a_node_gave_is_lost_to_pairing_or_errors(graph: Graph, behaviour: Behaviour) -> None:
    loop = loop_of(graph)
    trace = play(loop, Behaviour(behaviour.seed, 0.0, behaviour.reach))
    for task, outputs in zip(trace.tasks, trace.outputs, strict=True):
        given_out = (
            task.preset if task.preset is not None else Behaviour(behaviour.seed, 0.0, behaviour.reach).run(task)
        )
        assert outputs is not None
        before, after = sum(map(len, given_out)), sum(map(len, outputs))
        filled = task.step.node.always_output_data and task.preset is None and not had_first(task, given_out)
        assert after == before + filled


def had_first(task: Task, outputs: Outputs) -> bool:
    """Whether the first output has an item that did not fail, or whose node has no error output."""
    apart = task.step.error_output is not None
    return any(not (apart and carries_error(item)) for item in outputs[0])


@settings(max_examples=50, deadline=None)
@given(graphs(), behaviours)
def test_a_replay_of_any_prefix_goes_on_in_the_same_way(graph: Graph, behaviour: Behaviour) -> None:
    whole = play(loop_of(graph), behaviour)
    for length in range(len(whole.outputs) + 1):
        again = play(loop_of(graph), behaviour, whole.outputs[:length])
        assert again.names == whole.names
        assert again.outputs == whole.outputs
        assert [task.sources for task in again.tasks] == [task.sources for task in whole.tasks]
        assert again.limited == whole.limited


@settings(max_examples=80, deadline=None)
@given(graphs(inputs=1, order="v1", modes=False), behaviours)
def test_order_v1_is_depth_first_by_position(graph: Graph, behaviour: Behaviour) -> None:
    """Against a recursive model: run a node, then each child that got items, the highest and leftmost first,
    and of several wires to the same child the last."""
    loop = loop_of(graph)
    trace = play(loop, Behaviour(behaviour.seed, 0.0, behaviour.reach))
    results = dict(zip(range(1, LIMIT), trace.outputs, strict=False))
    found: list[str] = []

    def visit(name: str) -> None:
        place = len(found)
        outputs = results.get(place) if place else [numbers(1, 2)]
        found.append(name)
        if outputs is None:
            return
        links = graph.steps[name].links
        reached = [link for link in reversed(links) if link.output < len(outputs) and outputs[link.output]]
        for link in sorted(reached, key=lambda link: graph.steps[link.node].node.position[::-1]):
            if len(found) > len(trace.names):
                return
            visit(link.node)

    visit("n0")
    assert found[1 : len(trace.names) + 1] == trace.names


@settings(max_examples=50, deadline=None)
@given(graphs(inputs=1, order="v0", modes=False), behaviours)
def test_order_v0_is_first_come_first_served(graph: Graph, behaviour: Behaviour) -> None:
    trace = play(loop_of(graph), Behaviour(behaviour.seed, 0.0, behaviour.reach))
    expected = ["n0"]
    for place, outputs in enumerate([[numbers(1, 2)], *trace.outputs]):
        links = graph.steps[expected[place]].links
        assert outputs is not None
        expected += [link.node for link in links if link.output < len(outputs) and outputs[link.output]]
    assert expected[1 : len(trace.names) + 1] == trace.names
